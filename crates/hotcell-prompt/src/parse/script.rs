//! A scanner for JavaScript that knows just enough to tell code from text inside code.
//!
//! It never fails: on broken code it goes on at the next line, or says at the end what was left open.

/// A stretch of the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier or a keyword.
    Word,
    Number,
    /// One character of punctuation.
    Mark,
    /// A string in quotes; not `closed` if its line ended first.
    Text {
        closed: bool,
    },
    /// Part of a template literal up to `${` or its end; not `closed` if the script ended first.
    Template {
        closed: bool,
    },
    LineComment,
    /// Not `closed` if the script ended first.
    BlockComment {
        closed: bool,
    },
    Regex,
}

/// A stretch of the script and where it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// It is the first on its line.
    pub(crate) first: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Brace,
    /// The text of a template literal.
    Template,
    /// `${` of a template literal.
    Substitution,
}

/// Reads `text` from an offset on.
#[derive(Debug, Clone)]
pub(crate) struct Scanner<'t> {
    text: &'t str,
    pos: usize,
    open: Vec<Open>,
    /// A slash here would divide and not begin a regular expression.
    after_operand: bool,
    line_start: bool,
    /// No regular expression begins before this: one on the same line had no end, and to look for its end again at every
    /// slash would take quadratic time.
    no_regex_before: usize,
}

impl<'t> Scanner<'t> {
    pub(crate) fn new(text: &'t str, pos: usize) -> Self {
        Self {
            text,
            pos,
            open: Vec::new(),
            after_operand: false,
            line_start: true,
            no_regex_before: 0,
        }
    }

    /// Goes over white space. Where that leads to code, and not into a template literal, tells the offset.
    pub(crate) fn at_code(&mut self) -> Option<usize> {
        if self.open.last() == Some(&Open::Template) {
            return None;
        }
        while let Some(c) = self.peek() {
            if !c.is_whitespace() {
                return Some(self.pos);
            }
            self.line_start |= c == '\n';
            self.pos += c.len_utf8();
        }
        None
    }

    /// Whether nothing but white space is before this on its line.
    pub(crate) fn at_line_start(&self) -> bool {
        self.line_start
    }

    /// Leaves out everything before `pos`.
    pub(crate) fn skip_to(&mut self, pos: usize) {
        self.pos = pos.max(self.pos);
        self.line_start = false;
    }

    /// The next token; comments are tokens, white space is not.
    pub(crate) fn next_token(&mut self) -> Option<Token> {
        let in_template = self.open.last() == Some(&Open::Template);
        if !in_template {
            self.at_code()?;
        }
        let start = self.pos;
        let first = self.line_start;
        let c = self.peek()?;
        self.line_start = false;
        let kind = if in_template {
            self.template()
        } else {
            self.code(c)
        };
        match kind {
            Kind::LineComment | Kind::BlockComment { .. } => {}
            Kind::Word => {
                self.after_operand =
                    !is_operator_word(self.text.get(start..self.pos).unwrap_or_default());
            }
            Kind::Mark => self.after_operand = matches!(c, ')' | ']'),
            Kind::Template { .. } => {
                self.after_operand = self.open.last() != Some(&Open::Substitution);
            }
            Kind::Number | Kind::Text { .. } | Kind::Regex => self.after_operand = true,
        }
        Some(Token {
            kind,
            start,
            end: self.pos,
            first,
        })
    }

    fn code(&mut self, c: char) -> Kind {
        match c {
            '"' | '\'' => self.quoted(c),
            '`' => {
                self.pos += 1;
                self.open.push(Open::Template);
                self.template()
            }
            '/' => self.slash(),
            c if c.is_ascii_digit() => {
                self.take_while(|c| c == '.' || crate::names::is_identifier_part(c));
                Kind::Number
            }
            c if crate::names::is_identifier_part(c) || c == '#' || c == '@' => {
                self.pos += c.len_utf8();
                self.take_while(crate::names::is_identifier_part);
                Kind::Word
            }
            _ => {
                match c {
                    '{' => self.open.push(Open::Brace),
                    '}' => match self.open.pop() {
                        Some(Open::Substitution) => {
                            self.pos += 1;
                            return self.template();
                        }
                        Some(Open::Template) => self.open.push(Open::Template),
                        Some(Open::Brace) | None => {}
                    },
                    _ => {}
                }
                self.pos += c.len_utf8();
                Kind::Mark
            }
        }
    }

    fn quoted(&mut self, quote: char) -> Kind {
        self.pos += 1;
        while let Some(c) = self.peek() {
            if c == '\n' {
                return Kind::Text { closed: false };
            }
            self.pos += c.len_utf8();
            if c == quote {
                return Kind::Text { closed: true };
            }
            if c == '\\' {
                self.take();
            }
        }
        Kind::Text { closed: false }
    }

    /// The text of a template literal, which is on top of `open`.
    fn template(&mut self) -> Kind {
        let mut line_start = false;
        while let Some(c) = self.take() {
            match c {
                '\\' => {
                    self.take();
                }
                // Three at the start of a line are a Markdown fence that somebody forgot to escape: no JavaScript that
                // makes sense has them there.
                '`' if line_start && self.rest().starts_with("``") => {
                    self.take_while(|c| c == '`');
                }
                '`' => {
                    self.open.pop();
                    return Kind::Template { closed: true };
                }
                '$' if self.rest().starts_with('{') => {
                    self.pos += 1;
                    self.open.push(Open::Substitution);
                    return Kind::Template { closed: true };
                }
                _ => {}
            }
            line_start = c == '\n' || (line_start && c.is_whitespace());
        }
        Kind::Template { closed: false }
    }

    fn slash(&mut self) -> Kind {
        if self.rest().starts_with("//") {
            self.take_while(|c| c != '\n');
            return Kind::LineComment;
        }
        if self.rest().starts_with("/*") {
            let body = self.rest().get(2..).unwrap_or_default();
            let closed = body.find("*/");
            self.pos = closed.map_or(self.text.len(), |length| self.pos + length + 4);
            return Kind::BlockComment {
                closed: closed.is_some(),
            };
        }
        if !self.after_operand && self.pos >= self.no_regex_before {
            match regex_length(self.rest()) {
                Ok(length) => {
                    self.pos += length;
                    self.take_while(crate::names::is_identifier_part);
                    return Kind::Regex;
                }
                Err(looked_at) => self.no_regex_before = self.pos + looked_at,
            }
        }
        self.pos += 1;
        Kind::Mark
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.pos..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.pos += c.len_utf8();
        Some(c)
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&wanted) {
            self.take();
        }
    }
}

/// The length of the regular expression at the start of `rest`, without its flags; or how much was looked at until its
/// line ended.
fn regex_length(rest: &str) -> Result<usize, usize> {
    let mut in_class = false;
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return Err(at),
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return Ok(at + 1),
            _ => {}
        }
    }
    Err(rest.len())
}

/// Keywords after which an expression begins, so that a slash begins a regular expression.
fn is_operator_word(word: &str) -> bool {
    matches!(
        word,
        "await"
            | "case"
            | "delete"
            | "do"
            | "else"
            | "in"
            | "instanceof"
            | "new"
            | "of"
            | "return"
            | "throw"
            | "typeof"
            | "void"
            | "yield"
    )
}
