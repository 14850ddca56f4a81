//! A part of the account of host memory.

use hotcell_meter::{Account, Charge, OverLimit};

/// What is kept on the way may take its share of the account and no more, so that there is room left for what comes out in the
/// end.
#[derive(Debug)]
pub(crate) struct Share {
    account: Account,
    /// What errors call it.
    name: &'static str,
    most: usize,
    charge: Option<Charge>,
}

impl Share {
    /// One of so many parts of the account.
    pub(crate) fn new(account: &Account, parts: usize, name: &'static str) -> Self {
        Self {
            account: account.clone(),
            name,
            most: account.limit() / parts.max(1),
            charge: None,
        }
    }

    /// Takes `bytes` in addition, if there is room.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), OverLimit> {
        let used = self.charge.as_ref().map_or(0, Charge::bytes);
        if used.saturating_add(bytes) > self.most {
            return Err(OverLimit {
                name: self.name,
                limit: self.most,
                used,
                wanted: bytes,
            });
        }
        if let Some(charge) = &mut self.charge {
            return charge.grow(bytes);
        }
        self.charge = Some(self.account.charge(bytes)?);
        Ok(())
    }

    /// Gives all of it back.
    pub(crate) fn clear(&mut self) {
        self.charge = None;
    }
}
