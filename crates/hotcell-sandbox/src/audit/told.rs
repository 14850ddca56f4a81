//! Events for hosts in other languages, which take them from a queue.
//!
//! Commands decide how often something is refused or asked of the network, and whoever takes the events may be busy. So of one run
//! only so many of these are told; how many there were beyond is told with its end.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use serde_json::Value as Json;

use super::{AuditEvent, AuditKind, KillReason};

/// So many denials and requests of one run are told, each by itself.
const MOST: u64 = 1000;

/// How many there were, by sandbox and run.
#[derive(Default)]
pub(crate) struct Counts(Mutex<BTreeMap<(u64, u64), u64>>);

impl Counts {
    /// The event as it is to be told, if it is.
    pub(crate) fn tell(&self, event: &AuditEvent) -> Option<Json> {
        let Some(run) = event.run.map(|run| (event.sandbox, run)) else {
            return Some(event.to_json());
        };
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match event.what {
            AuditKind::Denied(_) | AuditKind::Network(_) => {
                let count = counts.entry(run).or_default();
                *count += 1;
                (*count <= MOST).then(|| event.to_json())
            }
            // One that nobody waits for any more has no other end.
            AuditKind::Ended { .. }
            | AuditKind::Killed {
                reason: KillReason::Dropped,
            } => {
                let count = counts.remove(&run).unwrap_or(0);
                drop(counts);
                let mut told = event.to_json();
                if let Some(untold @ 1..) = count.checked_sub(MOST) {
                    told["untold"] = untold.into();
                }
                Some(told)
            }
            _ => Some(event.to_json()),
        }
    }
}
