//! What happens on the way to a response, for `curl -v` and `wget`, which tell it as it happens.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Something that happened.
#[derive(Debug, Clone)]
pub(crate) enum Note {
    /// A name is about to be looked up.
    Resolving,
    /// What it was found to be.
    Resolved(Vec<SocketAddr>),
    /// An address is about to be connected to.
    Trying(SocketAddr),
    /// That did not work.
    Failed(SocketAddr, String),
    /// A connection stands.
    Connected(SocketAddr),
    /// A connection of an earlier request is used.
    Reused,
    /// Hands are shaken: the version and the cipher.
    Secured(String, String),
}

/// Notes that wait to be told. Not kept unless somebody asks for them.
#[derive(Clone, Default)]
pub(crate) struct Notes(Option<Arc<Mutex<VecDeque<Note>>>>);

impl Notes {
    pub(crate) fn kept() -> Self {
        Self(Some(Arc::default()))
    }

    pub(crate) fn take(&self, note: impl FnOnce() -> Note) {
        if let Some(mut notes) = self.lock() {
            notes.push_back(note());
        }
    }

    pub(crate) fn next(&self) -> Option<Note> {
        self.lock()?.pop_front()
    }

    fn lock(&self) -> Option<MutexGuard<'_, VecDeque<Note>>> {
        let notes = self.0.as_ref()?;
        Some(notes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
