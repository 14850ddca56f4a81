//! A value as a schema sees it: the way `JSON.stringify` has it, without a copy.
//!
//! The validator asks for everything it looks at, and each question costs. Once the run has to end, nothing more is to be
//! found in the value, so that whatever the validator is at comes to its end, too; its result is not used then.

use std::{borrow::Cow, cell::Cell};

use hotcell_cell::{Text, Value, View, ViewKind};
use hotcell_meter::{SharedPace, Stopped, Unwatched, Watch};
use jsonschema::{
    JsonType,
    json::{Array, Json, JsonNumber, Node, NodeIdentity, Object, cmp},
};
use serde_json::{Number, Value as Tree};

use super::{excerpt::excerpt, unique::is_unique};
use crate::json::{date::to_iso, digits};

/// What one question costs beside the text that it is about, in units of [`SharedPace`].
const QUESTION: usize = 32;
/// After so many errors the validator has said enough. It collects all of them, also those of branches that may fail.
const MAX_ERRORS: usize = 200;
/// Names of properties may be as long as this: they are matched against patterns without a further look.
const MAX_NAME_BYTES: usize = 64 << 10;

/// Why a check was not taken to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt {
    Stopped(Stopped),
    TooManyErrors,
    LongName,
}

/// What a check may cost.
pub(super) struct Meter<'w> {
    pace: SharedPace<'w>,
    errors: Cell<usize>,
    halted: Cell<Option<Halt>>,
}

impl<'w> Meter<'w> {
    pub(super) fn new(watch: &'w dyn Watch) -> Self {
        Self {
            pace: SharedPace::new(watch),
            errors: Cell::new(0),
            halted: Cell::new(None),
        }
    }

    /// Why the check was not taken to its end.
    pub(super) fn halted(&self) -> Option<Halt> {
        self.halted.get()
    }

    /// Whether work of so many units may be done.
    fn spend(&self, units: usize) -> bool {
        if self.halted.get().is_none()
            && let Err(stopped) = self.pace.spend(units)
        {
            self.halt(Halt::Stopped(stopped));
        }
        self.halted.get().is_none()
    }

    /// Ends the check.
    fn halt(&self, why: Halt) {
        self.halted.set(self.halted.get().or(Some(why)));
    }

    /// Takes note of an error.
    fn error(&self) {
        self.errors.set(self.errors.get() + 1);
        if self.errors.get() > MAX_ERRORS {
            self.halt(Halt::TooManyErrors);
        }
    }
}

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
            Value::BigInt(number) => match i64::try_from(number) {
                Ok(number) => Kind::Number(Numeric::Integer(number)),
                Err(_) => {
                    self.pay_for(usize::try_from(number.bits()).unwrap_or(usize::MAX));
                    Kind::String(Cow::Owned(digits(number)))
                }
            },
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
    fn of(number: f64) -> Self {
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

    fn equals(self, expected: &Tree) -> bool {
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

/// The elements of an array, a set, a buffer or a view.
#[derive(Clone, Copy)]
pub(super) struct Elements<'a> {
    items: Items<'a>,
    meter: &'a Meter<'a>,
}

#[derive(Clone, Copy)]
enum Items<'a> {
    Values(&'a [Value]),
    Bytes(&'a [u8], ViewKind),
}

impl<'a> Items<'a> {
    fn of_buffer(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes, ViewKind::Uint8)
    }

    /// `None` if its buffer stands elsewhere in the value.
    fn of_view(view: &'a View) -> Option<Self> {
        let Value::Buffer(bytes) = &view.buffer else {
            return None;
        };
        let start = view.offset as usize;
        let length = (view.length as usize).checked_mul(view.kind.element_size() as usize)?;
        let bytes = bytes.get(start..start.checked_add(length)?)?;
        Some(Self::Bytes(bytes, view.kind))
    }

    fn len(self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::Bytes(bytes, kind) => bytes.len() / kind.element_size() as usize,
        }
    }

    fn get(self, index: usize) -> Option<Seen<'a>> {
        match self {
            Self::Values(values) => values.get(index).map(Seen::Value),
            Self::Bytes(bytes, kind) => {
                let size = kind.element_size() as usize;
                let start = index.checked_mul(size)?;
                element(kind, bytes.get(start..start.checked_add(size)?)?)
            }
        }
    }
}

