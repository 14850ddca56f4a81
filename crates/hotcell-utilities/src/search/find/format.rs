//! `-printf` and `-ls`.

use std::io;

use bstr::{BStr, ByteSlice};
use hotcell_meter::Charge;
use hotcell_process::{Process, limit_error};
use hotcell_vfs::Timestamp;

use super::{evaluate::base_name, walk::Found};
use crate::{files::mode, identity, time};

enum Piece {
    Text(Vec<u8>),
    Directive {
        flags: Vec<u8>,
        width: usize,
        precision: Option<usize>,
        letter: u8,
        time: u8,
    },
    /// `\c`: nothing more.
    Stop,
}

/// A format, taken apart.
pub(super) struct Format(Vec<Piece>);

impl Format {
    /// An error is what is wrong with it.
    pub(super) fn parse(text: &BStr) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut plain = Vec::new();
        let mut rest = text.as_bytes();
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            match byte {
                b'\\' => match escape(rest) {
                    Some((None, _)) => {
                        pieces.push(Piece::Text(std::mem::take(&mut plain)));
                        pieces.push(Piece::Stop);
                        return Ok(Self(pieces));
                    }
                    Some((Some(byte), used)) => {
                        plain.push(byte);
                        rest = rest.get(used..).unwrap_or_default();
                    }
                    None => plain.push(b'\\'),
                },
                b'%' if rest.first() == Some(&b'%') => {
                    plain.push(b'%');
                    rest = rest.get(1..).unwrap_or_default();
                }
                b'%' => {
                    let (piece, used) = directive(rest)?;
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                    pieces.push(piece);
                    rest = rest.get(used..).unwrap_or_default();
                }
                _ => plain.push(*byte),
            }
        }
        pieces.push(Piece::Text(plain));
        Ok(Self(pieces))
    }

    /// What it says of a file, and what that weighs: a format may ask for much more than it is long.
    pub(super) fn show(&self, process: &Process, found: &Found) -> io::Result<(Vec<u8>, Charge)> {
        let mut out = Vec::new();
        let mut charge = process.charge(0)?;
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text),
                Piece::Stop => break,
                Piece::Directive {
                    flags,
                    width,
                    precision,
                    letter,
                    time,
                } => {
                    let mut text = value(process, found, *letter, *time);
                    if let Some(precision) = precision {
                        text.truncate(*precision);
                    }
                    let missing = width.saturating_sub(text.len());
                    let more = text.len().saturating_add(missing);
                    charge.grow(more).map_err(limit_error)?;
                    process.spend(more);
                    if flags.contains(&b'-') {
                        text.extend(std::iter::repeat_n(b' ', missing));
                    } else {
                        let filler = if flags.contains(&b'0') { b'0' } else { b' ' };
                        text.splice(..0, std::iter::repeat_n(filler, missing));
                    }
                    out.extend_from_slice(&text);
                }
            }
        }
        Ok((out, charge))
    }
}

/// What a backslash stands for, and how much it uses; no byte is `\c`.
fn escape(rest: &[u8]) -> Option<(Option<u8>, usize)> {
    let digits = rest
        .iter()
        .take(3)
        .take_while(|digit| matches!(digit, b'0'..=b'7'))
        .count();
    if digits > 0 {
        let value = rest
            .iter()
            .take(digits)
            .fold(0u32, |sum, digit| sum * 8 + u32::from(digit - b'0'));
        return Some((Some((value & 0xff) as u8), digits));
    }
    Some((
        match rest.first()? {
            b'a' => Some(0x07),
            b'b' => Some(0x08),
            b'c' => None,
            b'f' => Some(0x0c),
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            b'v' => Some(0x0b),
            b'\\' => Some(b'\\'),
            _ => return None,
        },
        1,
    ))
}

fn directive(rest: &[u8]) -> Result<(Piece, usize), String> {
    let count = |from: usize, is: fn(&u8) -> bool| {
        rest.iter().skip(from).take_while(|byte| is(byte)).count()
    };
    let flags = count(0, |byte| b"-+ #0".contains(byte));
    let width = count(flags, u8::is_ascii_digit);
    let number = |from: usize, length: usize| {
        rest.get(from..from + length)
            .and_then(|digits| digits.to_str().ok())
            .and_then(|digits| digits.parse::<usize>().ok())
    };
    let mut at = flags + width;
    let mut precision = None;
    if rest.get(at) == Some(&b'.') {
        let digits = count(at + 1, u8::is_ascii_digit);
        precision = Some(number(at + 1, digits).unwrap_or(0));
        at += 1 + digits;
    }
    let Some(letter) = rest.get(at) else {
        return Err("error: % at end of format string".into());
    };
    let (time, used) = match letter {
        b'A' | b'C' | b'T' | b'B' => match rest.get(at + 1) {
            Some(time) => (*time, at + 2),
            None => {
                return Err(format!(
                    "error: %{} at end of format string",
                    char::from(*letter)
                ));
            }
        },
        b'a' | b'b' | b'c' | b'd' | b'D' | b'f' | b'F' | b'g' | b'G' | b'h' | b'H' | b'i'
        | b'k' | b'l' | b'm' | b'M' | b'n' | b'p' | b'P' | b's' | b'S' | b't' | b'u' | b'U'
        | b'y' | b'Y' | b'Z' => (0, at + 1),
        other => {
            return Err(format!(
                "warning: unrecognized format directive `%{}'",
                char::from(*other)
            ));
        }
    };
    let piece = Piece::Directive {
        flags: rest.get(..flags).unwrap_or_default().to_vec(),
        // More digits than a number has are a width that nobody has room for.
        width: number(flags, width).unwrap_or(if width == 0 { 0 } else { usize::MAX }),
        precision,
        letter: *letter,
        time,
    };
    Ok((piece, used))
}

