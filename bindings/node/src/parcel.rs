//! Packed values on their way into Node, at once or in steps.
//!
//! Making a hundred thousand strings takes V8 a while, and so do as many objects. `lib/unpack.cjs` takes such values out of a
//! parcel step by step, and Node's loop turns in between.

use hotcell::cell::Text;
use napi::{
    Env, Result,
    bindgen_prelude::{
        Array, BigInt, Float64Array, Float64ArraySlice, Uint8Array, Uint8ArraySlice, Uint32Array,
    },
};
use napi_derive::napi;

use crate::packed::{Packed, Piece};

/// How many strings one step makes, and of how many bytes. One string is made at once, however long it is.
const STRINGS: usize = 1 << 10;
const STRING_BYTES: usize = 256 << 10;

/// Values on their way into Node.
#[napi]
pub struct Parcel {
    packed: Packed,
    strings: std::vec::IntoIter<Piece>,
}

impl Parcel {
    pub(crate) fn new(mut packed: Packed) -> Self {
        let strings = std::mem::take(&mut packed.strings).into_iter();
        Self { packed, strings }
    }
}

#[napi]
impl Parcel {
    /// How many values there are.
    #[napi(getter)]
    pub fn count(&self) -> u32 {
        self.packed.count
    }

    /// The row of numbers, once.
    #[napi]
    pub fn row(&mut self) -> Float64Array {
        std::mem::take(&mut self.packed.row).into()
    }

    /// The bytes, once.
    #[napi]
    pub fn bytes(&mut self) -> Uint8Array {
        std::mem::take(&mut self.packed.bytes).into()
    }

    /// Where in the row something begins that is to be made in steps.
    #[napi]
    pub fn large(&mut self) -> Uint32Array {
        std::mem::take(&mut self.packed.large).into()
    }

    /// The next strings of the table; none if that were all.
    #[napi]
    pub fn strings<'env>(&mut self, env: &'env Env) -> Result<Array<'env>> {
        let mut strings = env.create_array(0)?;
        let mut bytes = 0;
        for (index, one) in (0..).zip(self.strings.by_ref().take(STRINGS)) {
            bytes += one.size();
            piece(env, &mut strings, index, &one)?;
            if bytes > STRING_BYTES {
                break;
            }
        }
        Ok(strings)
    }
}

/// Packed values for `lib/unpack.cjs`: a parcel, or pieces.
pub(crate) fn values<'env>(env: &'env Env, row: &mut Array<'env>, packed: Packed) -> Result<()> {
    if packed.is_large() {
        return row.insert(Parcel::new(packed));
    }
    let length = u32::try_from(packed.strings.len()).unwrap_or(u32::MAX);
    let mut strings = env.create_array(length)?;
    for (index, one) in (0..length).zip(&packed.strings) {
        piece(env, &mut strings, index, one)?;
    }
    let mut all = env.create_array(3)?;
    all.set(0, packed.count)?;
    all.set(1, Float64ArraySlice::copy_from(env, &packed.row)?)?;
    all.set(2, strings)?;
    if !packed.bytes.is_empty() {
        all.set(3, Uint8ArraySlice::copy_from(env, &packed.bytes)?)?;
    }
    row.insert(all)
}

/// Puts a piece into the table of strings.
fn piece(env: &Env, strings: &mut Array<'_>, index: u32, piece: &Piece) -> Result<()> {
    match piece {
        Piece::Text(text) => string(env, strings, index, text),
        Piece::Latin1(bytes) => strings.set(index, env.create_string_latin1(bytes)?),
        Piece::Utf16(units) => strings.set(index, env.create_string_utf16(units)?),
        Piece::BigInt(number) => {
            let (_, words) = number.to_u64_digits();
            let sign_bit = *number < hotcell::cell::BigInt::ZERO;
            strings.set(index, BigInt { sign_bit, words })
        }
    }
}

fn string(env: &Env, strings: &mut Array<'_>, index: u32, text: &Text) -> Result<()> {
    match text.as_str() {
        // V8 copies Latin-1 as it is, and need not look at it first.
        Some(text) if text.is_ascii() => strings.set(index, env.create_string_latin1(text)?),
        Some(text) => strings.set(index, text),
        None => strings.set(index, env.create_string_utf16(text.to_utf16())?),
    }
}