/// One element of a view, from its bytes.
fn element(kind: ViewKind, bytes: &[u8]) -> Option<Seen<'static>> {
    let two = || bytes.try_into().ok();
    let four = || bytes.try_into().ok();
    let eight = || bytes.try_into().ok();
    Some(match kind {
        ViewKind::Uint8Clamped | ViewKind::Uint8 | ViewKind::DataView => {
            Seen::Integer(i64::from(*bytes.first()?))
        }
        ViewKind::Int8 => Seen::Integer(i64::from(bytes.first()?.cast_signed())),
        ViewKind::Int16 => Seen::Integer(i64::from(i16::from_le_bytes(two()?))),
        ViewKind::Uint16 => Seen::Integer(i64::from(u16::from_le_bytes(two()?))),
        ViewKind::Int32 => Seen::Integer(i64::from(i32::from_le_bytes(four()?))),
        ViewKind::Uint32 => Seen::Integer(i64::from(u32::from_le_bytes(four()?))),
        ViewKind::BigInt64 => Seen::Integer(i64::from_le_bytes(eight()?)),
        ViewKind::BigUint64 => {
            let number = u64::from_le_bytes(eight()?);
            #[expect(clippy::cast_precision_loss, reason = "beyond what an integer can say")]
            i64::try_from(number).map_or(Seen::Float(number as f64), Seen::Integer)
        }
        ViewKind::Float16 => Seen::Float(half(u16::from_le_bytes(two()?))),
        ViewKind::Float32 => Seen::Float(f64::from(f32::from_le_bytes(four()?))),
        ViewKind::Float64 => Seen::Float(f64::from_le_bytes(eight()?)),
    })
}

/// A number of sixteen bits: a sign, five bits of exponent, ten of fraction.
fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match (bits >> 10) & 0x1f {
        0 => fraction * f64::powi(2.0, -24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        exponent => (1024.0 + fraction) * f64::powi(2.0, i32::from(exponent) - 25),
    };
    if bits & 0x8000 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

impl<'a> Array<'a, Values> for Elements<'a> {
    type Node = Instance<'a>;
    type ElementsIter = ElementsIter<'a>;

    fn len(&self) -> usize {
        self.items.len()
    }

    fn elements(&self) -> ElementsIter<'a> {
        ElementsIter {
            elements: *self,
            next: 0,
        }
    }

    fn is_unique(&self) -> bool {
        is_unique(self)
    }
}

pub(super) struct ElementsIter<'a> {
    elements: Elements<'a>,
    next: usize,
}

impl<'a> Iterator for ElementsIter<'a> {
    type Item = Instance<'a>;

    fn next(&mut self) -> Option<Instance<'a>> {
        let Elements { items, meter } = self.elements;
        if !meter.spend(QUESTION) {
            return None;
        }
        let seen = items.get(self.next)?;
        self.next += 1;
        Some(Instance { seen, meter })
    }
}

/// The properties of an object or a map. What is `undefined` is not there.
#[derive(Clone, Copy)]
pub(super) struct Properties<'a> {
    members: Members<'a>,
    meter: &'a Meter<'a>,
}

#[derive(Clone, Copy)]
enum Members<'a> {
    Properties(&'a [(Text, Value)]),
    Entries(&'a [(Value, Value)]),
    Arguments(&'a [String], &'a [Value]),
}

impl<'a> Members<'a> {
    /// How many there are, those that do not count included.
    fn len(self) -> usize {
        match self {
            Self::Properties(properties) => properties.len(),
            Self::Entries(entries) => entries.len(),
            Self::Arguments(names, values) => names.len().min(values.len()),
        }
    }

    /// Member `index`, if it counts.
    fn get(self, index: usize) -> Option<(Cow<'a, str>, &'a Value)> {
        let (name, value) = match self {
            Self::Properties(properties) => {
                let (name, value) = properties.get(index)?;
                (name.to_str_lossy(), value)
            }
            Self::Entries(entries) => match entries.get(index)? {
                (Value::String(name), value) => (name.to_str_lossy(), value),
                _ => return None,
            },
            Self::Arguments(names, values) => (
                Cow::Borrowed(names.get(index)?.as_str()),
                values.get(index)?,
            ),
        };
        (!value.is_undefined()).then_some((name, value))
    }
}

impl<'a> Properties<'a> {
    fn find(&self, name: &str) -> Option<Instance<'a>> {
        self.members()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }
}

impl<'a> Object<'a, Values> for Properties<'a> {
    type Node = Instance<'a>;
    type MemberName = Cow<'a, str>;
    type MembersIter = MembersIter<'a>;

    fn len(&self) -> usize {
        self.members().count()
    }

    fn is_empty(&self) -> bool {
        self.members().next().is_none()
    }

    fn get(&self, key: &String) -> Option<Instance<'a>> {
        self.find(key)
    }

    fn members(&self) -> MembersIter<'a> {
        MembersIter {
            properties: *self,
            next: 0,
        }
    }
}

pub(super) struct MembersIter<'a> {
    properties: Properties<'a>,
    next: usize,
}

impl<'a> Iterator for MembersIter<'a> {
    type Item = (Cow<'a, str>, Instance<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let Properties { members, meter } = self.properties;
        while self.next < members.len() {
            if !meter.spend(QUESTION) {
                return None;
            }
            let member = members.get(self.next);
            self.next += 1;
            let Some((name, value)) = member else {
                continue;
            };
            meter.spend(name.len());
            if name.len() > MAX_NAME_BYTES {
                meter.halt(Halt::LongName);
                return None;
            }
            let seen = Seen::Value(value);
            return Some((name, Instance { seen, meter }));
        }
        None
    }
}

/// The longest name that a property may have, for the words of an error.
pub(super) const LONGEST_NAME: usize = MAX_NAME_BYTES;
