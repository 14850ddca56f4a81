//! Assignments.

use super::{Decimal, Evaluated, Evaluator, Failure, STACK_RESERVE, Target, Token};

impl Evaluator<'_> {
    /// `a = b`, `a += b`, which bind to the right.
    pub(super) fn assignment(&mut self) -> Evaluated<i64> {
        let old = self.conditional()?;
        let Token::Assign(operator) = self.token else {
            return Ok(old);
        };
        let Some(target) = self.target.take() else {
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
        self.store(target, value)?;
        self.target = None;
        Ok(value)
    }

    /// Sets a variable or an element.
    pub(super) fn store(&mut self, target: Target, value: i64) -> Evaluated<()> {
        if self.skipping > 0 {
            return Ok(());
        }
        let name = self.text.get(target.start..target.end).unwrap_or_default();
        let text = Decimal::new(value);
        let is_set = self.shell.variables.change_plain(name, |old| {
            old.clear();
            old.extend_from_slice(text.as_bytes());
        });
        if is_set {
            return Ok(());
        }
        let value = text.as_bytes().into();
        match target.index {
            Some(index) => self.shell.set_at(self.process, name, index, value)?,
            None => self.shell.set_variable(self.process, name, value)?,
        }
        Ok(())
    }
}
