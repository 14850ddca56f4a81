//! Sets of characters: `[a-z[:digit:]]`, `.`, `\w`.

use std::sync::OnceLock;

use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind,
};

/// What text is made of, for a matcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alphabet {
    /// The text is ASCII, so other characters need not be thought of: smaller and faster matchers.
    Ascii,
    /// UTF-8, with bytes in between that are not.
    Unicode,
    /// Bytes, of which those beyond ASCII are letters of no kind.
    Bytes,
}

/// Some characters.
#[derive(Debug, Clone, Default)]
pub(crate) struct Set {
    pub(crate) items: Vec<Item>,
    pub(crate) negated: bool,
    pub(crate) icase: bool,
}

/// A part of a [`Set`].
#[derive(Debug, Clone, Copy)]
pub(crate) enum Item {
    /// Characters from one to another, by number. In [`Alphabet::Bytes`] the numbers are bytes.
    Range(char, char),
    Named(CharClass),
    /// A byte that is no character.
    Byte(u8),
}

/// `[:alpha:]` and its kin, as the C library has them in `C.UTF-8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are named as they are written")]
pub enum CharClass {
    Alpha,
    Digit,
    Alnum,
    Upper,
    Lower,
    Space,
    Blank,
    Punct,
    Print,
    Graph,
    Cntrl,
    Xdigit,
}

impl Set {
    pub(crate) fn of(items: impl Into<Vec<Item>>) -> Self {
        Self {
            items: items.into(),
            ..Self::default()
        }
    }

    /// Every character, or every one but a newline.
    pub(crate) fn any(with_newline: bool) -> Self {
        Self {
            items: if with_newline {
                Vec::new()
            } else {
                vec![Item::Range('\n', '\n')]
            },
            negated: true,
            icase: false,
        }
    }

    /// Whether it means something else in text that is not ASCII than it does in ASCII.
    pub(crate) fn is_beyond_ascii(&self) -> bool {
        self.negated
            || self.items.iter().any(|item| match item {
                Item::Range(from, to) => {
                    !to.is_ascii() || (self.icase && has_foreign_case(*from, *to))
                }
                Item::Named(named) => !matches!(named, CharClass::Digit | CharClass::Xdigit),
                Item::Byte(_) => true,
            })
    }

    /// The class for an automaton; with `within_lines`, without a newline whatever it says.
    pub(crate) fn to_hir(&self, alphabet: Alphabet, within_lines: bool) -> Hir {
        match alphabet {
            Alphabet::Ascii => self.to_bytes(0x7f, within_lines),
            Alphabet::Bytes => self.to_bytes(0xff, within_lines),
            Alphabet::Unicode => self.to_unicode(within_lines),
        }
    }

    fn to_bytes(&self, last: u8, within_lines: bool) -> Hir {
        // Put in order once, not for each.
        let mut ranges = Vec::new();
        for item in &self.items {
            match item {
                Item::Range(from, to) => {
                    if let Ok(from) = u8::try_from(*from) {
                        let to = u8::try_from(*to).unwrap_or(u8::MAX);
                        ranges.push(ClassBytesRange::new(from, to));
                    }
                }
                Item::Named(named) => {
                    let bytes = (0..=0x7f).filter(|byte| named.has_ascii(*byte));
                    ranges.extend(bytes.map(|byte| ClassBytesRange::new(byte, byte)));
                }
                Item::Byte(byte) => ranges.push(ClassBytesRange::new(*byte, *byte)),
            }
        }
        let mut class = ClassBytes::new(ranges);
        if self.icase {
            class.case_fold_simple();
        }
        if self.negated {
            class.negate();
        }
        class.intersect(&ClassBytes::new([ClassBytesRange::new(0, last)]));
        if within_lines {
            class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
        }
        Hir::class(Class::Bytes(class))
    }

    fn to_unicode(&self, within_lines: bool) -> Hir {
        let (mut ranges, mut bytes) = (Vec::new(), Vec::new());
        for item in &self.items {
            match item {
                Item::Range(from, to) => ranges.push(ClassUnicodeRange::new(*from, *to)),
                Item::Named(named) => ranges.extend_from_slice(named.unicode().ranges()),
                Item::Byte(byte) => bytes.push(ClassBytesRange::new(*byte, *byte)),
            }
        }
        let mut class = ClassUnicode::new(ranges);
        let bytes = ClassBytes::new(bytes);
        if self.icase {
            // Fails only without the tables, which are compiled in.
            let _ = class.try_case_fold_simple();
        }
        if self.negated {
            class.negate();
        }
        if within_lines {
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
        }
        let chars = Hir::class(Class::Unicode(class));
        if self.negated || bytes.ranges().is_empty() {
            chars
        } else {
            Hir::alternation(vec![chars, Hir::class(Class::Bytes(bytes))])
        }
    }
}

