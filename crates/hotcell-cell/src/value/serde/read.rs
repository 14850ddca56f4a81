//! From values to Rust's types.

use std::{borrow::Cow, cell::OnceCell, fmt};

use ::serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, EnumAccess, Error as _, MapAccess, SeqAccess, Unexpected, VariantAccess,
        Visitor, value::StringDeserializer,
    },
    forward_to_deserialize_any,
};

use super::{ConvertError, key::Key};
use crate::value::{BigInt, Text, Value, View, ViewKind};

/// How deep values may be nested here: whoever reads them recurses.
const MAX_DEPTH: u32 = 128;

/// The objects of a value in the order in which they begin, listed when the first reference is met.
pub(super) struct Objects<'v> {
    root: &'v Value,
    list: OnceCell<Vec<&'v Value>>,
}

impl<'v> Objects<'v> {
    pub(super) fn of(root: &'v Value) -> Self {
        Self {
            root,
            list: OnceCell::new(),
        }
    }

    fn get(&self, index: u32) -> Option<&'v Value> {
        let list = self.list.get_or_init(|| collect(self.root));
        list.get(usize::try_from(index).ok()?).copied()
    }
}

/// What begins in `root`, without recursion: values may be nested deeper than a stack.
fn collect(root: &Value) -> Vec<&Value> {
    let mut list = Vec::new();
    let mut todo = vec![root];
    while let Some(value) = todo.pop() {
        if !value.is_object() {
            continue;
        }
        list.push(value);
        let before = todo.len();
        match value {
            Value::Array(values) | Value::Set(values) => todo.extend(values),
            Value::Object(properties) => todo.extend(properties.iter().map(|(_, value)| value)),
            Value::Map(entries) => {
                todo.extend(entries.iter().flat_map(|(key, value)| [key, value]));
            }
            Value::View(view) => todo.push(&view.buffer),
            Value::Error(error) => {
                todo.extend(&error.cause);
                todo.extend(error.properties.iter().map(|(_, value)| value));
            }
            Value::Boxed(value) => todo.push(value),
            _ => {}
        }
        // The first is to come first.
        if let Some(added) = todo.get_mut(before..) {
            added.reverse();
        }
    }
    list
}

/// Reads a value.
#[derive(Clone, Copy)]
pub(super) struct Reader<'v, 'o> {
    value: &'v Value,
    objects: &'o Objects<'v>,
    depth: u32,
}

impl<'v, 'o> Reader<'v, 'o> {
    pub(super) fn new(objects: &'o Objects<'v>) -> Self {
        Self {
            value: objects.root,
            objects,
            depth: 0,
        }
    }

    /// Something in this value, or what it stands for.
    fn within(self, value: &'v Value) -> Result<Self, ConvertError> {
        if self.depth >= MAX_DEPTH {
            return Err(ConvertError::custom(format_args!(
                "the value is nested more than {MAX_DEPTH} levels deep, or contains itself"
            )));
        }
        Ok(Self {
            value,
            depth: self.depth + 1,
            ..self
        })
    }

    /// The value itself, if this is a reference to it or a primitive in an object.
    fn resolved(self) -> Result<Self, ConvertError> {
        match self.value {
            Value::Reference(index) => {
                let value = self.objects.get(*index);
                let value = value.ok_or_else(|| ConvertError::custom("a reference to nothing"))?;
                self.within(value)?.resolved()
            }
            Value::Boxed(value) => self.within(value),
            _ => Ok(self),
        }
    }

    fn bytes(self) -> Option<Cow<'v, [u8]>> {
        match self.value {
            Value::Buffer(bytes) => Some(Cow::Borrowed(bytes)),
            Value::View(view) => bytes_of(view, self.objects),
            _ => None,
        }
    }
}

/// The bytes that a view shows, if each of its elements is one.
fn bytes_of<'v>(view: &'v View, objects: &Objects<'v>) -> Option<Cow<'v, [u8]>> {
    if view.kind.element_size() != 1 {
        return None;
    }
    window(view, Some(objects)).map(Cow::Borrowed)
}

