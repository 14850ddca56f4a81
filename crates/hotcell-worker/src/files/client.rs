//! The worker's side: a file system whose operations are requests.

use std::{
    borrow::Cow,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use hotcell_vfs::{
    Backend, DirEntry, Errno, Fault, Metadata, OpenOptions, Result, Times, Usage, Vfs, VfsError,
    VfsFile, VfsPath, VfsPathBuf,
};
use serde::Deserialize;

use super::{
    handle::{ProxyFile, REQUEST_ROOM},
    resolved::Resolved,
    wire::{
        FileRequest, MOST_METADATA, Name, WireEntries, WireError, WireMetadata, WireTime,
        WireUsage, flags_of,
    },
};
use crate::region::{Client, Reply};

/// The files of the parent, seen from a worker. Cheap to clone.
///
/// Paths are resolved by the parent, so that an operation is one request however deep its path is.
#[derive(Clone)]
pub struct ProxyVfs {
    lane: Arc<Lane>,
    /// The same for whoever has resolved a path already, such as a tree of mounts.
    resolved: Resolved,
}

/// The lane that requests about files go through, one after the other.
pub(super) struct Lane {
    client: Mutex<Sender>,
    /// Files that were closed. The parent learns of them with the next request, before that is looked at, so that nobody can tell.
    closed: Mutex<Vec<u64>>,
    /// How many bytes of a file go into one request.
    pub(super) room: usize,
}

struct Sender {
    client: Client,
    /// The last request, for its memory.
    text: Vec<u8>,
}

/// What the parent answered instead.
pub(super) struct Refused {
    fault: Fault,
    /// The call that failed, if it is not the one that was made.
    call: Option<&'static str>,
}

impl Refused {
    pub(super) fn at(self, op: &'static str, path: &VfsPath) -> VfsError {
        self.fault.at(self.call.unwrap_or(op), path)
    }

    pub(super) fn between(self, op: &'static str, from: &VfsPath, to: &VfsPath) -> VfsError {
        self.fault.between(self.call.unwrap_or(op), from, to)
    }
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self { fault, call: None }
    }
}

impl From<Refused> for Fault {
    fn from(refused: Refused) -> Self {
        refused.fault
    }
}

/// So many files are told of with one request, which leaves room for paths.
const MOST_CLOSED: usize = 4096;

/// What calls are called in errors.
const CALLS: [&str; 17] = [
    "chmod", "copy", "fork", "link", "lstat", "mkdir", "mkfifo", "open", "read", "readdir",
    "readlink", "realpath", "rename", "stat", "truncate", "utimes", "write",
];

/// The parent said something that this worker does not understand.
fn unreadable() -> Fault {
    Fault::new(
        Errno::EIO,
        "the answer of the parent process cannot be read",
    )
}

impl Lane {
    /// Asks, and makes something of a good answer.
    pub(super) fn ask<T>(
        &self,
        mut request: FileRequest<'_>,
        binary: &[u8],
        take: impl FnOnce(&mut Reply<'_>) -> Result<T, Fault>,
    ) -> Result<T, Refused> {
        let mut sender = lock(&self.client);
        let Sender { client, text } = &mut *sender;
        let mut closed = lock(&self.closed);
        let most = closed.len().min(MOST_CLOSED);
        request.closed = closed.drain(..most).collect();
        drop(closed);
        text.clear();
        if serde_json::to_writer(&mut *text, &request).is_err() {
            return Err(unreadable().into());
        }
        if text.len() > MOST_METADATA {
            // No path that is so long leads anywhere. The parent need not look, and would not.
            lock(&self.closed).append(&mut request.closed);
            return Err(Fault::from(Errno::ENAMETOOLONG).into());
        }
        let mut reply = client.request(text, binary);
        if !reply.is_error() {
            return take(&mut reply).map_err(Refused::from);
        }
        let error: WireError<'_> =
            serde_json::from_slice(reply.metadata()).map_err(|_| unreadable())?;
        let call = error.syscall.as_deref();
        let call = call.and_then(|name| CALLS.into_iter().find(|known| *known == name));
        Err(Refused {
            fault: error.fault(),
            call,
        })
    }

    /// Asks for something whose answer is only that it is done.
    pub(super) fn tell(&self, request: FileRequest<'_>, binary: &[u8]) -> Result<(), Refused> {
        self.ask(request, binary, |_| Ok(()))
    }

    pub(super) fn close(&self, file: u64) {
        lock(&self.closed).push(file);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads the JSON of an answer.
pub(super) fn read<'r, T: Deserialize<'r>>(reply: &'r Reply<'_>) -> Result<T, Fault> {
    serde_json::from_slice(reply.metadata()).map_err(|_| unreadable())
}

/// An answer to `open`.
#[derive(Deserialize)]
struct Opened {
    file: u64,
    seekable: bool,
}

/// An answer that is a path.
#[derive(Deserialize)]
struct WirePath<'a> {
    #[serde(borrow)]
    path: Name<'a>,
}

/// An answer that is a number of bytes.
#[derive(Deserialize)]
struct Size {
    size: u64,
}

/// An answer to `readFile`: the size, if the content is too large to come with it.
#[derive(Deserialize)]
struct Content {
    size: Option<u64>,
}

pub(super) fn request<'a>(op: &'static str) -> FileRequest<'a> {
    FileRequest {
        op: Cow::Borrowed(op),
        ..FileRequest::default()
    }
}

