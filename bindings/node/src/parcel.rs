//! Packed values that are too large for one turn of the event loop.
//!
//! Making a hundred thousand strings takes V8 a while, and so do as many objects. `lib/unpack.cjs` takes such values out of a
//! parcel step by step, and Node's loop turns in between.

use napi::{
    Env, Result,
    bindgen_prelude::{Array, Float64Array, Uint8Array, Uint32Array},
};
use napi_derive::napi;

use crate::{
    event::piece,
    packed::{Packed, Piece},
};

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
