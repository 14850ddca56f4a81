//! From Rust's types to values.

use ::serde::{
    Serialize, Serializer,
    ser::{
        Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
        SerializeTuple, SerializeTupleStruct, SerializeTupleVariant,
    },
};

use super::{ConvertError, to_value};
use crate::value::{BigInt, Text, Value};

/// Up to here every whole number is one for JavaScript too.
const LARGEST: i128 = 1 << 53;

/// A whole number: a number if it can be one.
#[expect(clippy::cast_precision_loss, reason = "up to 2^53 nothing is lost")]
pub(super) fn whole(number: i128) -> Value {
    if number.abs() <= LARGEST {
        Value::Number(number as f64)
    } else {
        Value::BigInt(BigInt::from(number))
    }
}

/// Entries as an object, or as a `Map` if not all keys can be names.
pub(super) fn map(entries: Vec<(Value, Value)>) -> Value {
    let name = |key: &Value| match key {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(Text::from(number.to_string())),
        Value::Bool(bool) => Some(Text::from(bool.to_string())),
        _ => None,
    };
    let names: Option<Vec<Text>> = entries.iter().map(|(key, _)| name(key)).collect();
    match names {
        Some(names) => {
            let values = entries.into_iter().map(|(_, value)| value);
            Value::Object(names.into_iter().zip(values).collect())
        }
        None => Value::Map(entries),
    }
}

fn variant(name: &'static str, content: Value) -> Value {
    Value::object([(name, content)])
}

/// A value at a key. It is there also if it says nothing: a property that is `undefined` is read as none.
fn to_member<T: Serialize + ?Sized>(data: &T) -> Result<Value, ConvertError> {
    Ok(match to_value(data)? {
        Value::Undefined => Value::Null,
        value => value,
    })
}

/// Makes values.
pub(super) struct Writer;

impl Serializer for Writer {
    type Ok = Value;
    type Error = ConvertError;
    type SerializeSeq = Items;
    type SerializeTuple = Items;
    type SerializeTupleStruct = Items;
    type SerializeTupleVariant = Items;
    type SerializeMap = Entries;
    type SerializeStruct = Fields;
    type SerializeStructVariant = Fields;

    fn serialize_bool(self, bool: bool) -> Result<Value, ConvertError> {
        Ok(Value::Bool(bool))
    }

    fn serialize_i8(self, number: i8) -> Result<Value, ConvertError> {
        Ok(Value::from(number))
    }

    fn serialize_i16(self, number: i16) -> Result<Value, ConvertError> {
        Ok(Value::from(number))
    }

    fn serialize_i32(self, number: i32) -> Result<Value, ConvertError> {
        Ok(Value::from(number))
    }

    fn serialize_i64(self, number: i64) -> Result<Value, ConvertError> {
        Ok(whole(number.into()))
    }

    fn serialize_i128(self, number: i128) -> Result<Value, ConvertError> {
        Ok(whole(number))
    }

    fn serialize_u8(self, number: u8) -> Result<Value, ConvertError> {
        Ok(Value::from(number))
    }

    fn serialize_u16(self, number: u16) -> Result<Value, ConvertError> {
        Ok(Value::from(number))
    }

    fn serialize_u32(self, number: u32) -> Result<Value, ConvertError> {
        Ok(Value::from(number))
    }

    fn serialize_u64(self, number: u64) -> Result<Value, ConvertError> {
        Ok(whole(number.into()))
    }

    fn serialize_u128(self, number: u128) -> Result<Value, ConvertError> {
        Ok(match i128::try_from(number) {
            Ok(number) => whole(number),
            Err(_) => Value::BigInt(BigInt::from(number)),
        })
    }

    fn serialize_f32(self, number: f32) -> Result<Value, ConvertError> {
        Ok(Value::from(number))
    }

    fn serialize_f64(self, number: f64) -> Result<Value, ConvertError> {
        Ok(Value::from(number))
    }

    fn serialize_char(self, character: char) -> Result<Value, ConvertError> {
        Ok(Value::from(character.to_string()))
    }

    fn serialize_str(self, text: &str) -> Result<Value, ConvertError> {
        Ok(Value::from(text))
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<Value, ConvertError> {
        Ok(Value::bytes(bytes))
    }

    fn serialize_none(self) -> Result<Value, ConvertError> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, some: &T) -> Result<Value, ConvertError> {
        some.serialize(self)
    }

