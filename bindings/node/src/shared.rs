//! What all threads of the library share.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use hotcell::cell::Pool;

/// The threads that run cells, for all environments of the process.
pub(crate) fn pool() -> &'static Pool {
    static POOL: OnceLock<Pool> = OnceLock::new();
    POOL.get_or_init(Pool::new)
}

/// What is behind a lock, also after a panic: nothing here is left half done.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
