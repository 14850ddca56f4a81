//! From text to [`Node`]s.
//!
//! What the C library does with each doubtful pattern was tried out with `sed`, `grep` and `bash`.

mod bracket;

use crate::{
    error::RegexError,
    flavor::{Flavor, Options, Syntax},
    set::{CharClass, Item, Set},
    tree::{Look, Node},
};

/// Groups within groups. Whatever walks the tree calls itself this deep at most.
const MAX_DEPTH: usize = 250;

/// As the C library has it.
const MAX_REPEAT: u32 = 0x7fff;

/// Warnings that somebody may still read.
const MOST_WARNINGS: usize = 100;

/// A pattern that was read.
pub(crate) struct Parsed {
    pub(crate) node: Node,
    /// The number of groups.
    pub(crate) groups: u32,
    /// What is odd about it.
    pub(crate) warnings: Vec<&'static str>,
}

pub(crate) fn parse(
    pattern: &[u8],
    flavor: Flavor,
    options: Options,
) -> Result<Parsed, RegexError> {
    let mut parser = Parser {
        pattern,
        at: 0,
        syntax: flavor.syntax(),
        is_awk: flavor == Flavor::Awk,
        options,
        groups: 0,
        complete: Vec::new(),
        stacked: 0,
        is_without_classes: false,
        warnings: Vec::new(),
    };
    let node = parser.alternatives(0)?;
    Ok(Parsed {
        node,
        groups: parser.groups,
        warnings: parser.warnings,
    })
}

struct Parser<'p> {
    pattern: &'p [u8],
    at: usize,
    syntax: Syntax,
    is_awk: bool,
    options: Options,
    groups: u32,
    /// Which groups are closed, so that they can be referred to.
    complete: Vec<u32>,
    /// Repetitions of repetitions, which nest as groups do.
    stacked: usize,
    /// No `:]` is ahead, so that it is not looked for at each `[:`.
    is_without_classes: bool,
    warnings: Vec<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    End,
    Open,
    Close,
    Bar,
    Star,
    Plus,
    Question,
    OpenBrace,
    Any,
    Bracket,
    Caret,
    Dollar,
    Look(Look),
    Word(bool),
    Space(bool),
    Reference(u32),
    Char(char),
    Byte(u8),
}

