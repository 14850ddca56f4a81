//! What was decided in one run, from whoever decided it.
//!
//! # Invariant: told in the order in which it was met
//!
//! Whoever decides tells it on the spot, all but two: accounts and file systems only count what they refuse, because they may
//! be behind locks. So they are looked at before anything else is told. Of these two memory is first.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hotcell_meter::Account;
use hotcell_process::{Denial, LimitKind, Notice, Observer};

use crate::{
    audit::{Audit, AuditKind},
    result::ErrorClass,
    world::World,
};

/// How many denials a result tells of.
const SHOWN: usize = 100;

/// What was decided in one run.
pub(crate) struct Notes {
    audit: Audit,
    run: u64,
    account: Account,
    world: World,
    // A std mutex: held for a push, never while the host's sink is called.
    met: Mutex<Met>,
}

/// What came together.
#[derive(Default)]
pub(crate) struct Met {
    pub(crate) limits: Vec<LimitKind>,
    pub(crate) denials: Vec<Denial>,
    /// What was met first.
    pub(crate) first: Option<ErrorClass>,
    /// How often memory and files had been refused before the run; `None` until it begins.
    before: Option<(usize, u64)>,
}

impl Notes {
    pub(crate) fn new(audit: Audit, run: u64, account: Account, world: World) -> Self {
        Self {
            audit,
            run,
            account,
            world,
            met: Mutex::default(),
        }
    }

    /// What is refused from here on is refused to the run.
    pub(crate) fn begin(&self) {
        let now = (self.account.refusals(), self.world.refusals());
        self.lock().before = Some(now);
    }

    /// Tells of limits that somebody has met who could not tell it himself.
    pub(crate) fn look(&self) {
        let Some((memory, files)) = self.lock().before else {
            return;
        };
        if self.account.refusals() > memory {
            self.tell_limit(LimitKind::Memory);
        }
        if self.world.refusals() > files {
            self.tell_limit(LimitKind::Files);
        }
    }

    /// A limit was met. It is told once in a run.
    pub(crate) fn limit(&self, kind: LimitKind) {
        self.look();
        self.tell_limit(kind);
    }

    fn tell_limit(&self, kind: LimitKind) {
        let is_new = {
            let mut met = self.lock();
            let is_new = !met.limits.contains(&kind);
            if is_new {
                met.limits.push(kind);
                met.first.get_or_insert(ErrorClass::LimitExceeded);
            }
            is_new
        };
        if is_new {
            self.audit.tell(Some(self.run), || AuditKind::Limit(kind));
        }
    }

    fn denied(&self, denial: Denial) {
        self.look();
        {
            let mut met = self.lock();
            met.first.get_or_insert(ErrorClass::CapabilityDenied);
            if met.denials.len() < SHOWN {
                met.denials.push(denial.clone());
            }
        }
        self.audit
            .tell(Some(self.run), || AuditKind::Denied(denial));
    }

    pub(crate) fn take(&self) -> Met {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Met> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Notes {
    fn notice(&self, notice: Notice) {
        match notice {
            Notice::Denied(denial) => self.denied(denial),
            Notice::Limit(kind) => self.limit(kind),
            Notice::Network(exchange) => {
                self.look();
                let network = || AuditKind::Network(exchange);
                self.audit.tell(Some(self.run), network);
            }
            _ => {}
        }
    }
}
