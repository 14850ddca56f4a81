//! `[…]`

use super::{Parser, Token};
use crate::{
    error::RegexError,
    set::{CharClass, Item, Set},
    tree::Node,
};

/// What may stand at either end of a range.
enum Element {
    Char(char),
    Byte(u8),
    Class(CharClass),
}

impl Parser<'_> {
    /// A bracket expression, after its `[`.
    pub(super) fn bracket(&mut self) -> Result<Node, RegexError> {
        let mut set = Set {
            icase: self.options.icase,
            ..Set::default()
        };
        if self.rest().starts_with(b"^") {
            self.at += 1;
            set.negated = true;
            if self.options.newline || self.syntax.complement_without_newline {
                set.items.push(Item::Range('\n', '\n'));
            }
        }
        let mut is_first = true;
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return Err(RegexError::UnmatchedBracket);
            }
            if rest.starts_with(b"]") && !is_first {
                self.at += 1;
                break;
            }
            is_first = false;
            let item = self.bracket_item()?;
            set.items.push(item);
        }
        Ok(Node::Set(Box::new(set)))
    }

    fn bracket_item(&mut self) -> Result<Item, RegexError> {
        let element = self.element()?;
        let is_range = matches!(self.rest(), [b'-', next, ..] if *next != b']');
        if !is_range {
            if self.rest() == b"-" {
                return Err(RegexError::UnmatchedBracket);
            }
            return Ok(match element {
                Element::Char(char) => Item::Range(char, char),
                Element::Byte(byte) => self.byte(byte),
                Element::Class(named) => Item::Named(named),
            });
        }
        self.at += 1;
        let end = self.element()?;
        let (from, to) = match (element, end) {
            (Element::Char(from), Element::Char(to)) => (from, to),
            (Element::Char(from), Element::Byte(to)) if self.options.bytes => (from, to.into()),
            (Element::Byte(from), Element::Byte(to)) if self.options.bytes => {
                (from.into(), to.into())
            }
            _ => return Err(RegexError::BadRange),
        };
        if from > to {
            return Err(RegexError::BadRange);
        }
        Ok(Item::Range(from, to))
    }

    fn byte(&self, byte: u8) -> Item {
        if self.options.bytes {
            Item::Range(byte.into(), byte.into())
        } else {
            Item::Byte(byte)
        }
    }

    fn element(&mut self) -> Result<Element, RegexError> {
        let token = match *self.rest() {
            [] => return Err(RegexError::UnmatchedBracket),
            [b'[', kind @ (b':' | b'.' | b'='), ..] => return self.named_element(kind),
            [b'\\', _, ..] if self.syntax.escapes_in_brackets => {
                let (token, end) = self.peek_awk_escape(self.at);
                self.at = end;
                token
            }
            _ => {
                let (token, end) = self.peek_char(self.at);
                self.at = end;
                token
            }
        };
        Ok(match token {
            Token::Byte(byte) => Element::Byte(byte),
            Token::Char(char) => Element::Char(char),
            _ => return Err(RegexError::UnmatchedBracket),
        })
    }

    /// `[:name:]`, `[.c.]` or `[=c=]`
    fn named_element(&mut self, kind: u8) -> Result<Element, RegexError> {
        let rest = self.rest().get(2..).unwrap_or_default();
        let end = if kind == b':' && self.is_without_classes {
            None
        } else {
            rest.windows(2).position(|pair| pair == [kind, b']'])
        };
        let Some(length) = end else {
            // Only the class is no class then; `[` is a character.
            if kind == b':' {
                self.is_without_classes = true;
                self.at += 1;
                return Ok(Element::Char('['));
            }
            return Err(RegexError::UnmatchedBracket);
        };
        let start = self.at + 2;
        self.at = start + length + 2;
        let name = self.pattern.get(start..start + length).unwrap_or_default();
        if kind == b':' {
            let named = CharClass::from_name(name).ok_or(RegexError::BadClass)?;
            // Whatever the case, both kinds of letters are meant.
            let is_cased = matches!(named, CharClass::Upper | CharClass::Lower);
            return Ok(Element::Class(if self.options.icase && is_cased {
                CharClass::Alpha
            } else {
                named
            }));
        }
        match self.peek_char(start) {
            (Token::Char(char), end) if end == start + length => Ok(Element::Char(char)),
            (Token::Byte(byte), end) if end == start + length => Ok(Element::Byte(byte)),
            _ => Err(RegexError::BadCollation),
        }
    }
}