impl Parser<'_> {
    fn alternatives(&mut self, depth: usize) -> Result<Node, RegexError> {
        if depth > MAX_DEPTH {
            return Err(RegexError::TooBig);
        }
        let mut branches = vec![self.branch(depth)?];
        while self.peek()?.0 == Token::Bar {
            self.next()?;
            branches.push(self.branch(depth)?);
        }
        Ok(Node::alternate(branches))
    }

    fn branch(&mut self, depth: usize) -> Result<Node, RegexError> {
        let mut nodes = Vec::new();
        // Where a branch begins and after an anchor, `^` is one and operators have no operand.
        let mut is_start = true;
        loop {
            match self.peek()?.0 {
                Token::End | Token::Bar => break,
                Token::Close if depth > 0 => break,
                _ => {}
            }
            let (node, is_anchor) = self.expression(depth, is_start)?;
            nodes.push(node);
            is_start = is_anchor;
        }
        Ok(Node::concat(nodes))
    }

    /// One atom with what repeats it, and whether it was an anchor.
    fn expression(&mut self, depth: usize, is_start: bool) -> Result<(Node, bool), RegexError> {
        let from = self.at;
        let token = self.next()?;
        let node = match token {
            Token::End | Token::Bar => Node::Empty,
            Token::Open => self.group(depth)?,
            Token::Close => {
                if !self.syntax.lone_close_is_text {
                    return Err(RegexError::UnmatchedClose);
                }
                Node::Char(')')
            }
            Token::Star | Token::Plus | Token::Question | Token::OpenBrace => {
                return self.operator_without_operand(token, depth);
            }
            Token::Any => Node::Set(Box::new(Set::any(!self.options.newline))),
            Token::Bracket => self.bracket()?,
            Token::Caret if self.is_caret_anchor(from, is_start) => {
                return Ok((Node::Look(Look::LineStart), true));
            }
            Token::Dollar if self.is_dollar_anchor()? => {
                return Ok((Node::Look(Look::LineEnd), true));
            }
            Token::Caret => Node::Char('^'),
            Token::Dollar => Node::Char('$'),
            Token::Look(look) => return Ok((Node::Look(look), true)),
            Token::Word(is) => {
                let items = [Item::Named(CharClass::Alnum), Item::Range('_', '_')];
                Node::Set(Box::new(negate_unless(is, Set::of(items))))
            }
            Token::Space(is) => {
                let items = [Item::Named(CharClass::Space)];
                Node::Set(Box::new(negate_unless(is, Set::of(items))))
            }
            Token::Reference(index) => {
                if !self.complete.contains(&index) {
                    return Err(RegexError::BadReference);
                }
                Node::Reference(index)
            }
            Token::Char(char) => Node::Char(char),
            Token::Byte(byte) => Node::Byte(byte),
        };
        Ok((self.repeats(node)?, false))
    }

    fn operator_without_operand(
        &mut self,
        token: Token,
        depth: usize,
    ) -> Result<(Node, bool), RegexError> {
        let strict = self.syntax.strict_operators
            || (token == Token::OpenBrace && self.syntax.strict_repeats);
        if strict {
            return Err(RegexError::BadRepeat);
        }
        let char = match token {
            Token::Star => '*',
            Token::Plus => '+',
            Token::Question => '?',
            _ => '{',
        };
        if self.syntax.by_context || token == Token::OpenBrace && !self.is_interval_ahead() {
            return Ok((self.repeats(Node::Char(char))?, false));
        }
        if token == Token::OpenBrace {
            self.interval()?;
        }
        if self.syntax.warns && self.warnings.len() < MOST_WARNINGS {
            self.warnings.push(match token {
                Token::Star => "* at start of expression",
                Token::Plus => "+ at start of expression",
                Token::Question => "? at start of expression",
                _ => "{...} at start of expression",
            });
        }
        // It repeats nothing.
        match self.peek()?.0 {
            Token::End | Token::Bar => Ok((Node::Empty, false)),
            Token::Close if depth > 0 => Ok((Node::Empty, false)),
            _ => self.expression(depth, true),
        }
    }

    fn group(&mut self, depth: usize) -> Result<Node, RegexError> {
        self.groups += 1;
        let index = self.groups;
        let node = self.alternatives(depth + 1)?;
        if self.next()? != Token::Close {
            return Err(RegexError::UnmatchedOpen);
        }
        self.complete.push(index);
        Ok(Node::Group(index, Box::new(node)))
    }

    fn repeats(&mut self, mut node: Node) -> Result<Node, RegexError> {
        for depth in 0.. {
            let from = self.at;
            let (token, end) = self.peek()?;
            let repeats = matches!(
                token,
                Token::Star | Token::Plus | Token::Question | Token::OpenBrace
            );
            if !repeats {
                return Ok(node);
            }
            self.at = end;
            let (min, max) = match token {
                Token::Star => (0, None),
                Token::Plus => (1, None),
                Token::Question => (0, Some(1)),
                _ => {
                    let Some(bounds) = self.interval()? else {
                        self.at = from;
                        return Ok(node);
                    };
                    bounds
                }
            };
            let is_strict = matches!(token, Token::Star | Token::OpenBrace);
            if depth > 0 && is_strict && self.syntax.strict_repeats {
                return Err(RegexError::BadRepeat);
            }
            self.stacked += usize::from(depth > 0);
            if self.stacked > MAX_DEPTH {
                break;
            }
            node = repeated(node, min, max);
        }
        Err(RegexError::TooBig)
    }

    fn is_interval_ahead(&mut self) -> bool {
        let from = self.at;
        let is_interval = matches!(self.interval(), Ok(Some(_)));
        self.at = from;
        is_interval
    }

    /// What is between braces; `None` if that is text.
    fn interval(&mut self) -> Result<Option<(u32, Option<u32>)>, RegexError> {
        let is_lenient = self.syntax.lenient_intervals;
        let invalid = |end| match end {
            _ if is_lenient => Ok(None),
            IntervalEnd::Missing => Err(RegexError::UnmatchedBrace),
            _ => Err(RegexError::BadBrace),
        };
        let (min, end) = self.interval_number();
        let min = match (min, end) {
            (Number::None, IntervalEnd::Comma) => 0,
            (Number::None, IntervalEnd::Close) => return Err(RegexError::BadBrace),
            (Number::Is(min), IntervalEnd::Comma | IntervalEnd::Close) => min,
            _ => return invalid(end),
        };
        let (max, end) = if end == IntervalEnd::Close {
            (Number::Is(min), end)
        } else {
            self.interval_number()
        };
        let max = match max {
            Number::None => None,
            Number::Is(max) => Some(max),
            Number::Bad => return invalid(end),
        };
        if end != IntervalEnd::Close || max.is_some_and(|max| max < min) {
            return Err(RegexError::BadBrace);
        }
        if max.unwrap_or(min) > MAX_REPEAT {
            return Err(RegexError::TooBig);
        }
        Ok(Some((min, max)))
    }

    fn interval_number(&mut self) -> (Number, IntervalEnd) {
        let mut number = Number::None;
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return (Number::Bad, IntervalEnd::Missing);
            }
            // It is text, however it ends; looking for the end at each brace would take as long as braces times text.
            if number == Number::Bad && self.syntax.lenient_intervals {
                return (Number::Bad, IntervalEnd::Missing);
            }
            let close: &[u8] = if self.syntax.escaped_operators {
                b"\\}"
            } else {
                b"}"
            };
            if rest.starts_with(close) {
                self.at += close.len();
                return (number, IntervalEnd::Close);
            }
            let byte = rest.first().copied().unwrap_or_default();
            self.at += 1;
            number = match (byte, number) {
                (b',', number) => return (number, IntervalEnd::Comma),
                (b'0'..=b'9', Number::None) => Number::Is(u32::from(byte - b'0')),
                (b'0'..=b'9', Number::Is(before)) => {
                    Number::Is((MAX_REPEAT + 1).min(before * 10 + u32::from(byte - b'0')))
                }
                _ => Number::Bad,
            };
        }
    }

    /// Where operators depend on their place, `^` is one at the start of the pattern, a group or a branch.
    fn is_caret_anchor(&self, at: usize, is_start: bool) -> bool {
        let before = at
            .checked_sub(1)
            .and_then(|before| self.pattern.get(before));
        !self.syntax.by_context
            || is_start
            || (self.options.newline || self.syntax.newline_alternates) && before == Some(&b'\n')
    }

    fn is_dollar_anchor(&self) -> Result<bool, RegexError> {
        Ok(!self.syntax.by_context
            || matches!(self.peek()?.0, Token::End | Token::Bar | Token::Close))
    }

    fn rest(&self) -> &[u8] {
        self.pattern.get(self.at..).unwrap_or_default()
    }

    fn next(&mut self) -> Result<Token, RegexError> {
        let (token, end) = self.peek()?;
        self.at = end;
        Ok(token)
    }

    /// The next token and where it ends.
    fn peek(&self) -> Result<(Token, usize), RegexError> {
        let syntax = self.syntax;
        let rest = self.rest();
        let token = match *rest {
            [] => return Ok((Token::End, self.at)),
            [b'\\'] => return Err(RegexError::TrailingBackslash),
            [b'\\', next, ..] => return Ok(self.peek_escape(next)),
            [b'(', ..] if !syntax.escaped_operators => Token::Open,
            [b')', ..] if !syntax.escaped_operators => Token::Close,
            [b'|', ..] if !syntax.escaped_operators => Token::Bar,
            [b'\n', ..] if syntax.newline_alternates => Token::Bar,
            [b'{', ..] if !syntax.escaped_operators && syntax.intervals => Token::OpenBrace,
            [b'*', ..] => Token::Star,
            [b'+', ..] if !syntax.escaped_plus => Token::Plus,
            [b'?', ..] if !syntax.escaped_plus => Token::Question,
            [b'.', ..] => Token::Any,
            [b'[', ..] => Token::Bracket,
            [b'^', ..] => Token::Caret,
            [b'$', ..] => Token::Dollar,
            _ => return Ok(self.peek_char(self.at)),
        };
        Ok((token, self.at + 1))
    }

    fn peek_escape(&self, next: u8) -> (Token, usize) {
        let syntax = self.syntax;
        let token = match next {
            b'(' if syntax.escaped_operators => Token::Open,
            b')' if syntax.escaped_operators => Token::Close,
            b'|' if syntax.escaped_operators => Token::Bar,
            b'{' if syntax.escaped_operators && syntax.intervals => Token::OpenBrace,
            b'+' if syntax.escaped_plus => Token::Plus,
            b'?' if syntax.escaped_plus => Token::Question,
            b'1'..=b'9' if syntax.references => Token::Reference(u32::from(next - b'0')),
            b'w' => Token::Word(true),
            b'W' => Token::Word(false),
            b's' => Token::Space(true),
            b'S' => Token::Space(false),
            b'<' => Token::Look(Look::WordStart),
            b'>' => Token::Look(Look::WordEnd),
            b'y' if self.is_awk => Token::Look(Look::WordEdge),
            b'b' if !self.is_awk => Token::Look(Look::WordEdge),
            b'B' => Token::Look(Look::NotWordEdge),
            b'`' => Token::Look(Look::TextStart),
            b'\'' => Token::Look(Look::TextEnd),
            _ if self.is_awk => return self.peek_awk_escape(self.at),
            _ => return self.peek_char(self.at + 1),
        };
        (token, self.at + 2)
    }

    /// The character at `at`, or the byte if there is none.
    fn peek_char(&self, at: usize) -> (Token, usize) {
        let rest = self.pattern.get(at..).unwrap_or_default();
        let first = rest.first().copied().unwrap_or_default();
        if first.is_ascii() {
            return (Token::Char(char::from(first)), at + 1);
        }
        let (char, length) = (!self.options.bytes)
            .then(|| decode(rest))
            .flatten()
            .unzip();
        match (char, length) {
            (Some(char), Some(length)) => (Token::Char(char), at + length),
            _ => (Token::Byte(first), at + 1),
        }
    }

    /// An escape of awk at the backslash at `at`: those of C, and else the character itself.
    fn peek_awk_escape(&self, at: usize) -> (Token, usize) {
        let rest = self.pattern.get(at + 1..).unwrap_or_default();
        let simple = |char| (Token::Char(char), at + 2);
        match *rest {
            [b'n', ..] => simple('\n'),
            [b't', ..] => simple('\t'),
            [b'r', ..] => simple('\r'),
            [b'f', ..] => simple('\x0c'),
            [b'v', ..] => simple('\x0b'),
            [b'a', ..] => simple('\x07'),
            [b'b', ..] => simple('\x08'),
            [b'x', first, ..] if first.is_ascii_hexdigit() => self.numeric_escape(at + 2, 16, 2),
            [b'0'..=b'7', ..] => self.numeric_escape(at + 1, 8, 3),
            _ => self.peek_char(at + 1),
        }
    }

    fn numeric_escape(&self, at: usize, radix: u32, most: usize) -> (Token, usize) {
        let digits = self.pattern.get(at..).unwrap_or_default();
        let count = digits
            .iter()
            .take(most)
            .take_while(|byte| char::from(**byte).is_digit(radix))
            .count();
        let value = digits.iter().take(count).fold(0, |value, byte| {
            value * radix + char::from(*byte).to_digit(radix).unwrap_or_default()
        });
        #[expect(
            clippy::cast_possible_truncation,
            reason = "as in C, the low byte counts"
        )]
        let byte = value as u8;
        let token = if byte.is_ascii() {
            Token::Char(char::from(byte))
        } else {
            Token::Byte(byte)
        };
        (token, at + count)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    None,
    Is(u32),
    Bad,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum IntervalEnd {
    Comma,
    Close,
    Missing,
}

fn negate_unless(is: bool, set: Set) -> Set {
    Set {
        negated: !is,
        ..set
    }
}

fn repeated(node: Node, min: u32, max: Option<u32>) -> Node {
    match (min, max) {
        (0, Some(0)) => Node::Empty,
        (1, Some(1)) => node,
        _ => Node::Repeat {
            node: Box::new(node),
            min,
            max,
        },
    }
}

/// The character at the start of `bytes` and its length.
pub(crate) fn decode(bytes: &[u8]) -> Option<(char, usize)> {
    let length = match bytes.first()? {
        0x00..=0x7f => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let text = std::str::from_utf8(bytes.get(..length)?).ok()?;
    Some((text.chars().next()?, length))
}
