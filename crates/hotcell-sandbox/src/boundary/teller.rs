//! Decisions that are made in the worker, told to the host.

use hotcell_process::{Capability, Denial, LimitKind, Notice, Observer};
use hotcell_worker::{Message, Parent};
use serde_json::json;

use super::wire::WireNotice;

/// Tells the host of each.
pub(super) struct Teller(pub(super) Parent);

impl Observer for Teller {
    fn notice(&self, notice: Notice) {
        let notice = match notice {
            Notice::Denied(denial) => WireNotice::Denied {
                is_network: denial.capability == Capability::Network,
                subject: denial.subject,
                reason: denial.reason,
            },
            Notice::Limit(kind) => WireNotice::Limit(kind.name().to_owned()),
            // What reaches the network is outside.
            _ => return,
        };
        let request = json!({ "op": "notice", "notice": notice });
        // There is nothing that the host could refuse.
        let _ = self.0.ask(&Message::new(&request, Vec::new()));
    }
}

/// The longest text that is believed of a worker.
const LONGEST: usize = 4096;

impl WireNotice {
    /// What a worker told; `None` if it is not something that one could.
    pub(super) fn into_notice(self) -> Option<Notice> {
        let short = |text: String| text.chars().take(LONGEST).collect();
        match self {
            Self::Denied {
                is_network,
                subject,
                reason,
            } => Some(Notice::Denied(Denial {
                capability: if is_network {
                    Capability::Network
                } else {
                    Capability::Program
                },
                subject: short(subject),
                reason: short(reason),
            })),
            Self::Limit(name) => {
                let mut kinds = LIMITS.into_iter();
                kinds.find(|kind| kind.name() == name).map(Notice::Limit)
            }
        }
    }
}

/// The limits that are watched over in the worker.
const LIMITS: [LimitKind; 4] = [
    LimitKind::Memory,
    LimitKind::Processes,
    LimitKind::Descriptors,
    LimitKind::Recursion,
];
