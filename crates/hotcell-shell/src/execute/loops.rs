//! `while`, `until`, `for`.

use bstr::BString;
use hotcell_process::Process;

use crate::{
    ast::{ArithmeticFor, For, List, Loop},
    flow::{Flow, Outcome},
    shell::Shell,
};

/// What a loop does after a round.
pub(super) enum Round {
    /// The next one, if there is one.
    Next,
    /// It ends, with what it has.
    End,
}

impl Shell {
    pub(super) fn run_while(
        &mut self,
        process: &Process,
        body: &Loop,
        while_true: bool,
    ) -> Outcome {
        self.looping(|shell| {
            let mut status = 0;
            loop {
                let condition = shell.forgiving(|shell| shell.run_list(process, &body.condition));
                let holds = match shell.after_round(condition, &mut status)? {
                    (Round::End, _) => break,
                    (Round::Next, None) => continue,
                    (Round::Next, Some(status)) => (status == 0) == while_true,
                };
                if !holds {
                    break;
                }
                if let Round::End = shell.run_round(process, &body.body, &mut status)? {
                    break;
                }
            }
            Ok(shell.set_status(status))
        })
    }

    pub(super) fn run_for(&mut self, process: &Process, command: &For, line: u32) -> Outcome {
        self.line = line;
        let Some(name) = self.loop_variable(process, command) else {
            return Ok(self.set_status(1));
        };
        let words = match &command.words {
            Some(words) => self.expand_words(process, words)?,
            None => self.arguments.to_vec(),
        };
        self.looping(|shell| {
            let mut status = 0;
            for word in words {
                shell.line = line;
                shell.trace_for(process, command);
                shell.before_compound(process, || crate::describe::for_head(b"for", command))?;
                if let Err(flow) = shell.set_loop_variable(process, &name, word) {
                    let failed = Self::as_status(Err(flow))?;
                    return Ok(shell.set_status(failed));
                }
                if let Round::End = shell.run_round(process, &command.body, &mut status)? {
                    break;
                }
            }
            Ok(shell.set_status(status))
        })
    }

    pub(super) fn run_arithmetic_for(
        &mut self,
        process: &Process,
        command: &ArithmeticFor,
        line: u32,
    ) -> Outcome {
        self.line = line;
        self.looping(|shell| {
            let mut status = 0;
            if let Err(failed) = shell.loop_expression(process, &command.initial, line)? {
                return Ok(shell.set_status(failed));
            }
            loop {
                match shell.loop_expression(process, &command.condition, line)? {
                    Ok(0) => break,
                    Ok(_) => {}
                    Err(failed) => return Ok(shell.set_status(failed)),
                }
                if let Round::End = shell.run_round(process, &command.body, &mut status)? {
                    break;
                }
                if let Err(failed) = shell.loop_expression(process, &command.step, line)? {
                    return Ok(shell.set_status(failed));
                }
            }
            Ok(shell.set_status(status))
        })
    }

    /// An expression of `for ((…))`, or the status if it has no value; an empty one holds.
    fn loop_expression(
        &mut self,
        process: &Process,
        expression: &crate::ast::Arithmetic,
        line: u32,
    ) -> Result<Result<i64, i32>, Flow> {
        if expression.word.parts().is_empty() {
            return Ok(Ok(1));
        }
        self.line = line;
        let text = self.arithmetic_text(process, expression)?;
        self.trace(process, || [b"(( ", &*text, b" ))"].concat());
        self.before_compound(process, || crate::describe::arithmetic(expression))?;
        if text.trim_ascii().is_empty() {
            return Ok(Ok(1));
        }
        match self.evaluating(b"((", |shell| shell.evaluate_text(process, &text)) {
            Ok(value) => Ok(Ok(value)),
            Err(flow) => Self::as_status(Err(flow)).map(Err),
        }
    }

    /// The variable of `for` or `select`, or a complaint that it is none.
    pub(super) fn loop_variable(&mut self, process: &Process, command: &For) -> Option<BString> {
        let name = command.variable.literal();
        let name = name.filter(|name| crate::names::is_name(name));
        if name.is_none() {
            let mut message = b"`".to_vec();
            message.extend_from_slice(&crate::print::word_text(&command.variable));
            message.extend_from_slice(b"': not a valid identifier");
            self.complain(process, message);
        }
        name.map(|name| BString::from(&**name))
    }

    /// Runs the body of a loop once.
    pub(super) fn run_round(
        &mut self,
        process: &Process,
        body: &List,
        status: &mut i32,
    ) -> Result<Round, Flow> {
        process.spend(1);
        let outcome = self.run_list(process, body);
        match self.after_round(outcome, status)? {
            (Round::Next, Some(last)) => {
                *status = last;
                Ok(Round::Next)
            }
            (round, _) => Ok(round),
        }
    }

    /// What a loop makes of an outcome, and the status if there is one.
    fn after_round(
        &mut self,
        outcome: Outcome,
        status: &mut i32,
    ) -> Result<(Round, Option<i32>), Flow> {
        match outcome {
            Ok(last) => Ok((Round::Next, Some(last))),
            Err(Flow::Break(1)) => {
                *status = self.status;
                Ok((Round::End, None))
            }
            Err(Flow::Continue(1)) => {
                *status = self.status;
                Ok((Round::Next, None))
            }
            Err(Flow::Break(levels)) => Err(Flow::Break(levels - 1)),
            Err(Flow::Continue(levels)) => Err(Flow::Continue(levels - 1)),
            Err(flow) => Err(flow),
        }
    }

    /// Runs a loop: `break` and `continue` know that there is one more.
    pub(super) fn looping(&mut self, run: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        self.loops += 1;
        let outcome = run(self);
        self.loops -= 1;
        outcome
    }
}
