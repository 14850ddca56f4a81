//! Whose turn it is: one user of the cell at a time, first come first served.
//!
//! A turn is a value. Whoever drops it hands the cell to the next in line, or back to the slot; nobody who waits is told
//! anything before that, so that runs end in the order in which they stood in line, also if all that is left to tell them is
//! that there is no cell any more.

use std::{collections::VecDeque, sync::Arc};

use futures_channel::oneshot;
use hotcell_cell::Cell;
use hotcell_meter::Stopped;

use super::{Body, Executor, Inner, Slot, life::hint, suspend::UnderWay};
use crate::{
    error::ExecutorError,
    options::{Concurrency, ExecutorOptions},
    output::Execution,
    process::Remote,
    state::State,
};

/// What the cell is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Run,
    /// Takes a suspended run further.
    Resume,
    /// Something that is over soon and leaves the executor `READY`, such as a snapshot. Who comes meanwhile waits.
    /// A suspended run stays so.
    Work,
}

/// Somebody in line.
pub(super) struct Waiting {
    turn: oneshot::Sender<Turn>,
    purpose: Purpose,
}

impl Waiting {
    fn is_run(&self) -> bool {
        self.purpose == Purpose::Run
    }

    fn is_gone(&self) -> bool {
        self.turn.is_canceled()
    }
}

/// The right to use the cell.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is said by another at another time"
)]
pub(super) struct Turn {
    inner: Arc<Inner>,
    /// `None` once it has been passed on.
    held: Option<Held>,
    /// Whether the cell must not be used again.
    pub(super) is_dirty: bool,
    /// Whether a worker says that it can go on all the same.
    pub(super) is_whole: bool,
    /// The run that waits in the cell, once it does.
    pub(super) suspended: Option<Box<UnderWay>>,
    /// Whether a run began of whose end nobody has been told.
    pub(super) is_open: bool,
    /// Whether the use of the cell is over. What the slot says from then on may be said by somebody else.
    is_settled: bool,
}

/// What a turn holds. Without a cell its owner is to learn that there is none.
struct Held {
    cell: Option<Body>,
    /// A cell that is of no use any more. It goes last: with it its tools are dropped, which are the host's.
    gone: Option<Body>,
}

impl Turn {
    fn new(inner: &Arc<Inner>, cell: Option<Body>) -> Self {
        Self {
            inner: Arc::clone(inner),
            held: Some(Held { cell, gone: None }),
            is_dirty: false,
            is_whole: false,
            suspended: None,
            is_open: false,
            is_settled: false,
        }
    }

    pub(super) fn cell(&mut self, method: &str) -> Result<&mut Cell, ExecutorError> {
        self.body(method, Body::cell)
    }

    /// The worker, where there is one in the place of a cell.
    pub(super) fn remote(&mut self, method: &str) -> Result<&mut Remote, ExecutorError> {
        self.body(method, Body::remote)
    }

    fn body<T>(
        &mut self,
        method: &str,
        part: impl FnOnce(&mut Body) -> Option<&mut T>,
    ) -> Result<&mut T, ExecutorError> {
        let body = self.held.as_mut().and_then(|held| held.cell.as_mut());
        body.and_then(part).ok_or_else(|| {
            let state = self.inner.slot().state;
            ExecutorError::invalid_state(state, method, hint(state))
        })
    }

    /// The use of the cell is over, and everybody may know what state it left. But nobody gets the cell yet.
    pub(super) fn settle(&mut self) {
        let Some(held) = &mut self.held else {
            return;
        };
        if std::mem::replace(&mut self.is_settled, true) {
            return;
        }
        let is_dirty = self.is_dirty;
        let suspended = self.suspended.take();
        let is_suspended = suspended.is_some() || self.inner.slot().suspended.is_some();
        if !is_suspended {
            self.inner.hooks.scope.end();
        }
        // A run whose future was dropped is still in the cell.
        let is_at_rest = |cell: &mut Body| is_suspended || cell.is_stopped();
        let is_usable = |cell: &mut Body| !is_dirty && cell.is_alive() && is_at_rest(cell);
        let mut gone = held.cell.take_if(|cell| !is_usable(cell));
        // A run that was told to end, and did, leaves all else as it was. Of a worker's run the worker says that.
        let told = self.is_whole;
        let is_whole = |body: &mut Body| {
            (body.cell().is_some() || told) && body.is_alive() && body.is_stopped()
        };
        let kept = gone.take_if(|cell| is_dirty && is_whole(cell));
        let is_gone = gone.is_some() || kept.is_some();
        let mut slot = self.inner.slot();
        slot.interrupter = None;
        slot.canceller = None;
        slot.limit = None;
        slot.stop = None;
        slot.is_cancelled = false;
        slot.under_way = None;
        if suspended.is_some() {
            slot.suspended = suspended;
        }
        if held.cell.is_some() {
            slot.state = slot.resting_state();
        }
        if is_gone {
            slot.state = State::Dirty;
            slot.kept = kept;
            held.gone = gone;
        }
    }
}

/// What comes of asking for a turn.
#[expect(
    clippy::large_enum_variant,
    reason = "it lives for a moment, and a box would be made for every run"
)]
enum Asked {
    Granted(Body),
    Waits(oneshot::Receiver<Turn>),
    Refused(State, String),
}

impl Executor {
    /// Waits for a turn, or says why there is none to be had.
    pub(super) async fn turn(&self, purpose: Purpose, method: &str) -> Result<Turn, ExecutorError> {
        self.ask(purpose).granted(self, method).await
    }

