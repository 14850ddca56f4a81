//! Permissions: `u+x,go-w`, `755`, and how `ls` shows them.

use hotcell_vfs::{FileType, Metadata};

/// Changes to permissions, as `chmod` takes them.
#[derive(Debug, Clone)]
pub(crate) enum ModeChange {
    /// `644`: these bits. Bits above the permissions of a directory stay unless four or more digits were given.
    Exact { mode: u32, keeps_special: bool },
    /// `u+x,go-w`.
    Symbolic(Vec<Clause>),
}

/// `go+rX-w`.
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    who: u32,
    /// Nobody was named: the umask counts.
    uses_umask: bool,
    operator: u8,
    bits: u32,
    /// `X`
    executable_if_any: bool,
    /// `g=u`: from whom to copy, as a shift.
    copy_from: Option<u32>,
}

impl ModeChange {
    /// `None` for what is no mode.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        if !text.is_empty() && text.iter().all(|byte| matches!(byte, b'0'..=b'7')) {
            let mode = u32::from_str_radix(std::str::from_utf8(text).ok()?, 8).ok()?;
            let keeps_special = text.len() < 5;
            return (mode <= 0o7777).then_some(Self::Exact {
                mode,
                keeps_special,
            });
        }
        let mut clauses = Vec::new();
        for part in text.split(|byte| *byte == b',') {
            parse_clauses(part, &mut clauses)?;
        }
        Some(Self::Symbolic(clauses))
    }

    /// The permissions that a file has afterwards.
    pub(crate) fn apply(&self, mode: u32, is_dir: bool, umask: u32) -> u32 {
        let mode = mode & 0o7777;
        match self {
            Self::Exact {
                mode: new,
                keeps_special,
            } => {
                let kept = if is_dir && *keeps_special {
                    mode & 0o6000
                } else {
                    0
                };
                new | kept
            }
            Self::Symbolic(clauses) => clauses
                .iter()
                .fold(mode, |mode, clause| clause.apply(mode, is_dir, umask)),
        }
    }
}

/// The bits of whom a letter names.
fn who(letter: u8) -> Option<u32> {
    Some(match letter {
        b'u' => 0o4700,
        b'g' => 0o2070,
        b'o' => 0o1007,
        b'a' => 0o7777,
        _ => return None,
    })
}

fn parse_clauses(part: &[u8], clauses: &mut Vec<Clause>) -> Option<()> {
    let split = part
        .iter()
        .position(|byte| who(*byte).is_none())
        .unwrap_or(part.len());
    let (names, mut rest) = part.split_at(split);
    let named = names
        .iter()
        .filter_map(|name| who(*name))
        .fold(0, |all, bits| all | bits);
    let uses_umask = names.is_empty();
    if rest.is_empty() {
        return None;
    }
    while let Some((operator, after)) = rest.split_first() {
        if !b"+-=".contains(operator) {
            return None;
        }
        rest = after;
        let mut clause = Clause {
            who: if uses_umask { 0o7777 } else { named },
            uses_umask,
            operator: *operator,
            bits: 0,
            executable_if_any: false,
            copy_from: None,
        };
        if let Some(shift) = rest.first().and_then(|letter| match letter {
            b'u' => Some(6),
            b'g' => Some(3),
            b'o' => Some(0),
            _ => None,
        }) {
            clause.copy_from = Some(shift);
            rest = rest.get(1..).unwrap_or_default();
        } else {
            while let Some((letter, after)) = rest
                .split_first()
                .filter(|(letter, _)| !b"+-=".contains(letter))
            {
                match letter {
                    b'r' => clause.bits |= 0o444,
                    b'w' => clause.bits |= 0o222,
                    b'x' => clause.bits |= 0o111,
                    b'X' => clause.executable_if_any = true,
                    b's' => clause.bits |= 0o6000,
                    b't' => clause.bits |= 0o1000,
                    _ => return None,
                }
                rest = after;
            }
        }
        clauses.push(clause);
    }
    Some(())
}

impl Clause {
    fn apply(&self, mode: u32, is_dir: bool, umask: u32) -> u32 {
        let mut bits = self.bits;
        if let Some(shift) = self.copy_from {
            let copied = mode >> shift & 0o7;
            bits = copied << 6 | copied << 3 | copied;
        }
        if self.executable_if_any && (is_dir || mode & 0o111 != 0) {
            bits |= 0o111;
        }
        let mut who = self.who;
        if self.uses_umask {
            who &= !(umask & 0o777);
        }
        let bits = bits & who;
        match self.operator {
            b'+' => mode | bits,
            b'-' => mode & !bits,
            // `=` leaves the special bits of directories as they are unless they are named.
            _ => {
                let cleared = if is_dir {
                    who & 0o777 | self.bits & 0o7000
                } else {
                    who
                };
                mode & !cleared | bits
            }
        }
    }
}

/// The letter of a file's kind.
pub(crate) fn kind_letter(kind: FileType) -> char {
    match kind {
        FileType::Dir => 'd',
        FileType::Symlink => 'l',
        FileType::CharDevice => 'c',
        FileType::BlockDevice => 'b',
        FileType::Fifo => 'p',
        FileType::Socket => 's',
        _ => '-',
    }
}

/// `drwxr-xr-x`.
pub(crate) fn show(meta: &Metadata) -> String {
    let mut text = String::from(kind_letter(meta.kind));
    text.push_str(&show_bits(meta.mode));
    text
}

/// `rwxr-xr-x`.
pub(crate) fn show_bits(mode: u32) -> String {
    let mut text = String::new();
    for (shift, special, letter) in [(6, 0o4000, 's'), (3, 0o2000, 's'), (0, 0o1000, 't')] {
        let bits = mode >> shift;
        text.push(if bits & 4 != 0 { 'r' } else { '-' });
        text.push(if bits & 2 != 0 { 'w' } else { '-' });
        text.push(match (bits & 1 != 0, mode & special != 0) {
            (true, true) => letter,
            (false, true) => letter.to_ascii_uppercase(),
            (true, false) => 'x',
            (false, false) => '-',
        });
    }
    text
}
