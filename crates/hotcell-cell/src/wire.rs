//! The form in which values cross the wall. The guest has the same table in `guest/c/wire.c`, with the layout of each.

mod decode;
mod encode;
mod pass;
mod reader;
mod text;

use hotcell_meter::Watch;

use crate::value::Value;

pub(crate) use encode::{put_number, put_text_bytes, put_value};
pub use reader::WireError;
pub(crate) use reader::{Budget, Reader};

#[doc(hidden)]
pub use fuzzing::{decode_for_fuzzing, encode_for_fuzzing};

impl Value {
    /// The value as it crosses walls: for one that is on its way to another process of the same build.
    pub fn to_wire(&self) -> Result<Vec<u8>, WireError> {
        let mut out = Vec::new();
        put_value(&mut out, self)?;
        Ok(out)
    }

    /// The value that [`Value::to_wire`] made these bytes of. They may be anything: a value of more than `most` bytes of memory is
    /// refused, and it is read in the time of what `watch` watches.
    pub fn from_wire(bytes: &[u8], most: usize, watch: &dyn Watch) -> Result<Self, WireError> {
        let mut reader = Reader::watched(bytes, Budget::bytes(most), watch);
        let value = reader.value()?;
        reader.finish()?;
        Ok(value)
    }
}

/// Bytes that are copied in the time of one unit of a [`hotcell_meter::Pace`].
const COPIED_PER_UNIT: usize = 8;

/// Nesting beyond this is an error on both sides. Code that walks a value may therefore recurse.
pub const MAX_DEPTH: u32 = 1000;

macro_rules! tags {
    ($($name:ident = $tag:literal,)*) => {
        $(pub(super) const $name: u8 = $tag;)*

        /// All of them, to be compared with the guest's.
        #[cfg(test)]
        pub(super) const ALL: &[(&str, u8)] = &[$((stringify!($name), $tag)),*];
    };
}

mod tag {
    tags! {
        UNDEFINED = 0,
        NULL = 1,
        FALSE = 2,
        TRUE = 3,
        INTEGER = 4,
        DOUBLE = 5,
        BIGINT = 6,
        LATIN1 = 7,
        UTF16 = 8,
        UTF8 = 9,
        OBJECT = 10,
        ARRAY = 11,
        HOLES = 12,
        DATE = 13,
        REGEXP = 14,
        MAP = 15,
        SET = 16,
        BUFFER = 17,
        VIEW = 18,
        ERROR = 19,
        BOXED = 20,
        REFERENCE = 21,
        END = 22,
    }
}

/// The tags by name.
#[cfg(test)]
pub(crate) const TAGS: &[(&str, u8)] = tag::ALL;

/// The codec without a cell, for the fuzz targets.
mod fuzzing {
    use super::{Budget, Reader, WireError, put_value};
    use crate::Value;

    /// Decodes one value that must take up all of `bytes`.
    pub fn decode_for_fuzzing(bytes: &[u8]) -> Result<Value, WireError> {
        let mut reader = Reader::new(bytes, Budget::default());
        let value = reader.value()?;
        reader.finish()?;
        Ok(value)
    }

    /// The message for `value`.
    pub fn encode_for_fuzzing(value: &Value) -> Result<Vec<u8>, WireError> {
        let mut out = Vec::new();
        put_value(&mut out, value)?;
        Ok(out)
    }
}
