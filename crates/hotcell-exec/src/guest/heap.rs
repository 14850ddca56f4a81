//! `_alloc`: memory of the guest, given out by the host.
//!
//! A pointer that moves upwards. It begins where the guest's static data ends (`__heap_base`), or, if the guest does not say,
//! behind the memory that it was made with; and memory grows when it gets there.

use wasmtime::{AsContextMut, Memory};

/// The size of a page of WebAssembly.
const PAGE: u64 = 64 << 10;

/// What the host has given out.
#[derive(Debug, Default)]
pub(super) struct Heap {
    /// The first byte that was not.
    top: Option<u64>,
}

impl Heap {
    /// Where it begins, if that was not said before.
    pub(super) fn begin(&mut self, base: impl FnOnce() -> u64) -> u64 {
        *self.top.get_or_insert_with(|| base().next_multiple_of(4))
    }

    pub(super) fn move_to(&mut self, top: u64) {
        self.top = Some(top);
    }
}

/// Makes sure that memory has `end` bytes; says whether it has.
pub(super) fn reserve(mut store: impl AsContextMut, memory: Memory, end: u64) -> bool {
    let size = memory.data_size(&store) as u64;
    match end.checked_sub(size) {
        None | Some(0) => true,
        Some(missing) => memory.grow(&mut store, missing.div_ceil(PAGE)).is_ok(),
    }
}
