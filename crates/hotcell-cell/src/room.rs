//! Where cells live: memory and stacks.
//!
//! Both are reserved when a cell first needs them and kept for the next one when it is gone, so that a process pays for as
//! many as it has ever had at once, and a new cell mostly finds everything in place.

mod dirty;
mod slot;
mod stack;

use std::{
    cell::RefCell,
    sync::{Arc, Mutex, MutexGuard, TryLockError, Weak},
};

use hotcell_image::FreshMemory;
use wasmtime::{LinearMemory, MemoryCreator, MemoryType, StackCreator, StackMemory};

use crate::guest::place::{INITIAL_MEMORY, STACK_TOP};
use dirty::PageMap;
use slot::Slot;
use stack::Stack;

pub(crate) use stack::KEPT as KEPT_STACK;

/// How many slots and stacks are kept when no cell uses them.
const KEPT: usize = 128;

/// How many slots may wait as their cells left them. Making them as new is left to whoever needs one next: a run that was
/// killed should not be reported later because of it.
const DIRTY: usize = 8;

pub(crate) struct Room {
    pub(crate) fresh: FreshMemory,
    /// How much of a slot's memory stays when it is reset.
    keep_resident: usize,
    page_map: Option<PageMap>,
    /// All as new.
    slots: Mutex<Vec<Slot>>,
    /// As their cells left them, but small.
    dirty: Mutex<Vec<Slot>>,
    stacks: Mutex<Vec<Stack>>,
}

impl Room {
    pub(crate) fn new(fresh: FreshMemory, keep_resident: usize) -> Arc<Self> {
        Arc::new(Self {
            fresh,
            keep_resident,
            page_map: PageMap::open(),
            slots: Mutex::default(),
            dirty: Mutex::default(),
            stacks: Mutex::default(),
        })
    }

    /// A slot that is as new.
    fn take(&self) -> Option<Slot> {
        let clean = pop(&self.slots);
        clean.or_else(|| {
            let mut slot = pop(&self.dirty)?;
            self.reset(&mut slot).then_some(slot)
        })
    }

    fn give_back(&self, slot: Slot) {
        let is_small = slot.has_grown_by() <= self.keep_resident;
        let refused = if is_small {
            push(&self.dirty, DIRTY, slot)
        } else {
            Some(slot)
        };
        let Some(mut slot) = refused else { return };
        let is_wanted = lock(&self.slots).is_some_and(|slots| slots.len() < KEPT);
        if is_wanted && self.reset(&mut slot) {
            drop(push(&self.slots, KEPT, slot));
        }
    }

    /// Makes a slot as new. One for which this fails must be given up.
    fn reset(&self, slot: &mut Slot) -> bool {
        slot.reset(&self.fresh, self.page_map.as_ref(), self.keep_resident)
            .is_ok()
    }
}

/// Whether the system tells which pages a cell has written to.
pub(crate) fn knows_written_pages() -> bool {
    PageMap::open().is_some()
}

/// What Wasmtime asks for memory and stacks.
pub(crate) struct RoomAllocator(pub(crate) Arc<Room>);

// SAFETY: what is returned has exactly `minimum` bytes that can be read and written, and the rest of reservation and guard
// cannot be accessed at all (`Slot`). It is not zero as Wasmtime wants it but has what the image says, which is what the
// module would have filled it with: memory belongs to the module from its first instruction on.
unsafe impl MemoryCreator for RoomAllocator {
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
        let slot = match self
            .0
            .take()
            .filter(|slot| slot.is_like(minimum, reserved, guard))
        {
            Some(slot) => slot,
            None => Slot::new(&self.0.fresh, minimum, reserved, guard)
                .map_err(|error| format!("no address space for its memory: {error}"))?,
        };
        Ok(Box::new(SlotMemory {
            slot: Some(slot),
            room: Arc::clone(&self.0),
        }))
    }
}

/// A slot while a cell has it.
struct SlotMemory {
    /// `None` only while it is dropped.
    slot: Option<Slot>,
    room: Arc<Room>,
}

// SAFETY: the slot is this cell's alone until it is dropped; see `Slot` for what its numbers mean.
unsafe impl LinearMemory for SlotMemory {
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

impl Drop for SlotMemory {
    fn drop(&mut self) {
        if let Some(slot) = self.slot.take() {
            self.room.give_back(slot);
        }
    }
}

// SAFETY: `Stack` is aligned, guarded and as large as asked for. Kept stacks are not wiped: guest code cannot read the
// machine's stack, and `zeroed`, a further defence, is not configured.
unsafe impl StackCreator for RoomAllocator {
    fn new_stack(&self, size: usize, _zeroed: bool) -> wasmtime::Result<Box<dyn StackMemory>> {
        let kept = pop(&self.0.stacks);
        let stack = match kept.filter(|stack| stack.size() == size) {
            Some(stack) => stack,
            None => Stack::new(size)?,
        };
        let stack = Arc::new(stack);
        LAST_STACK.set(Some(StackLease(Arc::downgrade(&stack))));
        Ok(Box::new(LetStack {
            stack: Some(stack),
            room: Arc::clone(&self.0),
        }))
    }
}

thread_local! {
    /// The stack that Wasmtime asked for in the work that [`StackLease::made_in`] is about. It keeps it with the store that it
    /// asked for, and tells nobody.
    static LAST_STACK: RefCell<Option<StackLease>> = const { RefCell::new(None) };
}

/// The stack of a cell, as long as the cell has it.
pub(crate) struct StackLease(Weak<Stack>);

impl StackLease {
    /// Does `work` of one store, and tells the stack that was made for it, if one was. Work of other stores that this includes
    /// (a tool may run cells) is asked about in the same way, so that no stack is taken for another store's.
    pub(crate) fn made_in<T>(work: impl FnOnce() -> T) -> (T, Option<Self>) {
        let before = LAST_STACK.take();
        let done = work();
        (done, LAST_STACK.replace(before))
    }

