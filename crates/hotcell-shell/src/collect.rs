//! The output of a command substitution.

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
};

use hotcell_meter::{Account, Charge, OverLimit};
use hotcell_process::{Process, Stream, limit_error};
use hotcell_vfs::Metadata;

/// Where the output goes: it takes all that memory allows, so nobody has to read it while it is written.
pub(crate) struct Collector(Arc<Inner>);

/// The end that is written, of which descriptors hold clones.
struct Writer(Arc<Inner>);

struct Inner {
    account: Account,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    charge: Option<Charge>,
    /// What was said to somebody who wanted to write more than there is memory for.
    full: Option<OverLimit>,
    is_closed: bool,
    waiting: Option<Waker>,
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Collector {
    /// A collector, and the stream that fills it.
    pub(crate) fn new(account: &Account) -> (Self, Arc<dyn Stream>) {
        let inner = Arc::new(Inner {
            account: account.clone(),
            state: Mutex::default(),
        });
        (Self(Arc::clone(&inner)), Arc::new(Writer(inner)))
    }

    /// Everything that was written, once nobody can write any more.
    pub(crate) fn finish(self, process: &Process) -> Result<Vec<u8>, OverLimit> {
        process.block_on_poll(|waker| {
            let mut state = self.0.lock();
            if state.is_closed {
                return Poll::Ready(());
            }
            state.waiting = Some(waker.clone());
            Poll::Pending
        });
        let state = std::mem::take(&mut *self.0.lock());
        state.full.map_or(Ok(state.bytes), Err)
    }
}

impl Stream for Writer {
    fn poll_write(&self, data: &[u8], _waker: &Waker) -> Poll<io::Result<usize>> {
        let mut state = self.0.lock();
        let charged = match &mut state.charge {
            Some(charge) => charge.grow(data.len()),
            none => self
                .0
                .account
                .charge(data.len())
                .map(|charge| *none = Some(charge)),
        };
        if let Err(full) = charged {
            state.full = Some(full);
            return Poll::Ready(Err(limit_error(full)));
        }
        state.bytes.extend_from_slice(data);
        Poll::Ready(Ok(data.len()))
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Ok(hotcell_process::pipe_metadata(self.0.lock().bytes.len()))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.is_closed = true;
        let waiting = state.waiting.take();
        drop(state);
        if let Some(waker) = waiting {
            waker.wake();
        }
    }
}
