//! URLs that stand for several: `{a,b}`, `[1-10:2]`, `[a-z]`.

use bstr::{BString, ByteSlice};

/// More URLs than anybody wants at once.
const MAX_URLS: u64 = 100_000;

/// A pattern, taken apart.
#[derive(Debug)]
pub(super) struct Glob {
    pieces: Vec<Piece>,
    count: u64,
}

#[derive(Debug)]
enum Piece {
    Fixed(BString),
    Set(Vec<BString>),
    Letters {
        first: u8,
        last: u8,
        step: u8,
    },
    Numbers {
        first: u64,
        last: u64,
        step: u64,
        width: usize,
    },
}

/// What is wrong with a pattern, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GlobError {
    pub(super) why: &'static str,
    pub(super) position: usize,
}

impl Piece {
    fn len(&self) -> u64 {
        match self {
            Self::Fixed(_) => 1,
            Self::Set(words) => words.len() as u64,
            Self::Letters { first, last, step } => u64::from((last - first) / step) + 1,
            Self::Numbers {
                first, last, step, ..
            } => ((last - first) / step).saturating_add(1),
        }
    }

    fn get(&self, index: u64) -> BString {
        match self {
            Self::Fixed(text) => text.clone(),
            Self::Set(words) => usize::try_from(index)
                .ok()
                .and_then(|index| words.get(index).cloned())
                .unwrap_or_default(),
            Self::Letters { first, step, .. } => {
                let offset = u8::try_from(index).unwrap_or(0);
                vec![first + offset * step].into()
            }
            Self::Numbers {
                first, step, width, ..
            } => {
                let number = first + index * step;
                format!("{number:0width$}").into()
            }
        }
    }
}

impl Glob {
    /// A URL that stands for itself.
    pub(super) fn literal(url: &[u8]) -> Self {
        Self {
            pieces: vec![Piece::Fixed(url.into())],
            count: 1,
        }
    }

    pub(super) fn parse(url: &[u8]) -> Result<Self, GlobError> {
        let wrong = |why, position| GlobError { why, position };
        let mut pieces = Vec::new();
        let mut fixed = BString::default();
        let mut at = 0;
        let mut count: u64 = 1;
        while let Some(byte) = url.get(at) {
            let rest = url.get(at..).unwrap_or_default();
            match byte {
                b'\\' if matches!(url.get(at + 1), Some(b'{' | b'}' | b'[' | b']')) => {
                    fixed.extend(url.get(at + 1));
                    at += 2;
                }
                b'[' if is_address(rest) => {
                    let end = rest.find_byte(b']').map_or(rest.len(), |end| end + 1);
                    fixed.extend_from_slice(rest.get(..end).unwrap_or_default());
                    at += end;
                }
                b'{' | b'[' => {
                    if !fixed.is_empty() {
                        pieces.push(Piece::Fixed(std::mem::take(&mut fixed)));
                    }
                    let (piece, length) = if *byte == b'{' {
                        set(rest, at)?
                    } else {
                        range(rest, at)?
                    };
                    count = count.saturating_mul(piece.len());
                    if count > MAX_URLS {
                        return Err(wrong("range overflow", at + 1));
                    }
                    pieces.push(piece);
                    at += length;
                }
                b'}' | b']' => return Err(wrong("unmatched close brace/bracket", at + 1)),
                other => {
                    fixed.push(*other);
                    at += 1;
                }
            }
        }
        if !fixed.is_empty() || pieces.is_empty() {
            pieces.push(Piece::Fixed(fixed));
        }
        Ok(Self { pieces, count })
    }

    /// How many URLs it stands for.
    pub(super) fn len(&self) -> u64 {
        self.count
    }

    /// One of the URLs, and what stands in the place of each pattern in it.
    pub(super) fn get(&self, mut index: u64) -> (BString, Vec<BString>) {
        let mut texts = Vec::new();
        // The last pattern changes most often.
        for piece in self.pieces.iter().rev() {
            let count = piece.len();
            texts.push(piece.get(index % count));
            index /= count;
        }
        texts.reverse();
        let patterns = self.pieces.iter().zip(&texts);
        let patterns = patterns.filter(|(piece, _)| !matches!(piece, Piece::Fixed(_)));
        let patterns = patterns.map(|(_, text)| text.clone()).collect();
        (texts.concat().into(), patterns)
    }
}

/// Whether a bracket begins an IPv6 address.
fn is_address(text: &[u8]) -> bool {
    let Some(end) = text.find_byte(b']') else {
        return false;
    };
    let inner = text.get(1..end).unwrap_or_default();
    let inner = inner.split(|byte| *byte == b'%').next().unwrap_or_default();
    inner
        .to_str()
        .is_ok_and(|text| text.parse::<std::net::Ipv6Addr>().is_ok())
}

