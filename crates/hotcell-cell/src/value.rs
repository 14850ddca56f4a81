//! JavaScript values outside of a cell.

mod bigint;
mod convert;
mod serde;
mod size;
mod text;

use std::fmt;

pub use self::serde::{ConvertError, from_value, to_value};
pub use bigint::decimal;
pub use num_bigint::BigInt;
pub use text::Text;

/// A JavaScript value: a copy, made by structured clone, that shares nothing with any cell.
///
/// Values are trees. Where JavaScript has the same object in two places, or an object inside itself, the first occurrence
/// stands in full and every later one is a [`Value::Reference`] to it.
///
/// ```
/// use hotcell_cell::Value;
///
/// let user = Value::object([("name", Value::from("Ada")), ("age", Value::from(36))]);
/// assert_eq!(user.get("name").and_then(Value::as_str), Some("Ada"));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// `undefined`.
    Undefined,
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number. Note that `NaN` is not equal to itself, here as there.
    Number(f64),
    /// A `BigInt`.
    BigInt(BigInt),
    /// A string.
    String(Text),
    /// An array. Elements may be [`Value::Hole`].
    Array(Vec<Value>),
    /// An element that is not there, as in `[1, , 3]`. Only found directly inside an array.
    Hole,
    /// A plain object, with its properties in order. An instance of a class arrives as one.
    Object(Vec<(Text, Value)>),
    /// A `Date`: milliseconds since the epoch, or `NaN` for an invalid one.
    Date(f64),
    /// A regular expression.
    RegExp {
        /// Between the slashes.
        source: Text,
        /// After them.
        flags: Text,
    },
    /// A `Map`, in insertion order.
    Map(Vec<(Value, Value)>),
    /// A `Set`, in insertion order.
    Set(Vec<Value>),
    /// An `ArrayBuffer`.
    Buffer(Vec<u8>),
    /// A typed array or a `DataView`.
    View(Box<View>),
    /// An error.
    Error(Box<ErrorValue>),
    /// A primitive in an object, as in `new Number(1)`.
    Boxed(Box<Value>),
    /// The same object as an earlier one of this tree, counted from 0 in the order in which objects begin. Everything but
    /// primitives and holes is an object.
    Reference(u32),
}

/// A view of a buffer.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// How the bytes are read.
    pub kind: ViewKind,
    /// Where the view begins in the buffer, in bytes.
    pub offset: u32,
    /// How long it is, in elements (bytes for a `DataView`).
    pub length: u32,
    /// A [`Value::Buffer`], or a [`Value::Reference`] to one.
    pub buffer: Value,
}

/// The element type of a [`View`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names are JavaScript's")]
pub enum ViewKind {
    Uint8Clamped = 0,
    Int8 = 1,
    Uint8 = 2,
    Int16 = 3,
    Uint16 = 4,
    Int32 = 5,
    Uint32 = 6,
    BigInt64 = 7,
    BigUint64 = 8,
    Float16 = 9,
    Float32 = 10,
    Float64 = 11,
    DataView = 255,
}

impl ViewKind {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Uint8Clamped,
        Self::Int8,
        Self::Uint8,
        Self::Int16,
        Self::Uint16,
        Self::Int32,
        Self::Uint32,
        Self::BigInt64,
        Self::BigUint64,
        Self::Float16,
        Self::Float32,
        Self::Float64,
        Self::DataView,
    ];

    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u8 == byte)
    }

    /// What the language calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uint8Clamped => "Uint8ClampedArray",
            Self::Int8 => "Int8Array",
            Self::Uint8 => "Uint8Array",
            Self::Int16 => "Int16Array",
            Self::Uint16 => "Uint16Array",
            Self::Int32 => "Int32Array",
            Self::Uint32 => "Uint32Array",
            Self::BigInt64 => "BigInt64Array",
            Self::BigUint64 => "BigUint64Array",
            Self::Float16 => "Float16Array",
            Self::Float32 => "Float32Array",
            Self::Float64 => "Float64Array",
            Self::DataView => "DataView",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Bytes per element.
    pub fn element_size(self) -> u32 {
        match self {
            Self::Uint8Clamped | Self::Int8 | Self::Uint8 | Self::DataView => 1,
            Self::Int16 | Self::Uint16 | Self::Float16 => 2,
            Self::Int32 | Self::Uint32 | Self::Float32 => 4,
            Self::BigInt64 | Self::BigUint64 | Self::Float64 => 8,
        }
    }
}

/// An error as a value.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorValue {
    /// `error.name`, such as `TypeError`.
    pub name: Text,
    /// `error.message`.
    pub message: Text,
    /// `error.stack`; empty if there is none.
    pub stack: Text,
    /// `error.cause`, if it has one.
    pub cause: Option<Value>,
    /// Its other own enumerable properties, and the `errors` of an `AggregateError`.
    pub properties: Vec<(Text, Value)>,
}

impl ErrorValue {
    /// An error with a name and a message.
    pub fn new(name: impl Into<Text>, message: impl Into<Text>) -> Self {
        Self {
            name: name.into(),
            message: message.into(),
            stack: Text::default(),
            cause: None,
            properties: Vec::new(),
        }
    }
}

impl fmt::Display for ErrorValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.name.is_empty(), self.message.is_empty()) {
            (_, true) => write!(f, "{}", self.name),
            (true, false) => write!(f, "{}", self.message),
            (false, false) => write!(f, "{}: {}", self.name, self.message),
        }
    }
}

impl Value {
    /// An object with these properties.
    pub fn object<K: Into<Text>>(properties: impl IntoIterator<Item = (K, Self)>) -> Self {
        Self::Object(
            properties
                .into_iter()
                .map(|(key, value)| (key.into(), value))
                .collect(),
        )
    }

    /// An array of these elements.
    pub fn array(elements: impl IntoIterator<Item = Self>) -> Self {
        Self::Array(elements.into_iter().collect())
    }

    /// A `Uint8Array` with a buffer of its own.
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::View(Box::new(View {
            kind: ViewKind::Uint8,
            offset: 0,
            length: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
            buffer: Self::Buffer(bytes),
        }))
    }

    /// The property `key` of an object.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(properties) => properties
                .iter()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// Element `index` of an array.
    pub fn at(&self, index: usize) -> Option<&Self> {
        match self {
            Self::Array(elements) => elements.get(index),
            _ => None,
        }
    }

    /// The text, if this is a string that is valid Unicode.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => text.as_str(),
            _ => None,
        }
    }

    /// The number, if this is one.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The boolean, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(bool) => Some(*bool),
            _ => None,
        }
    }

    /// Whether this is `undefined`.
    pub fn is_undefined(&self) -> bool {
        matches!(self, Self::Undefined)
    }

    /// Whether this counts as an object for [`Value::Reference`].
    pub fn is_object(&self) -> bool {
        !matches!(
            self,
            Self::Undefined
                | Self::Null
                | Self::Bool(_)
                | Self::Number(_)
                | Self::BigInt(_)
                | Self::String(_)
                | Self::Hole
                | Self::Reference(_)
        )
    }
}
