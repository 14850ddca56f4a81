//! What the parent says beside answers: that a command is to end, and, by falling silent, that it is dead.

use std::{
    io::Read,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

/// A message of the parent's: [`CANCEL`], and which command, counted from 1.
pub(crate) const CONTROL_BYTES: usize = 9;

/// The command is to end.
pub(crate) const CANCEL: u8 = b'c';

/// Which command is under way, counted from 1.
#[derive(Debug, Clone, Default)]
pub(super) struct Current(Arc<Mutex<u64>>);

impl Current {
    /// The next command begins.
    pub(super) fn next(&self) {
        // Held while somebody is told to end, so that no command is ended that was not meant.
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += 1;
    }

    /// Tells the command to end. It may not have begun yet, or may not be able to listen yet: then again, and again.
    fn end(&self, number: u64, cancel: &dyn Fn() -> bool) {
        loop {
            let current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if *current > number || (*current == number && cancel()) {
                return;
            }
            drop(current);
            thread::sleep(AGAIN);
        }
    }
}

const AGAIN: Duration = Duration::from_micros(200);

/// Listens on standard input, which is the parent's, on a thread of its own.
pub(super) fn listen(
    current: Current,
    cancel: Box<dyn Fn() -> bool + Send + Sync>,
) -> std::io::Result<()> {
    let listener = thread::Builder::new()
        .name("control".to_owned())
        .stack_size(64 << 10);
    listener.spawn(move || {
        let mut input = std::io::stdin().lock();
        let mut said = [0; CONTROL_BYTES];
        // The kernel kills this process when its parent dies; the end of the stream is for where it does not.
        while input.read_exact(&mut said).is_ok() {
            let [kind, number @ ..] = said;
            if kind == CANCEL {
                current.end(u64::from_ne_bytes(number), &cancel);
            }
        }
        std::process::exit(0);
    })?;
    Ok(())
}