fn set(text: &[u8], at: usize) -> Result<(Piece, usize), GlobError> {
    let wrong = |why, position| GlobError { why, position };
    let mut words = vec![BString::default()];
    let mut index = 1;
    loop {
        let last = words.len() - 1;
        match text.get(index) {
            None => return Err(wrong("unmatched brace", at + 1)),
            Some(b'}') if text.get(1) == Some(&b'}') => {
                return Err(wrong("empty string within braces", at + index + 1));
            }
            Some(b'}') => return Ok((Piece::Set(words), index + 1)),
            Some(b'{' | b'[') => return Err(wrong("nested brace", at + index + 1)),
            Some(b']') => return Err(wrong("unexpected close bracket", at + index + 1)),
            Some(b',') => words.push(BString::default()),
            Some(b'\\') if text.get(index + 1).is_some() => {
                index += 1;
                words[last].extend(text.get(index));
            }
            Some(byte) => words[last].push(*byte),
        }
        index += 1;
    }
}

fn range(text: &[u8], at: usize) -> Result<(Piece, usize), GlobError> {
    let wrong = |why: &'static str, length: usize| GlobError {
        why,
        position: at + length + 1,
    };
    let Some(end) = text.find_byte(b']') else {
        let is_begun = text.len() > 1 && text.get(1).is_some_and(u8::is_ascii_alphanumeric);
        return Err(if is_begun {
            wrong("bad range", text.len())
        } else {
            wrong("bad range specification", 1)
        });
    };
    let inner = text
        .get(1..end)
        .unwrap_or_default()
        .to_str()
        .unwrap_or_default();
    let (bounds, step) = inner.split_once(':').unwrap_or((inner, "1"));
    let bad = || wrong("bad range", end);
    let (first, last) = bounds.split_once('-').ok_or_else(bad)?;
    let step: u64 = step.parse().ok().filter(|step| *step > 0).ok_or_else(bad)?;
    let piece = match (first.as_bytes(), last.as_bytes()) {
        ([first], [last])
            if first.is_ascii_alphabetic() && last.is_ascii_alphabetic() && first <= last =>
        {
            let step = u8::try_from(step)
                .ok()
                .filter(|step| *step <= last - first || first == last);
            Piece::Letters {
                first: *first,
                last: *last,
                step: step.ok_or_else(bad)?,
            }
        }
        ([first_digit, ..], [last_digit, ..])
            if first_digit.is_ascii_digit() && last_digit.is_ascii_digit() =>
        {
            let number = |text: &str| text.parse::<u64>().ok();
            let (low, high) = (
                number(first).ok_or_else(bad)?,
                number(last).ok_or_else(bad)?,
            );
            if low > high {
                return Err(bad());
            }
            let width = if first.starts_with('0') {
                first.len()
            } else {
                0
            };
            Piece::Numbers {
                first: low,
                last: high,
                step,
                width,
            }
        }
        _ => return Err(wrong("bad range specification", 1)),
    };
    Ok((piece, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(pattern: &str) -> Vec<String> {
        let glob = Glob::parse(pattern.as_bytes()).unwrap();
        (0..glob.len())
            .map(|index| glob.get(index).0.to_string())
            .collect()
    }

    #[test]
    fn patterns_stand_for_their_urls() {
        assert_eq!(all("x"), ["x"]);
        assert_eq!(all("x{a,b}"), ["xa", "xb"]);
        assert_eq!(all("[1-3]"), ["1", "2", "3"]);
        assert_eq!(all("[08-11]"), ["08", "09", "10", "11"]);
        assert_eq!(all("[1-10:4]"), ["1", "5", "9"]);
        assert_eq!(all("[a-c]"), ["a", "b", "c"]);
        assert_eq!(all("{a,b}[1-2]"), ["a1", "a2", "b1", "b2"]);
        assert_eq!(all("\\{a\\}"), ["{a}"]);
        assert_eq!(all("http://[::1]/"), ["http://[::1]/"]);
        let glob = Glob::parse(b"u/{a,b}/[1-2]").unwrap();
        assert_eq!(glob.get(3).1, ["b", "2"]);
    }

    #[test]
    fn wrong_patterns_say_where() {
        let why = |pattern: &str| Glob::parse(pattern.as_bytes()).map(|_| ()).unwrap_err();
        let error = |why, position| GlobError { why, position };
        assert_eq!(why("x/{a,b"), error("unmatched brace", 3));
        assert_eq!(why("x}"), error("unmatched close brace/bracket", 2));
        assert_eq!(why("[1-1000000000]").why, "range overflow");
        assert_eq!(why("[3-1]").why, "bad range");
        assert_eq!(why("[1-2:0]").why, "bad range");
        assert_eq!(why("[[1-9][1-9]").why, "bad range specification");
        assert_eq!(why("{a,{b}}").why, "nested brace");
        for strange in [
            "[", "]", "{", "}", "[]", "{}", "[-]", "[a-1]", "[1-a]", "[:", "\\",
        ] {
            let _ = Glob::parse(strange.as_bytes());
        }
    }
}
