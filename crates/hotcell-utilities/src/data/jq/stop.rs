//! What ends an evaluation before its time.

use std::io;

use super::value::Value;

/// Why a filter does not go on.
pub(crate) enum Stop {
    /// An error that `try` catches.
    Error(Value),
    /// An error of ours with a text, which becomes a value when somebody asks for it.
    Message(String),
    /// To the label of this number, or the loop that wanted no more.
    Break(u64),
    /// `halt`, `halt_error`: the exit code.
    Halt(i32),
    /// The input is not what it should be; nobody catches that either.
    Parse(String),
    /// Input or output failed, or memory is used up: nobody catches that.
    Io(io::Error),
}

pub(crate) type Flow = Result<(), Stop>;

impl Stop {
    pub(crate) fn message(text: impl Into<String>) -> Self {
        Self::Message(text.into())
    }

    /// What cannot be.
    pub(crate) fn fault() -> Self {
        Self::message("internal error")
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
