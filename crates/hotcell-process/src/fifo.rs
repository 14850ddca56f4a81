//! Named pipes: processes that open the same name meet there.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, PoisonError, Weak},
    task::{Poll, Waker},
};

use hotcell_vfs::{FileType, Metadata, OpenOptions, VfsFile};

use crate::{
    error::{file_error, limit_error},
    pipe::{Pipe, PipeReader, PipeWriter},
    process::Process,
    stream::Stream,
};

/// The named pipes that somebody has open, by the device and the number of their files.
#[derive(Default)]
pub(crate) struct Fifos {
    // Held to look something up, never while a process waits.
    open: Mutex<HashMap<(u64, u64), Weak<Pipe>>>,
}

/// An end of a named pipe, or both.
struct Fifo {
    /// Keeps the file, and with it its number, while the pipe is open.
    file: Arc<dyn VfsFile>,
    reader: Option<PipeReader>,
    writer: Option<PipeWriter>,
}

impl Process {
    /// What a file that was opened is as a stream, if it is a named pipe. Waits until somebody has the other end, as
    /// opening one does; who opens both ends waits for nobody.
    pub(crate) fn meet(
        &self,
        file: &Arc<dyn VfsFile>,
        options: &OpenOptions,
    ) -> io::Result<Option<Arc<dyn Stream>>> {
        if file.is_seekable() {
            return Ok(None);
        }
        let metadata = file.stat().map_err(file_error)?;
        if metadata.kind != FileType::Fifo {
            return Ok(None);
        }
        let pipe = self.named_pipe(&metadata)?;
        let opened = pipe.opened();
        let fifo = Fifo {
            file: Arc::clone(file),
            reader: options.read.then(|| pipe.reader()),
            writer: options.writes().then(|| pipe.writer()),
        };
        match (&fifo.reader, &fifo.writer) {
            (Some(_), None) => self.block_on_poll(|waker| pipe.poll_writer(opened, waker)),
            (None, Some(_)) => self.block_on_poll(|waker| pipe.poll_reader(opened, waker)),
            _ => {}
        }
        Ok(Some(Arc::new(fifo)))
    }

    fn named_pipe(&self, metadata: &Metadata) -> io::Result<Arc<Pipe>> {
        let kernel = self.kernel();
        let fifos = &kernel.0.fifos;
        let mut open = fifos.open.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (metadata.dev, metadata.ino);
        if let Some(pipe) = open.get(&key).and_then(Weak::upgrade) {
            return Ok(pipe);
        }
        // What nobody has open any more is forgotten, with what was in it.
        open.retain(|_, pipe| pipe.strong_count() > 0);
        let pipe = Pipe::new(self.account(), self.limits().pipe_bytes).map_err(limit_error)?;
        let pipe = Arc::new(pipe);
        open.insert(key, Arc::downgrade(&pipe));
        Ok(pipe)
    }
}

impl Stream for Fifo {
    fn poll_read(&self, buf: &mut [u8], waker: &Waker) -> Poll<io::Result<usize>> {
        match &self.reader {
            Some(reader) => reader.poll_read(buf, waker),
            None => Poll::Ready(Err(crate::errno(hotcell_vfs::Errno::EBADF))),
        }
    }

    fn poll_read_until(&self, end: u8, buf: &mut [u8], waker: &Waker) -> Poll<io::Result<usize>> {
        match &self.reader {
            Some(reader) => reader.poll_read_until(end, buf, waker),
            None => Poll::Ready(Err(crate::errno(hotcell_vfs::Errno::EBADF))),
        }
    }

    fn is_ready(&self) -> bool {
        self.reader.as_ref().is_none_or(Stream::is_ready)
    }

    fn poll_readable(&self, waker: &Waker) -> Poll<()> {
        match &self.reader {
            Some(reader) => reader.poll_readable(waker),
            None => Poll::Ready(()),
        }
    }

    fn poll_writable(&self, waker: &Waker) -> Poll<()> {
        match &self.writer {
            Some(writer) => writer.poll_writable(waker),
            None => Poll::Ready(()),
        }
    }

    fn poll_write(&self, data: &[u8], waker: &Waker) -> Poll<io::Result<usize>> {
        match &self.writer {
            Some(writer) => writer.poll_write(data, waker),
            None => Poll::Ready(Err(crate::errno(hotcell_vfs::Errno::EBADF))),
        }
    }

    fn metadata(&self) -> io::Result<Metadata> {
        self.file.stat().map_err(file_error)
    }
}
