//! Values from Node that are read where there is time for it.

use std::borrow::Cow;

use hotcell::cell::{BigInt, ToolError, Value};
use hotcell::meter::Charge;
use napi::{
    Result,
    bindgen_prelude::{BigInt as Words, Utf16String},
};

use crate::{
    fault::bug,
    main_thread::Weight,
    packed::{Malformed, Reader},
};

/// As a function, because a method of one lifetime does not fit where one of any is asked for.
fn only(reader: Reader<'_>) -> std::result::Result<Value, Malformed> {
    reader.only()
}

/// A value that Node sent.
pub(crate) enum Sent {
    /// It was small.
    Value(Value),
    /// It is not small, and is read on the pool.
    Pieces(Pieces),
}

impl Sent {
    /// The one value in the pieces, and how much work it makes.
    pub(crate) fn only(pieces: Borrowed<'_>) -> Result<(Self, Weight)> {
        let weight = pieces.weight();
        let sent = match weight {
            Weight::Light => Self::Value(pieces.read(only).map_err(bug)?),
            Weight::Heavy => Self::Pieces(pieces.into_owned()),
        };
        Ok((sent, weight))
    }

    /// The value. Pieces that do not fit together are a failure of the tool that gave them, as whoever called it sees it.
    pub(crate) fn read(self) -> std::result::Result<Value, ToolError> {
        match self {
            Self::Value(value) => Ok(value),
            Self::Pieces(pieces) => pieces
                .read(only)
                .map_err(|error| ToolError::from(error.to_string())),
        }
    }
}

/// What came of a call of a function of Node's, on its way to who called it.
pub(crate) struct Answer {
    result: std::result::Result<Sent, ToolError>,
    /// What it takes meanwhile. Where it is read it is charged anew, as what it is then.
    charge: Option<Charge>,
}

impl Answer {
    pub(crate) fn new(result: std::result::Result<Sent, ToolError>) -> Self {
        Self {
            result,
            charge: None,
        }
    }

    /// The same with what pays for it. If that is too little, the answer is that there is no room for it.
    pub(crate) fn paid(mut self, room: Option<Charge>) -> Self {
        let Some(mut room) = room else {
            return self;
        };
        match room.grow(self.size()) {
            Ok(()) => self.charge = Some(room),
            Err(over) => {
                let message = format!("the answer of the tool cannot be kept: {over}");
                self.result = Err(ToolError::new("RangeError", message));
            }
        }
        self
    }

    fn size(&self) -> usize {
        match &self.result {
            Ok(Sent::Value(value)) => value.heap_size(),
            Ok(Sent::Pieces(pieces)) => pieces.size(),
            Err(error) => error.heap_size(),
        }
    }

    /// The value, or why there is none.
    pub(crate) fn read(self) -> std::result::Result<Value, ToolError> {
        let Self { result, charge } = self;
        let value = result.and_then(Sent::read);
        drop(charge);
        value
    }
}

/// Pieces that are good for the call in which Node passes them.
pub(crate) struct Borrowed<'a> {
    pub(crate) row: &'a [f64],
    pub(crate) text: Utf16String,
    pub(crate) bytes: &'a [u8],
    /// Large numbers, which the row does not write down.
    pub(crate) bigints: Option<Vec<Words>>,
}

impl Borrowed<'_> {
    pub(crate) fn weight(&self) -> Weight {
        if self.bigints.is_some() {
            return Weight::Heavy;
        }
        Weight::of_bytes(size_of_val(self.row) + size_of_val(&*self.text) + self.bytes.len())
    }

    /// Reads them at once.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(Reader<'_>) -> std::result::Result<T, Malformed>,
    ) -> std::result::Result<T, Malformed> {
        read(Reader::new(self.row, &self.text, self.bytes, &[]))
    }

    pub(crate) fn into_owned(self) -> Pieces {
        Pieces {
            row: self.row.to_vec(),
            text: Kept::new(self.text),
            bytes: self.bytes.to_vec(),
            bigints: self.bigints.unwrap_or_default(),
        }
    }
}

/// Pieces for later.
pub(crate) struct Pieces {
    row: Vec<f64>,
    text: Kept,
    bytes: Vec<u8>,
    bigints: Vec<Words>,
}

impl Pieces {
    fn size(&self) -> usize {
        let bigints = self.bigints.iter().map(|one| size_of_val(&*one.words));
        size_of_val(&*self.row) + self.text.size() + self.bytes.len() + bigints.sum::<usize>()
    }

    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(Reader<'_>) -> std::result::Result<T, Malformed>,
    ) -> std::result::Result<T, Malformed> {
        let bigints: Vec<BigInt> = self.bigints.iter().map(number).collect();
        let text = self.text.units();
        read(Reader::new(&self.row, &text, &self.bytes, &bigints))
    }
}

/// A text that may have to wait for a while: code that computes takes no answers, and many may be there when it does.
enum Kept {
    Narrow(Vec<u8>),
    Wide(Utf16String),
}

impl Kept {
    fn new(text: Utf16String) -> Self {
        if text.iter().any(|&unit| unit > 0xff) {
            return Self::Wide(text);
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "they were all just found to fit"
        )]
        let narrow = text.iter().map(|&unit| unit as u8).collect();
        Self::Narrow(narrow)
    }

    fn size(&self) -> usize {
        match self {
            Self::Narrow(bytes) => bytes.len(),
            Self::Wide(text) => size_of_val(&**text),
        }
    }

    fn units(&self) -> Cow<'_, [u16]> {
        match self {
            Self::Narrow(bytes) => bytes.iter().map(|&byte| u16::from(byte)).collect(),
            Self::Wide(text) => Cow::Borrowed(text),
        }
    }
}

fn number(words: &Words) -> BigInt {
    let mut bytes: Vec<u8> = words
        .words
        .iter()
        .copied()
        .flat_map(u64::to_le_bytes)
        .collect();
    // The sign stands apart, so the highest bit is none.
    bytes.push(0);
    let number = BigInt::from_signed_bytes_le(&bytes);
    if words.sign_bit { -number } else { number }
}
