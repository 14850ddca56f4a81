//! hotcell for Node: the native half of the npm package `hotcell`.
//!
//! The package's face is JavaScript (`lib/`); this library is what it cannot do itself. Its API is private to the package.
//!
//! # Concepts
//!
//! - [`Host`]: one for each environment (main thread, worker). Operations begin on Node's thread and go on on a pool of
//!   threads that all environments share if they are not over soon (`main_thread.rs`); what they have to tell comes to JavaScript
//!   as events.
//! - Values cross in packed form: see `packed.rs`.
//!
//! # What is trusted
//!
//! The package's JavaScript and the host's functions. What comes from a cell was checked by `hotcell-cell`; a value that the
//! host sends may be anything, also while it is being read (getters), and is read by JavaScript.

#![expect(
    clippy::needless_pass_by_value,
    clippy::trivially_copy_pass_by_ref,
    reason = "what Node passes arrives by value, and the environment by reference"
)]

mod bridge;
mod calls;
mod event;
mod executor;
mod fault;
mod files;
mod host;
mod main_thread;
mod order;
mod outcome;
mod packed;
mod parcel;
mod sandbox;
mod sent;
mod shared;
mod snapshot;
mod texts;
mod transit;

pub use executor::{NativeEvents, NativeExecutor, NativeModules, inspect_snapshot};
pub use files::NativeFiles;
pub use host::Host;
pub use parcel::Parcel;
pub use sandbox::{NativeCommandCall, NativeSandbox};
pub use snapshot::SnapshotBytes;
pub use texts::{
    build_id, observe_error, observe_output, parse_answer, prepare_program, render_prompt,
    validate_code, version, workers_are,
};
