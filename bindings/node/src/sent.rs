//! Values from Node that are read where there is time for it.

use hotcell_cell::{ToolError, Value};
use napi::bindgen_prelude::Utf16String;

use crate::{
    home::Weight,
    packed::{Malformed, Reader},
};

/// A value that Node sent.
pub(crate) enum Sent {
    /// It was small.
    Value(Value),
    /// It is not small, and is read on the pool.
    Pieces(Pieces),
}

impl Sent {
    /// The one value in the pieces, and how much work it makes.
    pub(crate) fn only(
        row: &[f64],
        text: Utf16String,
        bytes: &[u8],
    ) -> Result<(Self, Weight), Malformed> {
        let pieces = Borrowed { row, text, bytes };
        let weight = pieces.weight();
        let sent = match weight {
            Weight::Light => Self::Value(pieces.reader().only()?),
            Weight::Heavy => Self::Pieces(pieces.into_owned()),
        };
        Ok((sent, weight))
    }

    /// The value. Pieces that do not fit together are a failure of the tool that gave them, as whoever called it sees it.
    pub(crate) fn read(self) -> Result<Value, ToolError> {
        match self {
            Self::Value(value) => Ok(value),
            Self::Pieces(pieces) => pieces
                .reader()
                .only()
                .map_err(|error| ToolError::from(error.to_string())),
        }
    }
}

/// Pieces that are good for the call in which Node passes them.
pub(crate) struct Borrowed<'a> {
    pub(crate) row: &'a [f64],
    pub(crate) text: Utf16String,
    pub(crate) bytes: &'a [u8],
}

impl Borrowed<'_> {
    pub(crate) fn weight(&self) -> Weight {
        Weight::of_bytes(size_of_val(self.row) + size_of_val(&*self.text) + self.bytes.len())
    }

    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader::new(self.row, &self.text, self.bytes)
    }

    pub(crate) fn into_owned(self) -> Pieces {
        Pieces {
            row: self.row.to_vec(),
            text: self.text,
            bytes: self.bytes.to_vec(),
        }
    }
}

/// Pieces for later.
pub(crate) struct Pieces {
    row: Vec<f64>,
    text: Utf16String,
    bytes: Vec<u8>,
}

impl Pieces {
    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader::new(&self.row, &self.text, &self.bytes)
    }
}
