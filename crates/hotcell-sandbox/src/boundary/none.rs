//! Systems whose processes nobody has built a jail for.

use std::{
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use hotcell_shell::Shell;

use crate::{
    command::Command,
    error::{Result, SandboxError},
    notes::Notes,
    run::{Kept, Over, Place},
    world::World,
};

/// There is none.
pub(crate) enum Held {}

/// A command in a worker, which there cannot be.
pub(crate) struct Distant;

/// What a command would need to run elsewhere.
pub(crate) struct Errand {
    pub(crate) command: Command,
    pub(crate) kept: Kept,
    pub(crate) shell: Shell,
    pub(crate) timeout: Duration,
    pub(crate) world: World,
    pub(crate) notes: Arc<Notes>,
}

impl Distant {
    pub(crate) fn begin(_place: &Place, _errand: Errand) -> Self {
        Self
    }

    pub(crate) fn poll(&mut self, _context: &mut Context<'_>) -> Poll<Result<Over>> {
        Poll::Ready(Err(SandboxError::Worker(
            "this system has the thread boundary only: process isolation needs Linux".to_owned(),
        )))
    }
}
