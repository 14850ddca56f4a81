//! A record of what was decided.
//!
//! Every event comes from the place where the thing was decided: the kernel that had no process left, the list that a program
//! was not on, the timer that ran out. Nothing is read from what commands print, which may be anything.

mod told;

use std::{fmt, sync::Arc, time::Duration};

use hotcell_process::{Denial, Exchange, LimitKind};
use hotcell_vfs::VfsPathBuf;
use serde_json::{Value as Json, json};

use crate::result::ErrorClass;
pub(crate) use told::Counts;

/// Something that happened to a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditEvent {
    /// The number of the sandbox, unique in this program: [`Sandbox::id`](crate::Sandbox::id).
    pub sandbox: u64,
    /// The number of the run in its sandbox, from 1, if it happened in one.
    pub run: Option<u64>,
    /// What happened.
    pub what: AuditKind,
}

/// Kinds of [`AuditEvent`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuditKind {
    /// A sandbox was made.
    Created {
        /// What of.
        origin: Origin,
    },
    /// A command begins.
    Started {
        /// Its beginning, up to 4 KiB.
        command: String,
    },
    /// A command has ended.
    Ended {
        /// Its exit code.
        exit_code: i32,
        /// What kind of failure it was.
        error_class: Option<ErrorClass>,
        /// How long it took.
        duration: Duration,
    },
    /// A command was killed.
    Killed {
        /// Why.
        reason: KillReason,
    },
    /// The worker process that a command ran in crashed.
    Crashed {
        /// How, with the signal that ended it.
        how: String,
    },
    /// Something was refused.
    Denied(Denial),
    /// A limit was met, for the first time in this run.
    Limit(LimitKind),
    /// A file system was mounted.
    Mounted {
        /// Where.
        path: VfsPathBuf,
        /// What kind: `memory`, `readOnly`, `overlay`, `readWrite`, `custom`.
        kind: &'static str,
    },
    /// One was taken away.
    Unmounted {
        /// Where it was.
        path: VfsPathBuf,
    },
    /// A request went out to the network.
    Network(Exchange),
    /// The sandbox was destroyed.
    Destroyed,
}

impl AuditEvent {
    /// The event as other languages have it: `event` is its [name](AuditKind::name), `sandbox` the number of the sandbox, `run` that of
    /// the run, if it happened in one, and what there is to say of it stands beside them.
    pub fn to_json(&self) -> Json {
        let mut told = json!({ "event": self.what.name(), "sandbox": self.sandbox });
        if let Some(run) = self.run {
            told["run"] = run.into();
        }
        if let (Json::Object(told), Json::Object(what)) = (&mut told, self.what.to_json()) {
            told.extend(what);
        }
        told
    }
}

impl AuditKind {
    /// What there is to say of it.
    fn to_json(&self) -> Json {
        match self {
            Self::Created { origin } => match origin {
                Origin::New => json!({ "origin": "new" }),
                Origin::Fork(of) => json!({ "origin": "fork", "of": of }),
                Origin::Snapshot => json!({ "origin": "snapshot" }),
            },
            Self::Started { command } => json!({ "command": command }),
            Self::Ended {
                exit_code,
                error_class,
                duration,
            } => {
                let mut told =
                    json!({ "exitCode": exit_code, "durationMs": duration.as_secs_f64() * 1000.0 });
                if let Some(class) = error_class {
                    told["errorClass"] = class.name().into();
                }
                told
            }
            Self::Killed { reason } => json!({ "reason": reason.name() }),
            Self::Crashed { how } => json!({ "how": how }),
            Self::Denied(denial) => json!({
                "capability": denial.capability.name(),
                "subject": denial.subject,
                "reason": denial.reason,
            }),
            Self::Limit(limit) => json!({ "limit": limit.name() }),
            Self::Mounted { path, kind } => json!({ "path": path.to_string(), "kind": kind }),
            Self::Unmounted { path } => json!({ "path": path.to_string() }),
            Self::Network(exchange) => {
                let mut told = json!({
                    "method": exchange.method,
                    "url": exchange.url,
                    "sent": exchange.sent,
                    "received": exchange.received,
                });
                if let Some(status) = exchange.status {
                    told["status"] = status.into();
                }
                told
            }
            Self::Destroyed => json!({}),
        }
    }

    /// Its name in records.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Created { .. } => "create",
            Self::Started { .. } => "start",
            Self::Ended { .. } => "end",
            Self::Killed { .. } => "kill",
            Self::Crashed { .. } => "crash",
            Self::Denied(_) => "deny",
            Self::Limit(_) => "limit",
            Self::Mounted { .. } => "mount",
            Self::Unmounted { .. } => "unmount",
            Self::Network(_) => "network",
            Self::Destroyed => "destroy",
        }
    }
}

/// What a sandbox was made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// Nothing.
    New,
    /// Another sandbox, by its number.
    Fork(u64),
    /// A snapshot.
    Snapshot,
}

/// Why a command was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KillReason {
    /// Its time was over.
    Timeout,
    /// It had computed for too long.
    CpuTime,
    /// Somebody cancelled it.
    Cancelled,
    /// Its sandbox was destroyed.
    Destroyed,
    /// Nobody waited for it any more: its future was dropped.
    Dropped,
}

impl KillReason {
    /// Its name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::CpuTime => "cpuTime",
            Self::Cancelled => "cancelled",
            Self::Destroyed => "destroyed",
            Self::Dropped => "dropped",
        }
    }
}

pub(crate) type Sink = Arc<dyn Fn(&AuditEvent) + Send + Sync>;

/// Where events of one sandbox go.
#[derive(Clone)]
pub(crate) struct Audit {
    pub(crate) sandbox: u64,
    pub(crate) sink: Option<Sink>,
}

impl Audit {
    /// Says what happened. It is the host's code that is called: never under a lock.
    pub(crate) fn tell(&self, run: Option<u64>, what: impl FnOnce() -> AuditKind) {
        if let Some(sink) = &self.sink {
            sink(&AuditEvent {
                sandbox: self.sandbox,
                run,
                what: what(),
            });
        }
    }
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Audit({})", self.sandbox)
    }
}
