//! Which program is started to be a worker.

use std::{
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use super::WorkerError;

/// The name of the program that is only a worker.
pub const WORKER_PROGRAM: &str = "hotcell-worker";

/// Names a program that is a worker when it is started with [`WORKER_ARGUMENT`](crate::WORKER_ARGUMENT).
pub const WORKER_VARIABLE: &str = "HOTCELL_WORKER";

/// Whether this program is one.
static IS_THIS: AtomicBool = AtomicBool::new(false);

/// The program that was named.
static NAMED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Names the program that workers are, for a library that knows where its own lies. [`WORKER_VARIABLE`] goes before it.
pub fn workers_are(program: impl Into<PathBuf>) {
    *NAMED.lock().unwrap_or_else(PoisonError::into_inner) = Some(program.into());
}

/// Says that this program calls [`run`](crate::run) when [`is_worker`](crate::is_worker) says so, first thing in `main`: then
/// workers are this program, started again.
pub fn this_program_can_be_a_worker() {
    IS_THIS.store(true, Ordering::Relaxed);
}

/// What was said, else what the environment says, else what was named, else this program, else the one that lies beside it.
pub(super) fn locate(said: Option<&Path>) -> Result<PathBuf, WorkerError> {
    if let Some(said) = said {
        return Ok(said.to_owned());
    }
    if let Some(said) = std::env::var_os(WORKER_VARIABLE).filter(|said| !said.is_empty()) {
        return Ok(said.into());
    }
    let named = NAMED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(named) = named {
        return Ok(named);
    }
    if IS_THIS.load(Ordering::Relaxed) {
        // Also if somebody has put another program in its place meanwhile.
        return Ok("/proc/self/exe".into());
    }
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent);
    // Where Cargo puts tests is one below where it puts programs.
    let above = beside.filter(|folder| folder.ends_with("deps"));
    let above = above.and_then(Path::parent);
    let places = [beside, above].into_iter().flatten();
    let mut tried = Vec::new();
    for place in places {
        let program = place.join(WORKER_PROGRAM);
        if program.is_file() {
            return Ok(program);
        }
        tried.push(program);
    }
    Err(WorkerError::NotFound { tried })
}
