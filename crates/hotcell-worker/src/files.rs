//! Files that stay with the parent: a file system on the worker's side, and on the parent's the server behind it.
//!
//! [`ProxyVfs`] is a [`Vfs`](hotcell_vfs::Vfs) like any other; each of its operations is one request. [`FileServer`] performs
//! them on the real one. `docs/worker-protocol.md` describes every request.
//!
//! # Invariant: an operation happened, or it did not
//!
//! The server begins an operation when it has all of its request, and a worker that is killed before that has changed nothing: a
//! `writeFile` that comes in pieces is kept aside until the last one is there. An operation that has begun is carried out.
//! Whoever kills a worker waits for that ([`FileServer`] is one thread's, and that thread is waited for), so that nothing
//! happens to the files afterwards.

mod client;
mod fetch;
mod handle;
mod handles;
mod resolved;
mod serve;
mod wire;

pub use client::ProxyVfs;
pub use fetch::{Fetch, FetchError, FetchRequest, FetchResponse};
pub use serve::{Answer, FileServer, MAX_OPEN_FILES};
pub(crate) use wire::MOST_METADATA;
