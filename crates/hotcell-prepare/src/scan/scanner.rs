//! A tokeniser without a parser.

use std::cell::OnceCell;

use super::TooDeep;
use super::regex::RegexEnds;

/// Operators and keywords that may follow each other inside one bracket without a `;` or `,` between them.
///
/// Each can be one level of a tree (`a => a => …`, `!!!…`, `else if …`). Far more than code has, far less than the
/// stack can bear.
const MAX_CHAIN: u32 = 3_000;

/// What the code is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// A script, which has HTML-like comments.
    Script,
    /// TypeScript, in which only the opening one is taken for a comment, at the start of a line.
    TypeScript,
}

/// What the last token was, as far as it decides what a `/` means and where a statement may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Previous {
    /// A value: a `/` after it divides.
    Value,
    /// The end of a block: a `/` after it starts a regular expression, a word a new statement.
    Block,
    /// Anything else: a `/` after it starts a regular expression.
    Operator,
}

/// What a step came to.
#[derive(Debug)]
pub(super) enum Step {
    /// A token, a comment or white space, which is behind us.
    Token,
    /// A slash, of which somebody has to say what it does.
    Slash(Slash),
    /// The end of the code.
    End,
}

/// A slash that divides or starts a regular expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slash {
    after_value: bool,
    is_certain: bool,
    /// Behind the regular expression, if one can end on this line.
    end: Option<usize>,
}

/// What a slash does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Divides,
    /// It starts a regular expression, which ends there.
    StartsRegex(usize),
}

impl Slash {
    pub(super) fn likely(self) -> Meaning {
        match self.end {
            Some(end) if !self.after_value => Meaning::StartsRegex(end),
            _ => Meaning::Divides,
        }
    }

    /// What else it could do. (A regular expression without an end is the end of every parser's work.)
    pub(super) fn unlikely(self) -> Option<Meaning> {
        match self.end {
            _ if self.is_certain => None,
            Some(end) if self.after_value => Some(Meaning::StartsRegex(end)),
            Some(_) => Some(Meaning::Divides),
            None => None,
        }
    }
}

#[derive(Clone, Debug)]
struct Frame {
    opener: u8,
    chain: u32,
    angles: u32,
    trials: u32,
    /// Where it begins, if it is a parenthesis right after a `?`.
    branch: Option<usize>,
    /// Whether this is the head of an `if`, `for`, `while` or `with`, or a block: no value, in either case.
    valueless: bool,
}

/// One way to read the code, up to some place in it.
#[derive(Clone, Debug)]
pub(super) struct Scanner<'c> {
    bytes: &'c [u8],
    ends: &'c OnceCell<RegexEnds>,
    goal: Goal,
    max_nesting: u32,
    pub(super) at: usize,
    frames: Vec<Frame>,
    /// Levels since the last separator in this bracket, and the sum of those in the brackets around it.
    chain: u32,
    total_chain: u32,
    /// Every `<` in this statement that no `>` closed, and those in the brackets around it too.
    angles: u32,
    open_angles: u32,
    /// How often a parser for TypeScript may have to read what is in this bracket.
    trials: u32,
    /// Tokens that it may have to read again, all together.
    pub(super) tokens_again: u32,
    /// Bytes that it may have to read again because parentheses could be a type.
    pub(super) bytes_again: usize,
    /// Parentheses around this place that stand right after a `?`.
    branches: usize,
    /// Wrong flags of regular expressions: see [`wrong_flags`].
    pub(super) wrong_flags: usize,
    previous: Previous,
    /// Whether `previous` is beyond doubt.
    is_certain: bool,
    new_line: bool,
    /// The last word was one after which `(` opens a head: `if (…)`.
    control: bool,
    pub(super) html_comments: Vec<(usize, usize)>,
}

impl<'c> Scanner<'c> {
    pub(super) fn new(
        code: &'c str,
        ends: &'c OnceCell<RegexEnds>,
        goal: Goal,
        max_nesting: u32,
    ) -> Self {
        let mut scanner = Self {
            bytes: code.as_bytes(),
            ends,
            goal,
            max_nesting,
            at: 0,
            frames: Vec::new(),
            chain: 0,
            total_chain: 0,
            angles: 0,
            open_angles: 0,
            trials: 1,
            tokens_again: 0,
            bytes_again: 0,
            branches: 0,
            wrong_flags: 0,
            previous: Previous::Operator,
            is_certain: true,
            new_line: true,
            control: false,
            html_comments: Vec::new(),
        };
        if scanner.starts_with("#!") {
            scanner.skip_line();
        }
        scanner
    }