/// The part of the buffer that a view shows.
fn window<'v>(view: &'v View, objects: Option<&Objects<'v>>) -> Option<&'v [u8]> {
    let buffer = match &view.buffer {
        Value::Reference(index) => objects?.get(*index)?,
        buffer => buffer,
    };
    let Value::Buffer(bytes) = buffer else {
        return None;
    };
    let start = usize::try_from(view.offset).ok()?;
    let length = u64::from(view.length) * u64::from(view.kind.element_size());
    let end = start.checked_add(usize::try_from(length).ok()?)?;
    bytes.get(start..end)
}

/// The elements of a typed array.
pub(super) fn elements<'v>(view: &'v View, objects: Option<&Objects<'v>>) -> Vec<Value> {
    let bytes = window(view, objects).unwrap_or_default();
    let size = usize::try_from(view.kind.element_size()).unwrap_or(1);
    bytes
        .chunks_exact(size)
        .map(|one| element(view.kind, one))
        .collect()
}

fn element(kind: ViewKind, bytes: &[u8]) -> Value {
    /// The first bytes, which there are.
    fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
        bytes.first_chunk().copied().unwrap_or([0; N])
    }
    match kind {
        ViewKind::Uint8 | ViewKind::Uint8Clamped | ViewKind::DataView => {
            Value::from(first::<1>(bytes)[0])
        }
        ViewKind::Int8 => Value::from(i8::from_le_bytes(first(bytes))),
        ViewKind::Int16 => Value::from(i16::from_le_bytes(first(bytes))),
        ViewKind::Uint16 => Value::from(u16::from_le_bytes(first(bytes))),
        ViewKind::Int32 => Value::from(i32::from_le_bytes(first(bytes))),
        ViewKind::Uint32 => Value::from(u32::from_le_bytes(first(bytes))),
        ViewKind::BigInt64 => Value::BigInt(i64::from_le_bytes(first(bytes)).into()),
        ViewKind::BigUint64 => Value::BigInt(u64::from_le_bytes(first(bytes)).into()),
        ViewKind::Float16 => Value::from(half(u16::from_le_bytes(first(bytes)))),
        ViewKind::Float32 => Value::from(f32::from_le_bytes(first(bytes))),
        ViewKind::Float64 => Value::from(f64::from_le_bytes(first(bytes))),
    }
}

/// A number of sixteen bits: sign, five bits of exponent, ten of fraction.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = ((bits >> 10) & 0x1f, f64::from(bits & 0x3ff));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(i32::from(exponent) - 15),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// A date as JSON has it; `None` for one that is none.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a time that is none is refused"
)]
pub(super) fn iso(time: f64) -> Option<String> {
    let time = time.is_finite().then_some(time as i64)?;
    let time = jiff::Timestamp::from_millisecond(time).ok()?;
    Some(time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string())
}

fn visit_number<'v, V: Visitor<'v>>(number: f64, visitor: V) -> Result<V::Value, ConvertError> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be whole and small"
    )]
    if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0 {
        return if number >= 0.0 {
            visitor.visit_u64(number as u64)
        } else {
            visitor.visit_i64(number as i64)
        };
    }
    visitor.visit_f64(number)
}

fn visit_bigint<'v, V: Visitor<'v>>(number: &BigInt, visitor: V) -> Result<V::Value, ConvertError> {
    if let Ok(number) = i64::try_from(number) {
        visitor.visit_i64(number)
    } else if let Ok(number) = u64::try_from(number) {
        visitor.visit_u64(number)
    } else if let Ok(number) = i128::try_from(number) {
        visitor.visit_i128(number)
    } else if let Ok(number) = u128::try_from(number) {
        visitor.visit_u128(number)
    } else {
        visitor.visit_string(super::digits(number)?)
    }
}

fn visit_text<'v, V: Visitor<'v>>(text: &'v Text, visitor: V) -> Result<V::Value, ConvertError> {
    match text.to_str_lossy() {
        Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
        Cow::Owned(text) => visitor.visit_string(text),
    }
}

impl<'v> Deserializer<'v> for Reader<'v, '_> {
    type Error = ConvertError;

