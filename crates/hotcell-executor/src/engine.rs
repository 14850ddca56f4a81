//! The engine that all executors of a process share.

use std::sync::{Mutex, PoisonError};

use hotcell_cell::{CellError, Engine};

/// The engine of this process. The realm was locked down when the image was built; loading that image happens here, once,
/// however many executors initialise at the same time. A failure is not remembered: the next caller tries again.
pub(crate) fn shared() -> Result<Engine, CellError> {
    static ENGINE: Mutex<Option<Engine>> = Mutex::new(None);
    let mut engine = ENGINE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(engine) = &*engine {
        return Ok(engine.clone());
    }
    let made = Engine::new()?;
    *engine = Some(made.clone());
    Ok(made)
}
