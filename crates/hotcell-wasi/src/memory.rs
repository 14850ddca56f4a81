//! The memory of a program, as its host functions reach it.
//!
//! Every address and length comes from the program and may be anything. All accesses go through here, and what does not lie
//! inside is `EFAULT`. Nothing is allocated by a length that was not checked first.

use std::ops::Range;

use wasmtime::Caller;

use crate::{abi::Errno, ending::Fault, guest::Guest};

/// What a program may pass as one list of buffers, as on Linux (`IOV_MAX`).
const MAX_BUFFERS: u32 = 1024;

/// The bytes of a program.
pub(crate) struct Memory<'a>(&'a mut [u8]);

impl Memory<'_> {
    pub(crate) fn bytes(&self, at: u32, length: u32) -> Result<&[u8], Errno> {
        self.0.get(range(at, length)).ok_or(Errno::Fault)
    }

    pub(crate) fn bytes_mut(&mut self, at: u32, length: u32) -> Result<&mut [u8], Errno> {
        self.0.get_mut(range(at, length)).ok_or(Errno::Fault)
    }

    /// Says whether that many bytes could be written, for who must not fail once something has happened.
    pub(crate) fn check(&self, at: u32, length: u32) -> Result<(), Errno> {
        self.bytes(at, length).map(|_| ())
    }

    pub(crate) fn write(&mut self, at: u32, bytes: &[u8]) -> Result<(), Errno> {
        let length = u32::try_from(bytes.len()).map_err(|_| Errno::Fault)?;
        self.bytes_mut(at, length)?.copy_from_slice(bytes);
        Ok(())
    }

    pub(crate) fn write_u32(&mut self, at: u32, value: u32) -> Result<(), Errno> {
        self.write(at, &value.to_le_bytes())
    }

    pub(crate) fn write_u64(&mut self, at: u32, value: u64) -> Result<(), Errno> {
        self.write(at, &value.to_le_bytes())
    }

    /// A length that fits, because what it is the length of lies in this memory.
    pub(crate) fn write_size(&mut self, at: u32, value: usize) -> Result<(), Errno> {
        self.write_u32(at, u32::try_from(value).map_err(|_| Errno::Overflow)?)
    }

    /// The buffers that a list of addresses and lengths names. All lie inside.
    pub(crate) fn buffers(&self, at: u32, count: u32) -> Result<Vec<Buffer>, Errno> {
        if count > MAX_BUFFERS {
            return Err(Errno::Inval);
        }
        let list = self.bytes(at, count * 8)?;
        let word = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_le_bytes);
        let mut total = 0_u32;
        let mut buffers = Vec::with_capacity(count as usize);
        for entry in list.chunks_exact(8) {
            let (at, length) = entry.split_at(4);
            let buffer = Buffer {
                at: word(at),
                length: word(length),
            };
            self.check(buffer.at, buffer.length)?;
            // What is read or written is told in 32 bits.
            total = total.checked_add(buffer.length).ok_or(Errno::Inval)?;
            buffers.push(buffer);
        }
        buffers.retain(|buffer| buffer.length > 0);
        Ok(buffers)
    }
}

/// A part of the memory that was checked to be one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Buffer {
    pub(crate) at: u32,
    pub(crate) length: u32,
}

impl Buffer {
    /// Without its first bytes.
    pub(crate) fn after(self, count: u32) -> Self {
        Self {
            at: self.at.saturating_add(count),
            length: self.length.saturating_sub(count),
        }
    }

    /// Its first bytes, if it has more.
    pub(crate) fn first(self, most: u32) -> Self {
        Self {
            length: self.length.min(most),
            ..self
        }
    }
}

fn range(at: u32, length: u32) -> Range<usize> {
    // Both fit twice over: addresses here have 64 bits.
    at as usize..at as usize + length as usize
}

/// A call of a host function: who called, and its memory.
pub(crate) struct Call<'a> {
    caller: Caller<'a, Guest>,
    memory: wasmtime::Memory,
}

impl<'a> Call<'a> {
    pub(crate) fn new(mut caller: Caller<'a, Guest>) -> Result<Self, Fault> {
        let memory = match caller.data().memory {
            Some(memory) => memory,
            // A function that runs before the program has begun. There is nothing to answer into without a memory.
            None => caller
                .get_export("memory")
                .and_then(wasmtime::Extern::into_memory)
                .ok_or(Errno::Fault)?,
        };
        caller.data_mut().memory = Some(memory);
        Ok(Self { caller, memory })
    }

    /// The state of the program, and its memory.
    pub(crate) fn parts(&mut self) -> (&mut Guest, Memory<'_>) {
        let (bytes, guest) = self.memory.data_and_store_mut(&mut self.caller);
        (guest, Memory(bytes))
    }
}
