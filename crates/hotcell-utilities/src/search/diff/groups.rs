//! Output as formats say: `--changed-group-format`, `--old-line-format`, `--ifdef`…

use std::{io, io::Write as _, ops::Range};

use bstr::{BString, ByteSlice};

use super::{edits::Edit, print::Printer};
use crate::Parsed;

/// What becomes of groups of lines, and of lines.
pub(super) struct Formats {
    /// Lines of the first file only, of the second only, of both, and of both but different.
    groups: [BString; 4],
    /// Lines of the first file, of the second, of both.
    lines: [BString; 3],
}

/// Which lines of which files a group has.
struct Group {
    left: Range<usize>,
    right: Range<usize>,
}

impl Formats {
    /// What options say; nothing, if none does.
    pub(super) fn of(parsed: &Parsed) -> Option<Self> {
        let names = ["old", "new", "unchanged", "changed"];
        let group = |name: &str| {
            parsed
                .value(&format!("{name}-group-format"))
                .map(BString::from)
        };
        let line = |name: &str| {
            let own = parsed.value(&format!("{name}-line-format"));
            own.or_else(|| parsed.value("line-format"))
                .map(BString::from)
        };
        let macro_name = parsed.value("ifdef");
        let given = names
            .iter()
            .any(|name| group(name).is_some() || line(name).is_some());
        if !given && macro_name.is_none() {
            return None;
        }
        let usual: [BString; 4] = match macro_name {
            None => {
                let changed = group("changed");
                let or = |usual: &str| changed.clone().unwrap_or_else(|| usual.into());
                [or("%<"), or("%>"), "%=".into(), BString::default()]
            }
            Some(name) => [
                format!("#ifndef {name}\n%<#endif /* ! {name} */\n").into(),
                format!("#ifdef {name}\n%>#endif /* {name} */\n").into(),
                "%=".into(),
                format!("#ifndef {name}\n%<#else /* {name} */\n%>#endif /* {name} */\n").into(),
            ],
        };
        let mut groups = usual;
        for (format, name) in groups.iter_mut().zip(names) {
            if let Some(own) = group(name) {
                *format = own;
            }
        }
        let [old, new, _, changed] = &mut groups;
        if changed.is_empty() && group("changed").is_none() {
            *changed = [old.as_slice(), new.as_slice()].concat().into();
        }
        let lines =
            ["old", "new", "unchanged"].map(|name| line(name).unwrap_or_else(|| "%l\n".into()));
        Some(Self { groups, lines })
    }
}

impl Printer<'_, '_> {
    /// Writes everything, edits and what is between them.
    pub(super) fn groups(&mut self, formats: &Formats, edits: &[Edit]) -> io::Result<()> {
        let (mut left, mut right) = (0, 0);
        for edit in edits {
            self.group(
                formats,
                left..edit.left.start,
                right..edit.right.start,
                true,
            )?;
            self.group(formats, edit.left.clone(), edit.right.clone(), false)?;
            (left, right) = (edit.left.end, edit.right.end);
        }
        let [one, other] = self.texts.map(|text| text.lines.len());
        self.group(formats, left..one, right..other, true)
    }

    fn group(
        &mut self,
        formats: &Formats,
        left: Range<usize>,
        right: Range<usize>,
        is_same: bool,
    ) -> io::Result<()> {
        let kind = match (is_same, left.is_empty(), right.is_empty()) {
            (_, true, true) => return Ok(()),
            (true, ..) => 2,
            (_, _, true) => 0,
            (_, true, _) => 1,
            _ => 3,
        };
        let group = Group { left, right };
        let [_, _, unchanged, _] = &formats.groups;
        let format = formats.groups.get(kind).unwrap_or(unchanged);
        self.format_group(formats, format, &group)
    }