fn value(process: &Process, found: &Found, letter: u8, format: u8) -> Vec<u8> {
    let meta = &found.meta;
    let target = || process.vfs().readlink(&process.resolve(&found.path)).ok();
    let kind = |letter: char| if letter == '-' { 'f' } else { letter };
    match letter {
        b'a' => stamp(process, meta.accessed, b'c'),
        b'c' => stamp(process, meta.changed, b'c'),
        b't' => stamp(process, meta.modified, b'c'),
        b'A' => stamp(process, meta.accessed, format),
        b'C' => stamp(process, meta.changed, format),
        b'T' | b'B' => stamp(process, meta.modified, format),
        b'b' => (meta.allocated.div_ceil(4096) * 8).to_string().into(),
        b'k' => (meta.allocated.div_ceil(4096) * 4).to_string().into(),
        b'd' => found.depth.to_string().into(),
        b'D' => meta.dev.to_string().into(),
        b'f' => base_name(&found.path).to_vec(),
        b'F' => b"tmpfs".to_vec(),
        b'g' | b'u' => identity::NAME.into(),
        b'G' | b'U' => identity::ID.to_string().into(),
        b'h' => {
            let path = found.path.trim_end_with(|c| c == '/');
            match path.rfind_byte(b'/') {
                None => b".".to_vec(),
                Some(slash) => path.get(..slash).unwrap_or_default().to_vec(),
            }
        }
        b'H' => found.path.get(..found.root).unwrap_or_default().to_vec(),
        b'i' => meta.ino.to_string().into(),
        b'l' => target().map_or_else(Vec::new, hotcell_vfs::VfsPathBuf::into_bytes),
        b'm' => format!("{:o}", meta.mode & 0o7777).into(),
        b'M' => mode::show(meta).into(),
        b'n' => meta.nlink.to_string().into(),
        b'p' => found.path.to_vec(),
        b'P' => {
            let rest = found.path.get(found.root..).unwrap_or_default();
            rest.strip_prefix(b"/").unwrap_or(rest).to_vec()
        }
        b's' => meta.size.to_string().into(),
        b'S' => {
            let size = meta.size.max(1);
            #[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
            let ratio = meta.allocated as f64 / size as f64;
            format!("{ratio:.6}")
                .trim_end_matches('0')
                .trim_end_matches('.')
                .to_owned()
                .into()
        }
        b'y' => kind(mode::kind_letter(meta.kind)).to_string().into(),
        b'Y' => {
            let behind = process.vfs().stat(&process.resolve(&found.path));
            match behind {
                Ok(behind) => kind(mode::kind_letter(behind.kind)).to_string().into(),
                Err(_) => b"N".to_vec(),
            }
        }
        _ => Vec::new(),
    }
}

fn stamp(process: &Process, when: Timestamp, format: u8) -> Vec<u8> {
    let zone = time::zone(process);
    let nanos = format!("{:09}0", when.subsec_nanos());
    let text = match format {
        b'@' => format!("{}.{nanos}", when.seconds()),
        b'+' => format!("{}.{nanos}", time::show(when, &zone, "%Y-%m-%d+%H:%M:%S")),
        b'S' => format!("{}.{nanos}", time::show(when, &zone, "%S")),
        b'T' => format!("{}.{nanos}", time::show(when, &zone, "%H:%M:%S")),
        b'c' => {
            let date = time::show(when, &zone, "%a %b %e %H:%M:%S");
            format!("{date}.{nanos} {}", time::show(when, &zone, "%Y"))
        }
        b'X' | b'r' => format!("{}.{nanos}", time::show(when, &zone, "%H:%M:%S")),
        letter if letter.is_ascii_alphabetic() => {
            time::show(when, &zone, &format!("%{}", char::from(letter)))
        }
        letter => char::from(letter).to_string(),
    };
    text.into()
}

/// A line as `ls -dils` has it.
pub(super) fn list_line(process: &Process, found: &Found) -> Vec<u8> {
    let meta = &found.meta;
    let zone = time::zone(process);
    let age = process.now().seconds() - meta.modified.seconds();
    let format = if (0..15_778_476).contains(&age) {
        "%b %e %H:%M"
    } else {
        "%b %e  %Y"
    };
    let mut line = format!(
        "{:>9} {:>6} {} {:>3} {:<8} {:<8} {:>8} {} ",
        meta.ino,
        meta.allocated.div_ceil(4096) * 4,
        mode::show(meta),
        meta.nlink,
        identity::NAME,
        identity::NAME,
        meta.size,
        time::show(meta.modified, &zone, format)
    )
    .into_bytes();
    line.extend_from_slice(&found.path);
    if meta.is_symlink()
        && let Ok(target) = process.vfs().readlink(&process.resolve(&found.path))
    {
        line.extend_from_slice(b" -> ");
        line.extend_from_slice(target.as_bytes());
    }
    line.push(b'\n');
    line
}
