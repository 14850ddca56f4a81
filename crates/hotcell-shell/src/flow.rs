//! What ends a command before its end.

/// Why execution does not go on with the next command. Whatever had to be said has been said already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// `break`: out of this many loops.
    Break(usize),
    /// `continue`: out of all but the last of this many loops, which goes on.
    Continue(usize),
    /// `return`: from the function or the sourced file, with this status.
    Return(i32),
    /// `exit`, or an error that ends the shell (`${x?}`, an unset variable under `set -u`), with this status.
    Exit(i32),
    /// An error that gives up the complete command that is being run, as a bad substitution or a division by zero does:
    /// the shell reads on behind it. In a subshell it ends the subshell.
    Discard(i32),
    /// As `Discard`, but no `eval` on the way goes on, and `-c` ends: an arithmetic error in the value or the subscript of
    /// an assignment, too many arguments of `break` and the like, the end of the stack.
    Abort(i32),
    /// `exec`: another program takes the place of the shell, see [`Shell::successor`](crate::shell::Shell).
    Exec,
}

impl Flow {
    /// The same, but an error that gives up a command gives up more than that.
    pub(crate) fn aborting(self) -> Self {
        match self {
            Self::Discard(status) => Self::Abort(status),
            other => other,
        }
    }
}

/// What a command comes to: its status, or why it did not end normally.
pub(crate) type Outcome = Result<i32, Flow>;
