//! A process's stack, and switching to it and back.

use std::{io, ptr, sync::Mutex};

use corosensei::{
    Coroutine, CoroutineResult, Yielder,
    stack::{DefaultStack, Stack},
};

/// Address space for one process. Only what is used takes memory. Large, because a shell calls itself for every level of
/// its scripts.
const STACK_SIZE: usize = 16 << 20;

/// What a stack keeps of its memory while it waits for its next process.
const KEPT: usize = 64 << 10;

/// The lowest page of what a stack keeps is filled with this word. Whoever went deeper wrote to that page: a frame either fits
/// into a page and leaves its return address there, or is larger and probes every page.
const UNTOUCHED: u64 = 0x5afe_57ac_5afe_57ac;

/// The words of that page.
const MARKS: usize = 4096 / size_of::<u64>();

/// Stacks that wait for their next process.
const MAX_IDLE: usize = 64;

// A std mutex: held for a push or a pop.
static IDLE: Mutex<Vec<DefaultStack>> = Mutex::new(Vec::new());

/// What a process is told when it goes on.
pub(crate) enum Go {
    On,
    /// Unwind.
    Die,
}

pub(crate) type Switch = Yielder<Go, ()>;

/// A process that was begun or is about to.
pub(crate) struct Task(Option<Coroutine<Go, (), (), DefaultStack>>);

// SAFETY: a coroutine is not `Send` because nothing checks what is on its stack when it is suspended. A process suspends
// in `Process::suspend` and nowhere else, which is reached from `Process`'s own methods; the frames below are programs of
// ours and the libraries they use. They own what they have: `Process` is created on the coroutine and never leaves it,
// main functions are `Send`, and it is an invariant of this crate (see the crate documentation) that nobody suspends with a
// lock or a borrow of a thread-local. So the stack moves to the other thread as a whole, `Rc`s with all their clones
// included. It is used by one thread at a time, because `resume` needs `&mut`.
unsafe impl Send for Task {}

impl Task {
    pub(crate) fn new(main: impl FnOnce(&Switch) + Send + 'static) -> io::Result<Self> {
        let idle = IDLE.lock().ok().and_then(|mut idle| idle.pop());
        let stack = idle.map_or_else(|| DefaultStack::new(STACK_SIZE), Ok)?;
        // Only small things can be handed over on a new stack.
        let main = Box::new(main);
        let coroutine = Coroutine::with_stack(stack, move |switch: &Switch, go: Go| {
            // One that is killed before it began has nothing to unwind.
            if matches!(go, Go::On) {
                main(switch);
            }
        });
        Ok(Self(Some(coroutine)))
    }

    /// Lets the process run until it suspends; true once it has ended.
    pub(crate) fn resume(&mut self, go: Go) -> bool {
        let Some(coroutine) = &mut self.0 else {
            return true;
        };
        match coroutine.resume(go) {
            CoroutineResult::Yield(()) => false,
            CoroutineResult::Return(()) => {
                if let Some(coroutine) = self.0.take() {
                    keep(coroutine.into_stack());
                }
                true
            }
        }
    }
}

/// Puts a stack by for the next process, without what it used beyond a little.
fn keep(stack: DefaultStack) {
    let (low, high) = (stack.limit().get(), stack.base().get() - KEPT);
    // SAFETY: the page lies in the stack, which we own and nobody runs on; it is aligned, and any bytes are words.
    let marks = unsafe {
        std::slice::from_raw_parts_mut(ptr::with_exposed_provenance_mut::<u64>(high), MARKS)
    };
    // Asking the operating system costs as much as running a small command, and most processes need little.
    if marks.iter().any(|mark| *mark != UNTOUCHED) {
        if let Some(length) = high.checked_sub(low) {
            let start = ptr::with_exposed_provenance_mut(low);
            // SAFETY: the range lies in the stack, which we own and nobody runs on. Its content is not needed any more. Both
            // ends are multiples of the page size: the mapping is, and so is `KEPT`.
            let _ =
                unsafe { rustix::mm::madvise(start, length, rustix::mm::Advice::LinuxDontNeed) };
        }
        marks.fill(UNTOUCHED);
    }
    if let Ok(mut idle) = IDLE.lock()
        && idle.len() < MAX_IDLE
    {
        idle.push(stack);
    }
}

/// The lowest address that a process may use, if `local` is the address of a variable at the bottom of its stack.
pub(crate) fn stack_floor(local: usize) -> usize {
    // Some room for what is below: the caller's own frames and library functions.
    local.saturating_sub(STACK_SIZE - (128 << 10))
}