    /// Gives what only deep recursion uses back to the system.
    ///
    /// # Safety
    ///
    /// No frame may be left on this stack: the cell is at rest.
    pub(crate) unsafe fn release_depths(&self) {
        if let Some(stack) = self.0.upgrade() {
            // SAFETY: as the caller promises. It is the stack of that cell still: a stack that goes back to the room becomes
            // another `Arc`. If the system refuses, it stays as it is.
            let _ = unsafe { stack.release_depths() };
        }
    }
}

/// A stack while a cell has it.
struct LetStack {
    /// `None` only while it is dropped.
    stack: Option<Arc<Stack>>,
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
            .map_or(std::ptr::null_mut()..std::ptr::null_mut(), |stack| {
                stack.guard()
            })
    }
}

impl Drop for LetStack {
    fn drop(&mut self) {
        // A lease that is being used, on another thread, would keep it from being used again; it never is.
        let Some(stack) = self.stack.take().and_then(Arc::into_inner) else {
            return;
        };
        // SAFETY: whoever drops a stack has left it.
        if unsafe { stack.release_depths() }.is_ok() {
            drop(push(&self.room.stacks, KEPT, stack));
        }
    }
}

/// Gives back the pages of a cell's own stack, which is the beginning of its memory, but for those that every run uses.
///
/// # Safety
///
/// `base` must be the memory of a cell of a [`Room`], and no guest frame may be live in it.
pub(crate) unsafe fn release_guest_stack(base: *mut u8) {
    let depths = STACK_TOP.saturating_sub(KEPT_STACK);
    if depths > 0 {
        // SAFETY: every cell's memory is larger than that, and what is there is of use to nobody as the caller promises. If
        // the system refuses, it stays as it is.
        let _ = unsafe { forget(base, depths) };
    }
}

/// Gives pages back to the system. What is read there next is what was mapped: zero, or a file.
///
/// # Safety
///
/// The pages must be mapped, and what is in them of use to nobody.
#[cfg(target_os = "linux")]
unsafe fn forget(start: *mut u8, length: usize) -> std::io::Result<()> {
    // SAFETY: as the caller promises.
    unsafe { rustix::mm::madvise(start.cast(), length, rustix::mm::Advice::LinuxDontNeed) }?;
    Ok(())
}

/// Other systems may only take it as advice, so that nothing is kept there.
#[cfg(not(target_os = "linux"))]
unsafe fn forget(_: *mut u8, _: usize) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// How often a lock is tried that somebody has. It is held for a push or a pop.
const TRIES: u32 = 1000;

/// `None` if somebody has the lock for long. In a child of `fork()` that may be for good, and there is always another way: a
/// new mapping.
fn lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    for _ in 0..TRIES {
        match mutex.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
    None
}

fn pop<T>(mutex: &Mutex<Vec<T>>) -> Option<T> {
    lock(mutex)?.pop()
}

/// Returns what there was no room for, to be dropped without the lock.
fn push<T>(mutex: &Mutex<Vec<T>>, limit: usize, item: T) -> Option<T> {
    match lock(mutex) {
        Some(mut kept) if kept.len() < limit => {
            kept.push(item);
            None
        }
        _ => Some(item),
    }
}

#[cfg(test)]
mod tests {
    use hotcell_image::Image;
    use proptest::prelude::*;

    use super::*;

    const CAPACITY: usize = 64 << 20;
    const GUARD: usize = 64 << 10;
    const WASM_PAGE: usize = 65536;

    fn memory(allocator: &RoomAllocator) -> Box<dyn LinearMemory> {
        let kind = MemoryType::new(1, None);
        allocator
            .new_memory(kind, INITIAL_MEMORY, None, Some(CAPACITY), GUARD)
            .unwrap()
    }

    fn bytes(memory: &mut dyn LinearMemory) -> &mut [u8] {
        // SAFETY: so much can be accessed, and nobody else does.
        unsafe { std::slice::from_raw_parts_mut(memory.as_ptr(), memory.byte_size()) }
    }

