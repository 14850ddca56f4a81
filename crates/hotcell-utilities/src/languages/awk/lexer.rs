//! The words of a program.

use hotcell_meter::Charge;

use super::{
    number,
    syntax::{Arithmetic, Builtin, Place, Relation},
};

/// Program text, and where it came from.
pub(crate) struct SourceText {
    /// A file; `None` for the command line.
    pub(crate) name: Option<String>,
    pub(crate) text: Vec<u8>,
    /// For what it takes, and the program that it becomes.
    pub(crate) _held: Option<Charge>,
}

/// Why a program cannot be run.
pub(crate) struct SyntaxError {
    pub(crate) place: Place,
    /// The column in its line that the message is about; without one, the line is not shown.
    pub(crate) column: Option<usize>,
    pub(crate) message: String,
    /// The exit code.
    pub(crate) code: i32,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    End,
    Newline,
    Semicolon,
    OpenBrace,
    CloseBrace,
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    Comma,
    Name(String),
    /// A name with `(` right behind it.
    Callee(String),
    Builtin(Builtin),
    Keyword(Keyword),
    Number(f64),
    Text(Vec<u8>),
    Operator(Arithmetic),
    /// `+=` and the like.
    Update(Arithmetic),
    Relation(Relation),
    Assign,
    Not,
    Pipe,
    PipeBoth,
    Append,
    Question,
    Colon,
    Match(bool),
    Dollar,
    And,
    Or,
    Increment,
    Decrement,
    At,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyword {
    Begin,
    BeginFile,
    Break,
    Case,
    Continue,
    Default,
    Delete,
    Do,
    Else,
    End,
    EndFile,
    Exit,
    For,
    Function,
    Getline,
    If,
    In,
    Next,
    NextFile,
    Print,
    Printf,
    Return,
    Switch,
    While,
}

impl Keyword {
    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"BEGIN" => Self::Begin,
            b"BEGINFILE" => Self::BeginFile,
            b"break" => Self::Break,
            b"case" => Self::Case,
            b"continue" => Self::Continue,
            b"default" => Self::Default,
            b"delete" => Self::Delete,
            b"do" => Self::Do,
            b"else" => Self::Else,
            b"END" => Self::End,
            b"ENDFILE" => Self::EndFile,
            b"exit" => Self::Exit,
            b"for" => Self::For,
            b"func" | b"function" => Self::Function,
            b"getline" => Self::Getline,
            b"if" => Self::If,
            b"in" => Self::In,
            b"next" => Self::Next,
            b"nextfile" => Self::NextFile,
            b"print" => Self::Print,
            b"printf" => Self::Printf,
            b"return" => Self::Return,
            b"switch" => Self::Switch,
            b"while" => Self::While,
            _ => return None,
        })
    }
}

pub(crate) struct Lexer<'s> {
    sources: &'s [SourceText],
    source: usize,
    /// Where the next token begins.
    at: usize,
    line: u32,
    /// Where the last token began.
    start: usize,
    start_line: u32,
    pub(crate) warnings: Vec<(Place, String)>,
}

impl<'s> Lexer<'s> {
    pub(crate) fn new(sources: &'s [SourceText]) -> Self {
        Self {
            sources,
            source: 0,
            at: 0,
            line: 1,
            start: 0,
            start_line: 1,
            warnings: Vec::new(),
        }
    }

