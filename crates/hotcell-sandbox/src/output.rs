//! The two streams that a command prints to.

use std::{fmt, sync::Arc};

use hotcell_meter::Account;
use hotcell_process::{Capture, LimitKind, Told};

use crate::notes::Notes;

/// One of the two streams that a command prints to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl OutputStream {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

impl fmt::Display for OutputStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Who hears of output as it comes.
pub(crate) type Listener = Arc<dyn Fn(OutputStream, &[u8]) + Send + Sync>;

/// Keeps what is written to a stream up to a limit, tells it as it comes, and notes when it is too much.
pub(crate) fn capture(
    which: OutputStream,
    limit: usize,
    account: &Account,
    listener: Option<&Listener>,
    notes: &Arc<Notes>,
) -> Capture {
    let (listener, notes) = (listener.cloned(), Arc::clone(notes));
    Capture::told(account, limit, move |told| match (told, &listener) {
        (Told::Kept(bytes), Some(listener)) => listener(which, bytes),
        (Told::Kept(_), None) => {}
        (Told::Cut, _) => notes.limit(LimitKind::Output),
    })
}
