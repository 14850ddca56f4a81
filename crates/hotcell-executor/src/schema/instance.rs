//! A value as a schema sees it: the way `JSON.stringify` has it, without a copy.
//!
//! The validator asks for everything it looks at, and each question costs. Once the run has to end, nothing more is to be
//! found in the value, so that whatever the validator is at comes to its end, too; its result is not used then.

use std::borrow::Cow;

use hotcell_cell::{BigInt, Text, Value};
use hotcell_meter::Unwatched;
use jsonschema::{
    JsonType,
    json::{Array as _, Json, Node, NodeIdentity, Object as _},
};
use serde_json::Value as Tree;

use super::{
    elements::{Elements, Items},
    excerpt::excerpt,
    meter::{Meter, QUESTION},
    number::Numeric,
    properties::{Members, Properties},
};
use crate::json::{date::to_iso, digits};

/// Values of a cell, as a representation of JSON.
pub(super) struct Values;

impl Json for Values {
    type Node<'a> = Instance<'a>;
    type PreparedKey = String;
    type StringBuffer = ();

    /// A look-up goes through all members; so does a pass, once for all look-ups.
    const KEYS_PER_LOOKUP: usize = 1 << 20;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>((): &mut (), string: &str, f: impl FnOnce(Instance<'_>) -> T) -> T {
        // Names are paid for when they are met.
        f(Instance {
            seen: Seen::Text(string),
            meter: &Meter::new(&Unwatched),
        })
    }
}

/// A value, or a part of one.
#[derive(Clone, Copy)]
pub(super) struct Instance<'a> {
    pub(super) seen: Seen<'a>,
    pub(super) meter: &'a Meter<'a>,
}

