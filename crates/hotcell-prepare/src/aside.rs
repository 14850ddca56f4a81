//! Work that need not be waited for.
//!
//! A parser cannot be stopped. Its work is bounded, by the size of the code and by what [`crate::scan`] and
//! [`crate::audit`] let pass, but a run that has to end does not wait for it: code that is large, or that needs a deep stack, is
//! prepared on a thread of its own, which is left behind. It is told to stop, and does so after the pass over the code that
//! it is in.

use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use hotcell_meter::{StopToken, Stopped, Watch};

use crate::stack::{IN_PLACE, roomy_thread};

/// Code of more bytes than this is prepared aside. A pass over less takes some milliseconds at most, whatever it is.
const LARGE: usize = 8 * 1024;

/// Whether code of so many bytes that needs so much stack is prepared aside.
pub(crate) fn is_for_aside(bytes: usize, stack: usize) -> bool {
    bytes > LARGE || stack > IN_PLACE
}

/// How often the watch is asked while others work.
const LOOK: Duration = Duration::from_millis(1);

/// Threads that may be left behind at the same time, so that no more of the machine than this is busy for nobody.
const MAX_LEFT_BEHIND: isize = 2;

/// Looks after which nobody waits any longer for one of them to end: in a process that was forked they never do.
const MAX_LOOKS: u32 = 500;

static LEFT_BEHIND: AtomicIsize = AtomicIsize::new(0);

/// Does work on a thread of its own, with so much stack, for as long as `watch` lets it. `None` comes back if it panicked.
pub(crate) fn aside<T: Send + 'static>(
    stack: usize,
    watch: &dyn Watch,
    work: impl FnOnce(&dyn Watch) -> Result<T, Stopped> + Send + 'static,
) -> Result<Option<T>, Stopped> {
    wait_for_room(watch)?;
    let (sender, receiver) = mpsc::sync_channel(1);
    let leave = Leave::default();
    let (token, ended) = (leave.token.clone(), Ended(Arc::clone(&leave.left)));
    // In a slot, as it has to be done here if there is no thread for it.
    let work = Arc::new(Mutex::new(Some(work)));
    let take = |work: &Mutex<Option<_>>| work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let there = Arc::clone(&work);
    let (thread, room) = roomy_thread(stack);
    let spawned = thread.spawn(move || {
        room.move_in();
        let _ended = ended;
        if let Some(work) = take(&there) {
            // Nobody may be waiting any more.
            let _ = sender.send(work(&token));
        }
    });
    if spawned.is_err() {
        return take(&work).map(|work| work(watch)).transpose();
    }
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(result) => return result.map(Some),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(stopped) = watch.check() {
                    leave.behind();
                    return Err(stopped);
                }
            }
        }
    }
}

fn wait_for_room(watch: &dyn Watch) -> Result<(), Stopped> {
    for _ in 0..MAX_LOOKS {
        watch.check()?;
        if LEFT_BEHIND.load(Ordering::Relaxed) < MAX_LEFT_BEHIND {
            break;
        }
        thread::sleep(LOOK);
    }
    Ok(())
}

/// How to leave a thread.
#[derive(Default)]
struct Leave {
    token: StopToken,
    /// It was left behind, or it has ended: whichever is later knows of the other.
    left: Arc<AtomicBool>,
}

impl Leave {
    fn behind(self) {
        self.token.cancel();
        if !self.left.swap(true, Ordering::Relaxed) {
            LEFT_BEHIND.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Says when it is dropped that a thread has ended.
struct Ended(Arc<AtomicBool>);

impl Drop for Ended {
    fn drop(&mut self) {
        if self.0.swap(true, Ordering::Relaxed) {
            LEFT_BEHIND.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
