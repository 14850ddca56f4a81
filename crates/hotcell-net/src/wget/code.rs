//! Exit codes of `wget`.

/// Something else.
pub(super) const GENERIC: i32 = 1;
/// A file could not be read or written.
pub(super) const FILE: i32 = 3;
/// The network failed, or is not allowed.
pub(super) const NETWORK: i32 = 4;
/// The server could not show who it is.
pub(super) const TLS: i32 = 5;
/// The server wants other credentials.
pub(super) const AUTHENTICATION: i32 = 6;
/// The server does not speak HTTP.
pub(super) const PROTOCOL: i32 = 7;
/// The server answered with an error.
pub(super) const SERVER: i32 = 8;
