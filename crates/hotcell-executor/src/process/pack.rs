//! Bytes that an executor's two halves send each other beside their JSON: fields one after the other, without names.
//!
//! What comes from the worker may be anything. Whoever reads gets slices of the bytes that are there, values within a budget, and
//! an error for everything else.

use hotcell_cell::{Value, WireError};
use hotcell_meter::Watch;
use serde::{Serialize, de::DeserializeOwned};

/// The longest JSON that is read of the other side.
const MOST_JSON: usize = 8 << 20;

/// These bytes are none of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a message that cannot be read")]
pub(super) struct Malformed;

impl From<WireError> for Malformed {
    fn from(_: WireError) -> Self {
        Self
    }
}

/// Writes fields.
#[derive(Default)]
pub(super) struct Packer(Vec<u8>);

impl Packer {
    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }

    pub(super) fn length(&self) -> usize {
        self.0.len()
    }

    /// Takes back what was written after so many bytes.
    pub(super) fn truncate(&mut self, length: usize) {
        self.0.truncate(length);
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(super) fn flag(&mut self, flag: bool) {
        self.byte(u8::from(flag));
    }

    pub(super) fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    /// What goes on to the end.
    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.raw(bytes);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// What cannot be written as JSON, which nothing of ours is, becomes `null`.
    pub(super) fn json(&mut self, json: &impl Serialize) {
        let text = serde_json::to_vec(json).unwrap_or_else(|_| b"null".to_vec());
        self.bytes(&text);
    }

    pub(super) fn value(&mut self, value: &Value) -> Result<(), WireError> {
        let bytes = value.to_wire()?;
        self.bytes(&bytes);
        Ok(())
    }

    pub(super) fn values(&mut self, values: &[Value]) -> Result<(), WireError> {
        self.count(values.len());
        values.iter().try_for_each(|value| self.value(value))
    }
}

/// Reads them.
pub(super) struct Unpacker<'a> {
    rest: &'a [u8],
    /// How much memory values may still take.
    budget: usize,
    watch: &'a dyn Watch,
}

impl<'a> Unpacker<'a> {
    pub(super) fn new(bytes: &'a [u8], budget: usize, watch: &'a dyn Watch) -> Self {
        Self {
            rest: bytes,
            budget,
            watch,
        }
    }

    /// Everything must have been read.
    pub(super) fn finish(&self) -> Result<(), Malformed> {
        self.rest.is_empty().then_some(()).ok_or(Malformed)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Malformed)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Malformed> {
        self.take(1)?.first().copied().ok_or(Malformed)
    }

    pub(super) fn flag(&mut self) -> Result<bool, Malformed> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed),
        }
    }

    pub(super) fn number(&mut self) -> Result<u64, Malformed> {
        let (number, rest) = self.rest.split_first_chunk().ok_or(Malformed)?;
        self.rest = rest;
        Ok(u64::from_le_bytes(*number))
    }

    /// How many of something follow, each of which takes a byte at least: so the number can be believed.
    pub(super) fn count(&mut self) -> Result<usize, Malformed> {
        let count = usize::try_from(self.number()?).map_err(|_| Malformed)?;
        (count <= self.rest.len()).then_some(count).ok_or(Malformed)
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = self.count()?;
        self.take(length)
    }

    pub(super) fn text(&mut self) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Malformed)
    }

    pub(super) fn json<T: DeserializeOwned>(&mut self) -> Result<T, Malformed> {
        let text = self.bytes()?;
        if text.len() > MOST_JSON {
            return Err(Malformed);
        }
        serde_json::from_slice(text).map_err(|_| Malformed)
    }

    pub(super) fn value(&mut self) -> Result<Value, Malformed> {
        let value = Value::from_wire(self.bytes()?, self.budget, self.watch)?;
        self.budget = self.budget.saturating_sub(value.heap_size());
        Ok(value)
    }

    pub(super) fn values(&mut self) -> Result<Vec<Value>, Malformed> {
        let count = self.count()?;
        let mut values = Vec::new();
        for _ in 0..count {
            self.budget = self
                .budget
                .checked_sub(size_of::<Value>())
                .ok_or(Malformed)?;
            values.push(self.value()?);
        }
        Ok(values)
    }

    /// The fields of several of something.
    pub(super) fn several<T>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let count = self.count()?;
        let mut all = Vec::new();
        for _ in 0..count {
            all.push(one(self)?);
        }
        Ok(all)
    }
}
