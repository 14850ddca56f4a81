//! A word in the making.

use crate::ast::{Part, Text, Word};

/// Collects the parts of a word, literal text byte by byte.
#[derive(Default)]
pub(super) struct Builder {
    parts: Vec<Part>,
    literal: Vec<u8>,
    /// What the texts of the parts take.
    texts: usize,
}

/// What an allocation takes beyond what it holds: the counts of an [`Text`] and the allocator's own.
const OVERHEAD: usize = 32;

impl Builder {
    pub(super) fn push(&mut self, part: Part) {
        self.flush();
        self.parts.push(part);
    }

    /// Adds the parts of another word.
    pub(super) fn extend(&mut self, word: &Word) {
        for part in word.parts() {
            match part {
                Part::Literal(text) => self.literal.extend_from_slice(text),
                part => self.push(part.clone()),
            }
        }
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.literal.push(byte);
    }

    pub(super) fn literal(&mut self) -> &mut Vec<u8> {
        &mut self.literal
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.literal.is_empty()
    }

    /// The word so far, if it is nothing but unquoted text.
    pub(super) fn only_literal(&self) -> Option<&[u8]> {
        self.parts.is_empty().then_some(&*self.literal)
    }

    pub(super) fn parts(&mut self) -> &[Part] {
        self.flush();
        &self.parts
    }

    /// What the word takes, without what its expansions hold.
    pub(super) fn memory(&self) -> usize {
        let parts = (self.parts.len() + 1) * size_of::<Part>();
        parts + self.texts + self.literal.len() + 2 * OVERHEAD
    }

    pub(super) fn into_parts(mut self) -> Vec<Part> {
        self.flush();
        self.parts
    }

    pub(super) fn into_word(self) -> Word {
        if self.parts.is_empty() && !self.literal.is_empty() {
            return Word::from_literal(Text::from(self.literal));
        }
        Word::new(self.into_parts())
    }

    /// A word of one pair of double quotes, or an empty one.
    pub(super) fn into_quoted_word(self) -> Word {
        let parts = self.into_parts();
        if parts.is_empty() {
            return Word::new(Vec::new());
        }
        Word::new(vec![Part::DoubleQuoted(parts.into())])
    }

    fn flush(&mut self) {
        if !self.literal.is_empty() {
            self.texts += self.literal.len() + OVERHEAD;
            self.parts.push(Part::Literal(Text::from(&*self.literal)));
            self.literal.clear();
        }
    }
}
