//! `expr`.

use std::{
    cmp::Ordering,
    io::{self, Write},
};

use bstr::{BString, ByteSlice};
use hotcell_meter::Pace;
use hotcell_process::{Process, error_text};
use hotcell_regex::{Flavor, Options, SearchError};

use super::decimal::{Decimal, Math};
use crate::{Usage, Utility, characters, quote::quote, regexes::compile};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "expr",
    synopsis: "EXPRESSION\nOPTION",
    summary: "Print the value of EXPRESSION to standard output. Below, operators are in groups of increasing precedence:\n\n  \
              ARG1 | ARG2       ARG1 if it is neither null nor 0, otherwise ARG2\n  \
              ARG1 & ARG2       ARG1 if neither argument is null or 0, otherwise 0\n  \
              ARG1 < ARG2       and <=, =, ==, !=, >=, >: 1 if it holds, otherwise 0\n  \
              ARG1 + ARG2       and -: arithmetic sum and difference\n  \
              ARG1 * ARG2       and /, %: product, quotient, remainder\n  \
              STRING : REGEXP   anchored pattern match of REGEXP in STRING\n  \
              match STRING REGEXP        same as STRING : REGEXP\n  \
              substr STRING POS LENGTH   substring of STRING, POS counted from 1\n  \
              index STRING CHARS         index in STRING where any CHARS is found, or 0\n  \
              length STRING              length of STRING\n  \
              + TOKEN                    interpret TOKEN as a string, even if it is a keyword\n  \
              ( EXPRESSION )             value of EXPRESSION",
    notes: "Exit status is 0 if EXPRESSION is neither null nor 0, 1 if EXPRESSION is null or 0, 2 if EXPRESSION is\n\
            syntactically invalid, and 3 if an error occurred.",
    error_code: 2,
    ..Usage::DEFAULT
};

/// What has to be left of the stack for one more level.
const STACK_RESERVE: usize = 256 << 10;

/// Why there is no value.
struct Failure {
    message: Vec<u8>,
    code: i32,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self {
            message: error_text(&error).into(),
            code: 3,
        }
    }
}

type Result<T> = std::result::Result<T, Failure>;

#[derive(Clone)]
enum Value {
    Number(Decimal),
    Text(BString),
}

struct Expression<'p> {
    process: &'p Process,
    math: Math<'p>,
    arguments: &'p [BString],
    at: usize,
    is_bytes: bool,
}

fn main(process: &Process) -> io::Result<i32> {
    let mut arguments = process.args().get(1..).unwrap_or_default();
    match arguments {
        // Options count only if they are alone: all else may be an operand.
        [only] if matches!(only.as_slice(), b"--help" | b"--version") => {
            USAGE.parse(process);
        }
        [first, rest @ ..] if first == "--" => arguments = rest,
        _ => {}
    }
    if arguments.is_empty() {
        USAGE.fail(process, "missing operand");
    }
    let mut expression = Expression {
        process,
        math: Math::new(process)?,
        arguments,
        at: 0,
        is_bytes: characters::are_bytes(process),
    };
    match expression.run() {
        Ok(value) => {
            let mut line = expression.show(&value)?;
            let code = i32::from(is_null(&value));
            line.push(b'\n');
            let mut out = process.stdout();
            out.write_all(&line)?;
            out.flush()?;
            Ok(code)
        }
        Err(failure) => {
            process.complain(failure.message);
            Ok(failure.code)
        }
    }
}

fn failure(message: impl Into<Vec<u8>>) -> Failure {
    Failure {
        message: message.into(),
        code: 2,
    }
}

/// Whether a value is empty or zero.
fn is_null(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_zero(),
        Value::Text(text) => {
            let digits = text.strip_prefix(b"-").unwrap_or(text);
            text.is_empty() || (!digits.is_empty() && digits.iter().all(|byte| *byte == b'0'))
        }
    }
}

