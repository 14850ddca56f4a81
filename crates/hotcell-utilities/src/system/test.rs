//! `test` and `[`

use std::io;

use bstr::{BString, ByteSlice};
use hotcell_process::{Fd, Process};
use hotcell_vfs::{FileType, Metadata};

use crate::{Usage, Utility, quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

pub(crate) const BRACKET: Utility = Utility {
    usage: &Usage {
        name: "[",
        synopsis: "EXPRESSION ]\n ]",
        ..USAGE
    },
    main,
};

const USAGE: Usage = Usage {
    name: "test",
    synopsis: "EXPRESSION",
    summary: "Exit with the status determined by EXPRESSION: 0 if it is true, 1 if it is false, 2 if an error occurred.",
    options: &[],
    notes: "\
Files:    -e exists  -f regular  -d directory  -s not empty  -L or -h symbolic link  -p pipe  -S socket  -b -c devices
          -r -w -x  accessible   -u -g -k  mode bits  -O -G  owned   -N modified since read   -t FD  a terminal
          A -nt B   A -ot B   A -ef B
Strings:  -n not empty  -z empty  A = B  A == B  A != B  A < B  A > B
Numbers:  A -eq B  -ne  -lt  -le  -gt  -ge
Logic:    ! EXPR  ( EXPR )  EXPR -a EXPR  EXPR -o EXPR",
    error_code: 2,
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let args = process.args().get(1..).unwrap_or_default();
    let is_bracket = process.name() == "[";
    if is_bracket && matches!(args, [only] if only == "--help" || only == "--version") {
        USAGE.parse(process);
    }
    let args = match args.split_last() {
        Some((last, rest)) if is_bracket && last == "]" => rest,
        _ if is_bracket => {
            process.complain("missing ']'");
            return Ok(2);
        }
        _ => args,
    };
    match evaluate(process, args, &mut NoShell) {
        Ok(holds) => Ok(i32::from(!holds)),
        Err(error) => {
            process.complain(error.for_utility());
            Ok(2)
        }
    }
}

/// What only a shell can answer.
pub trait TestShell {
    /// `-v NAME`: whether the variable is set.
    fn is_set(&mut self, name: &[u8]) -> bool;

    /// `-R NAME`: whether it is a reference.
    fn is_reference(&mut self, name: &[u8]) -> bool;

    /// `-o NAME`: whether the option is on.
    fn has_option(&mut self, name: &[u8]) -> bool;

    /// Whether these three are known at all.
    fn is_shell(&self) -> bool {
        true
    }
}

/// No shell: its operators do not exist.
struct NoShell;

impl TestShell for NoShell {
    fn is_set(&mut self, _name: &[u8]) -> bool {
        false
    }

    fn is_reference(&mut self, _name: &[u8]) -> bool {
        false
    }

    fn has_option(&mut self, _name: &[u8]) -> bool {
        false
    }

    fn is_shell(&self) -> bool {
        false
    }
}

/// Why an expression is none. bash and GNU `test` have different words for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestError {
    /// `test a b`, where `a` is no operator.
    UnaryExpected(BString),
    /// `test a b c`, where `b` is no operator.
    BinaryExpected(BString),
    /// `test x -eq 1`
    NotANumber(BString),
    /// An operator without its operand, which comes after this.
    MissingArgument(BString),
    /// `test ( a`, and what stands where the parenthesis should be.
    MissingParenthesis(Option<BString>),
    /// Something is left at the end.
    TooMany(BString),
}

impl TestError {
    /// What bash says behind `test: `.
    pub fn for_shell(&self) -> Vec<u8> {
        let text = |name: &BString, rest: &str| [name, rest.as_bytes()].concat();
        match self {
            Self::UnaryExpected(name) => text(name, ": unary operator expected"),
            Self::BinaryExpected(name) => text(name, ": binary operator expected"),
            Self::NotANumber(name) => text(name, ": integer expression expected"),
            Self::MissingArgument(_) => b"argument expected".to_vec(),
            Self::MissingParenthesis(None) => b"`)' expected".to_vec(),
            Self::MissingParenthesis(Some(found)) => [b"`)' expected, found ", &***found].concat(),
            Self::TooMany(_) => b"too many arguments".to_vec(),
        }
    }

    fn for_utility(&self) -> Vec<u8> {
        let about = |before: &str, name: &BString, after: &str| {
            [before.as_bytes(), &quote::quote(name), after.as_bytes()].concat()
        };
        match self {
            Self::UnaryExpected(name) => about("", name, ": unary operator expected"),
            Self::BinaryExpected(name) => about("", name, ": binary operator expected"),
            Self::NotANumber(name) => about("invalid integer ", name, ""),
            Self::MissingArgument(name) => about("missing argument after ", name, ""),
            Self::MissingParenthesis(None) => b"')' expected".to_vec(),
            Self::MissingParenthesis(Some(found)) => about("')' expected, found ", found, ""),
            Self::TooMany(name) => about("extra argument ", name, ""),
        }
    }
}

