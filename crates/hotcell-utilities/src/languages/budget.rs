//! Memory that a program's values hold, charged in steps that are large enough to be cheap.

use std::{
    cell::{Cell, RefCell},
    io,
    rc::Rc,
};

use hotcell_meter::Charge;
use hotcell_process::{Process, limit_error};

/// How much is taken from the account at once.
const STEP: usize = 64 << 10;

/// What the values of one program hold. Values give back what they took when they are dropped.
#[derive(Clone)]
pub(crate) struct Budget(Rc<Inner>);

struct Inner {
    charge: RefCell<Charge>,
    used: Cell<usize>,
}

impl Budget {
    pub(crate) fn new(process: &Process) -> io::Result<Self> {
        Ok(Self(Rc::new(Inner {
            charge: RefCell::new(process.charge(0)?),
            used: Cell::new(0),
        })))
    }

    /// Takes room for so many bytes.
    #[inline]
    pub(crate) fn take(&self, bytes: usize) -> io::Result<()> {
        let used = self.0.used.get().saturating_add(bytes);
        if used > self.0.charge.borrow().bytes() {
            self.grow(used)?;
        }
        self.0.used.set(used);
        Ok(())
    }

    #[cold]
    fn grow(&self, used: usize) -> io::Result<()> {
        let mut charge = self.0.charge.borrow_mut();
        let exact = charge.resize(used.saturating_add(STEP));
        // Near the limit the last step may be too large.
        exact.or_else(|_| charge.resize(used)).map_err(limit_error)
    }

    /// Takes room until what is returned is dropped.
    pub(crate) fn hold(&self, bytes: usize) -> io::Result<Held> {
        self.take(bytes)?;
        Ok(Held(self.clone(), bytes))
    }

    /// Gives room back that was taken.
    #[inline]
    pub(crate) fn give_back(&self, bytes: usize) {
        let used = self.0.used.get().saturating_sub(bytes);
        self.0.used.set(used);
        if self.0.charge.borrow().bytes() - used > 16 * STEP {
            self.0.charge.borrow_mut().shrink(8 * STEP);
        }
    }
}

/// Room that is given back when this is dropped.
pub(crate) struct Held(Budget, usize);

impl Held {
    /// Takes some more room.
    pub(crate) fn grow(&mut self, bytes: usize) -> io::Result<()> {
        self.0.take(bytes)?;
        self.1 = self.1.saturating_add(bytes);
        Ok(())
    }

    /// Makes a list long enough for `more` items besides those that it has, and takes the room for that before.
    pub(crate) fn make_room<T>(&mut self, list: &mut Vec<T>, more: usize) -> io::Result<()> {
        let needed = list.len().saturating_add(more);
        if needed <= list.capacity() {
            return Ok(());
        }
        let now = list.capacity();
        let bytes = |capacity: usize| (capacity - now).saturating_mul(size_of::<T>());
        let mut capacity = needed.max(now.saturating_mul(2)).max(16);
        if self.grow(bytes(capacity)).is_err() {
            // Near the limit twice as much may be too much, and some more may do.
            capacity = needed.max(now.saturating_add(now / 8));
            self.grow(bytes(capacity))?;
        }
        list.reserve_exact(capacity - list.len());
        Ok(())
    }

    /// Gives some of the room back.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        let bytes = bytes.min(self.1);
        self.1 -= bytes;
        self.0.give_back(bytes);
    }

    /// No room at all.
    pub(crate) fn nothing(budget: &Budget) -> Self {
        Self(budget.clone(), 0)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.give_back(self.1);
    }
}