/// Whether letters from one to another have a form beyond ASCII: the sign of the kelvin is a `K`, the long s an `S`.
pub(crate) fn has_foreign_case(from: char, to: char) -> bool {
    ['k', 's', 'K', 'S']
        .iter()
        .any(|letter| (from..=to).contains(letter))
}

impl CharClass {
    /// The class of this name, without brackets and colons.
    pub fn from_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"alpha" => Self::Alpha,
            b"digit" => Self::Digit,
            b"alnum" => Self::Alnum,
            b"upper" => Self::Upper,
            b"lower" => Self::Lower,
            b"space" => Self::Space,
            b"blank" => Self::Blank,
            b"punct" => Self::Punct,
            b"print" => Self::Print,
            b"graph" => Self::Graph,
            b"cntrl" => Self::Cntrl,
            b"xdigit" => Self::Xdigit,
            _ => return None,
        })
    }

    /// Whether a character is in it.
    pub fn contains(self, char: char) -> bool {
        if let Ok(byte) = u8::try_from(char)
            && byte.is_ascii()
        {
            return self.has_ascii(byte);
        }
        let ranges = self.unicode().ranges();
        ranges
            .binary_search_by(|range| {
                if range.end() < char {
                    std::cmp::Ordering::Less
                } else if range.start() > char {
                    std::cmp::Ordering::Greater
                } else {
                    std::cmp::Ordering::Equal
                }
            })
            .is_ok()
    }

    fn has_ascii(self, byte: u8) -> bool {
        match self {
            Self::Alpha => byte.is_ascii_alphabetic(),
            Self::Digit => byte.is_ascii_digit(),
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Upper => byte.is_ascii_uppercase(),
            Self::Lower => byte.is_ascii_lowercase(),
            Self::Space => matches!(byte, b'\t'..=b'\r' | b' '),
            Self::Blank => matches!(byte, b'\t' | b' '),
            Self::Punct => byte.is_ascii_punctuation(),
            Self::Print => matches!(byte, b' '..=b'~'),
            Self::Graph => byte.is_ascii_graphic(),
            Self::Cntrl => byte.is_ascii_control(),
            Self::Xdigit => byte.is_ascii_hexdigit(),
        }
    }

    /// As the C library has it in `C.UTF-8`: digits of other scripts are letters, spaces that do not break are
    /// punctuation.
    fn unicode(self) -> &'static ClassUnicode {
        static CLASSES: [OnceLock<ClassUnicode>; 12] = [const { OnceLock::new() }; 12];
        let (slot, text) = match self {
            Self::Alpha => (0, r"[\p{Alphabetic}\p{Nd}--[0-9]]"),
            Self::Digit => (1, r"[0-9]"),
            Self::Alnum => (2, r"[\p{Alphabetic}\p{Nd}]"),
            Self::Upper => (3, r"[\p{Uppercase}]"),
            Self::Lower => (4, r"[\p{Lowercase}]"),
            Self::Space => (5, r"[\s--\x85\xA0\x{2007}\x{202F}]"),
            Self::Blank => (6, r"[\t\p{Zs}--\xA0\x{2007}\x{202F}]"),
            Self::Punct => (
                7,
                r"[[^\p{Cn}\p{Cc}\p{Alphabetic}\p{Nd}\s]\xA0\x{2007}\x{202F}]",
            ),
            Self::Print => (8, r"[^\p{Cn}\p{Cc}\x{2028}\x{2029}]"),
            Self::Graph => (9, r"[[^\p{Cn}\p{Cc}\s]\xA0\x{2007}\x{202F}]"),
            Self::Cntrl => (10, r"[\p{Cc}\x{2028}\x{2029}]"),
            Self::Xdigit => (11, r"[0-9A-Fa-f]"),
        };
        let make = || match regex_syntax::parse(text).map(Hir::into_kind) {
            Ok(HirKind::Class(Class::Unicode(class))) => class,
            _ => ClassUnicode::empty(),
        };
        CLASSES.get(slot).map_or_else(
            || unreachable!("a slot for every class"),
            |class| class.get_or_init(make),
        )
    }
}
