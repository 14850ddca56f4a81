//! Where executors get their cells.

use std::sync::{Mutex, PoisonError};

use hotcell_cell::{Cell, CellError, Engine};

/// The engine of the process, made when it is first needed. A failure is not remembered: the next caller tries again.
static ENGINE: Mutex<Option<Engine>> = Mutex::new(None);

/// Makes a cell on `own`, or else on the engine of the process.
///
/// The realm was locked down when the image was built; loading that image happens here, once, however many executors
/// initialise at the same time.
pub(crate) fn make_cell(
    own: Option<&Engine>,
    make: impl FnOnce(&Engine) -> Result<Cell, CellError>,
) -> Result<Cell, CellError> {
    match own {
        Some(engine) => make(engine),
        None => make(&shared_engine()?),
    }
}

/// The engine that all executors of the process share which were made without one.
pub fn shared_engine() -> Result<Engine, CellError> {
    let mut engine = ENGINE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(engine) = &*engine {
        return Ok(engine.clone());
    }
    let made = Engine::new()?;
    *engine = Some(made.clone());
    Ok(made)
}
