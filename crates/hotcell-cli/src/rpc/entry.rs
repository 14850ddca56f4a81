//! An executor with its place in line.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hotcell::Executor;

use super::events::Telling;
use super::executors::Modules;
use super::line::Line;
use super::remote::Remote;
use super::tools::ToolParams;

/// An executor, by its id.
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) executor: Executor,
    /// Who its tools ask.
    pub(super) client: Remote,
    /// The modules it was made with, for twins.
    pub(super) modules: Arc<Modules>,
    /// What the client sent, for twins.
    pub(super) tools: Mutex<Vec<ToolParams>>,
    pub(super) line: Arc<Line>,
    /// Whether the client hears of what happens.
    pub(super) telling: Telling,
}

impl Entry {
    pub(super) fn new(
        id: String,
        executor: Executor,
        client: Remote,
        modules: Arc<Modules>,
    ) -> Arc<Self> {
        let entry = Arc::new(Self {
            id,
            executor,
            client,
            modules,
            tools: Mutex::default(),
            line: Arc::default(),
            telling: Telling::default(),
        });
        entry.client.is_of(&entry);
        entry
    }

    pub(super) fn tools(&self) -> MutexGuard<'_, Vec<ToolParams>> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