    fn assert_is_fresh(memory: &[u8]) {
        let fresh = Image::embedded().memory();
        let (start, end) = (fresh.start(), fresh.start() + fresh.bytes().len());
        assert_eq!(memory.len(), INITIAL_MEMORY);
        assert!(memory[..start].iter().all(|byte| *byte == 0));
        assert!(memory[start..end] == *fresh.bytes());
        assert!(memory[end..].iter().all(|byte| *byte == 0));
    }

    /// What a cell may do to its memory: grow it by so many pages, then write to places in it, given in parts of the whole.
    fn damage() -> impl Strategy<Value = (usize, Vec<(u16, u16)>)> {
        (
            0usize..300,
            proptest::collection::vec((any::<u16>(), any::<u16>()), 0..60),
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn memory_is_that_of_a_fresh_cell_whatever_its_last_owner_did(
            owners in proptest::collection::vec(damage(), 1..14),
            keep in prop_oneof![Just(0), Just(64 << 10), Just(1 << 20)],
            with_page_map: bool,
        ) {
            let mut room = Arc::into_inner(Room::new(Image::embedded().memory(), keep)).unwrap();
            room.page_map = room.page_map.filter(|_| with_page_map);
            let allocator = RoomAllocator(Arc::new(room));
            let mut kept = Vec::new();
            for (pages, writes) in owners {
                let mut memory = memory(&allocator);
                assert_is_fresh(bytes(&mut *memory));
                memory.grow_to(INITIAL_MEMORY + pages * WASM_PAGE).unwrap();
                let bytes = bytes(&mut *memory);
                prop_assert!(bytes[INITIAL_MEMORY..].iter().all(|byte| *byte == 0));
                for (place, length) in writes {
                    let start = bytes.len() / (1 << 16) * usize::from(place);
                    let end = (start + usize::from(length)).min(bytes.len());
                    bytes[start..end].fill(0xa5);
                }
                // Several alive at once, so that more than one slot is in use.
                kept.push(memory);
                if kept.len() > 11 {
                    kept.clear();
                } else if pages % 3 == 0 {
                    kept.pop();
                }
            }
            drop(kept);
            for _ in 0..12 {
                assert_is_fresh(bytes(&mut *memory(&allocator)));
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_zero_page_in_the_place_of_the_image_is_not_clean() {
        use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
        let room = Room::new(Image::embedded().memory(), 1 << 20);
        if room.page_map.is_none() {
            return;
        }
        let fresh = &room.fresh;
        let mut slot = Slot::new(fresh, INITIAL_MEMORY, CAPACITY, GUARD).unwrap();
        let page = rustix::param::page_size();
        // A page of the image that is not zero itself, and one behind the image, which is.
        let in_image = (0..fresh.bytes().len() / page)
            .find(|number| {
                fresh.bytes()[number * page..][..page]
                    .iter()
                    .any(|byte| *byte != 0)
            })
            .map(|number| fresh.start() + number * page)
            .unwrap();
        let behind = INITIAL_MEMORY - page;
        for at in [in_image, behind] {
            // SAFETY: a page of the slot, which nobody uses. Reading it makes it the zero page, as merging pages would.
            unsafe {
                let at = slot.base().add(at);
                mmap_anonymous(
                    at.cast(),
                    page,
                    ProtFlags::READ | ProtFlags::WRITE,
                    MapFlags::PRIVATE | MapFlags::FIXED,
                )
                .unwrap();
                assert_eq!(at.read_volatile(), 0);
            }
        }
        assert!(room.reset(&mut slot));
        // SAFETY: so much can be accessed, and nobody else does.
        assert_is_fresh(unsafe { std::slice::from_raw_parts(slot.base(), slot.size()) });
    }

    #[test]
    fn cells_share_the_file_of_the_program() {
        let fresh = Image::embedded().memory();
        let (file, offset) = fresh.file().unwrap();
        // Not a copy in memory: that would begin with the pages.
        assert!(offset > 0);
        let mut first_page = [0; 4096];
        rustix::io::pread(file, &mut first_page, offset).unwrap();
        assert!(fresh.bytes().starts_with(&first_page));
    }

    #[test]
    fn stacks_are_aligned_guarded_and_kept() {
        let allocator = RoomAllocator(Room::new(Image::embedded().memory(), 0));
        let stack = allocator.new_stack(1 << 20, false).unwrap();
        let range = stack.range();
        assert_eq!(range.len(), 1 << 20);
        assert_eq!(stack.top().addr(), range.end);
        assert!(range.end.is_multiple_of(4096));
        assert_eq!(stack.guard_range().end.addr(), range.start);
        // SAFETY: both are on the stack, which nobody uses.
        unsafe {
            stack.top().sub(1).write(1);
            stack.guard_range().end.write(1);
        }
        drop(stack);
        assert_eq!(allocator.new_stack(1 << 20, false).unwrap().range(), range);
        assert_eq!(
            allocator.new_stack(2 << 20, false).unwrap().range().len(),
            2 << 20
        );
    }
}
