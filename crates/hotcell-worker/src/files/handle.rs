//! A file that the worker has open at its parent.

use std::sync::Arc;

use hotcell_vfs::{Metadata, Result, Times, VfsFile, VfsPath, VfsPathBuf};

use super::{
    client::{Lane, Refused, read, request},
    wire::{FileRequest, WireMetadata},
};

/// The JSON of a read or write on an open file takes less, unless files were closed by the hundred meanwhile.
pub(super) const REQUEST_ROOM: usize = 4096;

/// How much of a file is moved by one request at most. More would not be faster, and less stays in the processor's cache.
pub(super) const MOVED: usize = 256 << 10;

/// A file that is open at the parent. It is closed there with the next request after this is dropped.
pub(super) struct ProxyFile {
    lane: Arc<Lane>,
    file: u64,
    is_seekable: bool,
    /// As the file system here knows it.
    path: VfsPathBuf,
}

impl ProxyFile {
    pub(super) fn new(lane: Arc<Lane>, file: u64, is_seekable: bool, path: VfsPathBuf) -> Self {
        Self {
            lane,
            file,
            is_seekable,
            path,
        }
    }

    fn request(&self, op: &'static str) -> FileRequest<'static> {
        FileRequest {
            file: Some(self.file),
            ..request(op)
        }
    }

    fn done<T>(&self, op: &'static str, result: Result<T, Refused>) -> Result<T> {
        result.map_err(|refused| refused.at(op, &self.path))
    }
}

impl VfsFile for ProxyFile {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let piece = self.lane.room.min(MOVED);
        let mut done = 0;
        while done < buf.len() {
            let into = &mut buf[done..];
            let length = into.len().min(piece);
            let into = &mut into[..length];
            let request = FileRequest {
                offset: Some(offset.saturating_add(done as u64)),
                length: Some(length as u64),
                ..self.request("read")
            };
            let count = self.lane.ask(request, &[], |reply| Ok(reply.copy_to(into)));
            let count = self.done("read", count)?;
            done += count;
            // A file gives less than was asked for at its end, and a device when it has no more.
            if count < length {
                break;
            }
        }
        Ok(done)
    }

    fn write_at(&self, offset: u64, data: &[u8]) -> Result<usize> {
        let piece = self.lane.room.min(MOVED);
        let mut done = 0;
        loop {
            let rest = &data[done..];
            let piece = &rest[..rest.len().min(piece)];
            let request = FileRequest {
                offset: Some(offset.saturating_add(done as u64)),
                ..self.request("write")
            };
            match self.lane.size(request, piece) {
                Ok(size) => {
                    let count = usize::try_from(size).unwrap_or(0).min(piece.len());
                    done += count;
                    if done == data.len() || count < piece.len() {
                        return Ok(done);
                    }
                }
                // What is written is written, and the next attempt will tell what is wrong.
                Err(_) if done > 0 => return Ok(done),
                Err(refused) => return Err(refused.at("write", &self.path)),
            }
        }
    }

    fn append(&self, data: &[u8]) -> Result<u64> {
        // In one step, however large it is: the lane keeps pieces together.
        let offset = self.lane.size(self.request("append"), data);
        self.done("write", offset)
    }

    fn truncate(&self, size: u64) -> Result<()> {
        let request = FileRequest {
            length: Some(size),
            ..self.request("ftruncate")
        };
        self.done("truncate", self.lane.tell(request, &[]))
    }

    fn stat(&self) -> Result<Metadata> {
        let metadata = self.lane.ask(self.request("fstat"), &[], |reply| {
            Ok(read::<WireMetadata<'_>>(reply)?.into())
        });
        self.done("stat", metadata)
    }

    fn set_times(&self, times: Times) -> Result<()> {
        self.done(
            "utimes",
            self.lane.set_times(self.request("futimes"), times),
        )
    }

    fn chmod(&self, mode: u32) -> Result<()> {
        let request = FileRequest {
            mode: Some(mode),
            ..self.request("fchmod")
        };
        self.done("chmod", self.lane.tell(request, &[]))
    }

    fn is_seekable(&self) -> bool {
        self.is_seekable
    }

    fn sync(&self) -> Result<()> {
        self.done("sync", self.lane.tell(self.request("fsync"), &[]))
    }

    fn opened_as(&self) -> &VfsPath {
        &self.path
    }
}

impl Drop for ProxyFile {
    fn drop(&mut self) {
        self.lane.close(self.file);
    }
}
