//! Arithmetic: `$((…))`, `((…))`, `let`, subscripts, `declare -i`.
//!
//! An expression is evaluated as it is read, as bash does it: what stands before an error has been done when the error is
//! found, and messages name the token that was read last. Values of variables are expressions themselves.

mod assign;
mod binary;
mod number;
mod primary;
mod token;

use hotcell_process::Process;

use crate::{flow::Flow, shell::Shell};
use token::{Operator, Token};

pub(crate) use number::{Decimal, parse_plain};
pub(crate) use token::closing_bracket;

/// How many expressions may be evaluated within each other.
const MAX_DEPTH: usize = 1024;

/// What is left of the stack when nesting ends.
const STACK_RESERVE: usize = 48 * 1024;

/// Why there is no value.
enum Failure {
    /// What is wrong, without what bash says of the expression and the token.
    Message(&'static str),
    /// It has been said already.
    Flow(Flow),
}

impl From<Flow> for Failure {
    fn from(flow: Flow) -> Self {
        Self::Flow(flow)
    }
}

type Evaluated<T> = Result<T, Failure>;

/// One expression that is being evaluated.
struct Evaluator<'e> {
    shell: &'e mut Shell,
    process: &'e Process,
    text: &'e [u8],
    /// Behind the current token.
    at: usize,
    /// Where the current token begins: what messages call the error token.
    start: usize,
    /// What messages call the expression ends here.
    end: usize,
    token: Token,
    previous: Token,
    /// What was read last is this variable, so that it can be assigned to.
    target: Option<Target>,
    /// The index in the name that was read last: it is evaluated once.
    index: Option<i64>,
    /// How many operators around do not want the value: nothing has side effects then.
    skipping: u32,
    depth: usize,
}

/// A variable or an element that can be assigned to.
#[derive(Clone, Copy)]
struct Target {
    /// Where it is written.
    start: usize,
    end: usize,
    /// Its index, if that was evaluated.
    index: Option<i64>,
}

impl Shell {
    /// Text that is an expression: `let`, `[[ x -eq y ]]`, `declare -i`, `${x:offset}`.
    pub(crate) fn evaluate_text(&mut self, process: &Process, text: &[u8]) -> Result<i64, Flow> {
        if let Some(number) = parse_plain(text) {
            return Ok(number);
        }
        self.evaluate_nested(process, text, 1)
    }

    fn evaluate_nested(
        &mut self,
        process: &Process,
        text: &[u8],
        depth: usize,
    ) -> Result<i64, Flow> {
        process.spend(text.len() + 1);
        let mut evaluator = Evaluator {
            shell: self,
            process,
            text,
            at: 0,
            start: 0,
            end: text.len(),
            token: Token::End,
            previous: Token::End,
            target: None,
            index: None,
            skipping: 0,
            depth,
        };
        match evaluator.whole() {
            Ok(value) => Ok(value),
            Err(Failure::Flow(flow)) => Err(flow),
            Err(Failure::Message(message)) => {
                let text = evaluator.describe(message);
                self.complain(process, text);
                Err(Flow::Discard(1))
            }
        }
    }
}

impl Evaluator<'_> {
    fn whole(&mut self) -> Evaluated<i64> {
        self.advance()?;
        if self.token == Token::End {
            return Ok(0);
        }
        let value = self.list()?;
        if self.token != Token::End {
            return Err(Failure::Message("syntax error in expression"));
        }
        Ok(value)
    }

    /// `a, b`
    fn list(&mut self) -> Evaluated<i64> {
        if self.process.stack_left() < STACK_RESERVE {
            return Err(Failure::Message("expression recursion level exceeded"));
        }
        let mut value = self.assignment()?;
        while self.token == Token::Operator(Operator::Comma) {
            self.advance()?;
            value = self.assignment()?;
        }
        Ok(value)
    }

    /// `a ? b : c`
    fn conditional(&mut self) -> Evaluated<i64> {
        let condition = self.binary(0)?;
        if self.token != Token::Operator(Operator::Question) {
            return Ok(condition);
        }
        let holds = condition != 0;
        let chosen = self.branch(!holds, Self::list)?;
        if self.token != Token::Operator(Operator::Colon) {
            return Err(Failure::Message("`:' expected for conditional expression"));
        }
        let other = self.branch(holds, Self::conditional)?;
        self.target = None;
        Ok(if holds { chosen } else { other })
    }

    /// What follows `?` or `:`, without effect if it is not chosen.
    fn branch(
        &mut self,
        is_skipped: bool,
        evaluate: fn(&mut Self) -> Evaluated<i64>,
    ) -> Evaluated<i64> {
        self.skipping += u32::from(is_skipped);
        self.advance()?;
        let is_missing = matches!(self.token, Token::End | Token::Operator(Operator::Colon));
        if is_missing {
            return Err(Failure::Message("expression expected"));
        }
        if self.process.stack_left() < STACK_RESERVE {
            return Err(Failure::Message("expression recursion level exceeded"));
        }
        let value = evaluate(self)?;
        self.skipping -= u32::from(is_skipped);
        Ok(value)
    }

    /// The message as bash prints it.
    fn describe(&self, message: &str) -> Vec<u8> {
        let expression = self.text.get(..self.end).unwrap_or(self.text);
        let token = self.text.get(self.start..self.end).unwrap_or_default();
        let mut text = Vec::new();
        if !self.shell.evaluator.is_empty() {
            text.extend_from_slice(&self.shell.evaluator);
            text.extend_from_slice(b": ");
        }
        text.extend_from_slice(expression.trim_ascii_start());
        text.extend_from_slice(b": ");
        text.extend_from_slice(message.as_bytes());
        text.extend_from_slice(b" (error token is \"");
        text.extend_from_slice(token);
        text.extend_from_slice(b"\")");
        text
    }
}
