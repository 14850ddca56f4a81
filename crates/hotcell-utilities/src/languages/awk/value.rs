//! What variables, fields and elements hold.

use std::{cell::RefCell, cmp::Ordering, rc::Rc};

use super::{array::Array, number, text::Text};

/// A value.
#[derive(Clone, Default)]
pub(crate) enum Value {
    /// Nobody has given it one: zero and the empty string.
    #[default]
    Nothing,
    Number(f64),
    Text(Text),
    /// Text from outside, which is a number if it looks like one.
    Input(Text),
    /// An array, where a variable or an element is one.
    Array(ArrayRef),
}

/// An array that several names may stand for.
pub(crate) type ArrayRef = Rc<RefCell<Array>>;

impl Value {
    pub(crate) fn truth(condition: bool) -> Self {
        Self::Number(f64::from(u8::from(condition)))
    }

    #[expect(clippy::cast_precision_loss, reason = "all numbers of awk are doubles")]
    pub(crate) fn count(count: usize) -> Self {
        Self::Number(count as f64)
    }

    #[inline]
    pub(crate) fn number(&self) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Text(text) | Self::Input(text) => number::leading(text.as_bytes()),
            Self::Nothing | Self::Array(_) => 0.0,
        }
    }

    pub(crate) fn is_true(&self) -> bool {
        match self {
            Self::Number(number) => *number != 0.0,
            Self::Text(text) => !text.as_bytes().is_empty(),
            Self::Input(text) => input_is_true(text.as_bytes()),
            Self::Nothing | Self::Array(_) => false,
        }
    }

    /// The number that it is, if it is to be compared as one.
    pub(crate) fn as_numeric(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Input(text) => number::whole(text.as_bytes()),
            Self::Nothing => Some(0.0),
            Self::Text(_) | Self::Array(_) => None,
        }
    }
}

pub(crate) fn input_is_true(text: &[u8]) -> bool {
    match number::whole(text) {
        Some(number) => number != 0.0,
        None => !text.is_empty(),
    }
}

/// The order of numbers. What is no number comes last, equal to itself.
pub(crate) fn compare_numbers(left: f64, right: f64) -> Ordering {
    left.partial_cmp(&right)
        .unwrap_or_else(|| left.is_nan().cmp(&right.is_nan()))
}
