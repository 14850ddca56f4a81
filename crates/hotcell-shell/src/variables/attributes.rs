//! What `declare` says of a variable beside its value.

use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// A set of attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Attributes(u16);

impl Attributes {
    pub(crate) const NONE: Self = Self(0);
    /// `-a`, whether there is a value or not.
    pub(crate) const INDEXED: Self = Self(1);
    /// `-A`
    pub(crate) const ASSOCIATIVE: Self = Self(1 << 1);
    /// `-i`
    pub(crate) const INTEGER: Self = Self(1 << 2);
    /// `-l`
    pub(crate) const LOWER: Self = Self(1 << 3);
    /// `-u`
    pub(crate) const UPPER: Self = Self(1 << 4);
    /// `-c`
    pub(crate) const CAPITALIZE: Self = Self(1 << 5);
    /// `-n`
    pub(crate) const NAMEREF: Self = Self(1 << 6);
    /// `-r`
    pub(crate) const READONLY: Self = Self(1 << 7);
    /// `-t`
    pub(crate) const TRACE: Self = Self(1 << 8);
    /// `-x`
    pub(crate) const EXPORT: Self = Self(1 << 9);
    /// Assignments to it are ignored without a word.
    pub(crate) const UNASSIGNABLE: Self = Self(1 << 10);

    /// Those that change what is assigned.
    pub(crate) const CHANGING: Self =
        Self(Self::INTEGER.0 | Self::LOWER.0 | Self::UPPER.0 | Self::CAPITALIZE.0);
    /// Arrays of both kinds.
    pub(crate) const ARRAY: Self = Self(Self::INDEXED.0 | Self::ASSOCIATIVE.0);

    /// The letters of `declare -p` and `${x@a}`, in bash's order.
    const LETTERS: [(Self, u8); 10] = [
        (Self::INDEXED, b'a'),
        (Self::ASSOCIATIVE, b'A'),
        (Self::INTEGER, b'i'),
        (Self::NAMEREF, b'n'),
        (Self::READONLY, b'r'),
        (Self::TRACE, b't'),
        (Self::EXPORT, b'x'),
        (Self::CAPITALIZE, b'c'),
        (Self::LOWER, b'l'),
        (Self::UPPER, b'u'),
    ];

    /// Whether all of `others` are there.
    pub(crate) fn has(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// Whether any of `others` is there.
    pub(crate) fn has_any(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// The attribute that `declare` knows by this letter.
    pub(crate) fn by_letter(letter: u8) -> Option<Self> {
        let mut all = Self::LETTERS.iter();
        all.find(|(_, known)| *known == letter)
            .map(|(attribute, _)| *attribute)
    }

    /// As `declare -p` prints them.
    pub(crate) fn letters(self) -> Vec<u8> {
        let all = Self::LETTERS.iter();
        all.filter(|(attribute, _)| self.has(*attribute))
            .map(|(_, letter)| *letter)
            .collect()
    }
}

impl BitOr for Attributes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Attributes {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitAnd for Attributes {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Not for Attributes {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}
