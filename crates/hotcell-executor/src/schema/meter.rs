//! What a check may cost.

use std::cell::Cell;

use hotcell_meter::{SharedPace, Stopped, Watch};

/// What one question costs beside the text that it is about, in units of [`SharedPace`].
pub(super) const QUESTION: usize = 32;
/// After so many errors the validator has said enough. It collects all of them, also those of branches that may fail.
const MAX_ERRORS: usize = 200;

/// Why a check was not taken to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt {
    Stopped(Stopped),
    TooManyErrors,
    LongName,
}

/// What a check may cost.
pub(super) struct Meter<'w> {
    pace: SharedPace<'w>,
    errors: Cell<usize>,
    halted: Cell<Option<Halt>>,
}

impl<'w> Meter<'w> {
    pub(super) fn new(watch: &'w dyn Watch) -> Self {
        Self {
            pace: SharedPace::new(watch),
            errors: Cell::new(0),
            halted: Cell::new(None),
        }
    }

    /// Why the check was not taken to its end.
    pub(super) fn halted(&self) -> Option<Halt> {
        self.halted.get()
    }

    /// Whether work of so many units may be done.
    pub(super) fn spend(&self, units: usize) -> bool {
        if self.halted.get().is_none()
            && let Err(stopped) = self.pace.spend(units)
        {
            self.halt(Halt::Stopped(stopped));
        }
        self.halted.get().is_none()
    }

    /// Ends the check.
    pub(super) fn halt(&self, why: Halt) {
        self.halted.set(self.halted.get().or(Some(why)));
    }

    /// Takes note of an error.
    pub(super) fn error(&self) {
        self.errors.set(self.errors.get() + 1);
        if self.errors.get() > MAX_ERRORS {
            self.halt(Halt::TooManyErrors);
        }
    }
}
