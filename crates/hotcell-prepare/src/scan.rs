//! A linear look at code before a recursive parser sees it.
//!
//! The parser, the semantic pass and everything that walks a syntax tree recurse as deep as the code is nested. Two
//! numbers keep that safe:
//!
//! - **need**, an upper bound of the stack that the code can make us use, whatever it is: the sum over all its tokens of
//!   what one more level of that token costs. It does not depend on how the code is tokenised, so it holds for code
//!   that is made to confuse this scan. See [`crate::stack`].
//! - **depth**, how deep the code really is nested, as far as a tokeniser without a parser can tell. It refuses
//!   degenerate code early and with a good message, before memory is spent on its depth.

mod need;
mod regex;

pub(crate) use need::stack_need;

use regex::Searches;

/// What the scan refuses, with the offset where the limit was passed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TooDeep {
    /// Brackets, blocks or template literals inside each other.
    Nesting { offset: usize },
    /// One expression or statement that goes on and on without a bracket.
    Chain { offset: usize },
}

/// What the scan found out about code that is not too deep.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// HTML-like comments (`<!--`, and `-->` at the start of a line), which only scripts have.
    pub(crate) html_comments: Vec<(usize, usize)>,
    /// The code has so many `<` in so many brackets that reading it as TypeScript could take forever.
    pub(crate) too_angular: bool,
}

/// Operators and keywords that may follow each other inside one bracket without a `;` or `,` between them.
///
/// Each can be one level of a tree (`a => a => …`, `!!!…`, `else if …`). Far more than code has, far less than the
/// stack can bear.
const MAX_CHAIN: u32 = 3_000;

/// A TypeScript parser tries at each `<` whether type arguments follow, and starts over if not. Where such a trial
/// contains expressions with further trials the work multiplies: `b<(a=b<(a=b<(a=…`. This bounds the product of the
/// trials around any one place.
const MAX_TRIALS: u32 = 512;

/// Trials one after the other look at the same text again and again, too: `a<a<a<a<…`. This bounds the
/// sum of it all: for every `<` how many were still open before it, and for every bracket the trials around it.
const MAX_RETRIES: u32 = 250_000;

/// A trial that takes parentheses for a function type may read all the rest of the code before it fails, and the parser keeps
/// what it read in memory. This bounds the bytes that such trials read, all together.
const MAX_REREAD: usize = 4 << 20;

pub(crate) fn scan(code: &str, max_nesting: u32) -> Result<Scan, TooDeep> {
    let mut scanner = Scanner {
        bytes: code.as_bytes(),
        at: 0,
        max_nesting,
        frames: Vec::new(),
        chain: 0,
        total_chain: 0,
        angles: 0,
        open_angles: 0,
        retries: 0,
        reread: 0,
        trials: 1,
        previous: Previous::Operator,
        new_line: true,
        control: false,
        searches: Searches::default(),
        found: Scan::default(),
    };
    scanner.run()?;
    Ok(scanner.found)
}

/// What the last token was, as far as it decides what a `/` means and where a statement may end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Previous {
    /// A value: a `/` after it divides.
    Value,
    /// The end of a block: a `/` after it starts a regular expression, a word a new statement.
    Block,
    /// Anything else: a `/` after it starts a regular expression.
    Operator,
}

struct Frame {
    opener: u8,
    chain: u32,
    angles: u32,
    trials: u32,
    /// Whether this is the head of an `if`, `for`, `while` or `with`, or a block: no value, in either case.
    valueless: bool,
}

struct Scanner<'c> {
    bytes: &'c [u8],
    at: usize,
    max_nesting: u32,
    frames: Vec<Frame>,
    /// Levels since the last separator in this bracket, and the sum of those in the brackets around it.
    chain: u32,
    total_chain: u32,
    /// Every `<` in this statement that no `>` closed, and those in the brackets around it too.
    angles: u32,
    open_angles: u32,
    retries: u32,
    reread: usize,
    /// How often a parser may have to read this place.
    trials: u32,
    previous: Previous,
    new_line: bool,
    /// The last word was one after which `(` opens a head: `if (…)`.
    control: bool,
    searches: Searches,
    found: Scan,
}

