//! Asking often enough, and not too often, whether to go on.

use std::cell::Cell;

use crate::{beat::beat, token::Stopped};

/// Says whether the run that work is done for has to end.
pub trait Watch: Send + Sync {
    /// `Err` from the moment on at which the run's time is over or it is cancelled.
    fn check(&self) -> Result<(), Stopped>;
}

/// Nobody watches: for work that is not for a guest.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn check(&self) -> Result<(), Stopped> {
        Ok(())
    }
}

/// Work of this many units takes some ten microseconds, where a unit is about a byte looked at.
const UNITS_PER_LOOK: usize = 16 * 1024;

/// Asks a [`Watch`] every so many units of work, and with each [beat], so that a loop can tell it of every step.
pub struct Pace<'w> {
    watch: &'w dyn Watch,
    left: usize,
    /// When it was last asked.
    beat: u32,
}

impl<'w> Pace<'w> {
    /// Work that `watch` watches.
    pub fn new(watch: &'w dyn Watch) -> Self {
        Self {
            watch,
            left: UNITS_PER_LOOK,
            beat: beat(),
        }
    }

    /// Work that nobody watches.
    pub fn unwatched() -> Pace<'static> {
        Pace::new(&Unwatched)
    }

    /// Says that work of `units` (bytes looked at, or steps) is about to be done.
    #[inline]
    pub fn spend(&mut self, units: usize) -> Result<(), Stopped> {
        match self.left.checked_sub(units) {
            Some(left) if self.beat == beat() => {
                self.left = left;
                Ok(())
            }
            _ => self.look(),
        }
    }

    #[cold]
    fn look(&mut self) -> Result<(), Stopped> {
        self.left = UNITS_PER_LOOK;
        self.beat = beat();
        self.watch.check()
    }

    /// Who watches.
    pub fn watch(&self) -> &'w dyn Watch {
        self.watch
    }
}

/// A [`Pace`] for work of which several parts hold it at once, such as a walk through a value by code that is not ours.
pub struct SharedPace<'w> {
    watch: &'w dyn Watch,
    left: Cell<usize>,
    beat: Cell<u32>,
}

impl<'w> SharedPace<'w> {
    /// Work that `watch` watches.
    pub fn new(watch: &'w dyn Watch) -> Self {
        Self {
            watch,
            left: Cell::new(UNITS_PER_LOOK),
            beat: Cell::new(beat()),
        }
    }

    /// As [`Pace::spend`].
    #[inline]
    pub fn spend(&self, units: usize) -> Result<(), Stopped> {
        match self.left.get().checked_sub(units) {
            Some(left) if self.beat.get() == beat() => {
                self.left.set(left);
                Ok(())
            }
            _ => self.look(),
        }
    }

    #[cold]
    fn look(&self) -> Result<(), Stopped> {
        self.left.set(UNITS_PER_LOOK);
        self.beat.set(beat());
        self.watch.check()
    }
}
