//! From marked text to a [`Pattern`].

use super::{Element, Group, GroupKind, Pattern, PatternOptions, Unit, bracket, unit_at};
use crate::marked::Marked;

/// Groups within groups. Whatever walks a pattern calls itself this deep at most; what is nested deeper is text.
const MAX_DEPTH: usize = 100;

impl Pattern {
    /// Compiles a pattern. There are no wrong patterns: what is not special is text.
    pub(crate) fn new(source: &Marked, options: PatternOptions) -> Self {
        let bytes: Vec<(u8, bool)> = source.bytes().collect();
        Self::from_bytes(&bytes, options)
    }

    /// As [`Pattern::new`], from bytes and whether each was quoted.
    pub(crate) fn from_bytes(bytes: &[(u8, bool)], options: PatternOptions) -> Self {
        let closes = if options.extglob {
            closing_parentheses(bytes)
        } else {
            Vec::new()
        };
        let mut compiler = Compiler {
            bytes,
            at: 0,
            options,
            groups: 0,
            closes,
            brackets_end: true,
        };
        let elements = compiler.sequence(bytes.len(), 0);
        Self {
            elements,
            has_groups: compiler.groups > 0,
            icase: options.icase,
        }
    }
}

struct Compiler<'b> {
    bytes: &'b [(u8, bool)],
    at: usize,
    options: PatternOptions,
    groups: u32,
    /// For each `(` that is closed, where; in order.
    closes: Vec<(usize, usize)>,
    /// No `[` was met yet that is not closed. Those behind such a one are not either.
    brackets_end: bool,
}

impl Compiler<'_> {
    /// Elements up to `end`, or in a group up to a `|` of it.
    fn sequence(&mut self, end: usize, depth: usize) -> Vec<Element> {
        let mut elements = Vec::new();
        let mut parentheses = 0usize;
        while self.at < end {
            let Some(&(byte, is_quoted)) = self.bytes.get(self.at) else {
                break;
            };
            if is_quoted {
                self.text(&mut elements);
                continue;
            }
            if depth > 0 && byte == b'|' && parentheses == 0 {
                break;
            }
            if let Some(group) = self.group(byte, depth) {
                elements.push(Element::Group(group));
                continue;
            }
            match byte {
                b'\\' if self.at + 1 < self.bytes.len() => self.at += 1,
                b'?' => {
                    self.at += 1;
                    elements.push(Element::Any);
                    continue;
                }
                b'*' => {
                    self.at += 1;
                    if !matches!(elements.last(), Some(Element::Star)) {
                        elements.push(Element::Star);
                    }
                    continue;
                }
                b'[' if self.bracket(&mut elements) => continue,
                b'(' => parentheses += 1,
                b')' => parentheses = parentheses.saturating_sub(1),
                _ => {}
            }
            self.text(&mut elements);
        }
        elements
    }

    fn bracket(&mut self, elements: &mut Vec<Element>) -> bool {
        if !self.brackets_end {
            return false;
        }
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        let Some((bracket, length)) = bracket::read(rest) else {
            self.brackets_end = false;
            return false;
        };
        self.at += 1 + length;
        elements.push(Element::Bracket(Box::new(bracket)));
        true
    }

    /// A group that begins here, if one does and ends.
    fn group(&mut self, byte: u8, depth: usize) -> Option<Group> {
        if !self.options.extglob || depth >= MAX_DEPTH {
            return None;
        }
        let kind = match byte {
            b'?' => GroupKind::Optional,
            b'*' => GroupKind::Any,
            b'+' => GroupKind::Some,
            b'@' => GroupKind::One,
            b'!' => GroupKind::Not,
            _ => return None,
        };
        let open = self.at + 1;
        let index = self.closes.binary_search_by_key(&open, |(open, _)| *open);
        let (_, close) = *self.closes.get(index.ok()?)?;
        let id = self.groups;
        self.groups += 1;
        self.at = open + 1;
        let mut alternatives = vec![self.sequence(close, depth + 1)];
        while self.at < close {
            self.at += 1;
            alternatives.push(self.sequence(close, depth + 1));
        }
        self.at = close + 1;
        Some(Group {
            kind,
            alternatives,
            id,
        })
    }

    /// The byte here, as itself.
    fn text(&mut self, elements: &mut Vec<Element>) {
        let Some(&(byte, _)) = self.bytes.get(self.at) else {
            return;
        };
        if self.options.icase {
            let ahead = self.bytes.iter().skip(self.at).take(4);
            let text: Vec<u8> = ahead.map(|(byte, _)| *byte).collect();
            if let Some((Unit::Char(char), length)) = unit_at(&text, 0)
                && char.is_alphabetic()
            {
                self.at += length;
                elements.push(Element::Letter(char));
                return;
            }
        }
        self.at += 1;
        match elements.last_mut() {
            Some(Element::Text(text)) => text.push(byte),
            _ => elements.push(Element::Text(vec![byte])),
        }
    }
}

/// Each unquoted `(` that has a `)`, with it. Those in brackets do not count.
fn closing_parentheses(bytes: &[(u8, bool)]) -> Vec<(usize, usize)> {
    let mut open = Vec::new();
    let mut pairs = Vec::new();
    let mut brackets_end = true;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            (b'\\', false) => at += 1,
            (b'(', false) => open.push(at),
            (b')', false) => pairs.extend(open.pop().map(|open| (open, at))),
            (b'[', false) if brackets_end => match bytes.get(at + 1..).and_then(bracket::read) {
                Some((_, length)) => at += length,
                None => brackets_end = false,
            },
            _ => {}
        }
        at += 1;
    }
    pairs.sort_unstable();
    pairs
}
