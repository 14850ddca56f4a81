//! HTTP/1.1 as a client speaks it.

pub(crate) mod body;
pub(crate) mod decode;
pub(crate) mod response;
pub(crate) mod wire;