    fn text(&self) -> &'s [u8] {
        let source = self.sources.get(self.source);
        source.map_or(&[], |source| source.text.as_slice())
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text().get(self.at + ahead).copied()
    }

    fn take_if(&mut self, byte: u8) -> bool {
        let is_there = self.peek(0) == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    /// Where the last token stands.
    pub(crate) fn place(&self) -> Place {
        Place {
            source: u16::try_from(self.source).unwrap_or(u16::MAX),
            line: self.start_line,
        }
    }

    /// An error about the last token.
    pub(crate) fn error(&self, message: impl Into<String>) -> SyntaxError {
        let before = self.text().get(..self.start).unwrap_or_default();
        let line_start = before.iter().rposition(|byte| *byte == b'\n');
        SyntaxError {
            place: self.place(),
            column: Some(line_start.map_or(self.start, |newline| self.start - newline - 1)),
            message: message.into(),
            code: 1,
        }
    }

    /// As [`Lexer::error`], without the line.
    pub(crate) fn error_at_line(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError {
            column: None,
            ..self.error(message)
        }
    }

    /// The token behind the last one, which stays where it is.
    pub(crate) fn peek_token(&mut self) -> Result<Token, SyntaxError> {
        let before = (self.source, self.at, self.line, self.start, self.start_line);
        let warnings = self.warnings.len();
        let next = self.next();
        (self.source, self.at, self.line, self.start, self.start_line) = before;
        self.warnings.truncate(warnings);
        next
    }

    pub(crate) fn next(&mut self) -> Result<Token, SyntaxError> {
        self.skip_blanks()?;
        self.start = self.at;
        self.start_line = self.line;
        let Some(byte) = self.peek(0) else {
            if self.source + 1 < self.sources.len() {
                self.source += 1;
                self.at = 0;
                self.line = 1;
                return Ok(Token::Newline);
            }
            return Ok(Token::End);
        };
        match byte {
            b'\n' => {
                self.at += 1;
                self.line += 1;
                Ok(Token::Newline)
            }
            b'"' => self.string(),
            b'0'..=b'9' => Ok(self.number()),
            b'.' if self.peek(1).is_some_and(|next| next.is_ascii_digit()) => Ok(self.number()),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => Ok(self.name()),
            _ => {
                self.at += 1;
                self.operator(byte)
            }
        }
    }

    fn skip_blanks(&mut self) -> Result<(), SyntaxError> {
        loop {
            match self.peek(0) {
                Some(b' ' | b'\t' | b'\r' | 0x0c) => self.at += 1,
                Some(b'#') => {
                    let rest = self.text().get(self.at..).unwrap_or_default();
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                Some(b'\\') => {
                    let length = match (self.peek(1), self.peek(2)) {
                        (Some(b'\n'), _) => 2,
                        (Some(b'\r'), Some(b'\n')) => 3,
                        _ => {
                            self.start = self.at;
                            self.start_line = self.line;
                            return Err(self.error("backslash not last character on line"));
                        }
                    };
                    self.at += length;
                    self.line += 1;
                }
                _ => return Ok(()),
            }
        }
    }

    fn number(&mut self) -> Token {
        let rest = self.text().get(self.at..).unwrap_or_default();
        let (number, length) = number::scan_constant(rest).unwrap_or((0.0, 1));
        self.at += length;
        Token::Number(number)
    }

    fn name(&mut self) -> Token {
        let rest = self.text().get(self.at..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
            .unwrap_or(rest.len());
        let name = rest.get(..length).unwrap_or_default();
        self.at += length;
        if let Some(keyword) = Keyword::named(name) {
            return Token::Keyword(keyword);
        }
        if let Some(builtin) = Builtin::named(name) {
            return Token::Builtin(builtin);
        }
        let name = String::from_utf8_lossy(name).into_owned();
        if self.peek(0) == Some(b'(') {
            Token::Callee(name)
        } else {
            Token::Name(name)
        }
    }

    fn operator(&mut self, byte: u8) -> Result<Token, SyntaxError> {
        let update = |lexer: &mut Self, operator| {
            if lexer.take_if(b'=') {
                Token::Update(operator)
            } else {
                Token::Operator(operator)
            }
        };
        let relation = |lexer: &mut Self, alone, equal| {
            Token::Relation(if lexer.take_if(b'=') { equal } else { alone })
        };
        Ok(match byte {
            b';' => Token::Semicolon,
            b'{' => Token::OpenBrace,
            b'}' => Token::CloseBrace,
            b'(' => Token::OpenParen,
            b')' => Token::CloseParen,
            b'[' => Token::OpenBracket,
            b']' => Token::CloseBracket,
            b',' => Token::Comma,
            b'$' => Token::Dollar,
            b'?' => Token::Question,
            b':' => Token::Colon,
            b'~' => Token::Match(true),
            b'@' => Token::At,
            b'+' if self.take_if(b'+') => Token::Increment,
            b'+' => update(self, Arithmetic::Add),
            b'-' if self.take_if(b'-') => Token::Decrement,
            b'-' => update(self, Arithmetic::Subtract),
            b'*' if self.take_if(b'*') => update(self, Arithmetic::Power),
            b'*' => update(self, Arithmetic::Multiply),
            b'/' => update(self, Arithmetic::Divide),
            b'%' => update(self, Arithmetic::Remainder),
            b'^' => update(self, Arithmetic::Power),
            b'=' if self.take_if(b'=') => Token::Relation(Relation::Equal),
            b'=' => Token::Assign,
            b'!' if self.take_if(b'=') => Token::Relation(Relation::NotEqual),
            b'!' if self.take_if(b'~') => Token::Match(false),
            b'!' => Token::Not,
            b'<' => relation(self, Relation::Less, Relation::LessOrEqual),
            b'>' if self.take_if(b'>') => Token::Append,
            b'>' => relation(self, Relation::Greater, Relation::GreaterOrEqual),
            b'&' if self.take_if(b'&') => Token::And,
            b'|' if self.take_if(b'|') => Token::Or,
            b'|' if self.take_if(b'&') => Token::PipeBoth,
            b'|' => Token::Pipe,
            _ => {
                let shown = char::from(byte).escape_default();
                return Err(self.error(format!("invalid char '{shown}' in expression")));
            }
        })
    }

    /// A regular expression, whose first slash was the last token.
    pub(crate) fn regex(&mut self) -> Result<Vec<u8>, SyntaxError> {
        self.at = self.start + 1;
        let mut regex = Vec::new();
        // In brackets a slash is one, and `]` right behind the bracket is one, too.
        let mut bracket: Option<usize> = None;
        loop {
            let Some(byte) = self.peek(0).filter(|byte| *byte != b'\n') else {
                return Err(self.error("unterminated regexp"));
            };
            self.at += 1;
            match (byte, bracket) {
                (b'/', None) => return Ok(regex),
                (b'\\', _) => match self.peek(0) {
                    Some(b'/') => {
                        self.at += 1;
                        regex.push(b'/');
                        continue;
                    }
                    Some(b'\n') => {
                        self.at += 1;
                        self.line += 1;
                        continue;
                    }
                    Some(next) => {
                        self.at += 1;
                        regex.extend([b'\\', next]);
                        continue;
                    }
                    None => {}
                },
                (b'[', None) => {
                    let negated = usize::from(self.peek(0) == Some(b'^'));
                    bracket = Some(regex.len() + 1 + negated);
                }
                (b'[', Some(_)) if self.peek(0) == Some(b':') => {
                    let rest = self.text().get(self.at..).unwrap_or_default();
                    let class = rest.iter().position(|byte| matches!(byte, b']' | b'\n'));
                    if let Some(end) = class.filter(|end| *end >= 2)
                        && rest.get(end - 1) == Some(&b':')
                    {
                        regex.push(b'[');
                        regex.extend_from_slice(rest.get(..=end).unwrap_or_default());
                        self.at += end + 1;
                        continue;
                    }
                }
                (b']', Some(start)) if regex.len() > start => bracket = None,
                _ => {}
            }
            regex.push(byte);
        }
    }

    fn string(&mut self) -> Result<Token, SyntaxError> {
        self.at += 1;
        let mut string = Vec::new();
        loop {
            let Some(byte) = self.peek(0).filter(|byte| *byte != b'\n') else {
                return Err(self.error("unterminated string"));
            };
            self.at += 1;
            match byte {
                b'"' => return Ok(Token::Text(string)),
                b'\\' => {
                    if self.peek(0) == Some(b'\n') {
                        self.line += 1;
                        self.at += 1;
                        continue;
                    }
                    let rest = self.text().get(self.at..).unwrap_or_default();
                    let (length, unknown) = put_escape(&mut string, rest);
                    self.at += length;
                    if let Some(unknown) = unknown {
                        let place = self.place();
                        let shown = char::from(unknown);
                        self.warnings.push((
                            place,
                            format!("escape sequence `\\{shown}' treated as plain `{shown}'"),
                        ));
                    }
                }
                _ => string.push(byte),
            }
        }
    }
}

/// What a backslash and `rest` stand for in a string. How much of `rest` it takes, and the character if it is no escape.
pub(crate) fn put_escape(out: &mut Vec<u8>, rest: &[u8]) -> (usize, Option<u8>) {
    let Some(first) = rest.first() else {
        out.push(b'\\');
        return (0, None);
    };
    let byte = match first {
        b'"' | b'\\' => *first,
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'v' => 11,
        b'0'..=b'7' => return put_digits(out, rest, 0, 3, 8),
        b'x' if rest.get(1).is_some_and(u8::is_ascii_hexdigit) => {
            return put_digits(out, rest, 1, 2, 16);
        }
        b'u' if rest.get(1).is_some_and(u8::is_ascii_hexdigit) => {
            return put_digits(out, rest, 1, 8, 16);
        }
        other => {
            out.push(*other);
            return (1, Some(*other));
        }
    };
    out.push(byte);
    (1, None)
}

/// `\101`, `\x41` and `\u20ac`.
fn put_digits(
    out: &mut Vec<u8>,
    rest: &[u8],
    start: usize,
    most: usize,
    base: u32,
) -> (usize, Option<u8>) {
    let digits = rest.get(start..).unwrap_or_default();
    let values = digits
        .iter()
        .map_while(|byte| char::from(*byte).to_digit(base));
    let (mut value, mut length) = (0u32, start);
    for digit in values.take(most) {
        value = value.wrapping_mul(base).wrapping_add(digit);
        length += 1;
    }
    if most == 8 {
        let mut place = [0; 4];
        let character = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
        out.extend_from_slice(character.encode_utf8(&mut place).as_bytes());
    } else {
        out.push(u8::try_from(value & 0xff).unwrap_or_default());
    }
    (length, None)
}
