//! Rust's own types as values, and back.
//!
//! What JSON can say goes as `serde_json` has it, and what it cannot as JavaScript has it: bytes are a `Uint8Array`, whole numbers
//! that a number of JavaScript's cannot hold are `BigInt`s, maps with keys that are no texts are `Map`s.

mod key;
mod read;
mod write;

use std::fmt;

use ::serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::DeserializeOwned,
    ser::{SerializeMap, SerializeSeq},
};

use super::{BigInt, Value};
use read::{Objects, Reader};
use write::Writer;

/// Why a value is not what was asked for, or cannot be made of something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConvertError(String);

impl ::serde::de::Error for ConvertError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

impl ::serde::ser::Error for ConvertError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// Makes a value of something that can be serialised.
///
/// ```
/// use hotcell_cell::{Value, to_value};
///
/// #[derive(serde::Serialize)]
/// struct Weather { city: &'static str, degrees: Option<i32> }
///
/// let value = to_value(&Weather { city: "Oslo", degrees: Some(-3) })?;
/// assert_eq!(value.get("degrees"), Some(&Value::from(-3)));
/// # Ok::<(), hotcell_cell::ConvertError>(())
/// ```
pub fn to_value<T: Serialize + ?Sized>(data: &T) -> Result<Value, ConvertError> {
    data.serialize(Writer)
}

/// Makes something that can be deserialised of a value. `undefined` is as good as nothing: `None`, or the default of a field.
///
/// ```
/// use hotcell_cell::{Value, from_value};
///
/// #[derive(serde::Deserialize)]
/// struct Args { city: String, #[serde(default)] days: u32 }
///
/// let args: Args = from_value(&Value::object([("city", Value::from("Oslo"))]))?;
/// assert_eq!((args.city.as_str(), args.days), ("Oslo", 0));
///
/// let error = from_value::<Args>(&Value::object([("days", Value::from(3))])).err();
/// assert_eq!(error.map(|error| error.to_string()).as_deref(), Some("missing field `city`"));
/// # Ok::<(), hotcell_cell::ConvertError>(())
/// ```
pub fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, ConvertError> {
    let objects = Objects::of(value);
    T::deserialize(Reader::new(&objects))
}

/// The longest whole number that is written in digits here, in bits. Longer ones take long, and no type holds them.
const MAX_BITS: u64 = 4096;

/// A whole number that no type of Rust's holds.
fn digits(number: &BigInt) -> Result<String, ConvertError> {
    if number.bits() > MAX_BITS {
        return Err(ConvertError(format!(
            "a BigInt of {} bits is too long: at most {MAX_BITS}",
            number.bits()
        )));
    }
    Ok(number.to_string())
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Undefined | Self::Null | Self::Hole => serializer.serialize_unit(),
            Self::Bool(bool) => serializer.serialize_bool(*bool),
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::BigInt(number) => {
                if let Ok(number) = i64::try_from(number) {
                    serializer.serialize_i64(number)
                } else {
                    let digits = digits(number).map_err(::serde::ser::Error::custom)?;
                    serializer.serialize_str(&digits)
                }
            }
            Self::String(text) => serializer.serialize_str(&text.to_str_lossy()),
            Self::Array(values) | Self::Set(values) => serializer.collect_seq(values),
            Self::Object(properties) => {
                let mut map = serializer.serialize_map(Some(properties.len()))?;
                for (key, value) in properties {
                    map.serialize_entry(&*key.to_str_lossy(), value)?;
                }
                map.end()
            }
            Self::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
            Self::Date(time) => match read::iso(*time) {
                Some(text) => serializer.serialize_str(&text),
                None => serializer.serialize_unit(),
            },
            Self::RegExp { source, flags } => {
                serializer.serialize_str(&format!("/{source}/{flags}"))
            }
            Self::Buffer(bytes) => serializer.serialize_bytes(bytes),
            Self::View(view) => {
                let numbers = read::elements(view, None);
                let mut seq = serializer.serialize_seq(Some(numbers.len()))?;
                for number in &numbers {
                    seq.serialize_element(number)?;
                }
                seq.end()
            }
            Self::Error(error) => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("name", &*error.name.to_str_lossy())?;
                map.serialize_entry("message", &*error.message.to_str_lossy())?;
                map.end()
            }
            Self::Boxed(value) => value.serialize(serializer),
            Self::Reference(_) => Err(::serde::ser::Error::custom(
                "the value has the same object in two places, which this format cannot say",
            )),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(read::Anything)
    }
}
