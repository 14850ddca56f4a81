//! The tokens of an expression.

use super::{Evaluated, Evaluator, Failure};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    End,
    Number(i64),
    /// A variable, perhaps with a subscript, and its value.
    Name(i64),
    Operator(Operator),
    /// `op=`, or `=` without an operator.
    Assign(Option<Operator>),
    /// `++` or `--` before a name, by how much it changes it.
    Before(i64),
    /// `++` or `--` behind a name.
    Behind(i64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Comma,
    Question,
    Colon,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
    Not,
    Complement,
    Open,
    Close,
}

impl Evaluator<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    pub(super) fn skip_blanks(&self, mut at: usize) -> usize {
        while matches!(self.byte(at), b' ' | b'\t' | b'\n') {
            at += 1;
        }
        at
    }

    /// Reads the next token.
    pub(super) fn advance(&mut self) -> Evaluated<()> {
        let start = self.skip_blanks(self.at);
        let before = self.token;
        if start >= self.text.len() {
            self.at = start;
            self.previous = before;
            self.token = Token::End;
            return Ok(());
        }
        self.start = start;
        let first = self.byte(start);
        let token = if first.is_ascii_alphabetic() || first == b'_' {
            self.name(start)?
        } else if first.is_ascii_digit() {
            self.number(start)?
        } else {
            self.operator(start, first)?
        };
        self.previous = before;
        self.token = token;
        Ok(())
    }

    fn number(&mut self, start: usize) -> Evaluated<Token> {
        let rest = self.text.get(start..).unwrap_or_default();
        let length = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'#' | b'@' | b'_'))
            .count();
        let digits = rest.get(..length).unwrap_or_default();
        match super::number::parse(digits) {
            Ok(value) => {
                self.at = start + length;
                Ok(Token::Number(value))
            }
            Err(message) => {
                // bash cuts the expression here while it looks at a number.
                self.end = start + length;
                Err(Failure::Message(message))
            }
        }
    }

    fn name(&mut self, start: usize) -> Evaluated<Token> {
        let mut end = start;
        while self.byte(end).is_ascii_alphanumeric() || self.byte(end) == b'_' {
            end += 1;
        }
        if self.byte(end) == b'[' {
            let length = self
                .text
                .get(end..)
                .and_then(closing_bracket)
                .ok_or(Failure::Message("bad array subscript"))?;
            end += length + 1;
        }
        self.at = end;
        let next = self.skip_blanks(end);
        let is_assigned = self.byte(next) == b'=' && self.byte(next + 1) != b'=';
        let changes_first = matches!(self.token, Token::Before(_));
        if is_assigned && !changes_first {
            return Ok(Token::Name(0));
        }
        self.look_ahead(next)?;
        Ok(Token::Name(self.value_of(start, end)?))
    }

    /// Whether the token behind a name is one: bash finds out before it looks at the value.
    fn look_ahead(&mut self, next: usize) -> Evaluated<()> {
        let byte = self.byte(next);
        if next >= self.text.len() || single(byte).is_some() {
            return Ok(());
        }
        let (at, start, token, previous) = (self.at, self.start, self.token, self.previous);
        self.skipping += 1;
        self.token = Token::Name(0);
        self.advance()?;
        self.skipping -= 1;
        (self.at, self.start, self.token, self.previous) = (at, start, token, previous);
        Ok(())
    }

    fn operator(&mut self, start: usize, first: u8) -> Evaluated<Token> {
        let (second, third) = (self.byte(start + 1), self.byte(start + 2));
        let (length, token) = match (first, second) {
            (b'=', b'=') => (2, Token::Operator(Operator::Equal)),
            (b'!', b'=') => (2, Token::Operator(Operator::NotEqual)),
            (b'>', b'=') => (2, Token::Operator(Operator::GreaterOrEqual)),
            (b'<', b'=') => (2, Token::Operator(Operator::LessOrEqual)),
            (b'<', b'<') if third == b'=' => (3, Token::Assign(Some(Operator::ShiftLeft))),
            (b'>', b'>') if third == b'=' => (3, Token::Assign(Some(Operator::ShiftRight))),
            (b'<', b'<') => (2, Token::Operator(Operator::ShiftLeft)),
            (b'>', b'>') => (2, Token::Operator(Operator::ShiftRight)),
            (b'&', b'&') => (2, Token::Operator(Operator::And)),
            (b'|', b'|') => (2, Token::Operator(Operator::Or)),
            (b'*', b'*') => (2, Token::Operator(Operator::Power)),
            (b'+', b'+') | (b'-', b'-') => self.doubled(start, first)?,
            _ => {
                let operator = single(first).ok_or_else(|| self.unknown())?;
                match operator {
                    Single::Assign => (1, Token::Assign(None)),
                    Single::Assignable(operator) if second == b'=' => {
                        (2, Token::Assign(Some(operator)))
                    }
                    Single::Plain(operator) | Single::Assignable(operator) => {
                        (1, Token::Operator(operator))
                    }
                }
            }
        };
        self.at = start + length;
        Ok(token)
    }

    /// `++` and `--`: which they are depends on what is around them. They may be two signs.
    fn doubled(&self, start: usize, first: u8) -> Evaluated<(usize, Token)> {
        let (by, operator) = if first == b'+' {
            (1, Operator::Add)
        } else {
            (-1, Operator::Subtract)
        };
        if matches!(self.token, Token::Name(_)) {
            return Ok((2, Token::Behind(by)));
        }
        let changed_first = matches!(self.previous, Token::Before(_));
        if matches!(self.token, Token::Number(_)) && changed_first {
            return Err(Failure::Message(if first == b'+' {
                "++: assignment requires lvalue"
            } else {
                "--: assignment requires lvalue"
            }));
        }
        let next = self.byte(self.skip_blanks(start + 2));
        if next.is_ascii_alphabetic() || next == b'_' {
            return Ok((2, Token::Before(by)));
        }
        Ok((1, Token::Operator(operator)))
    }

    fn unknown(&self) -> Failure {
        let follows_operand = matches!(self.token, Token::Number(_) | Token::Name(_));
        Failure::Message(if follows_operand {
            "syntax error: invalid arithmetic operator"
        } else {
            "syntax error: operand expected"
        })
    }
}

