//! The process boundary: the code of an executor runs in a jailed worker process (`hotcell-worker`), the second wall behind the
//! first. Whoever breaks out of WebAssembly and of Rust is in an empty process that can be killed.
//!
//! | here | in the worker |
//! |---|---|
//! | states, line, options, what may be called | parser, rules, cell, schema of arguments, errors' places, snapshots' memory |
//! | functions of the host's, approvals, files | file tools on those files |
//! | deadline, cancel, SIGKILL | the same, so that most runs end by themselves |
//! | the key of snapshots | nothing that opens or seals one |
//!
//! The worker holds a whole [`Executor`](crate::Executor), and this side carries ([`remote`]): orders go in, what came of them comes
//! out ([`told`]), calls of tools come in between ([`desk`]). A worker belongs to one executor. After SIGKILL or a crash the
//! executor is `DIRTY`; `cleanup` and `init` give it a new one.
//!
//! # Invariant: a worker has no authority
//!
//! Everything it says is read as if somebody else had said it. A tool that it calls exists, may be called, was approved of for these
//! arguments if it needs approval, fits its schema, and was not called too often: all of that is checked here once more.

mod desk;
mod forward;
mod happening;
mod inside;
mod mirror;
mod pack;
mod remote;
mod told;
mod wire;

pub(crate) use happening::CalledTool;
pub use hotcell_worker::{Held as JailHeld, JailReport, Part as JailPart, workers_are};
pub use inside::{worker, worker_service};
pub use remote::jail_report;
pub(crate) use remote::{Beginning, Canceller, Gone, Limit, Remote, TO_GO_ALONG, Time, Told};

/// The stream of a worker's output that has lines of the console.
const LOG: u8 = 1;
/// The stream that has what else happens.
const HAPPENED: u8 = 2;

/// What names this build: both sides must be of the same.
pub fn worker_build() -> String {
    format!(
        "{}/{}",
        env!("CARGO_PKG_VERSION"),
        hotcell_cell::BuildId::CURRENT
    )
}
