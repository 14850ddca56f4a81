//! The jail that a worker puts itself into before it sees anything hostile.
//!
//! Each part is meant to hold alone. Whoever breaks out of WebAssembly, and out of Rust, is in a process that
//!
//! - has no privileges, can get none, and cannot be looked into ([`Part::Privileges`]);
//! - is in no network ([`Part::Network`]) and sees no file ([`Part::Files`], Landlock);
//! - can make few system calls ([`Part::SystemCalls`], seccomp): none that opens, connects, starts, traces, signals or mounts
//!   anything, or makes memory executable. What is not on the list kills the process;
//! - holds no descriptor but those it needs ([`Part::Descriptors`]), no environment ([`Part::Environment`]), and no more memory
//!   than it may ([`Part::Limits`]);
//! - dies with its parent ([`Part::Parent`]).
//!
//! Before it opens for business the worker tries what is forbidden ([`Part::SelfTest`]); should anything succeed, it ends.
//! What a kernel does not have is reported, and for a host that requires the whole jail the worker ends, too.

mod files;
mod filter;
mod limits;
mod namespace;
mod privileges;
mod report;
mod self_test;

pub(crate) use limits::close_inherited;
pub use report::{Held, JailReport, Part};

use serde::{Deserialize, Serialize};

/// How a worker is jailed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[must_use]
pub struct JailOptions {
    /// Whether a worker whose jail lacks a part must not run (false: it runs, and what is missing is reported).
    pub require_jail: bool,
    /// How much memory it may have, in bytes.
    pub memory: u64,
    /// Whether it may make memory executable: only what compiles programs needs that (false).
    pub may_compile: bool,
    /// A system call that is not allowed is written to standard error before the worker dies of it (false). For who extends the
    /// list; the call is not made in either case.
    pub explain: bool,
}

/// What a worker may have beside what its work takes: code, stacks, buffers.
pub(crate) const OVERHEAD: u64 = 1 << 30;

impl Default for JailOptions {
    fn default() -> Self {
        Self {
            require_jail: false,
            memory: OVERHEAD + (512 << 20),
            may_compile: false,
            explain: false,
        }
    }
}

impl JailOptions {
    /// For work that takes so many bytes.
    pub fn with_memory(bytes: u64) -> Self {
        Self {
            memory: OVERHEAD.saturating_add(bytes),
            ..Self::default()
        }
    }
}

/// Why there is no jail to work in.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JailError {
    /// Something forbidden is possible.
    #[error("the jail has a hole: {0}")]
    Hole(String),
    /// The host wants all parts, and some are not there.
    #[error("the whole jail is required, and this system lacks {0}")]
    Incomplete(String),
}

/// Enters the jail. Everything that needs files must be open, and no other thread may run yet.
///
/// Standard input and standard error stay open. `parent` is who it must die with.
pub(crate) fn enter(options: &JailOptions, parent: i32) -> Result<JailReport, JailError> {
    let mut report = JailReport::default();
    report.note(Part::Environment, limits::environment());
    report.note(Part::Limits, limits::set(options));
    let namespace = namespace::leave_network();
    report.note(Part::Privileges, privileges::drop_all());
    report.note(Part::Parent, privileges::die_with_parent(parent));
    let files = files::forbid();
    report.note(Part::Files, files.files);
    report.note(Part::Descriptors, limits::no_more_descriptors());
    let seccomp = filter::install(options);
    let network = report::any("no network", [namespace, files.network, seccomp.network()]);
    report.note(Part::Network, network);
    let can_test = seccomp.is_held();
    report.note(Part::SystemCalls, seccomp.held);
    if can_test {
        let tried = self_test::run(options).map_err(JailError::Hole)?;
        report.note(Part::SelfTest, tried);
        if let Err(reason) = filter::tighten(options) {
            report.note(Part::SystemCalls, Held::No(reason));
        }
    } else {
        let reason = "there is no filter of system calls to test".to_owned();
        report.note(Part::SelfTest, Held::No(reason));
    }
    if options.require_jail && !report.is_complete() {
        return Err(JailError::Incomplete(report.missing().join("; ")));
    }
    Ok(report)
}