/// Whether an expression, a word in each argument, holds.
pub fn evaluate(
    process: &Process,
    args: &[BString],
    shell: &mut dyn TestShell,
) -> Result<bool, TestError> {
    let mut test = Test {
        process,
        args,
        next: 0,
        shell,
    };
    if args.is_empty() {
        return Ok(false);
    }
    let holds = test.by_count(args.len())?;
    match test.peek(0) {
        Some(extra) => Err(TestError::TooMany(extra.clone())),
        None => Ok(holds),
    }
}

struct Test<'a> {
    process: &'a Process,
    args: &'a [BString],
    next: usize,
    shell: &'a mut dyn TestShell,
}

impl<'a> Test<'a> {
    fn peek(&self, ahead: usize) -> Option<&'a BString> {
        self.args.get(self.next + ahead)
    }

    fn is(&self, ahead: usize, text: &str) -> bool {
        self.peek(ahead).is_some_and(|arg| arg == text)
    }

    fn take(&mut self) -> Option<&'a BString> {
        let arg = self.peek(0)?;
        self.next += 1;
        Some(arg)
    }

    /// POSIX says what few arguments mean; only more than four are parsed.
    fn by_count(&mut self, count: usize) -> Result<bool, TestError> {
        match count {
            1 => Ok(self.take().is_some_and(|arg| !arg.is_empty())),
            2 => self.two(),
            3 => self.three(),
            4 if self.is(0, "!") => {
                self.next += 1;
                Ok(!self.three()?)
            }
            4 if self.is(0, "(") && self.is(3, ")") => {
                self.next += 1;
                let holds = self.two()?;
                self.next += 1;
                Ok(holds)
            }
            _ => self.any_of(0),
        }
    }

    fn two(&mut self) -> Result<bool, TestError> {
        let (Some(first), Some(second)) = (self.peek(0), self.peek(1)) else {
            return Ok(false);
        };
        if first == "!" {
            self.next += 2;
            return Ok(second.is_empty());
        }
        match self.unary_letter(first) {
            Some(letter) => {
                self.next += 2;
                Ok(self.unary(letter, second))
            }
            None if self.shell.is_shell() => Err(TestError::UnaryExpected(first.clone())),
            None => Err(TestError::MissingArgument(second.clone())),
        }
    }

    fn three(&mut self) -> Result<bool, TestError> {
        let (Some(left), Some(operator), Some(right)) = (self.peek(0), self.peek(1), self.peek(2))
        else {
            return Ok(false);
        };
        if is_binary(operator) {
            self.next += 3;
            return self.binary(left, operator, right);
        }
        if operator == "-a" || operator == "-o" {
            self.next += 3;
            let (left, right) = (!left.is_empty(), !right.is_empty());
            return Ok(if operator == "-a" {
                left && right
            } else {
                left || right
            });
        }
        if left == "!" {
            self.next += 1;
            return Ok(!self.two()?);
        }
        if left == "(" && right == ")" {
            self.next += 3;
            return Ok(!operator.is_empty());
        }
        Err(TestError::BinaryExpected(operator.clone()))
    }

    fn any_of(&mut self, depth: usize) -> Result<bool, TestError> {
        let mut holds = self.all_of(depth)?;
        while self.is(0, "-o") {
            self.next += 1;
            holds |= self.all_of(depth)?;
        }
        Ok(holds)
    }

    fn all_of(&mut self, depth: usize) -> Result<bool, TestError> {
        let mut holds = self.term(depth)?;
        while self.is(0, "-a") {
            self.next += 1;
            holds &= self.term(depth)?;
        }
        Ok(holds)
    }

    fn term(&mut self, depth: usize) -> Result<bool, TestError> {
        self.process.spend(1);
        let mut negated = false;
        while self.is(0, "!") {
            negated = !negated;
            self.next += 1;
        }
        Ok(self.plain_term(depth)? != negated)
    }

    fn plain_term(&mut self, depth: usize) -> Result<bool, TestError> {
        let Some(first) = self.peek(0) else {
            let last = self.args.last().cloned().unwrap_or_default();
            return Err(TestError::MissingArgument(last));
        };
        if first == "(" {
            // As deep as parentheses are given.
            if self.process.stack_left() < 64 << 10 {
                return Err(TestError::TooMany(first.clone()));
            }
            self.next += 1;
            let holds = self.any_of(depth + 1)?;
            return match self.take() {
                Some(close) if close == ")" => Ok(holds),
                found => Err(TestError::MissingParenthesis(found.cloned())),
            };
        }
        if self.peek(1).is_some_and(|operator| is_binary(operator))
            && let (Some(operator), Some(right)) = (self.peek(1), self.peek(2))
        {
            self.next += 3;
            return self.binary(first, operator, right);
        }
        if let (Some(letter), Some(operand)) = (self.unary_letter(first), self.peek(1)) {
            self.next += 2;
            // bash leaves what is no number behind `-t` to whatever follows.
            if letter == b't' && self.shell.is_shell() && integer(operand).is_err() {
                self.next -= 1;
            }
            return Ok(self.unary(letter, operand));
        }
        self.next += 1;
        Ok(!first.is_empty())
    }

    fn unary_letter(&self, operator: &[u8]) -> Option<u8> {
        let [b'-', letter] = operator else {
            return None;
        };
        let known = b"abcdefghknprstuwxzGLNOS".contains(letter)
            || (self.shell.is_shell() && b"ovR".contains(letter));
        known.then_some(*letter)
    }

    fn unary(&mut self, letter: u8, operand: &BString) -> bool {
        match letter {
            b'n' => !operand.is_empty(),
            b'z' => operand.is_empty(),
            b'o' => self.shell.has_option(operand),
            b'v' => self.shell.is_set(operand),
            b'R' => self.shell.is_reference(operand),
            letter => file_test(self.process, letter, operand),
        }
    }

    fn binary(&self, left: &BString, operator: &[u8], right: &BString) -> Result<bool, TestError> {
        Ok(match operator {
            b"=" | b"==" => left == right,
            b"!=" => left != right,
            b"<" => left < right,
            b">" => left > right,
            b"-nt" | b"-ot" | b"-ef" => compare_files(self.process, operator, left, right),
            _ => {
                let (left, right) = (integer(left)?, integer(right)?);
                match operator {
                    b"-eq" => left == right,
                    b"-ne" => left != right,
                    b"-lt" => left < right,
                    b"-le" => left <= right,
                    b"-gt" => left > right,
                    _ => left >= right,
                }
            }
        })
    }
}