    /// Takes a place in line.
    pub(super) fn ask(&self, purpose: Purpose) -> Place {
        let asked = self.0.slot().ask(purpose, &self.0.options);
        Place(match asked {
            Asked::Granted(cell) => Ok(Ok(Turn::new(&self.0, Some(cell)))),
            Asked::Waits(turn) => Ok(Err(turn)),
            Asked::Refused(state, hint) => Err((state, hint)),
        })
    }

    /// How many runs wait for their turn.
    pub fn queued(&self) -> usize {
        self.0.slot().waiting_runs()
    }
}

/// A place in line: a turn, one to come, or why there is none. Dropping it gives it up.
pub(super) struct Place(Result<Result<Turn, oneshot::Receiver<Turn>>, (State, String)>);

impl Place {
    pub(super) async fn granted(
        self,
        executor: &Executor,
        method: &str,
    ) -> Result<Turn, ExecutorError> {
        match self.0 {
            Ok(Ok(turn)) => Ok(turn),
            Ok(Err(turn)) => turn.await.map_err(|_| {
                let state = executor.state();
                ExecutorError::invalid_state(state, method, hint(state))
            }),
            Err((state, hint)) => Err(ExecutorError::invalid_state(state, method, &hint)),
        }
    }
}

impl Slot {
    fn ask(&mut self, purpose: Purpose, options: &ExecutorOptions) -> Asked {
        let state = self.state;
        let is_run = purpose == Purpose::Run;
        let is_at_rest = match state {
            State::Ready => purpose != Purpose::Resume,
            State::Suspended => !is_run,
            _ => false,
        };
        if is_at_rest {
            if let Some(cell) = self.cell.take() {
                self.begin(purpose);
                return Asked::Granted(cell);
            }
            // Somebody works on it, for a moment.
            return self.wait(purpose);
        }
        let may_queue = is_run && options.run_concurrency == Concurrency::Queue;
        // Behind those who have not yet heard that the cell is gone.
        let is_line_ending = state != State::Running && !self.line.is_empty();
        if !may_queue || !(state == State::Running || is_line_ending) {
            return Asked::Refused(state, hint(state).to_owned());
        }
        let limit = options.queue_length();
        if self.waiting_runs() >= limit {
            return Asked::Refused(state, format!("{limit} runs wait already (maxQueuedRuns)"));
        }
        self.wait(purpose)
    }

    fn wait(&mut self, purpose: Purpose) -> Asked {
        let (turn, receiver) = oneshot::channel();
        self.line.push_back(Waiting { turn, purpose });
        Asked::Waits(receiver)
    }

    fn waiting_runs(&self) -> usize {
        let waits = |one: &&Waiting| one.is_run() && !one.is_gone();
        self.line.iter().filter(waits).count()
    }

    fn begin(&mut self, purpose: Purpose) {
        self.interrupter = None;
        self.canceller = None;
        self.limit = None;
        self.stop = None;
        self.is_cancelled = false;
        self.under_way = None;
        if purpose != Purpose::Work {
            self.state = State::Running;
        }
    }

    /// What state an executor is in whose cell nobody uses.
    pub(super) fn resting_state(&self) -> State {
        if self.suspended.is_some() {
            State::Suspended
        } else {
            State::Ready
        }
    }

    /// Takes those out of the line who may not wait for a run: they came while the executor was still `READY`.
    fn turn_away(&mut self, options: &ExecutorOptions) -> Vec<Waiting> {
        let mut room = match options.run_concurrency {
            Concurrency::Queue => options.queue_length(),
            Concurrency::Reject => 0,
        };
        let (mut stay, mut go) = (VecDeque::new(), Vec::new());
        for one in self.line.drain(..) {
            if one.is_run() && !one.is_gone() && room > 0 {
                room -= 1;
                stay.push_back(one);
            } else {
                go.push(one);
            }
        }
        self.line = stay;
        go
    }
}

impl Inner {
    /// Gives the cell to the next in line, or back to the slot. `None` if it is gone: then all in line learn that, one after
    /// the other.
    fn pass_on(self: &Arc<Self>, mut cell: Option<Body>) {
        loop {
            let mut slot = self.slot();
            if cell.is_none()
                && matches!(slot.state, State::Ready | State::Running | State::Suspended)
            {
                // There is another one already, and whoever has it looks after the line.
                cell = slot.cell.take();
                if cell.is_none() {
                    return;
                }
            }
            if cell.is_some() {
                slot.state = slot.resting_state();
            }
            let Some(next) = slot.line.pop_front() else {
                slot.cell = cell;
                return;
            };
            if slot.state == State::Suspended && cell.is_some() && next.is_run() {
                // It learns that the run before it is not over, and may not be for days.
                drop(slot);
                drop(next);
                continue;
            }
            let mut turned_away = Vec::new();
            if cell.is_some() && !next.is_gone() {
                slot.begin(next.purpose);
                if next.is_run() {
                    turned_away = slot.turn_away(&self.options);
                }
            }
            drop(slot);
            // Outside of the lock, because both wake tasks of the host.
            drop(turned_away);
            match next.turn.send(Turn::new(self, cell)) {
                Ok(()) => return,
                // It does not wait any more. What was held is held here again.
                Err(mut turn) => cell = turn.held.take().and_then(|held| held.cell),
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.settle();
        if std::mem::take(&mut self.is_open) {
            // Its future was dropped.
            let ended = Execution::refused(ExecutorError::stopped(Stopped::Cancelled, None));
            self.inner.hooks.tell(|scene, hub| scene.ended(hub, &ended));
        }
        if let Some(Held { cell, gone }) = self.held.take() {
            self.inner.pass_on(cell);
            drop(gone);
        }
    }
}
