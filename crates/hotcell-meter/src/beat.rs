//! A beat to which work looks up: a number that changes once a millisecond while anybody works.
//!
//! Work that counts what it does looks at the time every so many units. What a unit costs nobody knows: a step may copy a
//! megabyte. So it also looks when the beat has changed since it last did, which one load of an atomic tells. Then what can be late is
//! one step, whatever it was said to cost.

use std::{
    process,
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::Duration,
};

/// How long a beat is.
const BEAT: Duration = Duration::from_millis(1);

/// So many beats go on after the last work: starting a thread costs more than a few of them.
const LINGER: u32 = 200;

/// The number of the beat.
static NOW: AtomicU32 = AtomicU32::new(0);

/// How many work.
static WORKING: AtomicU32 = AtomicU32::new(0);

/// The process whose thread beats; 0 if there is none. A child of `fork()` finds its parent's number, and no thread.
static BEATS_IN: AtomicU32 = AtomicU32::new(0);

/// The number of the beat. It changes while there is a [`Working`].
#[inline]
pub fn beat() -> u32 {
    NOW.load(Ordering::Relaxed)
}

/// Somebody works: while there is one of these, the beat goes on.
#[derive(Debug)]
#[must_use = "dropping it ends the work"]
pub struct Working(());

impl Working {
    /// Begins.
    pub fn begin() -> Self {
        WORKING.fetch_add(1, Ordering::AcqRel);
        let own = process::id();
        let known = BEATS_IN.load(Ordering::Acquire);
        if known != own {
            start(known, own);
        }
        Self(())
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        WORKING.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cold]
fn start(known: u32, own: u32) {
    let is_mine = BEATS_IN.compare_exchange(known, own, Ordering::AcqRel, Ordering::Acquire);
    if is_mine.is_err() {
        return;
    }
    if known != 0 {
        // After a fork: those who worked in the parent do not work here.
        WORKING.store(1, Ordering::Release);
    }
    let thread = thread::Builder::new().name("hotcell-beat".into());
    if thread.spawn(move || go_on(own)).is_err() {
        // Without it work still looks every so many units. Whoever is next tries again.
        BEATS_IN.store(0, Ordering::Release);
    }
}

/// What the thread does, until nobody has worked for a while.
fn go_on(own: u32) {
    let mut idle = 0;
    loop {
        thread::sleep(BEAT);
        NOW.fetch_add(1, Ordering::Relaxed);
        idle = if WORKING.load(Ordering::Acquire) > 0 {
            0
        } else {
            idle + 1
        };
        if idle < LINGER {
            continue;
        }
        BEATS_IN.store(0, Ordering::Release);
        // Somebody may have begun meanwhile, and have found this thread.
        let is_needed = WORKING.load(Ordering::Acquire) > 0;
        let goes_on = is_needed
            && BEATS_IN
                .compare_exchange(0, own, Ordering::AcqRel, Ordering::Acquire)
                .is_ok();
        if !goes_on {
            return;
        }
        idle = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes() -> bool {
        let before = beat();
        (0..1000).any(|_| {
            thread::sleep(BEAT);
            beat() != before
        })
    }

    #[test]
    fn the_beat_goes_on_while_somebody_works_and_also_after_a_rest() {
        for _ in 0..2 {
            let working = Working::begin();
            assert!(changes());
            drop(working);
            while BEATS_IN.load(Ordering::Acquire) != 0 {
                thread::sleep(BEAT);
            }
        }
    }
}