    /// A tool that returns nothing returns `undefined`.
    fn serialize_unit(self) -> Result<Value, ConvertError> {
        Ok(Value::Undefined)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value, ConvertError> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
    ) -> Result<Value, ConvertError> {
        Ok(Value::from(name))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        inner: &T,
    ) -> Result<Value, ConvertError> {
        inner.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        inner: &T,
    ) -> Result<Value, ConvertError> {
        Ok(variant(name, to_value(inner)?))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items, ConvertError> {
        Ok(Items::default())
    }

    fn serialize_tuple(self, _: usize) -> Result<Items, ConvertError> {
        Ok(Items::default())
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items, ConvertError> {
        Ok(Items::default())
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Items, ConvertError> {
        Ok(Items {
            variant: Some(name),
            ..Items::default()
        })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Entries, ConvertError> {
        Ok(Entries::default())
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields, ConvertError> {
        Ok(Fields::default())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Fields, ConvertError> {
        Ok(Fields {
            variant: Some(name),
            ..Fields::default()
        })
    }
}

/// The elements of an array.
#[derive(Default)]
pub(super) struct Items {
    values: Vec<Value>,
    variant: Option<&'static str>,
}

impl Items {
    fn push<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), ConvertError> {
        self.values.push(to_value(item)?);
        Ok(())
    }

    fn finish(self) -> Value {
        let array = Value::Array(self.values);
        match self.variant {
            Some(name) => variant(name, array),
            None => array,
        }
    }
}

impl SerializeSeq for Items {
    type Ok = Value;
    type Error = ConvertError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), ConvertError> {
        self.push(item)
    }

    fn end(self) -> Result<Value, ConvertError> {
        Ok(self.finish())
    }
}

impl SerializeTuple for Items {
    type Ok = Value;
    type Error = ConvertError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), ConvertError> {
        self.push(item)
    }

    fn end(self) -> Result<Value, ConvertError> {
        Ok(self.finish())
    }
}

impl SerializeTupleStruct for Items {
    type Ok = Value;
    type Error = ConvertError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), ConvertError> {
        self.push(item)
    }

    fn end(self) -> Result<Value, ConvertError> {
        Ok(self.finish())
    }
}

impl SerializeTupleVariant for Items {
    type Ok = Value;
    type Error = ConvertError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), ConvertError> {
        self.push(item)
    }

    fn end(self) -> Result<Value, ConvertError> {
        Ok(self.finish())
    }
}

/// The entries of a map.
#[derive(Default)]
pub(super) struct Entries {
    entries: Vec<(Value, Value)>,
    key: Option<Value>,
}

impl SerializeMap for Entries {
    type Ok = Value;
    type Error = ConvertError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), ConvertError> {
        self.key = Some(to_value(key)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ConvertError> {
        let key = self.key.take();
        let key = key.ok_or_else(|| ConvertError::custom("an entry without a key"))?;
        self.entries.push((key, to_member(value)?));
        Ok(())
    }

    fn end(self) -> Result<Value, ConvertError> {
        Ok(map(self.entries))
    }
}

/// The fields of a struct.
#[derive(Default)]
pub(super) struct Fields {
    properties: Vec<(Text, Value)>,
    variant: Option<&'static str>,
}

impl Fields {
    fn push<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        field: &T,
    ) -> Result<(), ConvertError> {
        self.properties.push((name.into(), to_member(field)?));
        Ok(())
    }

    fn finish(self) -> Value {
        let object = Value::Object(self.properties);
        match self.variant {
            Some(name) => variant(name, object),
            None => object,
        }
    }
}

impl SerializeStruct for Fields {
    type Ok = Value;
    type Error = ConvertError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        field: &T,
    ) -> Result<(), ConvertError> {
        self.push(name, field)
    }

    fn end(self) -> Result<Value, ConvertError> {
        Ok(self.finish())
    }
}

impl SerializeStructVariant for Fields {
    type Ok = Value;
    type Error = ConvertError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        field: &T,
    ) -> Result<(), ConvertError> {
        self.push(name, field)
    }

    fn end(self) -> Result<Value, ConvertError> {
        Ok(self.finish())
    }
}
