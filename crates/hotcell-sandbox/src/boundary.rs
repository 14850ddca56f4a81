//! Where the processes of a command run: on a thread of this program, or in a process of their own.
//!
//! The second is the wall behind the first. Parser, shell, utilities, JavaScript and WebAssembly run in a jailed worker process
//! (`hotcell-worker`), so that whoever breaks out of all of them is in an empty process that can be killed. What stays here:
//!
//! | here | in the worker |
//! |---|---|
//! | files, mounts, devices | every program that works on them |
//! | the network, functions of the host's | the process that waits for them |
//! | the code of installed programs, on disk | a copy of what was asked for |
//! | the shell as the last completed command left it | the shell while a command runs |
//! | deadline, cancel, SIGKILL | the same, so that most commands end by themselves |
//!
//! A worker belongs to one sandbox. It stays between commands, and is replaced when it was killed or has crashed. Everything it says
//! is looked at as if somebody else had said it ([`outside`]).

use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(target_os = "linux")]
mod code;
#[cfg(target_os = "linux")]
mod desk;
#[cfg(target_os = "linux")]
mod inside;
#[cfg(target_os = "linux")]
mod outside;
#[cfg(target_os = "linux")]
mod packed;
#[cfg(target_os = "linux")]
mod programs;
#[cfg(target_os = "linux")]
mod proxies;
#[cfg(target_os = "linux")]
mod shares;
#[cfg(target_os = "linux")]
mod teller;
#[cfg(target_os = "linux")]
mod wire;

#[cfg(not(target_os = "linux"))]
#[path = "boundary/none.rs"]
mod outside;

pub use hotcell_executor::Isolation;
#[cfg(target_os = "linux")]
pub use inside::{worker, worker_service};
pub(crate) use outside::{Distant, Errand};

/// Where a sandbox keeps its worker between two commands.
#[derive(Default)]
pub(crate) struct Slot(Mutex<Option<outside::Held>>);

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Option<outside::Held>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the worker.
    pub(crate) fn clear(&self) {
        let held = self.lock().take();
        drop(held);
    }
}
