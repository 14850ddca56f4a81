//! The two streams that a command prints to.

use std::{fmt, sync::Arc};

use hotcell_meter::Account;
use hotcell_process::Capture;

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

/// Keeps what is written to a stream up to a limit, and tells it as it comes.
pub(crate) fn capture(
    which: OutputStream,
    limit: usize,
    account: &Account,
    listener: Option<&Listener>,
) -> Capture {
    match listener {
        Some(listener) => {
            let listener = Arc::clone(listener);
            Capture::told(account, limit, move |bytes| listener(which, bytes))
        }
        None => Capture::new(account, limit),
    }
}
