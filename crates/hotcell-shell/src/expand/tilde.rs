//! `~`, `~user`, `~+`, `~-`, `~2`

use bstr::{BString, ByteSlice};
use hotcell_process::Process;
use hotcell_vfs::VfsPath;

use crate::{
    ast::{Part, Word},
    shell::Shell,
};

/// Where in a literal a tilde is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a place of its own")]
pub(crate) struct TildeAt {
    /// At the start of the word.
    start: bool,
    /// Behind each `:`, for assignments.
    colons: bool,
    /// Behind each `=`, for arguments that look like assignments: `x=~`.
    equals: bool,
    /// The literal ends the word, so that a name that reaches its end is whole.
    to_end: bool,
}

impl TildeAt {
    /// No tilde is special.
    pub(crate) const NOWHERE: Self = Self {
        start: false,
        colons: false,
        equals: false,
        to_end: false,
    };
    /// At the start: arguments, patterns.
    pub(crate) const START: Self = Self {
        start: true,
        ..Self::NOWHERE
    };
    /// At the start and after each `:`: the value of an assignment.
    pub(crate) const VALUE: Self = Self {
        start: true,
        colons: true,
        ..Self::NOWHERE
    };

    /// In an argument: at the start, and more often if it looks like an assignment.
    pub(crate) fn for_argument(word: &Word) -> Self {
        let is_assignment = match word.parts().first() {
            Some(Part::Literal(text)) => looks_like_assignment(text),
            _ => false,
        };
        Self {
            start: true,
            colons: is_assignment,
            equals: is_assignment,
            to_end: false,
        }
    }

    /// For the part of this number.
    pub(crate) fn of(self, index: usize, is_last: bool) -> Self {
        Self {
            start: self.start && index == 0,
            to_end: is_last,
            ..self
        }
    }

    pub(crate) fn anywhere(self) -> bool {
        self.start || self.colons || self.equals
    }
}

impl Shell {
    /// The next tilde from `from` on: where it begins, where its name ends, and what it stands for.
    pub(crate) fn next_tilde(
        &mut self,
        process: &Process,
        text: &[u8],
        from: usize,
        at: TildeAt,
    ) -> Option<(usize, usize, BString)> {
        let places = text.get(from..)?.find_iter("~").map(|found| from + found);
        for start in places {
            let before = start.checked_sub(1).and_then(|before| text.get(before));
            let is_special = match before {
                None => at.start,
                Some(b':') => at.colons,
                Some(b'=') => at.equals,
                Some(_) => false,
            };
            if !is_special {
                continue;
            }
            let rest = text.get(start + 1..).unwrap_or_default();
            let ends = |byte: &u8| matches!(byte, b'/' | b':');
            let length = rest.iter().position(ends);
            if length.is_none() && !at.to_end {
                continue;
            }
            let length = length.unwrap_or(rest.len());
            let name = rest.get(..length).unwrap_or_default();
            if let Some(home) = self.tilde(process, name) {
                return Some((start, start + 1 + length, home));
            }
        }
        None
    }

    /// What `~name` stands for.
    pub(crate) fn tilde(&mut self, process: &Process, name: &[u8]) -> Option<BString> {
        match name {
            b"" => Some(match self.variable(process, b"HOME") {
                Some(home) => home,
                None => home_of(process, |_, id| id == b"0").unwrap_or_else(|| "/".into()),
            }),
            b"+" => self.variable(process, b"PWD"),
            b"-" => self.variable(process, b"OLDPWD"),
            _ => {
                let (sign, digits) = match name {
                    [sign @ (b'+' | b'-'), digits @ ..] => (*sign, digits),
                    digits => (b'+', digits),
                };
                if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
                    return self.stacked_directory(process, sign, digits);
                }
                home_of(process, |user, _| user == name)
            }
        }
    }

    fn stacked_directory(&self, process: &Process, sign: u8, digits: &[u8]) -> Option<BString> {
        let number: usize = std::str::from_utf8(digits).ok()?.parse().ok()?;
        let number = match sign {
            b'-' => self.directories.len().checked_sub(number)?,
            _ => number,
        };
        match number.checked_sub(1) {
            None => Some(process.cwd().as_bytes().into()),
            Some(below) => self.directories.get(below).cloned(),
        }
    }
}

/// Whether a text begins with `name=` or `name+=`.
fn looks_like_assignment(text: &[u8]) -> bool {
    let equals = text.iter().position(|byte| *byte == b'=');
    let Some(name) = equals.and_then(|equals| text.get(..equals)) else {
        return false;
    };
    let name = name.strip_suffix(b"+").unwrap_or(name);
    crate::names::is_name(name) || super::value::split_element(name).is_some()
}

/// The home of a user in `/etc/passwd`, by name and number.
fn home_of(process: &Process, is_it: impl Fn(&[u8], &[u8]) -> bool) -> Option<BString> {
    let users = process.vfs().read_file(VfsPath::new("/etc/passwd")).ok()?;
    users.lines().find_map(|line| {
        let mut columns = line.split(|byte| *byte == b':');
        let (user, id) = (columns.next()?, columns.nth(1)?);
        let home = columns.nth(2)?;
        is_it(user, id).then(|| home.into())
    })
}