enum Single {
    Assign,
    Plain(Operator),
    Assignable(Operator),
}

fn single(byte: u8) -> Option<Single> {
    Some(match byte {
        b'=' => Single::Assign,
        b'+' => Single::Assignable(Operator::Add),
        b'-' => Single::Assignable(Operator::Subtract),
        b'*' => Single::Assignable(Operator::Multiply),
        b'/' => Single::Assignable(Operator::Divide),
        b'%' => Single::Assignable(Operator::Modulo),
        b'&' => Single::Assignable(Operator::BitAnd),
        b'|' => Single::Assignable(Operator::BitOr),
        b'^' => Single::Assignable(Operator::BitXor),
        b'<' => Single::Plain(Operator::Less),
        b'>' => Single::Plain(Operator::Greater),
        b'!' => Single::Plain(Operator::Not),
        b'~' => Single::Plain(Operator::Complement),
        b'(' => Single::Plain(Operator::Open),
        b')' => Single::Plain(Operator::Close),
        b'?' => Single::Plain(Operator::Question),
        b':' => Single::Plain(Operator::Colon),
        b',' => Single::Plain(Operator::Comma),
        _ => return None,
    })
}

/// Where the `]` is that closes the `[` at the start. Brackets nest, and quotes hide them.
pub(crate) fn closing_bracket(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    let mut quote = None;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (None | Some(b'"'), b'\\') => at += 1,
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'[') => depth += 1,
            (None, b']') => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}
