//! What stands before the hunks: names, times, and git's words.

use std::borrow::Cow;

use bstr::{BStr, BString, ByteSlice};

use super::options::Form;

/// A name in a header, with what stands behind it.
#[derive(Clone)]
pub(super) struct Named<'t> {
    pub(super) name: Cow<'t, [u8]>,
    /// The time, with the tab before it.
    pub(super) time: &'t BStr,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    Rename,
    Copy,
}

/// Whether a side of a patch is said not to be there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(super) enum Absent {
    No,
    /// It has no lines.
    Empty,
    /// It is not there.
    Surely,
}

#[derive(Clone)]
pub(super) struct Header<'t> {
    /// The lines of the patch from here to the first hunk.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) form: Form,
    pub(super) old: Option<Named<'t>>,
    pub(super) new: Option<Named<'t>>,
    pub(super) index: Option<&'t BStr>,
    pub(super) is_git: bool,
    pub(super) is_binary: bool,
    pub(super) old_mode: Option<u32>,
    pub(super) new_mode: Option<u32>,
    pub(super) moves: Option<Move>,
    pub(super) absent: [Absent; 2],
}

impl<'t> Header<'t> {
    pub(super) fn new(start: usize) -> Self {
        Self {
            start,
            end: start,
            form: Form::Unified,
            old: None,
            new: None,
            index: None,
            is_git: false,
            is_binary: false,
            old_mode: None,
            new_mode: None,
            moves: None,
            absent: [Absent::No; 2],
        }
    }

    /// Git says something that needs no hunk.
    pub(super) fn is_change(&self) -> bool {
        self.is_git
            && (self.moves.is_some()
                || self.is_binary
                || self.old_mode.is_some()
                || self.new_mode.is_some())
    }

    pub(super) fn ending(mut self, end: usize, form: Form) -> Self {
        self.end = end;
        self.form = form;
        self
    }

    /// `diff --git a/x b/x`.
    pub(super) fn git_names(&mut self, line: &'t [u8]) {
        self.is_git = true;
        let rest = line
            .get(11..)
            .unwrap_or_default()
            .trim_end_with(|c| c == '\n' || c == '\r');
        // Both are the same behind their first directory, unless the file moves: then other lines tell.
        let (old, new) = if rest.starts_with(b"\"") {
            let Some((old, used)) = unquoted(rest) else {
                return;
            };
            let new = rest.get(used..).unwrap_or_default().trim_start();
            let new = unquoted(new).map_or(BString::from(new), |(name, _)| name);
            (Cow::Owned(old.into()), Cow::Owned(new.into()))
        } else {
            let half = rest.len() / 2;
            let (old, new) = (rest.get(..half), rest.get(half + 1..));
            match (old, new) {
                (Some(old), Some(new))
                    if rest.get(half) == Some(&b' ') && tail(old) == tail(new) =>
                {
                    (Cow::Borrowed(old), Cow::Borrowed(new))
                }
                _ => match rest.split_once_str(" ") {
                    Some((old, new)) => (Cow::Borrowed(old), Cow::Borrowed(new)),
                    None => return,
                },
            }
        };
        let time = b"".as_bstr();
        self.old = Some(Named { name: old, time });
        self.new = Some(Named { name: new, time });
    }

    /// A line of git's between its first one and the hunks.
    pub(super) fn take_git(&mut self, line: &'t [u8]) -> bool {
        let line = line.trim_end_with(|c| c == '\n' || c == '\r');
        let mode = |text: &[u8]| {
            text.to_str()
                .ok()
                .and_then(|text| u32::from_str_radix(text, 8).ok())
        };
        if let Some(text) = line.strip_prefix(b"old mode ") {
            self.old_mode = mode(text);
        } else if let Some(text) = line.strip_prefix(b"new mode ") {
            self.new_mode = mode(text);
        } else if let Some(text) = line.strip_prefix(b"deleted file mode ") {
            self.old_mode = mode(text);
            self.absent[1] = Absent::Surely;
        } else if let Some(text) = line.strip_prefix(b"new file mode ") {
            self.new_mode = mode(text);
            self.absent[0] = Absent::Surely;
        } else if line.starts_with(b"rename from ") || line.starts_with(b"rename to ") {
            self.moves = Some(Move::Rename);
        } else if line.starts_with(b"copy from ") || line.starts_with(b"copy to ") {
            self.moves = Some(Move::Copy);
        } else if line.starts_with(b"GIT binary patch") {
            self.is_binary = true;
        } else {
            return line.starts_with(b"index ")
                || line.starts_with(b"similarity index ")
                || line.starts_with(b"dissimilarity index ");
        }
        true
    }

