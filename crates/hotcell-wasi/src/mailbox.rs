//! What a program leaves for its process.
//!
//! A program runs inside a poll, where its process cannot wait. What only the process can do is left here, and taken up when
//! the poll is over.

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Poll,
    time::{Duration, Instant},
};

use hotcell_process::Stream;
use hotcell_vfs::{OpenOptions, VfsFile};

/// Something that the process is to do.
pub(crate) enum Request {
    /// Open a named pipe, which waits for its other end.
    Meet {
        file: Arc<dyn VfsFile>,
        options: OpenOptions,
    },
}

/// Where program and process leave things for each other. Clones are one.
#[derive(Clone, Default)]
pub(crate) struct Mailbox(Arc<Mutex<Contents>>);

#[derive(Default)]
struct Contents {
    request: Option<Request>,
    answer: Option<io::Result<Arc<dyn Stream>>>,
    wake_at: Option<Instant>,
    /// How long the program has computed in polls that are over, and since when it does in this one.
    computed: Duration,
    polled_since: Option<Instant>,
}

impl Mailbox {
    /// The program asks for something; the answer comes to [`Mailbox::poll_answer`].
    pub(crate) fn ask(&self, request: Request) {
        self.lock().request = Some(request);
    }

    pub(crate) fn poll_answer(&self) -> Poll<io::Result<Arc<dyn Stream>>> {
        match self.lock().answer.take() {
            Some(answer) => Poll::Ready(answer),
            None => Poll::Pending,
        }
    }

    pub(crate) fn take_request(&self) -> Option<Request> {
        self.lock().request.take()
    }

    pub(crate) fn answer(&self, answer: io::Result<Arc<dyn Stream>>) {
        self.lock().answer = Some(answer);
    }

    /// The program, which is about to wait, wants to be polled again at this time at the latest.
    pub(crate) fn wake_at(&self, time: Instant) {
        self.lock().wake_at = Some(time);
    }

    pub(crate) fn take_wake_at(&self) -> Option<Instant> {
        self.lock().wake_at.take()
    }

    /// A poll begins.
    pub(crate) fn begin_poll(&self) {
        self.lock().polled_since = Some(Instant::now());
    }

    /// A poll is over.
    pub(crate) fn end_poll(&self) {
        let mut contents = self.lock();
        if let Some(since) = contents.polled_since.take() {
            contents.computed += since.elapsed();
        }
    }

    /// How long the program has computed.
    pub(crate) fn computed(&self) -> Duration {
        let contents = self.lock();
        let now = contents
            .polled_since
            .map_or(Duration::ZERO, |since| since.elapsed());
        contents.computed + now
    }

    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
