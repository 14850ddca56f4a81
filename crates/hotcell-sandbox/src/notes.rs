//! What was decided in one run, from whoever decided it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hotcell_process::{Denial, LimitKind, Notice, Observer};

use crate::{
    audit::{Audit, AuditKind},
    result::ErrorClass,
};

/// How many denials a result tells of.
const SHOWN: usize = 100;

/// What was decided in one run.
pub(crate) struct Notes {
    audit: Audit,
    run: u64,
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
}

impl Notes {
    pub(crate) fn new(audit: Audit, run: u64) -> Self {
        Self {
            audit,
            run,
            met: Mutex::default(),
        }
    }

    /// A limit was met. It is told once in a run.
    pub(crate) fn limit(&self, kind: LimitKind) {
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
                let network = || AuditKind::Network(exchange);
                self.audit.tell(Some(self.run), network);
            }
            _ => {}
        }
    }
}
