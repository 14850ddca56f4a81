//! Comparisons.

use std::cmp::Ordering;

use super::{
    super::{
        number,
        record::Field,
        syntax::{Expr, Relation},
        value::{Value, compare_numbers},
    },
    Interpreter, Result,
};

impl<'a> Interpreter<'a> {
    pub(super) fn compare(
        &mut self,
        relation: Relation,
        left: &'a Expr,
        right: &'a Expr,
    ) -> Result<bool> {
        if let Some(ordering) = self.compare_field(left, right)? {
            return Ok(holds(relation, ordering));
        }
        let left = self.evaluate(left)?;
        let right = self.evaluate(right)?;
        if let (Value::Number(left), Value::Number(right)) = (&left, &right) {
            return Ok(match relation {
                Relation::Less => left < right,
                Relation::LessOrEqual => left <= right,
                Relation::Equal => left == right,
                Relation::NotEqual => left != right,
                Relation::Greater => left > right,
                Relation::GreaterOrEqual => left >= right,
            });
        }
        Ok(holds(relation, self.order(&left, &right)?))
    }

    /// A field beside a constant is compared where it is.
    #[inline]
    fn compare_field(&mut self, left: &'a Expr, right: &'a Expr) -> Result<Option<Ordering>> {
        let Expr::FieldAt(number @ 1..) = left else {
            return Ok(None);
        };
        if self.regexes.ignores_case {
            return Ok(None);
        }
        match right {
            Expr::Text(constant) => {
                if let Field::Read(text) = self.record.field(*number, &self.regexes)? {
                    return Ok(Some(text.cmp(constant.as_bytes())));
                }
            }
            Expr::Number(constant) => {
                if let Field::Read(text) = self.record.field(*number, &self.regexes)?
                    && let Some(number) = number::whole(text)
                {
                    return Ok(Some(compare_numbers(number, *constant)));
                }
            }
            _ => {}
        }
        Ok(None)
    }

    /// Which of two values comes first: as numbers if both are, else as strings.
    pub(super) fn order(&mut self, left: &Value, right: &Value) -> Result<Ordering> {
        if let (Some(left), Some(right)) = (left.as_numeric(), right.as_numeric()) {
            return Ok(compare_numbers(left, right));
        }
        self.order_as_text(left, right)
    }

    pub(super) fn order_as_text(&mut self, left: &Value, right: &Value) -> Result<Ordering> {
        if let (Value::Text(left) | Value::Input(left), Value::Text(right) | Value::Input(right)) =
            (left, right)
        {
            self.process
                .spend(left.as_bytes().len().min(right.as_bytes().len()) / 16);
            return Ok(self.order_bytes(left.as_bytes(), right.as_bytes()));
        }
        let (mut left_text, mut right_text) = (self.take_scratch(), self.take_scratch());
        self.put_value(left, &mut left_text, false)?;
        self.put_value(right, &mut right_text, false)?;
        let ordering = self.order_bytes(&left_text, &right_text);
        self.give_scratch(left_text);
        self.give_scratch(right_text);
        Ok(ordering)
    }

    pub(super) fn order_bytes(&self, left: &[u8], right: &[u8]) -> Ordering {
        if !self.regexes.ignores_case {
            return left.cmp(right);
        }
        let lower = |bytes: &[u8]| super::strings::lower(bytes, self.is_bytes);
        lower(left).cmp(&lower(right))
    }
}

fn holds(relation: Relation, ordering: Ordering) -> bool {
    match relation {
        Relation::Less => ordering.is_lt(),
        Relation::LessOrEqual => ordering.is_le(),
        Relation::Equal => ordering.is_eq(),
        Relation::NotEqual => ordering.is_ne(),
        Relation::Greater => ordering.is_gt(),
        Relation::GreaterOrEqual => ordering.is_ge(),
    }
}