    fn deserialize_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, ConvertError> {
        let this = self.resolved()?;
        match this.value {
            Value::Bool(bool) => visitor.visit_bool(*bool),
            Value::Number(number) => visit_number(*number, visitor),
            Value::BigInt(number) => visit_bigint(number, visitor),
            Value::String(text) => visit_text(text, visitor),
            Value::Array(values) | Value::Set(values) => visitor.visit_seq(Items {
                values: values.iter(),
                of: this,
            }),
            Value::Object(properties) => visitor.visit_map(Properties {
                rest: properties.iter(),
                value: None,
                of: this,
            }),
            Value::Map(entries) => visitor.visit_map(Entries {
                rest: entries.iter(),
                value: None,
                of: this,
            }),
            Value::Date(time) => match iso(*time) {
                Some(text) => visitor.visit_string(text),
                None => visitor.visit_unit(),
            },
            Value::RegExp { source, flags } => visitor.visit_string(format!("/{source}/{flags}")),
            Value::Buffer(bytes) => visitor.visit_borrowed_bytes(bytes),
            Value::View(view) => match bytes_of(view, this.objects) {
                Some(Cow::Borrowed(bytes)) => visitor.visit_borrowed_bytes(bytes),
                Some(Cow::Owned(bytes)) => visitor.visit_byte_buf(bytes),
                None => visitor.visit_seq(Numbers(elements(view, Some(this.objects)).into_iter())),
            },
            Value::Error(error) => visitor.visit_string(error.to_string()),
            // The last two are not what is left after resolving.
            Value::Undefined
            | Value::Null
            | Value::Hole
            | Value::Boxed(_)
            | Value::Reference(_) => visitor.visit_unit(),
        }
    }

    fn deserialize_option<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, ConvertError> {
        match self.value {
            Value::Undefined | Value::Null | Value::Hole => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'v>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ConvertError> {
        visitor.visit_newtype_struct(self)
    }

    /// A date is a number, too.
    fn deserialize_f64<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, ConvertError> {
        match self.resolved()?.value {
            Value::Date(time) => visitor.visit_f64(*time),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_i64<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, ConvertError> {
        match self.resolved()?.value {
            Value::Date(time) => visit_number(*time, visitor),
            _ => self.deserialize_any(visitor),
        }
    }

    /// Bytes are a list of numbers for who wants one.
    fn deserialize_seq<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, ConvertError> {
        let this = self.resolved()?;
        match (this.value, this.bytes()) {
            (_, Some(bytes)) => {
                let bytes: Vec<Value> = bytes.iter().map(|byte| Value::from(*byte)).collect();
                visitor.visit_seq(Numbers(bytes.into_iter()))
            }
            _ => this.deserialize_any(visitor),
        }
    }

    fn deserialize_tuple<V: Visitor<'v>>(
        self,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, ConvertError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'v>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, ConvertError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_enum<V: Visitor<'v>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConvertError> {
        let this = self.resolved()?;
        match this.value {
            Value::String(name) => visitor.visit_enum(Variant {
                name,
                content: None,
            }),
            Value::Object(properties) => match properties.as_slice() {
                [(name, content)] => visitor.visit_enum(Variant {
                    name,
                    content: Some(this.within(content)?),
                }),
                _ => Err(ConvertError::custom(
                    "expected a text, or an object with one property that names the variant",
                )),
            },
            _ => this.deserialize_any(visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, ConvertError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        <W: Visitor<'v>>
        bool i8 i16 i32 i128 u8 u16 u32 u64 u128 f32 char str string bytes byte_buf unit unit_struct map struct identifier
    }
}

struct Items<'v, 'o> {
    values: std::slice::Iter<'v, Value>,
    of: Reader<'v, 'o>,
}

impl<'v> SeqAccess<'v> for Items<'v, '_> {
    type Error = ConvertError;

    fn next_element_seed<T: DeserializeSeed<'v>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ConvertError> {
        let next = self.values.next();
        next.map(|value| seed.deserialize(self.of.within(value)?))
            .transpose()
    }
}

/// Numbers that are not in the value as such.
struct Numbers(std::vec::IntoIter<Value>);

impl<'v> SeqAccess<'v> for Numbers {
    type Error = ConvertError;

    fn next_element_seed<T: DeserializeSeed<'v>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ConvertError> {
        let next = self.0.next();
        next.map(|value| seed.deserialize(Number(value)))
            .transpose()
    }
}

struct Number(Value);

impl<'v> Deserializer<'v> for Number {
    type Error = ConvertError;

    fn deserialize_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, ConvertError> {
        match &self.0 {
            Value::BigInt(number) => visit_bigint(number, visitor),
            other => visit_number(other.as_f64().unwrap_or(f64::NAN), visitor),
        }
    }

    forward_to_deserialize_any! {
        <W: Visitor<'v>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct Properties<'v, 'o> {
    rest: std::slice::Iter<'v, (Text, Value)>,
    value: Option<&'v Value>,
    of: Reader<'v, 'o>,
}

impl<'v> MapAccess<'v> for Properties<'v, '_> {
    type Error = ConvertError;

    fn next_key_seed<K: DeserializeSeed<'v>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ConvertError> {
        // A property that is undefined is as good as none.
        let there = self.rest.by_ref();
        let Some((key, value)) = there.find(|(_, value)| !value.is_undefined()) else {
            return Ok(None);
        };
        self.value = Some(value);
        seed.deserialize(Key(key.to_str_lossy())).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'v>>(
        &mut self,
        seed: T,
    ) -> Result<T::Value, ConvertError> {
        let value = self.value.take().unwrap_or(&Value::Undefined);
        seed.deserialize(self.of.within(value)?)
    }
}

struct Entries<'v, 'o> {
    rest: std::slice::Iter<'v, (Value, Value)>,
    value: Option<&'v Value>,
    of: Reader<'v, 'o>,
}

impl<'v> MapAccess<'v> for Entries<'v, '_> {
    type Error = ConvertError;

    fn next_key_seed<K: DeserializeSeed<'v>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ConvertError> {
        let Some((key, value)) = self.rest.next() else {
            return Ok(None);
        };
        self.value = Some(value);
        seed.deserialize(self.of.within(key)?).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'v>>(
        &mut self,
        seed: T,
    ) -> Result<T::Value, ConvertError> {
        let value = self.value.take().unwrap_or(&Value::Undefined);
        seed.deserialize(self.of.within(value)?)
    }
}

struct Variant<'v, 'o> {
    name: &'v Text,
    content: Option<Reader<'v, 'o>>,
}

impl<'v, 'o> EnumAccess<'v> for Variant<'v, 'o> {
    type Error = ConvertError;
    type Variant = Content<'v, 'o>;

    fn variant_seed<T: DeserializeSeed<'v>>(
        self,
        seed: T,
    ) -> Result<(T::Value, Self::Variant), ConvertError> {
        let name = self.name.to_str_lossy().into_owned();
        let name = seed.deserialize(StringDeserializer::<ConvertError>::new(name))?;
        Ok((name, Content(self.content)))
    }
}

