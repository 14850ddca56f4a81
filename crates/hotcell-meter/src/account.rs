//! Memory that the host holds for a guest.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// How much the host holds for one guest, and how much it may. Cheap to clone; clones are one account.
#[derive(Clone)]
pub struct Account(Arc<Inner>);

struct Inner {
    name: &'static str,
    limit: usize,
    used: AtomicUsize,
    peak: AtomicUsize,
    refusals: AtomicUsize,
}

/// The account has no room for that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{name} limit exceeded: {wanted} more bytes, of {limit} are {used} in use")]
pub struct OverLimit {
    /// What the limit is called where it can be set.
    pub name: &'static str,
    /// The limit in bytes.
    pub limit: usize,
    /// Bytes that were in use.
    pub used: usize,
    /// Bytes that were wanted on top of that.
    pub wanted: usize,
}

impl Account {
    /// An account for at most `limit` bytes. `name` is what errors call the limit.
    pub fn new(name: &'static str, limit: usize) -> Self {
        Self(Arc::new(Inner {
            name,
            limit,
            used: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            refusals: AtomicUsize::new(0),
        }))
    }

    /// An account without a limit, for work that is not for a guest.
    pub fn unlimited() -> Self {
        Self::new("memory", usize::MAX)
    }

    /// Takes `bytes` from the account until the charge is dropped.
    pub fn charge(&self, bytes: usize) -> Result<Charge, OverLimit> {
        self.take(bytes)?;
        Ok(Charge {
            account: self.clone(),
            bytes,
        })
    }

    /// A charge of nothing, which may grow.
    pub fn none(&self) -> Charge {
        Charge {
            account: self.clone(),
            bytes: 0,
        }
    }

    /// The limit in bytes.
    pub fn limit(&self) -> usize {
        self.0.limit
    }

    /// Bytes in use.
    pub fn used(&self) -> usize {
        self.0.used.load(Ordering::Relaxed)
    }

    /// The most bytes that were in use at once.
    pub fn peak(&self) -> usize {
        self.0.peak.load(Ordering::Relaxed)
    }

    /// Forgets what was in use at once before now, for who wants to know it of one run.
    pub fn reset_peak(&self) {
        self.0.peak.store(self.used(), Ordering::Relaxed);
    }

    /// How often there was no room: whether a limit was met is known here, and nowhere else so well.
    pub fn refusals(&self) -> usize {
        self.0.refusals.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: usize) -> Result<(), OverLimit> {
        let inner = &*self.0;
        let added = inner
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                used.checked_add(bytes).filter(|sum| *sum <= inner.limit)
            });
        match added {
            Ok(before) => {
                inner.peak.fetch_max(before + bytes, Ordering::Relaxed);
                Ok(())
            }
            Err(used) => {
                inner.refusals.fetch_add(1, Ordering::Relaxed);
                Err(OverLimit {
                    name: inner.name,
                    limit: inner.limit,
                    used,
                    wanted: bytes,
                })
            }
        }
    }

    fn give_back(&self, bytes: usize) {
        self.0.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Account({} of {})", self.used(), self.limit())
    }
}

/// A part of an [`Account`], paid back when dropped.
#[derive(Debug)]
#[must_use = "dropping a charge pays it back"]
pub struct Charge {
    account: Account,
    bytes: usize,
}

impl Charge {
    /// Takes `more` bytes in addition. If there is no room, the charge stays as it was.
    pub fn grow(&mut self, more: usize) -> Result<(), OverLimit> {
        self.account.take(more)?;
        self.bytes += more;
        Ok(())
    }

    /// Gives `less` bytes back, at most all of them.
    pub fn shrink(&mut self, less: usize) {
        let less = less.min(self.bytes);
        self.account.give_back(less);
        self.bytes -= less;
    }

    /// Makes it a charge of `bytes`, more or less than before.
    pub fn resize(&mut self, bytes: usize) -> Result<(), OverLimit> {
        if let Some(more) = bytes.checked_sub(self.bytes) {
            return self.grow(more);
        }
        self.shrink(self.bytes - bytes);
        Ok(())
    }

    /// Takes over what another charge holds, if both are of one account; the other is left with nothing then.
    pub fn absorb(&mut self, other: &mut Self) {
        if Arc::ptr_eq(&self.account.0, &other.account.0) {
            self.bytes += std::mem::take(&mut other.bytes);
        }
    }

    /// The bytes that it holds.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.account.give_back(self.bytes);
    }
}
