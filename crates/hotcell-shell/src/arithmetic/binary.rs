//! Operators between two values.

use super::{Evaluated, Evaluator, Failure, Operator, Token};

/// How tightly an operator between two values binds; `None` for others.
fn strength(operator: Operator) -> Option<u8> {
    Some(match operator {
        Operator::Or => 1,
        Operator::And => 2,
        Operator::BitOr => 3,
        Operator::BitXor => 4,
        Operator::BitAnd => 5,
        Operator::Equal | Operator::NotEqual => 6,
        Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => 7,
        Operator::ShiftLeft | Operator::ShiftRight => 8,
        Operator::Add | Operator::Subtract => 9,
        Operator::Multiply | Operator::Divide | Operator::Modulo => 10,
        Operator::Power => 11,
        _ => return None,
    })
}

impl Evaluator<'_> {
    /// Values joined by operators that bind more tightly than `than`.
    pub(super) fn binary(&mut self, than: u8) -> Evaluated<i64> {
        let mut left = self.unary()?;
        while let Token::Operator(operator) = self.token {
            let Some(strength) = strength(operator).filter(|strength| *strength > than) else {
                break;
            };
            left = match operator {
                Operator::Or | Operator::And => self.logical(left, operator, strength)?,
                _ => {
                    let divisor = self.at;
                    self.advance()?;
                    // Powers bind to the right.
                    let right = self.binary(strength - u8::from(operator == Operator::Power))?;
                    let is_division = matches!(operator, Operator::Divide | Operator::Modulo);
                    if is_division && right == 0 && self.skipping == 0 {
                        // The message is about all that is behind the operator.
                        self.start = self.skip_blanks(divisor);
                    }
                    self.apply(operator, left, right)?
                }
            };
            self.target = None;
        }
        Ok(left)
    }

    /// `a || b`, `a && b`: the right side has no effect if the left one decides.
    fn logical(&mut self, left: i64, operator: Operator, strength: u8) -> Evaluated<i64> {
        let is_decided = (left != 0) == (operator == Operator::Or);
        self.skipping += u32::from(is_decided);
        self.advance()?;
        let right = self.binary(strength)?;
        self.skipping -= u32::from(is_decided);
        Ok(i64::from(if operator == Operator::Or {
            left != 0 || right != 0
        } else {
            left != 0 && right != 0
        }))
    }

    pub(super) fn apply(&self, operator: Operator, left: i64, right: i64) -> Evaluated<i64> {
        Ok(match operator {
            Operator::BitOr => left | right,
            Operator::BitXor => left ^ right,
            Operator::BitAnd => left & right,
            Operator::Equal => i64::from(left == right),
            Operator::NotEqual => i64::from(left != right),
            Operator::Less => i64::from(left < right),
            Operator::LessOrEqual => i64::from(left <= right),
            Operator::Greater => i64::from(left > right),
            Operator::GreaterOrEqual => i64::from(left >= right),
            Operator::ShiftLeft => left.wrapping_shl(shift(right)),
            Operator::ShiftRight => left.wrapping_shr(shift(right)),
            Operator::Add => left.wrapping_add(right),
            Operator::Subtract => left.wrapping_sub(right),
            Operator::Multiply => left.wrapping_mul(right),
            Operator::Divide => left.wrapping_div(self.divisor(right)?),
            Operator::Modulo => left.wrapping_rem(self.divisor(right)?),
            Operator::Power => power(left, right)?,
            _ => return Err(Failure::Message("syntax error in expression")),
        })
    }

    fn divisor(&self, value: i64) -> Evaluated<i64> {
        match value {
            0 if self.skipping == 0 => Err(Failure::Message("division by 0")),
            0 => Ok(1),
            value => Ok(value),
        }
    }
}

fn power(mut base: i64, mut exponent: i64) -> Evaluated<i64> {
    if exponent < 0 {
        return Err(Failure::Message("exponent less than 0"));
    }
    let mut result = 1i64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    Ok(result)
}

/// As on the machines that bash runs on, the low six bits count.
fn shift(by: i64) -> u32 {
    u32::try_from(by & 63).unwrap_or_default()
}
