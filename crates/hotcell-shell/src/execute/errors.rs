//! What becomes of a flow that reaches the end of what it can leave.

use crate::{
    flow::{Flow, Outcome},
    shell::Shell,
};

impl Shell {
    /// The status that a subshell, or the shell itself, ends with.
    pub(crate) fn final_status(&self, outcome: Outcome) -> i32 {
        match outcome {
            Ok(status)
            | Err(
                Flow::Return(status)
                | Flow::Exit(status)
                | Flow::Discard(status)
                | Flow::Abort(status),
            ) => status,
            Err(Flow::Break(_) | Flow::Continue(_) | Flow::Exec) => self.status,
        }
    }

    /// Takes an error for a status, where bash goes on after it: `((`, `[[`, `let`, `read`.
    pub(crate) fn as_status(outcome: Outcome) -> Outcome {
        match outcome {
            Err(Flow::Discard(status) | Flow::Abort(status)) => Ok(status),
            other => other,
        }
    }
}