    /// Goes on by one token.
    pub(super) fn step(&mut self) -> Result<Step, TooDeep> {
        let Some(&byte) = self.bytes.get(self.at) else {
            return Ok(Step::End);
        };
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
            b'<' | b'-' if self.at_html_comment() => self.html_comment(),
            b'/' => return Ok(Step::Slash(self.slash())),
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
                self.token(Previous::Operator, true);
                self.at += 1;
            }
            b'0'..=b'9' => self.number(),
            _ if is_word(byte) => self.word()?,
            _ => self.operator(byte)?,
        }
        Ok(Step::Token)
    }

    /// Goes on after a slash that was said to mean this.
    pub(super) fn take_slash(&mut self, meaning: Meaning) -> Result<(), TooDeep> {
        match meaning {
            Meaning::Divides => self.operator(b'/'),
            Meaning::StartsRegex(end) => self.regex(end),
        }
    }

    /// Whether another way to read the code goes on from the same place in the same way.
    pub(super) fn meets(&self, other: &Self) -> bool {
        let state = |one: &Self| {
            (
                one.at,
                one.previous,
                one.is_certain,
                one.new_line,
                one.control,
                one.frames.len(),
            )
        };
        let bracket = |frame: &Frame| (frame.opener, frame.valueless, frame.branch);
        state(self) == state(other)
            && self
                .frames
                .iter()
                .map(bracket)
                .eq(other.frames.iter().map(bracket))
    }

    /// Stands for another way to read the code, too, which it meets.
    pub(super) fn absorb(&mut self, other: &Self) {
        for (mine, others) in self.frames.iter_mut().zip(&other.frames) {
            mine.chain = mine.chain.max(others.chain);
            mine.angles = mine.angles.max(others.angles);
            mine.trials = mine.trials.max(others.trials);
        }
        self.chain = self.chain.max(other.chain);
        self.angles = self.angles.max(other.angles);
        self.trials = self.trials.max(other.trials);
        self.total_chain = self.chain + self.frames.iter().map(|frame| frame.chain).sum::<u32>();
        self.open_angles = self.angles + self.frames.iter().map(|frame| frame.angles).sum::<u32>();
        self.tokens_again = self.tokens_again.max(other.tokens_again);
        self.bytes_again = self.bytes_again.max(other.bytes_again);
        self.wrong_flags = self.wrong_flags.max(other.wrong_flags);
    }

    /// Whether an expression or a statement would begin here.
    pub(super) fn expects_value(&self) -> bool {
        self.previous != Previous::Value
    }

    pub(super) fn depth(&self) -> usize {
        self.frames.len()
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn starts_with(&self, text: &str) -> bool {
        self.bytes
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    fn before(&self) -> &[u8] {
        self.bytes.get(..self.at).unwrap_or(&[])
    }

    fn slash(&self) -> Slash {
        let after_value = self.previous == Previous::Value;
        // A type at the end of a line ends a statement where a value would not.
        let is_certain = self.is_certain && !(after_value && self.new_line);
        let can_start = !after_value || !is_certain;
        let end = can_start.then(|| {
            let ends = self.ends.get_or_init(|| RegexEnds::new(self.bytes));
            ends.end(self.at)
        });
        Slash {
            after_value,
            is_certain,
            end: end.flatten(),
        }
    }

    fn operator(&mut self, byte: u8) -> Result<(), TooDeep> {
        self.level()?;
        self.angle(byte);
        let twice = matches!(byte, b'+' | b'-') && self.peek(1) == byte;
        // `x++ / 2` divides, and so does `x++` after a value; `++/re/` means nothing.
        let value = twice && self.previous == Previous::Value;
        let is_certain = match byte {
            b'=' | b':' | b'&' | b'|' | b'?' | b'*' | b'%' | b'^' | b'~' | b'<' | b'/' => true,
            b'+' | b'-' => !twice,
            // Of an arrow, or the end of type arguments.
            b'>' => self.before().ends_with(b"="),
            // Among them `!`, after which TypeScript may have a value, and the point of `1.`.
            _ => false,
        };
        let kind = if value {
            Previous::Value
        } else {
            Previous::Operator
        };
        self.token(kind, is_certain);
        self.at += if twice { 2 } else { 1 };
        Ok(())
    }

    fn token(&mut self, kind: Previous, is_certain: bool) {
        self.previous = kind;
        self.is_certain = is_certain;
        self.new_line = false;
        self.control = false;
        let readings = self.trials.saturating_mul(self.angles + 1);
        self.tokens_again = self.tokens_again.saturating_add(readings - 1);
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
        } else if byte == b'>' && self.angles > 0 && !self.before().ends_with(b"=") {
            self.angles -= 1;
            self.open_angles -= 1;
        }
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
        self.token(Previous::Operator, true);
        self.at += 1;
        Ok(())
    }

    /// Whether a `{` here opens a block although no value is before it.
    fn block_follows(&self) -> bool {
        let before = self.before().trim_ascii_end();
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
        let is_branch = opener == b'(' && self.before().trim_ascii_end().ends_with(b"?");
        let branch = is_branch.then_some(self.at);
        self.branches += usize::from(is_branch);
        self.frames.push(Frame {
            opener,
            chain,
            angles,
            trials,
            branch,
            valueless,
        });
        // A trial of every `<` before it reads what is in the bracket, and each may have to try what the bracket is.
        let readings = if self.open_angles > 0 { 2 } else { 1 };
        self.trials = trials.saturating_mul((angles + 1).saturating_mul(readings));
        if opener == b'(' && self.open_angles > 0 {
            self.bytes_again = self.bytes_again.saturating_add(self.bytes.len() - self.at);
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
            self.end_branch(frame.branch);
        }
        let valueless = frame.as_ref().is_some_and(|frame| frame.valueless);
        let kind = match (valueless, byte) {
            (false, _) => Previous::Value,
            (true, b'}') => Previous::Block,
            (true, _) => Previous::Operator,
        };
        self.token(kind, byte == b']');
        self.at += 1;
        if byte == b'}' && frame.is_some_and(|frame| frame.opener == b'$') {
            return self.template();
        }
        // `f()()()` is as deep as it is long.
        self.level()
    }

    /// A parenthesis ends that may be a value or the parameters of a function: `a ? (b) : c => d`. A parser for TypeScript reads
    /// it again for each such parenthesis around it.
    fn end_branch(&mut self, branch: Option<usize>) {
        if let Some(start) = branch {
            let again = (self.at - start).saturating_mul(self.branches);
            self.bytes_again = self.bytes_again.saturating_add(again);
            self.branches -= 1;
        }
    }

    /// Nothing more comes: what is open ends here.
    pub(super) fn end(&mut self) {
        while let Some(frame) = self.frames.pop() {
            self.end_branch(frame.branch);
        }
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

    fn at_html_comment(&self) -> bool {
        match self.goal {
            Goal::Script => self.starts_with("<!--") || (self.new_line && self.starts_with("-->")),
            Goal::TypeScript => self.new_line && self.starts_with("<!--"),
        }
    }

    fn html_comment(&mut self) {
        let start = self.at;
        self.skip_line();
        self.html_comments.push((start, self.at));
    }

    fn skip_block_comment(&mut self) {
        self.at += 2;
        while self.at < self.bytes.len() && !self.starts_with("*/") {
            self.new_line |= self.at_line_end();
            self.at += 1;
        }
        self.at = (self.at + 2).min(self.bytes.len());
    }

    fn string(&mut self, quote: u8) {
        self.at += 1;
        loop {
            match self.peek(0) {
                b'\\' if self.peek(1) == b'\r' && self.peek(2) == b'\n' => self.at += 3,
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
        self.token(Previous::Value, true);
    }

    /// Goes on inside a template literal, after its opening backtick or the `}` of a substitution.
    fn template(&mut self) -> Result<(), TooDeep> {
        loop {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'`' => {
                    self.at += 1;
                    self.token(Previous::Value, true);
                    return Ok(());
                }
                b'$' if self.peek(1) == b'{' => {
                    self.push(b'$', false)?;
                    self.at += 2;
                    self.token(Previous::Operator, true);
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
        self.wrong_flags += wrong_flags(self.bytes.get(end..self.at).unwrap_or(&[]));
        self.token(Previous::Value, true);
        Ok(())
    }

    fn number(&mut self) {
        let start = self.at;
        while is_word(self.peek(0)) || (self.peek(0) == b'.' && self.peek(1).is_ascii_digit()) {
            self.at += 1;
        }
        self.token(Previous::Value, self.is_plain(start));
    }

    /// Whether there is neither an escape nor white space of another alphabet in what was read since `start`.
    fn is_plain(&self, start: usize) -> bool {
        let text = self.bytes.get(start..self.at).unwrap_or(&[]);
        text.is_ascii() && !text.contains(&b'\\')
    }

    fn word(&mut self) -> Result<(), TooDeep> {
        let start = self.at;
        let property = self.before().ends_with(b".") && !self.before().ends_with(b"..");
        loop {
            if is_word(self.peek(0)) {
                self.at += 1;
            } else if self.peek(0) == b'{' && self.at_escape(start) {
                self.skip_escape();
            } else {
                break;
            }
        }
        let word = self.bytes.get(start..self.at).unwrap_or(&[]);
        let class = if property { Word::Name } else { classify(word) };
        let is_certain = classify(word) == Word::Name && word != b"default" && self.is_plain(start);
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
        let kind = if class == Word::Name {
            Previous::Value
        } else {
            Previous::Operator
        };
        self.token(kind, is_certain);
        self.control = class == Word::Control;
        Ok(())
    }

    /// Whether the word that started there has come to the brace of a `\u{…}`.
    fn at_escape(&self, start: usize) -> bool {
        self.bytes
            .get(start..self.at)
            .is_some_and(|word| word.ends_with(b"\\u"))
    }

    fn skip_escape(&mut self) {
        self.at += 1;
        while self.peek(0).is_ascii_hexdigit() {
            self.at += 1;
        }
        if self.peek(0) == b'}' {
            self.at += 1;
        }
    }
}

/// How many bytes in what stands behind a regular expression are no flags, or flags that were there before.
pub(super) fn wrong_flags(word: &[u8]) -> usize {
    let flags = b"dgimsuvy"
        .iter()
        .filter(|flag| word.contains(flag))
        .count();
    word.len() - flags
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

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#' | b'\\') || byte >= 0x80
}
