//! Whose turn it is: one run at a time, first come first served.

use std::sync::Arc;

use futures_channel::oneshot;
use hotcell_cell::Cell;

use super::{Executor, Inner, life::hint};
use crate::{error::ExecutorError, options::Concurrency, state::State};

/// The right to use the cell. Whoever drops it gives the cell back, or to the next in line.
pub(super) struct Turn {
    inner: Arc<Inner>,
    /// There until the turn ends.
    cell: Option<Cell>,
    /// Whether the cell must not be used again.
    pub(super) is_dirty: bool,
}

impl Turn {
    fn new(inner: &Arc<Inner>, cell: Cell) -> Self {
        Self {
            inner: Arc::clone(inner),
            cell: Some(cell),
            is_dirty: false,
        }
    }

    pub(super) fn cell(&mut self) -> Result<&mut Cell, ExecutorError> {
        let state = State::Dirty;
        self.cell
            .as_mut()
            .ok_or_else(|| ExecutorError::invalid_state(state, "run", hint(state)))
    }
}

impl Executor {
    /// Waits for a turn, or says why there is none to be had.
    pub(super) async fn turn(&self) -> Result<Turn, ExecutorError> {
        let receiver = {
            let mut slot = self.0.slot();
            let state = slot.state;
            let refuse = |hint: &str| Err(ExecutorError::invalid_state(state, "run", hint));
            match state {
                State::Ready => {
                    let Some(cell) = slot.cell.take() else {
                        return refuse("call cleanup() and init() first");
                    };
                    slot.state = State::Running;
                    slot.is_cancelled = false;
                    return Ok(Turn::new(&self.0, cell));
                }
                State::Running if self.0.options.run_concurrency == Concurrency::Queue => {
                    slot.waiting.retain(|waiting| !waiting.is_canceled());
                    let limit = self.0.options.max_queued_runs;
                    if slot.waiting.len() >= limit {
                        return refuse(&format!("{limit} runs wait already (maxQueuedRuns)"));
                    }
                    let (sender, receiver) = oneshot::channel();
                    slot.waiting.push_back(sender);
                    receiver
                }
                state => return refuse(hint(state)),
            }
        };
        receiver.await.map_err(|_| {
            let state = self.state();
            ExecutorError::invalid_state(state, "run", hint(state))
        })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some(mut cell) = self.cell.take() else {
            return;
        };
        // A run whose future was dropped is still in the cell.
        let is_usable = !self.is_dirty && cell.is_alive() && cell.stop().is_ok();
        let mut slot = self.inner.slot();
        slot.interrupter = None;
        slot.is_cancelled = false;
        if !is_usable {
            slot.state = State::Dirty;
            let waiting = std::mem::take(&mut slot.waiting);
            drop(slot);
            // Outside of the lock: dropping a cell drops tools, and whoever waits is told by the drop.
            drop((waiting, cell));
            return;
        }
        while let Some(next) = slot.waiting.pop_front() {
            match next.send(Turn::new(&self.inner, cell)) {
                Ok(()) => return,
                Err(mut turn) => match turn.cell.take() {
                    Some(back) => cell = back,
                    None => return,
                },
            }
        }
        slot.state = State::Ready;
        slot.cell = Some(cell);
    }
}
