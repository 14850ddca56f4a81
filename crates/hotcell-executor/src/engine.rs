//! Where executors get their cells.

use std::sync::{Mutex, PoisonError};

use hotcell_cell::{Cell, CellError, Engine, EngineOptions};

/// An engine of the process, made when it is first needed. A failure is not remembered: the next caller tries again.
struct Room {
    cells: u32,
    engine: Mutex<Option<Engine>>,
}

/// Making room costs time for every cell there might be: a process with few executors, which most are, starts with this...
static FEW: Room = Room::new(128);
/// ...and never pays for this.
static MANY: Room = Room::new(10_240);

impl Room {
    const fn new(cells: u32) -> Self {
        Self {
            cells,
            engine: Mutex::new(None),
        }
    }

    /// The engine, if it is there. Does not wait for whoever makes it.
    fn made(&self) -> Option<Engine> {
        self.engine.try_lock().ok()?.clone()
    }

    fn engine(&self) -> Result<Engine, CellError> {
        let mut engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = &*engine {
            return Ok(engine.clone());
        }
        let made = Engine::with_options(&EngineOptions::default().max_cells(self.cells))?;
        *engine = Some(made.clone());
        Ok(made)
    }
}

/// Sees to it that the next cell need not wait for room to be made: that takes tens of milliseconds, which whoever polls a
/// future is not to be kept for.
pub(crate) async fn make_room() {
    let is_full = |engine: Engine| engine.cells() >= engine.max_cells();
    if FEW.made().is_some_and(is_full) && MANY.made().is_none() {
        // Whoever makes the cell is told if this fails: it tries again.
        let _ = blocking::unblock(|| MANY.engine()).await;
    }
}

/// Makes a cell on `own`, or else on an engine of the process.
///
/// The realm was locked down when the image was built; loading that image happens here, once for each engine, however many
/// executors initialise at the same time.
pub(crate) fn make_cell(
    own: Option<&Engine>,
    mut make: impl FnMut(&Engine) -> Result<Cell, CellError>,
) -> Result<Cell, CellError> {
    if let Some(engine) = own {
        return make(engine);
    }
    match make(&FEW.engine()?) {
        Err(CellError::TooManyCells { .. }) => make(&MANY.engine()?),
        result => result,
    }
}
