//! Who may call what.

use std::sync::Arc;

use hotcell_cell::{Arguments, Origin};
use hotcell_meter::{Account, Charge, OverLimit};

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
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The tool that is to be called.
    pub tool: Arc<str>,
    /// What it is to be called with.
    pub arguments: Arguments,
    /// Which call it is.
    pub origin: Option<Origin>,
    /// What is kept for the code is charged here.
    pub(crate) account: Account,
}

impl ApprovalRequest {
    /// Takes room for what is made of the request while it waits, until the charge is dropped: the code pays for that.
    pub fn charge(&self, bytes: usize) -> Result<Charge, OverLimit> {
        self.account.charge(bytes)
    }
}

impl PartialEq for ApprovalRequest {
    fn eq(&self, other: &Self) -> bool {
        (&self.tool, &self.arguments, &self.origin)
            == (&other.tool, &other.arguments, &other.origin)
    }
}

/// What the host says to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approval {
    /// It takes place.
    Allow,
    /// It does not; the code gets an error with this reason.
    Deny(String),
    /// Nobody can say now. A run that [`Executor::start`](crate::Executor::start) began waits for who resumes it; any other call
    /// is refused.
    Later,
}
