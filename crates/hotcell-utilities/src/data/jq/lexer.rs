//! The words of a program.

/// A word, and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    /// `foo`, `a::b`, and words with a meaning of their own.
    Word(String),
    /// `.foo`, without the dot.
    Field(String),
    /// `$foo`, without the sign.
    Variable(String),
    /// `@foo`, with the sign.
    Format(String),
    Number(String),
    Punctuation(&'static str),
    /// A quote that begins a string; its parts follow.
    StringStart,
    StringText(String),
    /// `\(`: an expression follows, up to the matching `)`, which is [`Token::InterpolationEnd`].
    InterpolationStart,
    InterpolationEnd,
    StringEnd,
    /// What is nothing of these.
    Invalid(char),
    End,
}

const PUNCTUATION: [&str; 35] = [
    "?//", "//=", "|=", "+=", "-=", "*=", "/=", "%=", "==", "!=", "<=", ">=", "//", "..", "[", "]",
    "(", ")", "{", "}", "|", ",", ":", ";", "=", "<", ">", "+", "-", "*", "/", "%", "?", ".", "$",
];

/// Takes a program apart.
pub(crate) fn tokens(source: &str) -> Result<Vec<(Token, usize)>, (String, usize)> {
    let mut lexer = Lexer {
        source,
        at: 0,
        tokens: Vec::new(),
        open: Vec::new(),
    };
    lexer.run()?;
    lexer.tokens.push((Token::End, source.len()));
    Ok(lexer.tokens)
}