impl Expression<'_> {
    fn run(&mut self) -> Result<Value> {
        let value = self.or(true)?;
        match self.arguments.get(self.at) {
            None => Ok(value),
            Some(extra) => Err(failure(
                [
                    b"syntax error: unexpected argument ",
                    quote(extra).as_slice(),
                ]
                .concat(),
            )),
        }
    }

    fn show(&self, value: &Value) -> io::Result<Vec<u8>> {
        match value {
            Value::Number(number) => self.math.show(number, 10),
            Value::Text(text) => Ok(text.to_vec()),
        }
    }

    fn take_if(&mut self, operator: &str) -> bool {
        let is_there = self
            .arguments
            .get(self.at)
            .is_some_and(|argument| argument == operator);
        self.at += usize::from(is_there);
        is_there
    }

    fn take_one_of(&mut self, operators: &[&'static str]) -> Option<&'static str> {
        self.process.spend(4);
        operators
            .iter()
            .copied()
            .find(|operator| self.take_if(operator))
    }

    /// The next argument, which must be there.
    fn require(&mut self) -> Result<&BString> {
        let next = self.arguments.get(self.at);
        let before = self.at.checked_sub(1).and_then(|at| self.arguments.get(at));
        match next {
            Some(next) => {
                self.at += 1;
                Ok(next)
            }
            None => Err(failure(match before {
                Some(before) => [
                    b"syntax error: missing argument after ",
                    quote(before).as_slice(),
                ]
                .concat(),
                None => b"missing operand".to_vec(),
            })),
        }
    }

    /// What is not evaluated is read all the same.
    fn or(&mut self, evaluates: bool) -> Result<Value> {
        if self.process.stack_left() < STACK_RESERVE {
            return Err(failure("the expression is nested too deeply"));
        }
        let mut left = self.and(evaluates)?;
        while self.take_if("|") {
            let right = self.and(evaluates && is_null(&left))?;
            if is_null(&left) {
                left = if is_null(&right) {
                    self.whole(0)?
                } else {
                    right
                };
            }
        }
        Ok(left)
    }

    fn and(&mut self, evaluates: bool) -> Result<Value> {
        let mut left = self.comparison(evaluates)?;
        while self.take_if("&") {
            let right = self.comparison(evaluates && !is_null(&left))?;
            if is_null(&left) || is_null(&right) {
                left = self.whole(0)?;
            }
        }
        Ok(left)
    }

    fn comparison(&mut self, evaluates: bool) -> Result<Value> {
        let mut left = self.additive(evaluates)?;
        while let Some(operator) = self.take_one_of(&["<", "<=", "=", "==", "!=", ">=", ">"]) {
            let right = self.additive(evaluates)?;
            let ordering = match (self.as_number(&left)?, self.as_number(&right)?) {
                (Some(left), Some(right)) => self.math.compare(&left, &right)?,
                _ => self.show(&left)?.cmp(&self.show(&right)?),
            };
            let holds = match operator {
                "<" => ordering == Ordering::Less,
                "<=" => ordering != Ordering::Greater,
                "=" | "==" => ordering == Ordering::Equal,
                "!=" => ordering != Ordering::Equal,
                ">=" => ordering != Ordering::Less,
                _ => ordering == Ordering::Greater,
            };
            left = self.whole(i64::from(holds))?;
        }
        Ok(left)
    }

    fn additive(&mut self, evaluates: bool) -> Result<Value> {
        let mut left = self.multiplicative(evaluates)?;
        while let Some(operator) = self.take_one_of(&["+", "-"]) {
            let right = self.multiplicative(evaluates)?;
            if !evaluates {
                continue;
            }
            let (first, second) = (self.number(&left)?, self.number(&right)?);
            left = Value::Number(if operator == "+" {
                self.math.add(&first, &second)?
            } else {
                self.math.subtract(&first, &second)?
            });
        }
        Ok(left)
    }

    fn multiplicative(&mut self, evaluates: bool) -> Result<Value> {
        let mut left = self.matching(evaluates)?;
        while let Some(operator) = self.take_one_of(&["*", "/", "%"]) {
            let right = self.matching(evaluates)?;
            if !evaluates {
                continue;
            }
            let (first, second) = (self.number(&left)?, self.number(&right)?);
            let zero = || failure("division by zero");
            left = Value::Number(match operator {
                "*" => self.math.multiply_exactly(&first, &second)?,
                "/" => self.math.divide(&first, &second, 0)?.ok_or_else(zero)?,
                _ => {
                    let both = self.math.divide_with_rest(&first, &second, 0)?;
                    both.ok_or_else(zero)?.1
                }
            });
        }
        Ok(left)
    }

    fn matching(&mut self, evaluates: bool) -> Result<Value> {
        let mut left = self.primary(evaluates)?;
        while self.take_if(":") {
            let right = self.primary(evaluates)?;
            if evaluates {
                left = self.match_values(&left, &right)?;
            }
        }
        Ok(left)
    }

    fn primary(&mut self, evaluates: bool) -> Result<Value> {
        let token = self.require()?.clone();
        match token.as_slice() {
            b"(" => {
                let value = self.or(evaluates)?;
                if self.take_if(")") {
                    return Ok(value);
                }
                Err(failure(match self.arguments.get(self.at) {
                    Some(other) => [
                        b"syntax error: expecting ')' instead of ",
                        quote(other).as_slice(),
                    ]
                    .concat(),
                    None => {
                        let last = self.arguments.last().map(|last| quote(last));
                        [
                            b"syntax error: expecting ')' after ",
                            last.unwrap_or_default().as_slice(),
                        ]
                        .concat()
                    }
                }))
            }
            b")" => Err(failure("syntax error: unexpected ')'")),
            b"+" => Ok(Value::Text(self.require()?.clone())),
            b"length" => {
                let text = self.operand(evaluates)?;
                self.whole(i64::try_from(self.count(&text)).unwrap_or(i64::MAX))
            }
            b"match" => {
                let left = self.primary(evaluates)?;
                let right = self.primary(evaluates)?;
                if evaluates {
                    self.match_values(&left, &right)
                } else {
                    Ok(left)
                }
            }
            b"index" => {
                let text = self.operand(evaluates)?;
                let sought = self.operand(evaluates)?;
                self.whole(i64::try_from(self.index(&text, &sought)).unwrap_or(i64::MAX))
            }
            b"substr" => {
                let text = self.operand(evaluates)?;
                let start = self.primary(evaluates)?;
                let length = self.primary(evaluates)?;
                self.substr(&text, &start, &length)
            }
            _ => Ok(Value::Text(token)),
        }
    }

    fn operand(&mut self, evaluates: bool) -> Result<Vec<u8>> {
        let value = self.primary(evaluates)?;
        Ok(self.show(&value)?)
    }

    fn whole(&self, number: i64) -> Result<Value> {
        Ok(Value::Number(self.math.whole(number)?))
    }

    /// The number that a value is, if it looks like one.
    fn as_number(&self, value: &Value) -> Result<Option<Decimal>> {
        let text = match value {
            Value::Number(number) => return Ok(Some(number.clone())),
            Value::Text(text) => text,
        };
        let (is_negative, digits) = match text.strip_prefix(b"-") {
            Some(digits) => (true, digits),
            None => (false, text.as_slice()),
        };
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return Ok(None);
        }
        let number = self.math.read(digits, 10)?;
        Ok(Some(if is_negative {
            self.math.negate(&number)
        } else {
            number
        }))
    }

    fn number(&self, value: &Value) -> Result<Decimal> {
        let number = self.as_number(value)?;
        number.ok_or_else(|| failure("non-integer argument"))
    }

    fn count(&self, text: &[u8]) -> usize {
        if self.is_bytes {
            text.len()
        } else {
            characters::count(text)
        }
    }

    /// Where the first character is that is one of those sought.
    fn index(&self, text: &[u8], sought: &[u8]) -> usize {
        let length = |rest: &[u8]| {
            if self.is_bytes {
                1
            } else {
                characters::first(rest)
            }
        };
        let mut rest = text;
        let mut number = 1;
        while !rest.is_empty() {
            self.process.spend(sought.len() / 16 + 1);
            let (first, behind) = rest.split_at(length(rest).min(rest.len()));
            if sought.find(first).is_some() {
                return number;
            }
            number += 1;
            rest = behind;
        }
        0
    }

    fn substr(&self, text: &[u8], start: &Value, length: &Value) -> Result<Value> {
        let position = |value: &Value| -> Result<Option<usize>> {
            let number = self.as_number(value)?;
            let number = number.map(|number| number.to_i64().unwrap_or(i64::MAX));
            Ok(number
                .filter(|number| *number > 0)
                .and_then(|number| usize::try_from(number).ok()))
        };
        let (Some(start), Some(length)) = (position(start)?, position(length)?) else {
            return Ok(Value::Text(BString::default()));
        };
        let offset = |text: &[u8], count: usize| {
            if self.is_bytes {
                count.min(text.len())
            } else {
                characters::offset(text, count)
            }
        };
        let rest = text.get(offset(text, start - 1)..).unwrap_or_default();
        let part = rest.get(..offset(rest, length)).unwrap_or_default();
        Ok(Value::Text(part.into()))
    }

    fn match_values(&self, text: &Value, pattern: &Value) -> Result<Value> {
        let (text, pattern) = (self.show(text)?, self.show(pattern)?);
        let options = Options {
            bytes: self.is_bytes,
            ..Options::default()
        };
        let regex = compile(self.process, &pattern, Flavor::Basic, options);
        let regex = regex.map_err(|error| failure(error.to_string()))?;
        let mut pace = Pace::new(self.process.stop_token());
        let found = regex.captures_at(&text, 0, &mut pace);
        let found = found.map_err(|error| {
            if let SearchError::Stopped(_) = error {
                // The process ends here.
                self.process.spend(usize::MAX);
            }
            Failure {
                message: error.to_string().into(),
                code: 3,
            }
        })?;
        // It has to match from the first character on.
        let found = found.filter(|found| found.get(0).is_some_and(|whole| whole.start == 0));
        if regex.groups() > 0 {
            let group = found.as_ref().and_then(|found| found.get(1));
            let group = group.and_then(|group| text.get(group.range()));
            return Ok(Value::Text(group.unwrap_or_default().into()));
        }
        let matched = found.and_then(|found| text.get(found.get(0)?.range()));
        self.whole(i64::try_from(self.count(matched.unwrap_or_default())).unwrap_or(i64::MAX))
    }
}
