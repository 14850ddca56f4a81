//! The numbers that a process knows its streams by.

use std::{io, sync::Arc};

use hotcell_vfs::Errno;

use crate::{error::errno, stream::Stream};

/// The number of a descriptor.
pub type Fd = u32;

/// The open streams of a process by their numbers. A clone refers to the same streams.
#[derive(Clone, Default)]
pub struct Descriptors {
    streams: Vec<Option<Arc<dyn Stream>>>,
}

impl Descriptors {
    /// None open.
    pub fn new() -> Self {
        Self::default()
    }

    /// The stream behind a number.
    pub fn get(&self, fd: Fd) -> io::Result<&Arc<dyn Stream>> {
        let stream = self.streams.get(fd as usize).and_then(Option::as_ref);
        stream.ok_or_else(|| errno(Errno::EBADF))
    }

    /// Lets a number refer to a stream, whatever it was before. There is no bound here: see
    /// [`Process::set_descriptor`](crate::Process::set_descriptor).
    pub fn set(&mut self, fd: Fd, stream: Arc<dyn Stream>) {
        let index = fd as usize;
        if self.streams.len() <= index {
            self.streams.resize(index + 1, None);
        }
        if let Some(place) = self.streams.get_mut(index) {
            *place = Some(stream);
        }
    }

    /// Closes a number; says whether it was open.
    pub fn close(&mut self, fd: Fd) -> bool {
        self.streams
            .get_mut(fd as usize)
            .and_then(Option::take)
            .is_some()
    }

    /// The lowest number from `from` on that is not open.
    pub fn free_from(&self, from: Fd) -> Fd {
        (from..Fd::MAX)
            .find(|fd| self.get(*fd).is_err())
            .unwrap_or(Fd::MAX)
    }

    /// All that are open, by number.
    pub fn iter(&self) -> impl Iterator<Item = (Fd, &Arc<dyn Stream>)> {
        (0..)
            .zip(&self.streams)
            .filter_map(|(fd, stream)| Some((fd, stream.as_ref()?)))
    }
}
