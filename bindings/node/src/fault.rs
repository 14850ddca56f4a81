//! Errors that methods of the library throw at once.

use napi::{Error, Status};

/// What the caller got wrong; `lib/` makes a `TypeError` of it.
pub(crate) fn mistake(error: impl std::fmt::Display) -> Error {
    Error::new(Status::InvalidArg, error.to_string())
}

/// What only a bug of ours can cause.
pub(crate) fn bug(error: impl std::fmt::Display) -> Error {
    Error::from_reason(format!("hotcell: {error}"))
}