    /// Whether the first hunk has nothing on a side: `@@ -0,0 +1 @@`.
    pub(super) fn says_from_range(&mut self, line: &[u8]) {
        let is_zero = |text: &[u8]| {
            text.first() == Some(&b'0') && text.get(1).is_none_or(|byte| !byte.is_ascii_digit())
        };
        let rest = line.get(4..).unwrap_or_default();
        let new = rest
            .split_once_str(" ")
            .map_or(&b""[..], |(_, new)| new.trim_start());
        self.says([is_zero(rest), new.strip_prefix(b"+").is_some_and(is_zero)]);
    }

    /// As [`Header::says_from_range`], by `*** 0 ****`.
    pub(super) fn says_from_context(&mut self, line: &[u8]) {
        self.says([
            line.starts_with(b"*** 0 ") || line.starts_with(b"*** 0,"),
            false,
        ]);
    }

    fn says(&mut self, zeros: [bool; 2]) {
        let sides = [self.old.as_ref(), self.new.as_ref()];
        for ((absent, zero), side) in self.absent.iter_mut().zip(zeros).zip(sides) {
            let is_null = side
                .is_some_and(|named| named.name.as_ref() == b"/dev/null" || is_epoch(named.time));
            let found = match (zero, is_null) {
                (true, true) => Absent::Surely,
                (true, false) => Absent::Empty,
                (false, _) => Absent::No,
            };
            if found > *absent {
                *absent = found;
            }
        }
    }
}

/// The name behind its first directory.
fn tail(name: &[u8]) -> &[u8] {
    name.split_once_str("/").map_or(name, |(_, rest)| rest)
}

/// Whether a time is that of a file that is not there, as `diff -N` prints it.
fn is_epoch(time: &[u8]) -> bool {
    let time = time.trim();
    // The first second of 1970 in any zone.
    let is_day = time.starts_with(b"1970-01-01 ") || time.starts_with(b"1969-12-31 ");
    let parts: Vec<&[u8]> = time.split_str(" ").collect();
    let [_, clock, zone] = parts.as_slice() else {
        return time.starts_with(b"Thu Jan  1 00:00:00 1970");
    };
    let seconds = |text: &[u8]| {
        let (hours, rest) = super::parse::number(text)?;
        let (minutes, rest) = super::parse::number(rest.strip_prefix(b":")?)?;
        let (seconds, _) = super::parse::number(rest.strip_prefix(b":")?)?;
        i64::try_from(hours * 3600 + minutes * 60 + seconds).ok()
    };
    let offset = zone.to_str().ok().and_then(|zone| zone.parse::<i64>().ok());
    let (Some(clock), Some(offset)) = (seconds(clock), offset) else {
        return false;
    };
    let offset = offset / 100 * 3600 + offset % 100 * 60;
    let day = if time.starts_with(b"1969") { -86400 } else { 0 };
    is_day && day + clock == offset
}

/// The name and the time behind `--- `.
pub(super) fn named(line: &[u8], from: usize) -> Option<Named<'_>> {
    let line = line.get(from..)?.trim_start_with(|c| c == ' ');
    let line = line.trim_end_with(|c| c == '\n' || c == '\r');
    if let Some((name, used)) = unquoted(line) {
        let time = line.get(used..).unwrap_or_default().as_bstr();
        return Some(Named {
            name: Cow::Owned(name.into()),
            time,
        });
    }
    // A name may have spaces only if a tab ends it.
    let end = memchr::memchr(b'\t', line)
        .or_else(|| line.iter().position(u8::is_ascii_whitespace))
        .unwrap_or(line.len());
    let (name, time) = line.split_at(end);
    (!name.is_empty()).then_some(Named {
        name: Cow::Borrowed(name),
        time: time.as_bstr(),
    })
}

/// A name in quotes as C has them, and how long it was.
fn unquoted(text: &[u8]) -> Option<(BString, usize)> {
    let inner = text.strip_prefix(b"\"")?;
    let mut name = Vec::new();
    let mut at = 0;
    loop {
        let byte = *inner.get(at)?;
        at += 1;
        match byte {
            b'"' => return Some((name.into(), at + 1)),
            b'\\' => {
                let escape = *inner.get(at)?;
                at += 1;
                name.push(match escape {
                    b'a' => 7,
                    b'b' => 8,
                    b'f' => 12,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'v' => 11,
                    b'\\' | b'"' => escape,
                    b'0'..=b'3' => {
                        let digits = inner.get(at - 1..at + 2)?.to_str().ok()?;
                        at += 2;
                        u8::from_str_radix(digits, 8).ok()?
                    }
                    _ => return None,
                });
            }
            _ => name.push(byte),
        }
    }
}