pub(super) fn about<'a>(op: &'static str, path: &'a VfsPath) -> FileRequest<'a> {
    FileRequest {
        path: Some(Name::of(path)),
        ..request(op)
    }
}

pub(super) fn between<'a>(op: &'static str, from: &'a VfsPath, to: &'a VfsPath) -> FileRequest<'a> {
    FileRequest {
        old_path: Some(Name::of(from)),
        new_path: Some(Name::of(to)),
        ..request(op)
    }
}

/// The requests that both views of the files make; they differ in who resolves paths.
impl Lane {
    pub(super) fn metadata(&self, request: FileRequest<'_>) -> Result<Metadata, Refused> {
        self.ask(request, &[], |reply| {
            Ok(read::<WireMetadata<'_>>(reply)?.into())
        })
    }

    pub(super) fn entries(&self, request: FileRequest<'_>) -> Result<Vec<DirEntry>, Refused> {
        self.ask(request, &[], |reply| {
            Ok(read::<WireEntries<'_>>(reply)?.into_entries())
        })
    }

    pub(super) fn path(&self, request: FileRequest<'_>) -> Result<VfsPathBuf, Refused> {
        self.ask(request, &[], |reply| {
            Ok(read::<WirePath<'_>>(reply)?.path.into_path())
        })
    }

    pub(super) fn size(&self, request: FileRequest<'_>, binary: &[u8]) -> Result<u64, Refused> {
        self.ask(request, binary, |reply| Ok(read::<Size>(reply)?.size))
    }

    pub(super) fn open(
        self: &Arc<Self>,
        path: &VfsPath,
        options: &OpenOptions,
        resolved: bool,
    ) -> Result<Arc<dyn VfsFile>, Refused> {
        let request = FileRequest {
            flags: Some(Cow::Owned(flags_of(options))),
            mode: Some(options.mode),
            resolved,
            ..about("open", path)
        };
        let opened: Opened = self.ask(request, &[], |reply| read(reply))?;
        Ok(Arc::new(ProxyFile::new(
            Arc::clone(self),
            opened.file,
            opened.seekable,
            path.to_owned(),
        )))
    }

    pub(super) fn set_times(&self, request: FileRequest<'_>, times: Times) -> Result<(), Refused> {
        let request = FileRequest {
            atime: WireTime::of(times.accessed),
            mtime: WireTime::of(times.modified),
            ..request
        };
        self.tell(request, &[])
    }

    pub(super) fn usage(&self) -> Usage {
        let usage = self.ask(request("usage"), &[], |reply| {
            Ok(read::<WireUsage>(reply)?.into())
        });
        usage.unwrap_or_default()
    }
}

impl ProxyVfs {
    /// The files behind a lane.
    pub fn new(client: Client) -> Self {
        let lane = Arc::new(Lane {
            room: client.room() - REQUEST_ROOM,
            client: Mutex::new(Sender {
                client,
                text: Vec::new(),
            }),
            closed: Mutex::default(),
        });
        Self {
            resolved: Resolved(Arc::clone(&lane)),
            lane,
        }
    }
}

impl Vfs for ProxyVfs {
    fn open(&self, path: &VfsPath, options: &OpenOptions) -> Result<Arc<dyn VfsFile>> {
        let file = self.lane.open(path, options, false);
        file.map_err(|refused| refused.at("open", path))
    }

    fn stat(&self, path: &VfsPath) -> Result<Metadata> {
        let metadata = self.lane.metadata(about("stat", path));
        metadata.map_err(|refused| refused.at("stat", path))
    }

    fn lstat(&self, path: &VfsPath) -> Result<Metadata> {
        let metadata = self.lane.metadata(about("lstat", path));
        metadata.map_err(|refused| refused.at("lstat", path))
    }

    fn readdir(&self, path: &VfsPath) -> Result<Vec<DirEntry>> {
        let entries = self.lane.entries(about("readdir", path));
        entries.map_err(|refused| refused.at("readdir", path))
    }

    fn mkdir(&self, path: &VfsPath, mode: u32) -> Result<()> {
        let request = FileRequest {
            mode: Some(mode),
            ..about("mkdir", path)
        };
        let done = self.lane.tell(request, &[]);
        done.map_err(|refused| refused.at("mkdir", path))
    }

    fn rmdir(&self, path: &VfsPath) -> Result<()> {
        let done = self.lane.tell(about("rmdir", path), &[]);
        done.map_err(|refused| refused.at("rmdir", path))
    }

    fn unlink(&self, path: &VfsPath) -> Result<()> {
        let done = self.lane.tell(about("unlink", path), &[]);
        done.map_err(|refused| refused.at("unlink", path))
    }

    fn rename(&self, from: &VfsPath, to: &VfsPath) -> Result<()> {
        let done = self.lane.tell(between("rename", from, to), &[]);
        done.map_err(|refused| refused.between("rename", from, to))
    }

    fn chmod(&self, path: &VfsPath, mode: u32) -> Result<()> {
        let request = FileRequest {
            mode: Some(mode),
            ..about("chmod", path)
        };
        let done = self.lane.tell(request, &[]);
        done.map_err(|refused| refused.at("chmod", path))
    }

    fn symlink(&self, target: &VfsPath, link: &VfsPath) -> Result<()> {
        let request = FileRequest {
            target: Some(Name::of(target)),
            ..about("symlink", link)
        };
        let done = self.lane.tell(request, &[]);
        done.map_err(|refused| refused.between("symlink", target, link))
    }

    fn mkfifo(&self, path: &VfsPath, mode: u32) -> Result<()> {
        let request = FileRequest {
            mode: Some(mode),
            ..about("mkfifo", path)
        };
        let done = self.lane.tell(request, &[]);
        done.map_err(|refused| refused.at("mkfifo", path))
    }

    fn readlink(&self, path: &VfsPath) -> Result<VfsPathBuf> {
        let target = self.lane.path(about("readlink", path));
        target.map_err(|refused| refused.at("readlink", path))
    }

    fn link(&self, existing: &VfsPath, new: &VfsPath) -> Result<()> {
        let done = self.lane.tell(between("link", existing, new), &[]);
        done.map_err(|refused| refused.between("link", existing, new))
    }

    fn set_times(&self, path: &VfsPath, times: Times, follow: bool) -> Result<()> {
        let request = FileRequest {
            no_follow: !follow,
            ..about("utimes", path)
        };
        let done = self.lane.set_times(request, times);
        done.map_err(|refused| refused.at("utimes", path))
    }

    fn realpath(&self, path: &VfsPath) -> Result<VfsPathBuf> {
        let real = self.lane.path(about("realpath", path));
        real.map_err(|refused| refused.at("realpath", path))
    }

    fn read_file(&self, path: &VfsPath) -> Result<Vec<u8>> {
        let content = self.lane.ask(about("readFile", path), &[], |reply| {
            Ok(match read::<Content>(reply)?.size {
                Some(_) => None,
                None => Some(reply.take_binary()),
            })
        });
        match content.map_err(|refused| refused.at("open", path))? {
            Some(content) => Ok(content),
            // Too large for the parent to hold it in one piece.
            None => {
                let file = self.open(path, &OpenOptions::read())?;
                file.read_all().map_err(|error| error.with_path(path))
            }
        }
    }

    fn write_file(&self, path: &VfsPath, data: &[u8]) -> Result<()> {
        let done = self.lane.tell(about("writeFile", path), data);
        done.map_err(|refused| refused.at("write", path))
    }

    fn append_file(&self, path: &VfsPath, data: &[u8]) -> Result<()> {
        let done = self.lane.tell(about("appendFile", path), data);
        done.map_err(|refused| refused.at("write", path))
    }

    fn truncate(&self, path: &VfsPath, size: u64) -> Result<()> {
        let request = FileRequest {
            length: Some(size),
            ..about("truncate", path)
        };
        let done = self.lane.tell(request, &[]);
        done.map_err(|refused| refused.at("truncate", path))
    }

    fn copy(&self, from: &VfsPath, to: &VfsPath) -> Result<u64> {
        let size = self.lane.size(between("copy", from, to), &[]);
        size.map_err(|refused| refused.between("copy", from, to))
    }

    fn usage(&self) -> Usage {
        self.lane.usage()
    }

    fn as_backend(&self) -> Option<&dyn Backend> {
        Some(&self.resolved)
    }
}
