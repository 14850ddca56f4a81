//! Output that the host keeps.

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
};

use hotcell_meter::{Account, Charge};
use hotcell_vfs::{FileType, Metadata};

use crate::{null::no_file, stream::Stream};

/// What is charged ahead, so that the words of who runs out of memory still find room.
const RESERVE: usize = 4 << 10;

/// A stream that keeps what is written to it, up to a limit. Cheap to clone; clones are one stream.
///
/// What goes beyond the limit is dropped, and [`Captured::dropped`] tells how much it was: a program that prints too much is
/// not stopped for it.
#[derive(Clone)]
pub struct Capture(Arc<Inner>);

struct Inner {
    account: Account,
    limit: usize,
    listener: Option<Listener>,
    // Held for a copy, never while the listener is called.
    state: Mutex<State>,
}

type Listener = Box<dyn Fn(Told<'_>) + Send + Sync>;

/// What a listener of a [`Capture`] hears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told<'a> {
    /// These bytes came, and are kept.
    Kept(&'a [u8]),
    /// For the first time bytes came that are not kept.
    Cut,
}

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    charge: Option<Charge>,
    dropped: u64,
}

/// What a [`Capture`] got.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The bytes, in the order in which they were written.
    pub bytes: Vec<u8>,
    /// How many more there were.
    pub dropped: u64,
}

impl Capture {
    /// Keeps up to `limit` bytes, charged to `account`.
    pub fn new(account: &Account, limit: usize) -> Self {
        Self::make(account, limit, None)
    }

    /// The same, and `listener` is told of what is kept as it comes, and when there is no room for more.
    pub fn told(
        account: &Account,
        limit: usize,
        listener: impl Fn(Told<'_>) + Send + Sync + 'static,
    ) -> Self {
        Self::make(account, limit, Some(Box::new(listener)))
    }

    fn make(account: &Account, limit: usize, listener: Option<Listener>) -> Self {
        let inner = Inner {
            account: account.clone(),
            limit,
            listener,
            state: Mutex::default(),
        };
        let capture = Self(Arc::new(inner));
        capture.lock().keep(&[], &capture.0);
        capture
    }

    /// How much has been dropped so far.
    pub fn dropped(&self) -> u64 {
        self.lock().dropped
    }

    /// What has come so far; the stream is empty afterwards.
    pub fn take(&self) -> Captured {
        let state = std::mem::take(&mut *self.lock());
        Captured {
            bytes: state.bytes,
            dropped: state.dropped,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Keeps as much of `data` as it may; says how much that is.
    fn keep(&mut self, data: &[u8], inner: &Inner) -> usize {
        let wanted = inner.limit.min(self.bytes.len().saturating_add(data.len()));
        let ahead = wanted.saturating_add(RESERVE).min(inner.limit);
        let charge = self.charge.get_or_insert_with(|| inner.account.none());
        if ahead > charge.bytes() && charge.resize(ahead).is_err() {
            // The reserve is for this.
            let _ = charge.resize(wanted.max(charge.bytes()));
        }
        // Without memory for it, output is as good as beyond its limit.
        let room = wanted.min(charge.bytes()).saturating_sub(self.bytes.len());
        let (kept, dropped) = data.split_at(room);
        self.bytes.extend_from_slice(kept);
        self.dropped += dropped.len() as u64;
        kept.len()
    }
}

impl Stream for Capture {
    fn poll_write(&self, data: &[u8], _waker: &Waker) -> Poll<io::Result<usize>> {
        let (kept, is_cut) = {
            let mut state = self.lock();
            let before = state.dropped;
            let kept = state.keep(data, &self.0);
            (kept, before == 0 && state.dropped > 0)
        };
        if let Some(listener) = &self.0.listener {
            if let Some(kept) = data.get(..kept).filter(|kept| !kept.is_empty()) {
                listener(Told::Kept(kept));
            }
            if is_cut {
                listener(Told::Cut);
            }
        }
        Poll::Ready(Ok(data.len()))
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Ok(no_file(FileType::Fifo, 0))
    }
}