#[derive(Clone, Copy)]
pub(super) enum Seen<'a> {
    Value(&'a Value),
    /// Properties given one by one: names, and as many of their values as there are.
    Arguments(&'a [String], &'a [Value]),
    /// The name of a property.
    Text(&'a str),
    /// An element of a view or a buffer.
    Integer(i64),
    Float(f64),
}

/// What JSON knows.
pub(super) enum Kind<'a> {
    Null,
    Bool(bool),
    Number(Numeric),
    String(Cow<'a, str>),
    Array(Elements<'a>),
    Object(Properties<'a>),
}

impl<'a> Instance<'a> {
    /// Looks at the value.
    pub(super) fn kind(&self) -> Kind<'a> {
        self.meter.spend(QUESTION);
        let value = match self.seen {
            Seen::Value(value) => value,
            Seen::Arguments(names, values) => {
                return self.object(Members::Arguments(names, values));
            }
            Seen::Text(text) => return Kind::String(Cow::Borrowed(text)),
            Seen::Integer(number) => return Kind::Number(Numeric::Integer(number)),
            Seen::Float(number) => return numeric(number),
        };
        match value {
            Value::Bool(bool) => Kind::Bool(*bool),
            Value::Number(number) => numeric(*number),
            Value::BigInt(number) => self.integer(number),
            Value::String(text) => Kind::String(self.text(text)),
            Value::Array(values) | Value::Set(values) => self.array(Items::Values(values)),
            Value::Object(properties) => self.object(Members::Properties(properties)),
            Value::Map(entries) => self.object(Members::Entries(entries)),
            Value::Date(time) => {
                to_iso(*time).map_or(Kind::Null, |text| Kind::String(Cow::Owned(text)))
            }
            Value::RegExp { source, flags } => {
                let (source, flags) = (self.text(source), self.text(flags));
                Kind::String(Cow::Owned(format!("/{source}/{flags}")))
            }
            Value::Buffer(bytes) => self.array(Items::of_buffer(bytes)),
            Value::View(view) => match Items::of_view(view) {
                Some(items) => self.array(items),
                None => Kind::Null,
            },
            Value::Error(error) => {
                let (name, message) = (self.text(&error.name), self.text(&error.message));
                self.pay_for(name.len() + message.len());
                Kind::String(Cow::Owned(error.to_string()))
            }
            Value::Boxed(value) => Self {
                seen: Seen::Value(value),
                meter: self.meter,
            }
            .kind(),
            _ => Kind::Null,
        }
    }

    /// JSON readers take integers of 64 bits; larger ones are text.
    fn integer(&self, number: &BigInt) -> Kind<'a> {
        if let Ok(number) = i64::try_from(number) {
            return Kind::Number(Numeric::Integer(number));
        }
        self.pay_for(usize::try_from(number.bits()).unwrap_or(usize::MAX));
        Kind::String(Cow::Owned(digits(number)))
    }

    fn pay_for(&self, bytes: usize) {
        self.meter.spend(bytes);
    }

    fn text(&self, text: &'a Text) -> Cow<'a, str> {
        let text = text.to_str_lossy();
        self.pay_for(text.len());
        text
    }

    fn array(&self, items: Items<'a>) -> Kind<'a> {
        Kind::Array(Elements {
            items,
            meter: self.meter,
        })
    }

    fn object(&self, members: Members<'a>) -> Kind<'a> {
        Kind::Object(Properties {
            members,
            meter: self.meter,
        })
    }

    /// Whether two values say the same.
    pub(super) fn equals(&self, other: &Self) -> bool {
        match (self.kind(), other.kind()) {
            (Kind::Null, Kind::Null) => true,
            (Kind::Bool(one), Kind::Bool(other)) => one == other,
            (Kind::Number(one), Kind::Number(other)) => {
                one.to_tree().is_some_and(|one| other.equals(&one))
            }
            (Kind::String(one), Kind::String(other)) => one == other,
            (Kind::Array(one), Kind::Array(other)) => {
                one.len() == other.len()
                    && one
                        .elements()
                        .zip(other.elements())
                        .all(|(a, b)| a.equals(&b))
            }
            (Kind::Object(one), Kind::Object(other)) => {
                one.len() == other.len()
                    && one.members().all(|(name, value)| {
                        other.find(&name).is_some_and(|other| value.equals(&other))
                    })
            }
            _ => false,
        }
    }
}

/// What JSON has no number for is nothing.
fn numeric(number: f64) -> Kind<'static> {
    if number.is_finite() {
        Kind::Number(Numeric::of(number))
    } else {
        Kind::Null
    }
}

impl<'a> Node<'a, Values> for Instance<'a> {
    type Object = Properties<'a>;
    type Array = Elements<'a>;
    type Number = Numeric;

    fn as_object(&self) -> Option<Properties<'a>> {
        match self.kind() {
            Kind::Object(properties) => Some(properties),
            _ => None,
        }
    }

    fn as_array(&self) -> Option<Elements<'a>> {
        match self.kind() {
            Kind::Array(elements) => Some(elements),
            _ => None,
        }
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        match self.kind() {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    fn as_number(&self) -> Option<Numeric> {
        match self.kind() {
            Kind::Number(number) => Some(number),
            _ => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        match self.kind() {
            Kind::Bool(bool) => Some(bool),
            _ => None,
        }
    }

    fn is_null(&self) -> bool {
        matches!(self.kind(), Kind::Null)
    }

    fn json_type(&self) -> JsonType {
        match self.kind() {
            Kind::Null => JsonType::Null,
            Kind::Bool(_) => JsonType::Boolean,
            Kind::Number(_) => JsonType::Number,
            Kind::String(_) => JsonType::String,
            Kind::Array(_) => JsonType::Array,
            Kind::Object(_) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Tree) -> bool {
        match (self.kind(), expected) {
            (Kind::Null, Tree::Null) => true,
            (Kind::Bool(bool), Tree::Bool(expected)) => bool == *expected,
            (Kind::Number(number), Tree::Number(_)) => number.equals(expected),
            (Kind::String(text), Tree::String(expected)) => text == *expected,
            (Kind::Array(elements), Tree::Array(expected)) => {
                elements.len() == expected.len()
                    && elements
                        .elements()
                        .zip(expected)
                        .all(|(element, expected)| element.equals_value(expected))
            }
            (Kind::Object(properties), Tree::Object(expected)) => {
                properties.len() == expected.len()
                    && properties.members().all(|(name, value)| {
                        let expected = expected.get(&*name);
                        expected.is_some_and(|expected| value.equals_value(expected))
                    })
            }
            _ => false,
        }
    }

    /// Only for the words of errors, so a part of it is enough.
    fn to_value(&self) -> Cow<'a, Tree> {
        self.meter.error();
        Cow::Owned(excerpt(self))
    }

    fn identity(&self) -> Option<NodeIdentity> {
        match self.seen {
            Seen::Value(value) => Some(NodeIdentity::new(std::ptr::from_ref(value).addr())),
            // Where the first argument is, too.
            Seen::Arguments(_, values) => Some(NodeIdentity::tagged(values.as_ptr().addr(), 1)),
            _ => None,
        }
    }
}
