//! Names of members: which are meant, and what becomes of them.

use bstr::{BStr, BString, ByteSlice};
use hotcell_meter::Pace;
use hotcell_process::Process;
use hotcell_regex::{Flavor, Options, Regex};

use crate::{regexes::compile, wildcard};

/// A name without what would lead out: slashes at its beginning, and all before the last `..`. And what was removed.
pub(super) fn relative(name: &[u8]) -> (BString, BString) {
    let mut start = 0;
    let mut at = 0;
    for part in name.split_str("/") {
        let end = at + part.len();
        if part == b".." {
            start = end;
        }
        at = end + 1;
    }
    let rest = name.get(start..).unwrap_or_default();
    let slashes = rest.iter().take_while(|byte| **byte == b'/').count();
    let cut = start + slashes;
    let (removed, safe) = name.split_at(cut.min(name.len()));
    let safe = if safe.is_empty() { b"." } else { safe };
    (safe.into(), removed.into())
}

/// Whether a pattern means a name, or a directory that it is in.
pub(super) fn matches(pattern: &[u8], name: &[u8], wildcards: bool, anchored: bool) -> bool {
    let pattern = pattern.trim_end_with(|c| c == '/');
    let name = name.trim_end_with(|c| c == '/');
    let one = |text: &[u8]| {
        if wildcards {
            wildcard::matches(pattern, text)
        } else {
            pattern == text
        }
    };
    let starts = if anchored {
        vec![0]
    } else {
        std::iter::once(0)
            .chain(name.find_iter("/").map(|slash| slash + 1))
            .collect()
    };
    starts.into_iter().any(|start| {
        let rest = name.get(start..).unwrap_or_default();
        let ends = rest.find_iter("/").chain([rest.len()]);
        ends.into_iter()
            .any(|end| one(rest.get(..end).unwrap_or_default()))
    })
}

/// `s/a/b/g`, as `--transform` has it.
pub(super) struct Transform {
    regex: Regex,
    replacement: Vec<Piece>,
    all: bool,
    number: usize,
}

enum Piece {
    Text(Vec<u8>),
    Group(usize),
}

impl Transform {
    /// Several may stand with semicolons between them; an error is what is wrong.
    pub(super) fn parse(process: &Process, text: &BStr) -> Result<Vec<Self>, String> {
        let invalid = || "Invalid transform expression".to_owned();
        let mut result = Vec::new();
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            rest = rest.strip_prefix(b"s").ok_or_else(invalid)?;
            let (delimiter, after) = rest.split_first().ok_or_else(invalid)?;
            let (pattern, after) = until(after, *delimiter).ok_or_else(invalid)?;
            let (replacement, after) = until(after, *delimiter).ok_or_else(invalid)?;
            let end = after
                .iter()
                .position(|byte| *byte == b';')
                .unwrap_or(after.len());
            let (flags, after) = after.split_at(end);
            rest = after.strip_prefix(b";").unwrap_or(after);
            let digits: Vec<u8> = flags.iter().copied().filter(u8::is_ascii_digit).collect();
            let flavor = if flags.contains(&b'x') {
                Flavor::Extended
            } else {
                Flavor::Basic
            };
            let options = Options {
                icase: flags.contains(&b'i'),
                ..Options::default()
            };
            let regex =
                compile(process, &pattern, flavor, options).map_err(|error| error.to_string())?;
            result.push(Self {
                regex,
                replacement: pieces(&replacement),
                all: flags.contains(&b'g'),
                number: std::str::from_utf8(&digits)
                    .ok()
                    .and_then(|digits| digits.parse().ok())
                    .unwrap_or(1),
            });
        }
        Ok(result)
    }

    pub(super) fn apply(&self, process: &Process, name: &[u8]) -> std::io::Result<Vec<u8>> {
        let mut pace = Pace::new(process.stop_token());
        let subject = self.regex.on(name).map_err(std::io::Error::other)?;
        let mut result = Vec::new();
        let (mut copied, mut at, mut count) = (0, 0, 0);
        while at <= name.len()
            && let Some(captures) = subject
                .captures_at(at, &mut pace)
                .map_err(std::io::Error::other)?
        {
            process.spend(16);
            let Some(whole) = captures.get(0) else { break };
            count += 1;
            at = whole.end.max(at + usize::from(whole.is_empty()));
            if whole.is_empty() && whole.start >= at {
                at += 1;
            }
            if count < self.number {
                continue;
            }
            result.extend_from_slice(name.get(copied..whole.start).unwrap_or_default());
            for piece in &self.replacement {
                match piece {
                    Piece::Text(text) => result.extend_from_slice(text),
                    Piece::Group(group) => {
                        let group = captures
                            .get(*group)
                            .and_then(|group| name.get(group.start..group.end));
                        result.extend_from_slice(group.unwrap_or_default());
                    }
                }
            }
            copied = whole.end;
            if !self.all {
                break;
            }
        }
        result.extend_from_slice(name.get(copied..).unwrap_or_default());
        Ok(result)
    }
}

/// What stands before the next delimiter, and what behind it.
fn until(text: &[u8], delimiter: u8) -> Option<(Vec<u8>, &[u8])> {
    let mut part = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' if text.get(at + 1) == Some(&delimiter) => {
                part.push(delimiter);
                at += 2;
            }
            b'\\' => {
                part.push(b'\\');
                part.extend(text.get(at + 1));
                at += 2;
            }
            byte if *byte == delimiter => {
                return Some((part, text.get(at + 1..).unwrap_or_default()));
            }
            byte => {
                part.push(*byte);
                at += 1;
            }
        }
    }
    None
}

fn pieces(replacement: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = Vec::new();
    let mut bytes = replacement.iter();
    while let Some(byte) = bytes.next() {
        let group = match byte {
            b'&' => Some(0),
            b'\\' => match bytes.next() {
                Some(digit) if digit.is_ascii_digit() => Some(usize::from(digit - b'0')),
                Some(other) => {
                    text.push(*other);
                    None
                }
                None => None,
            },
            other => {
                text.push(*other);
                None
            }
        };
        if let Some(group) = group {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
            pieces.push(Piece::Group(group));
        }
    }
    pieces.push(Piece::Text(text));
    pieces
}
