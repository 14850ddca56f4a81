//! Streams of a process, for async functions.

use std::{
    future::poll_fn,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use hotcell_meter::Account;
use hotcell_process::{Stream, limit_error};

/// How many bytes a function reads and writes before others get a turn, and it can be killed.
const TURN: usize = 64 << 10;

/// What reading and writing take at least of that.
const LEAST: usize = 256;

/// How much of its turn a function has used.
#[derive(Clone, Default)]
pub(super) struct Budget(Arc<AtomicUsize>);

impl Budget {
    /// Whether the turn is over. Then the task has been woken for the next one.
    fn is_over(&self, context: &Context<'_>) -> bool {
        let is_over = self.0.load(Ordering::Relaxed) >= TURN;
        if is_over {
            self.0.store(0, Ordering::Relaxed);
            context.waker().wake_by_ref();
        }
        is_over
    }

    fn spend(&self, bytes: usize) {
        self.0.fetch_add(bytes.max(LEAST), Ordering::Relaxed);
    }
}

/// Standard input of a [`HostCommand`](crate::HostCommand).
pub struct CommandInput {
    stream: Arc<dyn Stream>,
    budget: Budget,
    account: Account,
}

impl CommandInput {
    pub(super) fn new(stream: Arc<dyn Stream>, budget: &Budget, account: Account) -> Self {
        Self {
            stream,
            budget: budget.clone(),
            account,
        }
    }

    /// Reads some bytes; none at the end. Waits until there are some.
    pub async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        poll_fn(|context| self.poll_read(context, buffer)).await
    }

    /// Reads some bytes, if there are any by now.
    pub fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        if self.budget.is_over(context) {
            return Poll::Pending;
        }
        let read = self.stream.poll_read(buffer, context.waker());
        if let Poll::Ready(Ok(count)) = &read {
            self.budget.spend(*count);
        }
        read
    }

    /// Reads everything. It has to fit into the memory of the sandbox while it is read.
    pub async fn read_to_end(&mut self) -> io::Result<Vec<u8>> {
        let mut charge = self.account.none();
        let mut bytes = Vec::new();
        let mut chunk = vec![0; 16 << 10];
        loop {
            let count = self.read(&mut chunk).await?;
            if count == 0 {
                return Ok(bytes);
            }
            charge.grow(count).map_err(limit_error)?;
            bytes.extend_from_slice(chunk.get(..count).unwrap_or_default());
        }
    }
}

/// Standard output or standard error of a [`HostCommand`](crate::HostCommand). Clones are one stream.
#[derive(Clone)]
pub struct CommandOutput {
    stream: Arc<dyn Stream>,
    budget: Budget,
}

impl CommandOutput {
    pub(super) fn new(stream: Arc<dyn Stream>, budget: &Budget) -> Self {
        Self {
            stream,
            budget: budget.clone(),
        }
    }

    /// Writes some of the bytes, if there is room for any by now.
    pub fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.budget.is_over(context) {
            return Poll::Pending;
        }
        let written = self.stream.poll_write(data, context.waker());
        if let Poll::Ready(Ok(count)) = &written {
            self.budget.spend(*count);
        }
        written
    }

    /// Writes all of the bytes. Waits until there is room. If nobody reads any more it is an error, with which the function
    /// should end.
    pub async fn write_all(&mut self, mut data: &[u8]) -> io::Result<()> {
        while !data.is_empty() {
            let count = poll_fn(|context| self.poll_write(context, data)).await?;
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            data = data.get(count..).unwrap_or_default();
        }
        Ok(())
    }
}