struct Content<'v, 'o>(Option<Reader<'v, 'o>>);

impl<'v> VariantAccess<'v> for Content<'v, '_> {
    type Error = ConvertError;

    fn unit_variant(self) -> Result<(), ConvertError> {
        match self.0 {
            None => Ok(()),
            Some(content) => Deserialize::deserialize(content),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'v>>(
        self,
        seed: T,
    ) -> Result<T::Value, ConvertError> {
        seed.deserialize(self.content("a value")?)
    }

    fn tuple_variant<V: Visitor<'v>>(self, _: usize, visitor: V) -> Result<V::Value, ConvertError> {
        self.content("an array")?.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'v>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConvertError> {
        self.content("an object")?.deserialize_any(visitor)
    }
}

impl<'v, 'o> Content<'v, 'o> {
    fn content(self, expected: &'static str) -> Result<Reader<'v, 'o>, ConvertError> {
        self.0
            .ok_or_else(|| ConvertError::invalid_type(Unexpected::UnitVariant, &expected))
    }
}

/// Takes whatever comes as a value.
pub(super) struct Anything;

impl<'de> Visitor<'de> for Anything {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, bool: bool) -> Result<Value, E> {
        Ok(Value::Bool(bool))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(super::write::whole(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(super::write::whole(number.into()))
    }

    fn visit_i128<E>(self, number: i128) -> Result<Value, E> {
        Ok(super::write::whole(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from(text))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Value, E> {
        Ok(Value::bytes(bytes))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, some: D) -> Result<Value, D::Error> {
        Value::deserialize(some)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        Value::deserialize(inner)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = items.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(entry) = entries.next_entry::<Value, Value>()? {
            all.push(entry);
        }
        Ok(super::write::map(all))
    }
}
