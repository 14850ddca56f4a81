//! Who may call what.

use std::sync::Arc;

use hotcell_cell::Arguments;

/// Whether code may call a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Permission {
    /// Every time.
    #[default]
    Allow,
    /// Never. The tool is there, and calls of it fail with an error that says so.
    Deny,
    /// When the host says so, see [`ExecutorOptions::on_approval`](crate::ExecutorOptions::on_approval).
    Ask,
}

/// A call that waits for approval.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The tool that is to be called.
    pub tool: Arc<str>,
    /// What it is to be called with.
    pub arguments: Arguments,
}

/// What the host says to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approval {
    /// It takes place.
    Allow,
    /// It does not; the code gets an error with this reason.
    Deny(String),
}