struct Lexer<'s> {
    source: &'s str,
    at: usize,
    tokens: Vec<(Token, usize)>,
    /// Brackets that are open; `true` for the parenthesis of an interpolation.
    open: Vec<bool>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn run(&mut self) -> Result<(), (String, usize)> {
        while let Some(character) = self.rest().chars().next() {
            let start = self.at;
            if character.is_ascii_whitespace() {
                self.at += 1;
                continue;
            }
            if character == '#' {
                self.comment();
                continue;
            }
            let token = match character {
                '"' => {
                    self.at += 1;
                    self.tokens.push((Token::StringStart, start));
                    self.string()?;
                    continue;
                }
                '.' => {
                    let after = self.rest().get(1..).unwrap_or_default();
                    let next = after.chars().next();
                    if next.is_some_and(is_word_start) {
                        self.at += 1;
                        Token::Field(self.word(false))
                    } else if next.is_some_and(|c| c.is_ascii_digit()) {
                        self.number()
                    } else {
                        self.punctuation(character)
                    }
                }
                '0'..='9' => self.number(),
                '$' => {
                    let after = self.rest().get(1..).unwrap_or_default().trim_start();
                    if after.chars().next().is_some_and(is_word_start) {
                        self.at = self.source.len() - after.len();
                        Token::Variable(self.word(true))
                    } else {
                        self.punctuation(character)
                    }
                }
                '@' => {
                    self.at += 1;
                    let name = self.word(false);
                    Token::Format(format!("@{name}"))
                }
                c if is_word_start(c) => Token::Word(self.word(true)),
                c => self.punctuation(c),
            };
            match token {
                Token::Punctuation("(" | "[" | "{") => self.open.push(false),
                Token::Punctuation(")" | "]" | "}")
                    if self.open.pop() == Some(true) && token == Token::Punctuation(")") =>
                {
                    self.tokens.push((Token::InterpolationEnd, start));
                    self.string()?;
                    continue;
                }
                _ => {}
            }
            self.tokens.push((token, start));
        }
        Ok(())
    }

    /// To the end of the line; an odd number of backslashes before it goes on.
    fn comment(&mut self) {
        loop {
            let rest = self.rest();
            let line = rest.find('\n').unwrap_or(rest.len());
            let text = rest.get(..line).unwrap_or_default();
            let text = text.strip_suffix('\r').unwrap_or(text);
            let backslashes = text.bytes().rev().take_while(|b| *b == b'\\').count();
            let is_last = rest.len() == line;
            self.at += line + usize::from(!is_last);
            if backslashes % 2 == 0 || is_last {
                return;
            }
        }
    }

    fn word(&mut self, with_modules: bool) -> String {
        let rest = self.rest();
        let mut length = 0;
        let plain = |text: &str| {
            text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .unwrap_or(text.len())
        };
        length += plain(rest);
        while with_modules
            && rest.get(length..length + 2) == Some("::")
            && rest
                .get(length + 2..)
                .and_then(|rest| rest.chars().next())
                .is_some_and(is_word_start)
        {
            length += 2 + plain(rest.get(length + 2..).unwrap_or_default());
        }
        let word = rest.get(..length).unwrap_or_default().to_owned();
        self.at += length;
        word
    }

    fn number(&mut self) -> Token {
        let rest = self.rest().as_bytes();
        let digits = |from: usize| {
            rest.get(from..)
                .unwrap_or_default()
                .iter()
                .take_while(|b| b.is_ascii_digit())
                .count()
        };
        let mut length = digits(0);
        if rest.get(length) == Some(&b'.') {
            length += 1 + digits(length + 1);
        }
        if matches!(rest.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(rest.get(length + 1), Some(b'+' | b'-')));
            let exponent = digits(length + 1 + sign);
            if exponent > 0 {
                length += 1 + sign + exponent;
            }
        }
        let text = self.rest().get(..length).unwrap_or_default().to_owned();
        self.at += length;
        Token::Number(text)
    }

    fn punctuation(&mut self, character: char) -> Token {
        let rest = self.rest();
        let found = PUNCTUATION.into_iter().find(|mark| rest.starts_with(mark));
        match found {
            Some(mark) => {
                self.at += mark.len();
                Token::Punctuation(mark)
            }
            None => {
                self.at += character.len_utf8();
                Token::Invalid(character)
            }
        }
    }

    /// What is in a string, up to its quote or to an interpolation.
    fn string(&mut self) -> Result<(), (String, usize)> {
        let start = self.at;
        let mut text = String::new();
        loop {
            let mut characters = self.rest().chars();
            let Some(character) = characters.next() else {
                return Err(("unterminated string literal".to_owned(), start));
            };
            if character == '"' {
                if !text.is_empty() {
                    self.tokens.push((Token::StringText(text), start));
                }
                self.tokens.push((Token::StringEnd, self.at));
                self.at += 1;
                return Ok(());
            }
            if character != '\\' {
                text.push(character);
                self.at += character.len_utf8();
                continue;
            }
            let escape = characters.next();
            let place = self.at;
            self.at += 1 + escape.map_or(0, char::len_utf8);
            match escape {
                Some('(') => {
                    if !text.is_empty() {
                        self.tokens.push((Token::StringText(text), start));
                    }
                    self.tokens.push((Token::InterpolationStart, place));
                    self.open.push(true);
                    return Ok(());
                }
                Some(c @ ('"' | '\\' | '/')) => text.push(c),
                Some('b') => text.push('\u{8}'),
                Some('f') => text.push('\u{c}'),
                Some('n') => text.push('\n'),
                Some('r') => text.push('\r'),
                Some('t') => text.push('\t'),
                Some('u') => {
                    let code = |text: &str| u32::from_str_radix(text.get(..4)?, 16).ok();
                    let Some(mut unit) = code(self.rest()) else {
                        return Err(("invalid \\uXXXX escape".to_owned(), place));
                    };
                    self.at += 4;
                    if (0xd800..0xdc00).contains(&unit)
                        && let Some(low) = self.rest().strip_prefix("\\u").and_then(code)
                        && (0xdc00..0xe000).contains(&low)
                    {
                        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                        self.at += 6;
                    }
                    text.push(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                _ => return Err(("invalid escape".to_owned(), place)),
            }
        }
    }
}

fn is_word_start(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_'
}
