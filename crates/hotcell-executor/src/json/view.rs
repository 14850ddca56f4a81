//! Names of what holds bytes.

/// The name of an `ArrayBuffer` itself.
pub(super) const BUFFER: &str = "ArrayBuffer";
/// What bytes are that do not say.
pub(super) const BYTES: &str = "Uint8Array";
