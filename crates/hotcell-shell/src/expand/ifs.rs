//! What fields are split at.

use bstr::{BString, ByteSlice};

/// The characters of `IFS`.
#[derive(Debug, Clone)]
pub(crate) enum Ifs {
    /// Space, tab and newline, as it is when nobody has changed it.
    Default,
    /// Empty: nothing is split.
    Empty,
    Custom(Box<Custom>),
}

#[derive(Debug, Clone)]
pub(crate) struct Custom {
    ascii: u128,
    others: Vec<char>,
    first: BString,
}

/// What a delimiter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delimiter {
    /// Several are one, and those at the ends are none.
    Blank,
    /// Each ends a field.
    Other,
}

impl Ifs {
    /// From the value of the variable.
    pub(crate) fn new(value: Option<&[u8]>) -> Self {
        match value {
            None | Some(b" \t\n") => Self::Default,
            Some(b"") => Self::Empty,
            Some(value) => {
                let mut custom = Custom {
                    ascii: 0,
                    others: Vec::new(),
                    first: BString::default(),
                };
                for (start, end, char) in value.char_indices() {
                    if start == 0 {
                        custom.first = value.get(..end).unwrap_or_default().into();
                    }
                    if char.is_ascii() {
                        custom.ascii |= 1 << u32::from(char);
                    } else {
                        custom.others.push(char);
                    }
                }
                Self::Custom(Box::new(custom))
            }
        }
    }

    /// What `"$*"` joins with.
    pub(crate) fn joiner(&self) -> &[u8] {
        match self {
            Self::Default => b" ",
            Self::Empty => b"",
            Self::Custom(custom) => &custom.first,
        }
    }

    /// The delimiter at a place of a text, if there is one, and its length.
    pub(crate) fn delimiter_at(&self, text: &[u8], at: usize) -> Option<(Delimiter, usize)> {
        let byte = *text.get(at)?;
        let is_blank = matches!(byte, b' ' | b'\t' | b'\n');
        match self {
            Self::Default => is_blank.then_some((Delimiter::Blank, 1)),
            Self::Empty => None,
            Self::Custom(custom) if byte.is_ascii() => {
                let kind = if is_blank {
                    Delimiter::Blank
                } else {
                    Delimiter::Other
                };
                (custom.ascii & (1 << byte) != 0).then_some((kind, 1))
            }
            Self::Custom(custom) => {
                if custom.others.is_empty() {
                    return None;
                }
                let (char, length) = bstr::decode_utf8(text.get(at..)?);
                let is_there = custom.others.contains(&char?);
                is_there.then_some((Delimiter::Other, length))
            }
        }
    }

    /// Where the next delimiter is, from `at` on.
    pub(crate) fn next_delimiter(&self, text: &[u8], at: usize) -> Option<usize> {
        let rest = text.get(at..)?;
        match self {
            Self::Default => memchr::memchr3(b' ', b'\t', b'\n', rest).map(|found| at + found),
            Self::Empty => None,
            Self::Custom(_) => {
                (at..text.len()).find(|place| self.delimiter_at(text, *place).is_some())
            }
        }
    }
}
