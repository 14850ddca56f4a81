//! Where executors get their cells.

use std::sync::{Mutex, PoisonError};

use hotcell_cell::{Cell, CellError, Engine, EngineOptions};

/// Room for cells, by engine. Making room costs time for every cell there might be: a process with few executors, which
/// most are, starts with the first and never pays for the second.
const ROOMS: [u32; 2] = [128, 10_240];

/// Makes a cell on `own`, or else on an engine of the process.
///
/// The realm was locked down when the image was built; loading that image happens here, once for each engine, however many
/// executors initialise at the same time. A failure is not remembered: the next caller tries again.
pub(crate) fn make_cell(
    own: Option<&Engine>,
    mut make: impl FnMut(&Engine) -> Result<Cell, CellError>,
) -> Result<Cell, CellError> {
    if let Some(engine) = own {
        return make(engine);
    }

    match make(&shared(0)?) {
        Err(CellError::TooManyCells { .. }) => make(&shared(1)?),
        result => result,
    }
}

fn shared(room: usize) -> Result<Engine, CellError> {
    static ENGINES: [Mutex<Option<Engine>>; 2] = [Mutex::new(None), Mutex::new(None)];
    let mut engine = ENGINES[room].lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(engine) = &*engine {
        return Ok(engine.clone());
    }
    let made = Engine::with_options(&EngineOptions::default().max_cells(ROOMS[room]))?;
    *engine = Some(made.clone());
    Ok(made)
}