    fn format_group(&mut self, formats: &Formats, format: &[u8], group: &Group) -> io::Result<()> {
        let mut rest = format;
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            self.process.spend(1);
            if *byte != b'%' {
                self.out.write_all(&[*byte])?;
                continue;
            }
            match rest.first() {
                Some(b'<') => self.format_lines(formats, 0, group.left.clone())?,
                Some(b'>') => self.format_lines(formats, 1, group.right.clone())?,
                Some(b'=') => self.format_lines(formats, 2, group.left.clone())?,
                Some(b'(') => {
                    if let Some((chosen, after)) = choice(rest, group) {
                        self.format_group(formats, chosen, group)?;
                        rest = after;
                        continue;
                    }
                    self.out.write_all(b"%(")?;
                }
                _ => {
                    let number = |letter| number_of(letter, group);
                    rest = self.directive(rest, number)?;
                    continue;
                }
            }
            rest = rest.get(1..).unwrap_or_default();
        }
        Ok(())
    }

    fn format_lines(
        &mut self,
        formats: &Formats,
        kind: usize,
        range: Range<usize>,
    ) -> io::Result<()> {
        let Some(format) = formats.lines.get(kind) else {
            return Ok(());
        };
        let side = kind % 2;
        for at in range {
            self.process.spend(8);
            let Some(text) = self.texts.get(side) else {
                return Ok(());
            };
            let line = text.lines.get(at).copied().unwrap_or_default();
            let is_cut = text.is_cut && at + 1 == text.lines.len();
            let mut rest = format.as_slice();
            while let Some((byte, after)) = rest.split_first() {
                rest = after;
                match (*byte, rest.first()) {
                    (b'%', Some(b'l')) => self.out.write_all(line)?,
                    (b'%', Some(b'L')) => {
                        self.out.write_all(line)?;
                        if !is_cut {
                            self.out.write_all(b"\n")?;
                        }
                    }
                    (b'%', _) => {
                        rest = self.directive(rest, |letter| (letter == b'n').then_some(at + 1))?;
                        continue;
                    }
                    (byte, _) => {
                        self.out.write_all(&[byte])?;
                        continue;
                    }
                }
                rest = rest.get(1..).unwrap_or_default();
            }
        }
        Ok(())
    }

    /// `%%`, `%c'X'` and numbers such as `%-5dn`; what is left behind it.
    fn directive<'f>(
        &mut self,
        rest: &'f [u8],
        number: impl Fn(u8) -> Option<usize>,
    ) -> io::Result<&'f [u8]> {
        match rest {
            [b'%', after @ ..] => {
                self.out.write_all(b"%")?;
                return Ok(after);
            }
            [b'c', b'\'', b'\\', after @ ..] => {
                if let Some((digits, after)) = after.split_once_str("'")
                    && let Some(byte) = digits
                        .to_str()
                        .ok()
                        .and_then(|text| u8::from_str_radix(text, 8).ok())
                {
                    self.out.write_all(&[byte])?;
                    return Ok(after);
                }
            }
            [b'c', b'\'', byte, b'\'', after @ ..] => {
                self.out.write_all(&[*byte])?;
                return Ok(after);
            }
            _ => {}
        }
        let end = rest.iter().position(|byte| b"doxX".contains(byte));
        let parts =
            end.and_then(|end| Some((rest.get(..end)?, *rest.get(end)?, *rest.get(end + 1)?, end)));
        if let Some((flags, base, letter, end)) = parts
            && flags.iter().all(|byte| b"-.'0123456789".contains(byte))
            && let Some(value) = number(letter)
        {
            let text = match base {
                b'o' => format!("{value:o}"),
                b'x' => format!("{value:x}"),
                b'X' => format!("{value:X}"),
                _ => value.to_string(),
            };
            self.out.write_all(padded(&text, flags).as_bytes())?;
            return Ok(rest.get(end + 2..).unwrap_or_default());
        }
        self.out.write_all(b"%")?;
        Ok(rest)
    }
}

/// A number as `printf` would have it with these flags, width and precision.
fn padded(text: &str, flags: &[u8]) -> String {
    let flags = String::from_utf8_lossy(flags).replace('\'', "");
    let (width, precision) = flags.split_once('.').unwrap_or((&flags, ""));
    let is_left = width.starts_with('-');
    let number = |text: &str| text.parse::<usize>().unwrap_or(0).min(1 << 12);
    let least = number(precision);
    let fill = width.trim_start_matches('-');
    let size = number(fill);
    let text = format!("{text:0>least$}");
    match (is_left, fill.starts_with('0')) {
        (true, _) => format!("{text:<size$}"),
        (false, true) => format!("{text:0>size$}"),
        (false, false) => format!("{text:>size$}"),
    }
}

/// What a letter stands for: lines of the first file in small letters, of the second in large ones.
fn number_of(letter: u8, group: &Group) -> Option<usize> {
    let range = if letter.is_ascii_lowercase() {
        &group.left
    } else {
        &group.right
    };
    // As in the other formats, a group without lines begins behind the line before it.
    Some(match letter.to_ascii_lowercase() {
        b'e' => range.start,
        b'f' => range.start + 1,
        b'l' => range.end,
        b'm' => range.end + 1,
        b'n' => range.len(),
        _ => return None,
    })
}

/// `(A=B?T:E)`: T or E, and what is behind it.
fn choice<'f>(rest: &'f [u8], group: &Group) -> Option<(&'f [u8], &'f [u8])> {
    let (inside, after) = rest.strip_prefix(b"(")?.split_once_str(")")?;
    let (condition, branches) = inside.split_once_str("?")?;
    let (yes, no) = branches.split_once_str(":")?;
    let (one, other) = condition.split_once_str("=")?;
    let value = |text: &[u8]| match text {
        [letter] if letter.is_ascii_alphabetic() => number_of(*letter, group),
        digits => digits.to_str().ok()?.parse().ok(),
    };
    Some((
        if value(one)? == value(other)? {
            yes
        } else {
            no
        },
        after,
    ))
}
