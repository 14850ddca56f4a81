//! Where cells live: memory and stacks.
//!
//! Both are reserved when a cell first needs them and kept for the next one when it is gone, so that a process pays for as
//! many as it has ever had at once, and a new cell mostly finds everything in place.

mod dirty;
mod slot;
mod stack;

use std::sync::{Arc, Mutex, PoisonError};

use hotcell_image::FreshMemory;
use wasmtime::{LinearMemory, MemoryCreator, MemoryType, StackCreator, StackMemory};

use crate::guest::place::INITIAL_MEMORY;
use dirty::PageMap;
use slot::Slot;
use stack::Stack;

/// How many slots and stacks are kept when no cell uses them.
const KEPT: usize = 128;

pub(crate) struct Room {
    pub(crate) fresh: FreshMemory,
    /// How much of a slot's memory stays when it is reset.
    keep_resident: usize,
    page_map: Option<PageMap>,
    slots: Mutex<Vec<Slot>>,
    stacks: Mutex<Vec<Stack>>,
}

impl Room {
    pub(crate) fn new(fresh: FreshMemory, keep_resident: usize) -> Arc<Self> {
        Arc::new(Self {
            fresh,
            keep_resident,
            page_map: PageMap::open(),
            slots: Mutex::default(),
            stacks: Mutex::default(),
        })
    }
}

/// What Wasmtime asks for memory and stacks.
pub(crate) struct Landlord(pub(crate) Arc<Room>);

// SAFETY: what is returned has exactly `minimum` bytes that can be read and written, and the rest of reservation and guard
// cannot be accessed at all (`Slot`). It is not zero as Wasmtime wants it but has what the image says, which is what the
// module would have filled it with: memory belongs to the module from its first instruction on.
unsafe impl MemoryCreator for Landlord {
    fn new_memory(
        &self,
        _: MemoryType,
        minimum: usize,
        _: Option<usize>,
        reserved: Option<usize>,
        guard: usize,
    ) -> Result<Box<dyn LinearMemory>, String> {
        let reserved = reserved
            .filter(|_| minimum == INITIAL_MEMORY)
            .ok_or("it does not fit the image")?;
        let kept = lock(&self.0.slots).pop();
        let slot = match kept.filter(|slot| slot.is_like(minimum, reserved, guard)) {
            Some(slot) => slot,
            None => Slot::new(&self.0.fresh, minimum, reserved, guard)
                .map_err(|error| format!("no address space for its memory: {error}"))?,
        };
        Ok(Box::new(LetSlot {
            slot: Some(slot),
            room: Arc::clone(&self.0),
        }))
    }
}

/// A slot while a cell has it.
struct LetSlot {
    /// `None` only while it is dropped.
    slot: Option<Slot>,
    room: Arc<Room>,
}

// SAFETY: the slot is this cell's alone until it is dropped; see `Slot` for what its numbers mean.
unsafe impl LinearMemory for LetSlot {
    fn byte_size(&self) -> usize {
        self.slot.as_ref().map_or(0, Slot::size)
    }

    fn byte_capacity(&self) -> usize {
        self.slot.as_ref().map_or(0, Slot::capacity)
    }

    fn grow_to(&mut self, new_size: usize) -> wasmtime::Result<()> {
        if let Some(slot) = &mut self.slot {
            slot.grow_to(new_size)?;
        }
        Ok(())
    }

    fn as_ptr(&self) -> *mut u8 {
        self.slot
            .as_ref()
            .map_or(std::ptr::dangling_mut(), Slot::base)
    }
}

impl Drop for LetSlot {
    fn drop(&mut self) {
        let Some(mut slot) = self.slot.take() else {
            return;
        };
        let room = &self.room;
        if lock(&room.slots).len() >= KEPT {
            return;
        }
        // One that cannot be made as new is given up instead.
        if slot
            .reset(&room.fresh, room.page_map.as_ref(), room.keep_resident)
            .is_ok()
        {
            lock(&room.slots).push(slot);
        }
    }
}

// SAFETY: `Stack` is aligned, guarded and as large as asked for. Kept stacks are not wiped: guest code cannot read the
// machine's stack, and `zeroed`, a further defence, is not configured.
unsafe impl StackCreator for Landlord {
    fn new_stack(&self, size: usize, _zeroed: bool) -> wasmtime::Result<Box<dyn StackMemory>> {
        let kept = lock(&self.0.stacks).pop();
        let stack = match kept.filter(|stack| stack.size() == size) {
            Some(stack) => stack,
            None => Stack::new(size)?,
        };
        Ok(Box::new(LetStack {
            stack: Some(stack),
            room: Arc::clone(&self.0),
        }))
    }
}

/// A stack while a cell has it.
struct LetStack {
    /// `None` only while it is dropped.
    stack: Option<Stack>,
    room: Arc<Room>,
}

// SAFETY: the stack is this cell's alone until it is dropped; see `Stack` for what its numbers mean.
unsafe impl StackMemory for LetStack {
    fn top(&self) -> *mut u8 {
        self.stack
            .as_ref()
            .map_or(std::ptr::null_mut(), |stack| stack.range().end)
    }

    fn range(&self) -> std::ops::Range<usize> {
        self.stack.as_ref().map_or(0..0, |stack| {
            let range = stack.range();
            range.start.addr()..range.end.addr()
        })
    }

    fn guard_range(&self) -> std::ops::Range<*mut u8> {
        self.stack
            .as_ref()
            .map_or(std::ptr::null_mut()..std::ptr::null_mut(), Stack::guard)
    }
}

impl Drop for LetStack {
    fn drop(&mut self) {
        let Some(stack) = self.stack.take() else {
            return;
        };
        if stack.release_depths().is_err() {
            return;
        }
        let mut stacks = lock(&self.room.stacks);
        if stacks.len() < KEPT {
            stacks.push(stack);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