fn is_binary(operator: &[u8]) -> bool {
    matches!(
        operator,
        b"=" | b"=="
            | b"!="
            | b"<"
            | b">"
            | b"-eq"
            | b"-ne"
            | b"-lt"
            | b"-le"
            | b"-gt"
            | b"-ge"
            | b"-nt"
            | b"-ot"
            | b"-ef"
    )
}

/// A decimal number, with blanks around it.
fn integer(text: &BString) -> Result<i64, TestError> {
    let number = text.trim_ascii().to_str().ok();
    number
        .and_then(|number| number.parse().ok())
        .ok_or_else(|| TestError::NotANumber(text.clone()))
}

/// Whether a file is as the letter says: `-f`, `-d`, `-r`…
pub fn file_test(process: &Process, letter: u8, operand: &[u8]) -> bool {
    if letter == b't' {
        let fd = operand
            .to_str()
            .ok()
            .and_then(|text| text.parse::<Fd>().ok());
        let stream = fd.and_then(|fd| process.descriptor(fd).ok());
        return stream.is_some_and(|stream| stream.is_terminal());
    }
    let Some(metadata) = metadata(process, operand, !matches!(letter, b'h' | b'L')) else {
        return false;
    };
    let has_mode = |bits: u32| metadata.mode & bits != 0;
    match letter {
        b'a' | b'e' => true,
        b'f' => metadata.kind == FileType::File,
        b'd' => metadata.kind == FileType::Dir,
        b'h' | b'L' => metadata.kind == FileType::Symlink,
        b'p' => metadata.kind == FileType::Fifo,
        b'S' => metadata.kind == FileType::Socket,
        b'b' => metadata.kind == FileType::BlockDevice,
        b'c' => metadata.kind == FileType::CharDevice,
        b's' => metadata.size > 0,
        b'u' => has_mode(0o4000),
        b'g' => has_mode(0o2000),
        b'k' => has_mode(0o1000),
        b'x' => metadata.kind == FileType::Dir || has_mode(0o111),
        b'N' => metadata.modified > metadata.accessed,
        // Everything is the guest's own, and it may read and write all of it.
        _ => true,
    }
}

/// `-nt`, `-ot`, `-ef`
pub fn compare_files(process: &Process, operator: &[u8], left: &[u8], right: &[u8]) -> bool {
    let (left, right) = (
        metadata(process, left, true),
        metadata(process, right, true),
    );
    match (operator, left, right) {
        (b"-ef", Some(left), Some(right)) => (left.dev, left.ino) == (right.dev, right.ino),
        (b"-nt", Some(left), Some(right)) => left.modified > right.modified,
        (b"-ot", Some(left), Some(right)) => left.modified < right.modified,
        (b"-nt", Some(_), None) | (b"-ot", None, Some(_)) => true,
        _ => false,
    }
}

fn metadata(process: &Process, path: &[u8], follow: bool) -> Option<Metadata> {
    if path.is_empty() {
        return None;
    }
    process.metadata(path, follow).ok()
}
