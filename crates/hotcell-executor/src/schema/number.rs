//! Numbers as JSON has them.

use std::borrow::Cow;

use jsonschema::json::{JsonNumber, cmp};
use serde_json::{Number, Value as Tree};

/// A number as JSON has it: whole numbers are integers.
#[derive(Debug, Clone, Copy)]
pub(super) enum Numeric {
    Integer(i64),
    Float(f64),
}

impl Numeric {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "checked to be whole and small"
    )]
    pub(super) fn of(number: f64) -> Self {
        if number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0 {
            Self::Integer(number as i64)
        } else {
            Self::Float(number)
        }
    }

    pub(super) fn to_tree(self) -> Option<Tree> {
        match self {
            Self::Integer(number) => Some(Tree::from(number)),
            Self::Float(number) => Number::from_f64(number).map(Tree::Number),
        }
    }

    pub(super) fn equals(self, expected: &Tree) -> bool {
        self.to_tree()
            .is_some_and(|number| cmp::equal(&number, expected))
    }
}

impl JsonNumber for Numeric {
    fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Integer(number) => u64::try_from(*number).ok(),
            Self::Float(_) => None,
        }
    }

    fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(*number),
            Self::Float(_) => None,
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "what JSON itself does with large integers"
    )]
    fn as_f64(&self) -> Option<f64> {
        Some(match self {
            Self::Integer(number) => *number as f64,
            Self::Float(number) => *number,
        })
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Owned(self.to_number().to_string())
    }

    fn to_number(&self) -> Cow<'_, Number> {
        Cow::Owned(match self {
            Self::Integer(number) => Number::from(*number),
            Self::Float(number) => Number::from_f64(*number).unwrap_or_else(|| Number::from(0)),
        })
    }
}
