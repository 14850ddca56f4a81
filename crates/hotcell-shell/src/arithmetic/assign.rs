//! Assignments.

use super::{Decimal, Evaluated, Evaluator, Failure, STACK_RESERVE, Token};

impl Evaluator<'_> {
    /// `a = b`, `a += b`, which bind to the right.
    pub(super) fn assignment(&mut self) -> Evaluated<i64> {
        let old = self.conditional()?;
        let Token::Assign(operator) = self.token else {
            return Ok(old);
        };
        let Some((start, end)) = self.target.take() else {
            return Err(Failure::Message("attempted assignment to non-variable"));
        };
        if self.process.stack_left() < STACK_RESERVE {
            return Err(Failure::Message("expression recursion level exceeded"));
        }
        self.advance()?;
        let mut value = self.assignment()?;
        if let Some(operator) = operator {
            value = self.apply(operator, old, value)?;
        }
        self.store(start, end, value)?;
        self.target = None;
        Ok(value)
    }

    /// Sets the variable or element that is written from `start` to `end`.
    pub(super) fn store(&mut self, start: usize, end: usize, value: i64) -> Evaluated<()> {
        if self.skipping > 0 {
            return Ok(());
        }
        let name = self.text.get(start..end).unwrap_or_default();
        let text = Decimal::new(value);
        let is_set = self.shell.variables.change_plain(name, |old| {
            old.clear();
            old.extend_from_slice(text.as_bytes());
        });
        if is_set {
            return Ok(());
        }
        let value = text.as_bytes().into();
        Ok(self.shell.set_variable(self.process, name, value)?)
    }
}