impl Scanner<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn starts_with(&self, text: &str) -> bool {
        self.bytes
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    fn run(&mut self) -> Result<(), TooDeep> {
        if self.starts_with("#!") {
            self.skip_line();
        }
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' | b'\r' => {
                    self.new_line = true;
                    self.at += 1;
                }
                0xE2 if self.at_line_end() => {
                    self.new_line = true;
                    self.at += 3;
                }
                b' ' | b'\t' | 0x0B | 0x0C => self.at += 1,
                b'/' if self.peek(1) == b'/' => self.skip_line(),
                b'/' if self.peek(1) == b'*' => self.skip_block_comment(),
                b'<' if self.starts_with("<!--") => self.html_comment(),
                b'-' if self.new_line && self.starts_with("-->") => self.html_comment(),
                b'/' => match self.regex_end() {
                    Some(end) => self.regex(end)?,
                    None => self.operator(byte)?,
                },
                b'"' | b'\'' => self.string(byte),
                b'`' => {
                    self.level()?;
                    self.at += 1;
                    self.template()?;
                }
                b'(' | b'[' | b'{' => self.open(byte)?,
                b')' | b']' | b'}' => self.close(byte)?,
                b';' | b',' => {
                    self.separate();
                    if byte == b';' {
                        self.forget_angles();
                    }
                    self.token(Previous::Operator);
                    self.at += 1;
                }
                b'0'..=b'9' => self.number(),
                _ if is_word(byte) => self.word()?,
                _ => self.operator(byte)?,
            }
        }
        Ok(())
    }

    fn operator(&mut self, byte: u8) -> Result<(), TooDeep> {
        self.level()?;
        self.angle(byte);
        let twice = matches!(byte, b'+' | b'-') && self.peek(1) == byte;
        // `x++ / 2` divides, and so does `x++` after a value; `++/re/` means nothing.
        let value = twice && self.previous == Previous::Value;
        self.token(if value {
            Previous::Value
        } else {
            Previous::Operator
        });
        self.at += if twice { 2 } else { 1 };
        Ok(())
    }

    fn token(&mut self, kind: Previous) {
        self.previous = kind;
        self.new_line = false;
        self.control = false;
    }

    fn level(&mut self) -> Result<(), TooDeep> {
        self.chain += 1;
        self.total_chain += 1;
        if self.total_chain > MAX_CHAIN {
            return Err(TooDeep::Chain { offset: self.at });
        }
        Ok(())
    }

    fn angle(&mut self, byte: u8) {
        if byte == b'<' {
            self.angles += 1;
            self.open_angles += 1;
            self.retry(self.open_angles);
        } else if byte == b'>'
            && self.angles > 0
            && !self
                .bytes
                .get(..self.at)
                .is_some_and(|before| before.ends_with(b"="))
        {
            self.angles -= 1;
            self.open_angles -= 1;
        }
    }

    fn retry(&mut self, times: u32) {
        self.retries = self.retries.saturating_add(times);
        self.found.too_angular |= self.retries > MAX_RETRIES;
    }

    fn forget_angles(&mut self) {
        self.open_angles -= self.angles;
        self.angles = 0;
    }

    fn separate(&mut self) {
        self.total_chain -= self.chain;
        self.chain = 0;
    }

    fn open(&mut self, byte: u8) -> Result<(), TooDeep> {
        let valueless = match byte {
            b'(' => self.control,
            b'{' => self.previous != Previous::Operator || self.block_follows(),
            _ => false,
        };
        self.push(byte, valueless)?;
        self.token(Previous::Operator);
        self.at += 1;
        Ok(())
    }

    /// Whether a `{` here opens a block although no value is before it.
    fn block_follows(&self) -> bool {
        let before = self.bytes.get(..self.at).unwrap_or(&[]).trim_ascii_end();
        before.is_empty()
            || before.ends_with(b";")
            || before.ends_with(b"{")
            || before.ends_with(b"=>")
            || [&b"else"[..], b"do", b"try", b"finally"]
                .iter()
                .any(|word| before.ends_with(word))
    }

    fn push(&mut self, opener: u8, valueless: bool) -> Result<(), TooDeep> {
        if u32::try_from(self.frames.len()).unwrap_or(u32::MAX) >= self.max_nesting {
            return Err(TooDeep::Nesting { offset: self.at });
        }
        let (chain, angles, trials) = (self.chain, self.angles, self.trials);
        self.frames.push(Frame {
            opener,
            chain,
            angles,
            trials,
            valueless,
        });
        self.trials = trials.saturating_mul(angles + 1);
        self.found.too_angular |= self.trials > MAX_TRIALS;
        self.retry(self.trials - 1);
        if opener == b'(' && self.open_angles > 0 {
            self.reread = self.reread.saturating_add(self.bytes.len() - self.at);
            self.found.too_angular |= self.reread > MAX_REREAD;
        }
        self.chain = 0;
        self.angles = 0;
        Ok(())
    }

    fn close(&mut self, byte: u8) -> Result<(), TooDeep> {
        self.separate();
        self.forget_angles();
        let frame = self.frames.pop();
        if let Some(frame) = &frame {
            self.chain = frame.chain;
            self.angles = frame.angles;
            self.trials = frame.trials;
        }
        let valueless = frame.as_ref().is_some_and(|frame| frame.valueless);
        self.token(match (valueless, byte) {
            (false, _) => Previous::Value,
            (true, b'}') => Previous::Block,
            (true, _) => Previous::Operator,
        });
        self.at += 1;
        if byte == b'}' && frame.is_some_and(|frame| frame.opener == b'$') {
            return self.template();
        }
        // `f()()()` is as deep as it is long.
        self.level()
    }

    fn skip_line(&mut self) {
        while self.at < self.bytes.len() && !self.at_line_end() {
            self.at += 1;
        }
    }

    fn at_line_end(&self) -> bool {
        match self.peek(0) {
            b'\n' | b'\r' => true,
            0xE2 => self.starts_with("\u{2028}") || self.starts_with("\u{2029}"),
            _ => false,
        }
    }

    fn html_comment(&mut self) {
        let start = self.at;
        self.skip_line();
        self.found.html_comments.push((start, self.at));
    }

    fn skip_block_comment(&mut self) {
        self.at += 2;
        while self.at < self.bytes.len() && !self.starts_with("*/") {
            self.new_line |= matches!(self.peek(0), b'\n' | b'\r');
            self.at += 1;
        }
        self.at = (self.at + 2).min(self.bytes.len());
    }

    fn string(&mut self, quote: u8) {
        self.at += 1;
        loop {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'\n' | b'\r' => break,
                0 if self.at >= self.bytes.len() => break,
                byte => {
                    self.at += 1;
                    if byte == quote {
                        break;
                    }
                }
            }
        }
        self.at = self.at.min(self.bytes.len());
        self.token(Previous::Value);
    }

    /// Goes on inside a template literal, after its opening backtick or the `}` of a substitution.
    fn template(&mut self) -> Result<(), TooDeep> {
        loop {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'`' => {
                    self.at += 1;
                    self.token(Previous::Value);
                    return Ok(());
                }
                b'$' if self.peek(1) == b'{' => {
                    self.push(b'$', false)?;
                    self.at += 2;
                    self.token(Previous::Operator);
                    return Ok(());
                }
                _ if self.at >= self.bytes.len() => {
                    self.at = self.bytes.len();
                    return Ok(());
                }
                _ => self.at += 1,
            }
        }
    }

    /// Where the regular expression that starts here ends, if there can be one and it ends on this line.
    fn regex_end(&mut self) -> Option<usize> {
        if self.previous == Previous::Value {
            return None;
        }
        self.searches.regex_end(self.bytes, self.at)
    }

    /// Regular expressions have a recursive parser of their own.
    fn regex(&mut self, end: usize) -> Result<(), TooDeep> {
        let mut depth: u32 = 0;
        while self.at < end {
            match self.peek(0) {
                b'\\' => self.at += 1,
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth > self.max_nesting {
                return Err(TooDeep::Nesting { offset: self.at });
            }
            self.at += 1;
        }
        self.at = end;
        while is_word(self.peek(0)) {
            self.at += 1;
        }
        self.token(Previous::Value);
        Ok(())
    }

    fn number(&mut self) {
        while is_word(self.peek(0)) || (self.peek(0) == b'.' && self.peek(1).is_ascii_digit()) {
            self.at += 1;
        }
        self.token(Previous::Value);
    }

    fn word(&mut self) -> Result<(), TooDeep> {
        let start = self.at;
        let property = start > 0 && self.bytes.get(start - 1) == Some(&b'.');
        while is_word(self.peek(0)) {
            self.at += 1;
        }
        let word = self.bytes.get(start..self.at).unwrap_or(&[]);
        let class = if property { Word::Name } else { classify(word) };
        // A statement that begins after a block or on a line of its own ends the one before it.
        let boundary =
            self.previous == Previous::Block || (self.previous == Previous::Value && self.new_line);
        if boundary && class != Word::Continues && class != Word::Infix {
            self.separate();
            self.forget_angles();
        }
        if class != Word::Name {
            self.level()?;
        }
        self.token(if class == Word::Name {
            Previous::Value
        } else {
            Previous::Operator
        });
        self.control = class == Word::Control;
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Name,
    /// `if`, `for`, `while`, `with`: a head in parentheses follows.
    Control,
    /// A keyword before an expression or a statement.
    Prefix,
    /// `else`, `catch` and the like: they go on with the statement before them.
    Continues,
    /// A binary operator that is a word.
    Infix,
}

fn classify(word: &[u8]) -> Word {
    match word {
        b"if" | b"for" | b"while" | b"with" => Word::Control,
        b"typeof" | b"void" | b"delete" | b"await" | b"yield" | b"new" | b"do" | b"return"
        | b"throw" | b"case" | b"keyof" | b"infer" | b"unique" | b"readonly" | b"async" => {
            Word::Prefix
        }
        b"else" | b"catch" | b"finally" => Word::Continues,
        b"in" | b"instanceof" | b"of" | b"as" | b"satisfies" | b"extends" | b"is" => Word::Infix,
        _ => Word::Name,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#' | b'\\') || byte >= 0x80
}
