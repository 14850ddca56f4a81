//! What variables hold, charged to the account of the run.

use std::sync::Arc;

use hotcell_meter::{Account, Charge, OverLimit};
use hotcell_process::Process;

use super::Variable;

/// Whose a smaller value is does not matter.
const LARGE: usize = 16 * 1024;

/// Changes smaller than this are not worth asking the account.
const STEP: usize = 16 * 1024;

/// What is charged in addition and given back when there is no more, so that the message about it finds room.
const RESERVE: usize = 16 * 1024;

/// How much a table of variables holds of its own. A clone shares what is there, and so holds nothing yet.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// May be negative: a clone can drop what its origin pays for.
    held: isize,
    charge: Option<Charge>,
    /// How much of the charge is reserve.
    reserve: usize,
    /// It is that of a subshell: another shell pays for what it began with, as long as both have it.
    is_subshells: bool,
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Memory {
    /// From here on it is that of a subshell.
    pub(super) fn leave_to_its_shell(&mut self) {
        self.is_subshells = true;
    }

    /// What is given back when something of that size gives way: nothing if others have it, too, and pay for it.
    pub(super) fn paid(&self, size: usize, is_shared: bool) -> usize {
        let is_anothers = self.is_subshells && is_shared && size >= LARGE;
        if is_anothers { 0 } else { size }
    }

    /// The same for a variable.
    pub(super) fn paid_for(&self, variable: &Arc<Variable>) -> usize {
        self.paid(variable.size(), Arc::strong_count(variable) > 1)
    }

    /// Something of one size took the place of something of another.
    pub(super) fn replace(&mut self, old: usize, new: usize) {
        self.held += new.cast_signed() - old.cast_signed();
    }

    /// Whether more is held than was charged, beyond what is not worth asking for.
    pub(super) fn is_over(&self) -> bool {
        let charged = self.charge.as_ref().map_or(0, Charge::bytes);
        usize::try_from(self.held).unwrap_or(0) > charged.saturating_sub(self.reserve) + STEP
    }

    /// Charges what is held. On an error nothing was changed: the caller drops what is too much.
    #[inline]
    pub(super) fn settle(&mut self, process: &Process) -> std::io::Result<()> {
        let held = usize::try_from(self.held).unwrap_or(0);
        let charged = self.charge.as_ref().map_or(0, Charge::bytes);
        let paid = charged.saturating_sub(self.reserve);
        if held > paid || paid - held > 4 * STEP {
            self.resize(process, held.next_multiple_of(STEP))?;
        }
        Ok(())
    }

    #[cold]
    fn resize(&mut self, process: &Process, bytes: usize) -> std::io::Result<()> {
        let charge = match &mut self.charge {
            Some(charge) => charge,
            none => none.insert(process.charge(0)?),
        };
        if let Err(error) = charge.resize(bytes.saturating_add(RESERVE)) {
            self.give_back_reserve();
            return Err(hotcell_process::limit_error(error));
        }
        self.reserve = RESERVE;
        Ok(())
    }

    /// Pays for what a shell held that this one comes after.
    pub(super) fn inherit(&mut self, before: &mut Self) {
        self.held += std::mem::take(&mut before.held);
        match (&mut self.charge, &mut before.charge) {
            (Some(charge), Some(old)) => {
                charge.absorb(old);
                self.reserve += std::mem::take(&mut before.reserve);
            }
            (none @ None, old) => {
                *none = old.take();
                self.reserve = std::mem::take(&mut before.reserve);
            }
            (Some(_), None) => {}
        }
        // Nobody else gives back what was dropped of it.
        if let Some(charge) = &mut self.charge {
            let held = usize::try_from(self.held).unwrap_or(0);
            let needed = held.next_multiple_of(STEP);
            charge.shrink(charge.bytes().saturating_sub(needed));
            self.reserve = 0;
        }
    }

    /// What a copy of what `origin` holds is charged for, on another account.
    pub(super) fn copy(origin: &Self, account: &Account) -> Result<Self, OverLimit> {
        let held = usize::try_from(origin.held).unwrap_or(0);
        Ok(Self {
            held: origin.held,
            charge: Some(account.charge(held.next_multiple_of(STEP))?),
            reserve: 0,
            is_subshells: false,
        })
    }

    /// Gives back what is not needed for the variables themselves.
    pub(super) fn give_back_reserve(&mut self) {
        if let Some(charge) = &mut self.charge {
            charge.shrink(self.reserve);
        }
        self.reserve = 0;
    }
}
