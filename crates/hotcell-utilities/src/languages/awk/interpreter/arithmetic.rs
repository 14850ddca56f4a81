//! Numbers.

use super::{super::syntax::Arithmetic, Result};

#[inline]
pub(super) fn compute(operator: Arithmetic, left: f64, right: f64) -> Result<f64> {
    Ok(match operator {
        Arithmetic::Add => left + right,
        Arithmetic::Subtract => left - right,
        Arithmetic::Multiply => left * right,
        Arithmetic::Divide => {
            if right == 0.0 {
                return Err("division by zero attempted".to_owned().into());
            }
            left / right
        }
        Arithmetic::Remainder => {
            if right == 0.0 {
                return Err("division by zero attempted in `%'".to_owned().into());
            }
            left % right
        }
        Arithmetic::Power => power(left, right),
    })
}

/// Whole powers are multiplied out, as long as that is quick and exact.
fn power(left: f64, right: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, reason = "compared below")]
    let whole = right as i32;
    if f64::from(whole) == right && whole.unsigned_abs() <= 1024 {
        return left.powi(whole);
    }
    left.powf(right)
}
