//! Names of properties as keys of Rust's maps, which may be numbers or truth values.

use std::borrow::Cow;

use ::serde::{
    Deserializer,
    de::{
        IntoDeserializer, Visitor,
        value::{BorrowedStrDeserializer, CowStrDeserializer},
    },
    forward_to_deserialize_any,
};

use super::ConvertError;

/// The name of a property.
pub(super) struct Key<'v>(pub(super) Cow<'v, str>);

/// Reads the name as what is asked for; a name that is none stays a text, which the visitor refuses in words of its own.
macro_rules! written {
    ($($method:ident: $kind:ty => $visit:ident,)*) => {
        $(
            fn $method<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, ConvertError> {
                match self.0.parse::<$kind>() {
                    Ok(key) => visitor.$visit(key),
                    Err(_) => self.deserialize_any(visitor),
                }
            }
        )*
    };
}

impl<'v> Deserializer<'v> for Key<'v> {
    type Error = ConvertError;

    fn deserialize_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, ConvertError> {
        match self.0 {
            Cow::Borrowed(key) => visitor.visit_borrowed_str(key),
            Cow::Owned(key) => visitor.visit_string(key),
        }
    }

    written! {
        deserialize_bool: bool => visit_bool,
        deserialize_i8: i8 => visit_i8,
        deserialize_i16: i16 => visit_i16,
        deserialize_i32: i32 => visit_i32,
        deserialize_i64: i64 => visit_i64,
        deserialize_i128: i128 => visit_i128,
        deserialize_u8: u8 => visit_u8,
        deserialize_u16: u16 => visit_u16,
        deserialize_u32: u32 => visit_u32,
        deserialize_u64: u64 => visit_u64,
        deserialize_u128: u128 => visit_u128,
    }

    fn deserialize_option<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, ConvertError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'v>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ConvertError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'v>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConvertError> {
        match self.0 {
            Cow::Borrowed(key) => {
                BorrowedStrDeserializer::new(key).deserialize_enum(name, variants, visitor)
            }
            key @ Cow::Owned(_) => {
                let key: CowStrDeserializer<'_, ConvertError> = key.into_deserializer();
                key.deserialize_enum(name, variants, visitor)
            }
        }
    }

    forward_to_deserialize_any! {
        <W: Visitor<'v>>
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
