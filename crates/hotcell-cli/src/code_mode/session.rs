//! A session: cells that share what they store.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::cell::Cell;
use super::client::Client;
use super::message::{Response, SessionLimits, ToClient};

/// So much may be stored, keys included.
pub(super) const MAX_STORED: usize = 16 << 20;

/// A wait that a client asks for in full seconds gets one more, so that what ends in time is told as ended.
const GRACE: Duration = Duration::from_secs(1);
const LEAST_FOR_GRACE: Duration = Duration::from_secs(10);
/// How long is waited for a cell unless it is said.
const YIELD_AFTER: u64 = 10_000;

/// What cells store: JSON by key. A copy is cheap.
pub(super) type Stored = BTreeMap<String, Arc<str>>;

pub(super) struct Session {
    pub(super) id: String,
    pub(super) limits: SessionLimits,
    next: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    stored: Stored,
    cells: HashMap<String, Arc<Cell>>,
    /// Who is told when the last cell is gone. From then on there are no new ones.
    closing: Option<i64>,
}

impl Session {
    pub(super) fn new(id: String, limits: SessionLimits) -> Arc<Self> {
        Arc::new(Self {
            id,
            limits,
            next: AtomicU64::new(0),
            state: Mutex::default(),
        })
    }

    /// A name for a cell.
    pub(super) fn next_id(&self) -> String {
        (self.next.fetch_add(1, Ordering::Relaxed) + 1).to_string()
    }

    /// How long is waited for a cell that somebody wants to hear of after so many milliseconds.
    pub(super) fn yield_after(&self, millis: Option<u64>) -> Duration {
        let mut wait = Duration::from_millis(millis.unwrap_or(YIELD_AFTER));
        if wait >= LEAST_FOR_GRACE {
            wait = wait.saturating_add(GRACE);
        }
        let most = self.limits.max_yield_time_ms.map(Duration::from_millis);
        most.map_or(wait, |most| wait.min(most))
    }

    pub(super) fn stored(&self) -> Stored {
        self.state().stored.clone()
    }

    /// Takes in what a cell that ended has stored.
    pub(super) fn commit(&self, writes: Stored) {
        let mut state = self.state();
        let old: Vec<_> = writes
            .into_iter()
            .filter_map(|(key, json)| state.stored.insert(key, json))
            .collect();
        drop(state);
        drop(old);
    }

    pub(super) fn add(&self, cell: &Arc<Cell>) {
        self.state().cells.insert(cell.id.clone(), Arc::clone(cell));
    }

    pub(super) fn cell(&self, id: &str) -> Option<Arc<Cell>> {
        self.state().cells.get(id).cloned()
    }

    /// A cell is gone, and everybody was told what came of it.
    pub(super) fn forget(&self, cell: &str, client: &Client) {
        let _ = client.send(&ToClient::Closed {
            session_id: &self.id,
            cell_id: cell,
        });
        let mut state = self.state();
        let gone = state.cells.remove(cell);
        let closed = state.closing.filter(|_| state.cells.is_empty());
        drop(state);
        drop(gone);
        if let Some(request) = closed {
            self.closed(request, client);
        }
    }

    /// Ends all cells. Who asked for that is told when they are gone.
    pub(super) fn shut_down(&self, request: i64, client: &Client) {
        let cells: Vec<Arc<Cell>> = {
            let mut state = self.state();
            state.closing = Some(request);
            state.cells.values().cloned().collect()
        };
        if cells.is_empty() {
            self.closed(request, client);
        }
        for cell in cells {
            cell.give_up();
        }
    }

    fn closed(&self, request: i64, client: &Client) {
        let session_id = self.id.clone();
        client.respond(request, Ok(Response::Closed { session_id }));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
