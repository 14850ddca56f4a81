//! The words of a program.

use std::io;

use super::{
    source::Source,
    syntax::{Operator, Relation},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    End,
    Newline,
    Number(Vec<u8>),
    Text(Vec<u8>),
    Name(String),
    Operator(Operator),
    /// `=`, `+=` and the like.
    Assign(Option<Operator>),
    Relation(Relation),
    Increment,
    Decrement,
    And,
    Or,
    Not,
    /// Punctuation, as it is.
    Mark(u8),
    /// `.` alone: the last number that was printed.
    Dot,
}

pub(super) struct Lexer<'p> {
    pub(super) source: Source<'p>,
    line: Vec<u8>,
    at: usize,
}

/// What is wrong with the text of a program.
pub(super) enum Fault {
    Syntax(String),
    Io(io::Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl<'p> Lexer<'p> {
    pub(super) fn new(source: Source<'p>) -> Self {
        Self {
            source,
            line: Vec::new(),
            at: 0,
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.line.get(self.at + ahead).copied()
    }

    fn take_if(&mut self, byte: u8) -> bool {
        let is_there = self.peek(0) == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn fill(&mut self) -> io::Result<bool> {
        match self.source.next_line()? {
            Some(line) => {
                self.line = line;
                self.at = 0;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// A line that the program reads itself.
    pub(super) fn read_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        self.source.next_line()
    }

    /// Where in the line it is.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Goes back in the same line.
    pub(super) fn return_to(&mut self, position: usize) {
        self.at = position;
    }

    /// Whether the newline of the line has been read.
    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.line.len()
    }

    /// Forgets the rest of the line.
    pub(super) fn skip_line(&mut self) {
        self.at = self.line.len();
    }

    pub(super) fn next(&mut self) -> Result<Token, Fault> {
        loop {
            let Some(byte) = self.peek(0) else {
                if !self.fill()? {
                    return Ok(Token::End);
                }
                continue;
            };
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.peek(1) == Some(b'\n') => self.at += 2,
                b'#' => {
                    while self.peek(0).is_some_and(|byte| byte != b'\n') {
                        self.at += 1;
                    }
                }
                b'/' if self.peek(1) == Some(b'*') => self.skip_comment()?,
                _ => return self.token(byte),
            }
        }
    }

    fn skip_comment(&mut self) -> Result<(), Fault> {
        self.at += 2;
        loop {
            let rest = self.line.get(self.at..).unwrap_or_default();
            if let Some(end) = memchr::memmem::find(rest, b"*/") {
                self.at += end + 2;
                return Ok(());
            }
            if !self.fill()? {
                return Err(Fault::Syntax("EOF encountered in a comment.".into()));
            }
        }
    }

    fn token(&mut self, byte: u8) -> Result<Token, Fault> {
        match byte {
            b'0'..=b'9' | b'A'..=b'F' | b'.' => return self.number(),
            b'a'..=b'z' => return Ok(self.name()),
            b'"' => return self.text(),
            _ => {}
        }
        self.at += 1;
        let assign = |lexer: &mut Self, operator| {
            if lexer.take_if(b'=') {
                Token::Assign(Some(operator))
            } else {
                Token::Operator(operator)
            }
        };
        let relation = |lexer: &mut Self, alone, equal| {
            Token::Relation(if lexer.take_if(b'=') { equal } else { alone })
        };
        Ok(match byte {
            b'\n' => Token::Newline,
            b'+' if self.take_if(b'+') => Token::Increment,
            b'-' if self.take_if(b'-') => Token::Decrement,
            b'+' => assign(self, Operator::Add),
            b'-' => assign(self, Operator::Subtract),
            b'*' => assign(self, Operator::Multiply),
            b'/' => assign(self, Operator::Divide),
            b'%' => assign(self, Operator::Remainder),
            b'^' => assign(self, Operator::Power),
            b'=' if self.take_if(b'=') => Token::Relation(Relation::Equal),
            b'=' => Token::Assign(None),
            b'!' if self.take_if(b'=') => Token::Relation(Relation::NotEqual),
            b'!' => Token::Not,
            b'<' => relation(self, Relation::Less, Relation::LessOrEqual),
            b'>' => relation(self, Relation::Greater, Relation::GreaterOrEqual),
            b'&' if self.take_if(b'&') => Token::And,
            b'|' if self.take_if(b'|') => Token::Or,
            b';' | b'(' | b')' | b'{' | b'}' | b'[' | b']' | b',' => Token::Mark(byte),
            b'&' => return Err(Fault::Syntax("syntax error".into())),
            other => {
                let shown = char::from(other).escape_default();
                return Err(Fault::Syntax(format!("illegal character: {shown}")));
            }
        })
    }

    fn number(&mut self) -> Result<Token, Fault> {
        let mut digits = Vec::new();
        let mut has_point = false;
        loop {
            match self.peek(0) {
                Some(digit @ (b'0'..=b'9' | b'A'..=b'F')) => digits.push(digit),
                Some(b'.') if !has_point => {
                    has_point = true;
                    digits.push(b'.');
                }
                Some(b'\\') if self.peek(1) == Some(b'\n') => {
                    self.at += 2;
                    if self.peek(0).is_none() && !self.fill()? {
                        break;
                    }
                    continue;
                }
                _ => break,
            }
            self.at += 1;
        }
        Ok(if digits == b"." {
            Token::Dot
        } else {
            Token::Number(digits)
        })
    }

    fn name(&mut self) -> Token {
        let rest = self.line.get(self.at..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|byte| !matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
            .unwrap_or(rest.len());
        let name = rest.get(..length).unwrap_or_default();
        let name = String::from_utf8_lossy(name).into_owned();
        self.at += length;
        Token::Name(name)
    }

    fn text(&mut self) -> Result<Token, Fault> {
        self.at += 1;
        let mut text = Vec::new();
        loop {
            match self.peek(0) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Token::Text(text));
                }
                Some(byte) => {
                    text.push(byte);
                    self.at += 1;
                }
                None => {
                    if !self.fill()? {
                        return Err(Fault::Syntax("syntax error".into()));
                    }
                }
            }
        }
    }
}
