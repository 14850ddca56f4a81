//! Events that wait to be read.

use std::{
    collections::VecDeque,
    io::{Read as _, Write as _},
};

use hotcell_hopper::{Encode as _, event::Event};

/// Events as bytes. What bounds it is with whoever pushes: see the module `hub`.
#[derive(Default)]
pub(super) struct Queue {
    bytes: VecDeque<u8>,
    /// Where an event is put together.
    scratch: Vec<u8>,
}

impl Queue {
    pub(super) fn push(&mut self, event: &Event<'_>) {
        self.scratch.clear();
        // A vector takes everything that has a length; nothing here is 4 GiB long.
        if event.encode(&mut self.scratch).is_ok() {
            let _ = self.bytes.write_all(&self.scratch);
        }
        if self.scratch.capacity() > 4096 {
            self.scratch = Vec::new();
        }
    }

    pub(super) fn read(&mut self, buf: &mut [u8]) -> usize {
        // Reading from a deque does not fail.
        self.bytes.read(buf).unwrap_or(0)
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}
