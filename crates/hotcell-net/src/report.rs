//! What programs do on the network, for the record of the kernel that they run in.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use hotcell_process::{Capability, Denial, Exchange, Kernel, Notice};

use crate::event::{NetworkEvent, Target};

/// More of a URL or a method is in no record: they are as long as a guest wants.
const MOST_TEXT: usize = 4 << 10;

/// Tells a kernel what the events of one program come to.
pub(crate) struct Report {
    kernel: Kernel,
    /// Requests that are allowed and not over. Held to add or take one, never while the kernel is told.
    open: Mutex<BTreeMap<u64, Target>>,
}

impl Report {
    pub(crate) fn new(kernel: Kernel) -> Self {
        Self {
            kernel,
            open: Mutex::default(),
        }
    }

    pub(crate) fn take(&self, event: &NetworkEvent) {
        match event {
            NetworkEvent::Allowed {
                request, target, ..
            } => {
                self.open().insert(*request, target.clone());
            }
            NetworkEvent::Denied {
                request,
                target,
                denial,
            } => {
                // One whose address is refused was allowed before. It has not gone out.
                let _allowed = self.open().remove(request);
                self.kernel.notice(Notice::Denied(Denial {
                    capability: Capability::Network,
                    subject: cut(&target.url),
                    reason: denial.message.clone(),
                }));
            }
            NetworkEvent::Ended {
                request,
                status,
                sent,
                received,
                ..
            } => {
                let target = self.open().remove(request);
                if let Some(Target { method, url }) = target {
                    self.kernel.notice(Notice::Network(Exchange {
                        method: cut(&method),
                        url: cut(&url),
                        status: *status,
                        sent: *sent,
                        received: *received,
                    }));
                }
            }
            NetworkEvent::Connected { .. } => {}
        }
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, Target>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The beginning of a text.
fn cut(text: &str) -> String {
    let end = text.floor_char_boundary(MOST_TEXT);
    text.get(..end).unwrap_or_default().to_owned()
}
