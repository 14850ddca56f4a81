//! Rust values as JavaScript values.

use super::{BigInt, ErrorValue, Text, Value};

macro_rules! from_number {
    ($($number:ty)*) => {$(
        impl From<$number> for Value {
            fn from(number: $number) -> Self {
                Self::Number(f64::from(number))
            }
        }
    )*};
}
from_number!(f64 f32 i32 u32 i16 u16 i8 u8);

impl From<bool> for Value {
    fn from(bool: bool) -> Self {
        Self::Bool(bool)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

impl From<Text> for Value {
    fn from(text: Text) -> Self {
        Self::String(text)
    }
}

impl From<BigInt> for Value {
    fn from(number: BigInt) -> Self {
        Self::BigInt(number)
    }
}

impl From<ErrorValue> for Value {
    fn from(error: ErrorValue) -> Self {
        Self::Error(Box::new(error))
    }
}

impl From<()> for Value {
    fn from((): ()) -> Self {
        Self::Undefined
    }
}

impl<T: Into<Self>> From<Vec<T>> for Value {
    fn from(elements: Vec<T>) -> Self {
        Self::Array(elements.into_iter().map(Into::into).collect())
    }
}

/// `None` is `undefined`.
impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Undefined, Into::into)
    }
}
