//! Patterns: `*.txt`, `[[:alpha:]]?`, `!(a|b)`.
//!
//! A pattern without groups is matched by going back to the last `*` only. One with groups is matched by following all
//! places that can be reached at once (see [`places`]), so that no pattern takes exponential time.

mod bracket;
mod compile;
mod places;

use bracket::Bracket;

pub(crate) use places::Spend;

/// A compiled pattern.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    elements: Vec<Element>,
    has_groups: bool,
    icase: bool,
}

/// How patterns are understood.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PatternOptions {
    /// `@(a|b)` and its kin are groups.
    pub(crate) extglob: bool,
    /// Letters match whatever their case.
    pub(crate) icase: bool,
}

#[derive(Debug, Clone)]
enum Element {
    /// Text that stands for itself.
    Text(Vec<u8>),
    /// A character that stands for itself, whatever its case.
    Letter(char),
    /// `?`
    Any,
    /// `[…]`
    Bracket(Box<Bracket>),
    /// `*`
    Star,
    Group(Group),
}

/// `?(…)` and its kin.
#[derive(Debug, Clone)]
struct Group {
    kind: GroupKind,
    alternatives: Vec<Vec<Element>>,
    /// Its number in the pattern.
    id: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GroupKind {
    /// `?(…)`
    Optional,
    /// `*(…)`
    Any,
    /// `+(…)`
    Some,
    /// `@(…)`
    One,
    /// `!(…)`
    Not,
}

/// A character of text, or a byte that is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Char(char),
    Byte(u8),
}

impl Pattern {
    /// The text that is all that the pattern matches, if there is such.
    pub(crate) fn literal(&self) -> Option<&[u8]> {
        match self.elements.as_slice() {
            [] => Some(b""),
            [Element::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether it may match something else than its own text.
    pub(crate) fn is_special(&self) -> bool {
        let is_text = |element: &Element| matches!(element, Element::Text(_) | Element::Letter(_));
        !self.elements.iter().all(is_text)
    }

    /// Whether it matches all of a text.
    pub(crate) fn matches(&self, text: &[u8], spend: Spend<'_>) -> bool {
        if let Some(literal) = self.literal() {
            return literal == text;
        }
        if self.has_groups {
            return places::Search::new(self, text, spend).matches();
        }
        spend(text.len() + self.elements.len());
        self.matches_simple(text, spend)
    }

    /// Whether it matches the name of a file: a dot at the start is matched by a dot only.
    pub(crate) fn matches_name(&self, name: &[u8], spend: Spend<'_>) -> bool {
        if !name.starts_with(b".") {
            return self.matches(name, spend);
        }
        match self.elements.first() {
            Some(Element::Text(_) | Element::Letter('.')) => self.matches(name, spend),
            Some(Element::Group(_)) => places::Search::new(self, name, spend)
                .with_explicit_dot()
                .matches(),
            _ => false,
        }
    }

    /// How long the shortest and the longest start of `text` are that match.
    pub(crate) fn prefix(&self, text: &[u8], longest: bool, spend: Spend<'_>) -> Option<usize> {
        if let Some(literal) = self.literal() {
            return text.starts_with(literal).then_some(literal.len());
        }
        places::Search::new(self, text, spend).end_from(0, longest)
    }

    /// Where the shortest or longest end of `text` begins that matches.
    pub(crate) fn suffix(&self, text: &[u8], longest: bool, spend: Spend<'_>) -> Option<usize> {
        if let Some(literal) = self.literal() {
            return text.ends_with(literal).then(|| text.len() - literal.len());
        }
        places::Search::new(self, text, spend).start_before_end(longest)
    }

    /// The leftmost matches, each the longest that begins where it does, one behind the other.
    pub(crate) fn find_all(
        &self,
        text: &[u8],
        only_first: bool,
        spend: Spend<'_>,
    ) -> Vec<(usize, usize)> {
        places::Search::new(self, text, spend).find_all(only_first)
    }

    /// For patterns without groups: at most the last `*` is tried again.
    fn matches_simple(&self, text: &[u8], spend: Spend<'_>) -> bool {
        let (mut element, mut at) = (0, 0);
        let mut retry: Option<(usize, usize)> = None;
        loop {
            let matched = match self.elements.get(element) {
                Some(Element::Star) => {
                    if element + 1 == self.elements.len() {
                        return true;
                    }
                    retry = Some((element + 1, at));
                    Some(0)
                }
                Some(one) => match_one(one, text, at, self.icase),
                None if at == text.len() => return true,
                None => None,
            };
            if let Some(length) = matched {
                element += 1;
                at += length;
                continue;
            }
            let Some((after_star, from)) = retry else {
                return false;
            };
            if from >= text.len() {
                return false;
            }
            spend(1);
            let next = from + unit_at(text, from).map_or(1, |(_, length)| length);
            retry = Some((after_star, next));
            (element, at) = (after_star, next);
        }
    }
}

/// How much of `text` at `at` an element other than `*` and groups matches.
fn match_one(element: &Element, text: &[u8], at: usize, icase: bool) -> Option<usize> {
    if let Element::Text(literal) = element {
        let rest = text.get(at..)?;
        return rest.starts_with(literal).then_some(literal.len());
    }
    let (unit, length) = unit_at(text, at)?;
    let matches = match element {
        Element::Any => true,
        Element::Letter(letter) => {
            matches!(unit, Unit::Char(char) if char == *letter || same_letter(char, *letter))
        }
        Element::Bracket(bracket) => bracket.contains(unit, icase),
        Element::Text(_) | Element::Star | Element::Group(_) => false,
    };
    matches.then_some(length)
}

/// Whether two characters differ in case at most.
fn same_letter(one: char, other: char) -> bool {
    one.eq_ignore_ascii_case(&other)
        || (!one.is_ascii() || !other.is_ascii()) && one.to_lowercase().eq(other.to_lowercase())
}

/// The character at a place, or the byte if there is none, and its length.
pub(crate) fn unit_at(text: &[u8], at: usize) -> Option<(Unit, usize)> {
    let first = *text.get(at)?;
    if first.is_ascii() {
        return Some((Unit::Char(char::from(first)), 1));
    }
    let (char, length) = bstr::decode_utf8(text.get(at..)?);
    Some(match char {
        Some(char) => (Unit::Char(char), length),
        None => (Unit::Byte(first), 1),
    })
}

/// The length of the character that ends at a place.
pub(crate) fn unit_length_before(text: &[u8], at: usize) -> Option<usize> {
    let before = text.get(..at)?;
    let last = *before.last()?;
    if last.is_ascii() {
        return Some(1);
    }
    let (char, length) = bstr::decode_last_utf8(before);
    Some(if char.is_some() { length } else { 1 })
}

/// Whether a place is not within a character.
pub(crate) fn is_boundary(text: &[u8], at: usize) -> bool {
    let Some(byte) = text.get(at) else {
        return true;
    };
    if byte & 0xc0 != 0x80 {
        return true;
    }
    // A byte that goes on a character does so only if that is whole.
    let start = (1..4usize)
        .filter_map(|back| at.checked_sub(back))
        .find(|start| text.get(*start).is_some_and(|byte| byte & 0xc0 != 0x80));
    !start.is_some_and(|start| {
        matches!(unit_at(text, start), Some((Unit::Char(_), length)) if start + length > at)
    })
}
