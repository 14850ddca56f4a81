//! What several commands are made of.

use bstr::BString;

use super::Result;
use crate::languages::sed::cursor::Cursor;

pub(super) fn end_of_command(cursor: &mut Cursor<'_>) -> Result<()> {
    match cursor.next_nonblank() {
        None | Some(b'\n' | b';') => Ok(()),
        other @ Some(b'}' | b'#') => {
            cursor.put_back(other);
            Ok(())
        }
        Some(b'\r') => Ok(()),
        Some(_) => Err(cursor.error("extra characters after command")),
    }
}

pub(super) fn optional_number(cursor: &mut Cursor<'_>) -> Option<u64> {
    match cursor.next_nonblank() {
        Some(digit @ b'0'..=b'9') => Some(cursor.number(digit)),
        other => {
            cursor.put_back(other);
            None
        }
    }
}

pub(super) fn required_number(cursor: &mut Cursor<'_>) -> Result<u64> {
    match cursor.next_nonblank() {
        Some(digit @ b'0'..=b'9') => Ok(cursor.number(digit)),
        _ => Err(cursor.error("expected a number after `+' or `~'")),
    }
}

/// A label, up to a blank or a semicolon.
pub(super) fn label(cursor: &mut Cursor<'_>) -> BString {
    let mut label = BString::default();
    let mut byte = cursor.next_nonblank();
    while let Some(next) = byte
        && !next.is_ascii_whitespace()
        && !b";}#".contains(&next)
    {
        label.push(next);
        byte = cursor.next();
    }
    cursor.put_back(byte);
    label
}

/// The name of a file, up to the end of the line.
pub(super) fn file_name(cursor: &mut Cursor<'_>) -> Result<BString> {
    let mut name = BString::default();
    let mut byte = cursor.next_nonblank();
    while let Some(next) = byte
        && next != b'\n'
    {
        name.push(next);
        byte = cursor.next();
    }
    if name.is_empty() {
        return Err(cursor.error("missing filename in r/R/w/W commands"));
    }
    Ok(name)
}

/// Text up to the delimiter, which is taken, too. A delimiter with a backslash is itself.
pub(super) fn until(cursor: &mut Cursor<'_>, delimiter: u8, is_regex: bool) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut bracket = Bracket::Outside;
    loop {
        let byte = cursor.next()?;
        match byte {
            _ if byte == delimiter && bracket == Bracket::Outside => return Some(text),
            b'\n' if is_regex => {
                cursor.put_back(Some(byte));
                return None;
            }
            b'\\' => {
                let next = cursor.next()?;
                if next == delimiter && (is_regex || next != b'&') {
                    text.push(next);
                } else if next == b'n' && is_regex {
                    text.push(b'\n');
                } else if next == b'\n' {
                    text.extend_from_slice(if is_regex { b"\n" } else { b"\\\n" });
                } else {
                    text.extend([b'\\', next]);
                }
                if bracket != Bracket::Outside {
                    bracket = Bracket::Inside;
                }
                continue;
            }
            byte if is_regex => bracket = bracket.after(byte, text.last().copied()),
            _ => {}
        }
        text.push(byte);
    }
}

/// Where a regular expression is, as far as brackets go: in them the delimiter is one of the characters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Outside,
    /// Behind `[` or `[^`: a `]` is one of the characters.
    Opened,
    Inside,
    /// In `[:`, `[.` or `[=`, which is closed by the same sign and a `]`.
    Class(u8),
}

impl Bracket {
    fn after(self, byte: u8, before: Option<u8>) -> Self {
        match (self, byte) {
            (Self::Outside, b'[') => Self::Opened,
            (Self::Outside, _) => Self::Outside,
            (Self::Opened, b'^') if before == Some(b'[') => Self::Opened,
            (Self::Opened | Self::Inside, b':' | b'.' | b'=') if before == Some(b'[') => {
                Self::Class(byte)
            }
            (Self::Inside, b']') => Self::Outside,
            (Self::Class(sign), b']') if before == Some(sign) => Self::Inside,
            (Self::Class(sign), _) => Self::Class(sign),
            (Self::Opened | Self::Inside, _) => Self::Inside,
        }
    }
}
