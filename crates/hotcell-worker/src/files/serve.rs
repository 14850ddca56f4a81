//! The parent's side: each operation, carried out on the real file system.

use std::sync::Arc;

use hotcell_vfs::{DIR_MODE, Direct, Errno, FILE_MODE, Fault, Vfs, VfsError, VfsPath, is_plain};
use serde::Serialize;
use serde_json::json;

use super::{
    fetch::{Fetch, FetchError, FetchRequest},
    handles::Handles,
    wire::{FileRequest, Name, WireEntries, WireError, WireMetadata, WireUsage, options_of},
};
use crate::region::{Incoming, Violation};

/// How many files one worker may have open at its parent.
pub const MAX_OPEN_FILES: usize = 4096;

/// The largest file that is read as a whole; of larger ones the worker reads ranges, so that the parent never holds them.
const WHOLE: u64 = 16 << 20;

/// The most that one read gives.
const MOST_READ: u64 = 16 << 20;

/// Serves the files of one worker. Every request is hostile until it has been read to its end.
pub struct FileServer {
    vfs: Arc<dyn Vfs>,
    direct: Direct,
    open: Handles,
    fetch: Option<Arc<dyn Fetch>>,
    /// What was read, for its memory.
    scratch: Vec<u8>,
}

/// What is to be told to the worker.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Answer<'a> {
    /// Whether it is an error.
    pub is_error: bool,
    /// The JSON.
    pub metadata: Vec<u8>,
    /// The bytes, if they are the server's.
    pub borrowed: &'a [u8],
    /// The bytes, if nobody else needs them.
    pub owned: Vec<u8>,
}

/// How an operation failed.
enum Failed {
    Vfs(VfsError),
    Fault(Fault),
    Fetch(FetchError),
    /// The worker does not know what it says.
    Violation(Violation),
}

impl From<VfsError> for Failed {
    fn from(error: VfsError) -> Self {
        Self::Vfs(error)
    }
}

impl From<Fault> for Failed {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Errno> for Failed {
    fn from(errno: Errno) -> Self {
        Self::Fault(errno.into())
    }
}

/// What an operation gives.
enum Done {
    Metadata(Vec<u8>),
    /// So many bytes of the scratch buffer.
    Read(usize),
    Content(Vec<u8>, Vec<u8>),
}

impl FileServer {
    /// A server for these files; without `fetch` there is no network.
    pub fn new(vfs: Arc<dyn Vfs>, fetch: Option<Arc<dyn Fetch>>) -> Self {
        Self {
            direct: Direct(Arc::clone(&vfs)),
            vfs,
            open: Handles::default(),
            fetch,
            scratch: Vec::new(),
        }
    }

    /// Carries out a request. `is_over` says that nobody waits for the answer any more.
    ///
    /// A violation means that the worker is not what it should be, and nothing was done.
    pub fn handle(
        &mut self,
        incoming: &mut Incoming,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Answer<'_>, Violation> {
        let metadata = std::mem::take(&mut incoming.metadata);
        let done = self.perform(&metadata, incoming, is_over);
        incoming.metadata = metadata;
        Ok(match done {
            Ok(Done::Metadata(metadata)) => Answer {
                metadata,
                ..Answer::default()
            },
            Ok(Done::Read(length)) => Answer {
                metadata: b"{}".to_vec(),
                borrowed: &self.scratch[..length],
                ..Answer::default()
            },
            Ok(Done::Content(metadata, owned)) => Answer {
                metadata,
                owned,
                ..Answer::default()
            },
            Err(Failed::Vfs(error)) => refused(&WireError::of(&error)),
            Err(Failed::Fault(fault)) => refused(&WireError::of_fault(&fault)),
            Err(Failed::Fetch(error)) => refused(&WireError {
                error: true,
                code: error.code.into(),
                message: error.message.into(),
                detail: None,
                syscall: None,
            }),
            Err(Failed::Violation(violation)) => return Err(violation),
        })
    }

    fn perform(
        &mut self,
        metadata: &[u8],
        incoming: &mut Incoming,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Done, Failed> {
        if let Ok(Op { op: "fetch" }) = serde_json::from_slice(metadata) {
            return self.fetch(metadata, incoming, is_over);
        }
        let request: FileRequest<'_> = serde_json::from_slice(metadata).map_err(unreadable)?;
        for file in &request.closed {
            self.open.close(*file);
        }
        if incoming.is_cut {
            return Err(too_large());
        }
        if request.resolved {
            self.resolved(&request, &incoming.binary)
        } else {
            self.by_path(&request, &incoming.binary)
        }
    }

    /// Operations on paths as a user writes them; links are followed as everywhere.
    fn by_path(&mut self, request: &FileRequest<'_>, binary: &[u8]) -> Result<Done, Failed> {
        let vfs = &*self.vfs;
        match &*request.op {
            "readFile" => {
                let path = path(request)?;
                let size = vfs.stat(path).map_or(0, |meta| meta.size);
                if size > WHOLE {
                    return json(&json!({ "size": size }));
                }
                Ok(Done::Content(b"{}".to_vec(), vfs.read_file(path)?))
            }
            "writeFile" => ok(vfs.write_file(path(request)?, binary)),
            "appendFile" => ok(vfs.append_file(path(request)?, binary)),
            "truncate" => ok(vfs.truncate(path(request)?, length(request)?)),
            "stat" => json(&WireMetadata::from(vfs.stat(path(request)?)?)),
            "lstat" => json(&WireMetadata::from(vfs.lstat(path(request)?)?)),
            "readdir" => json(&WireEntries::of(&vfs.readdir(path(request)?)?)),
            "mkdir" => ok(vfs.mkdir(path(request)?, request.mode.unwrap_or(DIR_MODE))),
            "rmdir" => ok(vfs.rmdir(path(request)?)),
            "unlink" => ok(vfs.unlink(path(request)?)),
            "chmod" => ok(vfs.chmod(path(request)?, mode(request)?)),
            "mkfifo" => ok(vfs.mkfifo(path(request)?, request.mode.unwrap_or(FILE_MODE))),
            "symlink" => ok(vfs.symlink(target(request)?, path(request)?)),
            "readlink" => told(vfs.readlink(path(request)?)?.as_ref()),
            "realpath" => told(vfs.realpath(path(request)?)?.as_ref()),
            "utimes" => ok(vfs.set_times(path(request)?, request.times(), !request.no_follow)),
            "rename" => {
                let (from, to) = two(request)?;
                ok(vfs.rename(from, to))
            }
            "link" => {
                let (from, to) = two(request)?;
                ok(vfs.link(from, to))
            }
            "copy" => {
                let (from, to) = two(request)?;
                size(vfs.copy(from, to)?)
            }
            "usage" => json(&WireUsage::from(vfs.usage())),
            "open" => {
                self.open.check_room(MAX_OPEN_FILES)?;
                let file = vfs.open(path(request)?, &options(request)?)?;
                self.opened(file)
            }
            _ => self.on_file(request, binary),
        }
    }

    /// Operations on paths without links, for a worker that has walked them itself.
    fn resolved(&mut self, request: &FileRequest<'_>, binary: &[u8]) -> Result<Done, Failed> {
        let named = [&request.path, &request.old_path, &request.new_path];
        for path in named.into_iter().flatten() {
            self.check_resolved(path.path())?;
        }
        let direct = &self.direct;
        match &*request.op {
            "lstat" => json(&WireMetadata::from(direct.lstat(path(request)?)?)),
            "readlink" => told(VfsPath::new(&direct.readlink(path(request)?)?)),
            "readdir" => json(&WireEntries::of(&direct.readdir(path(request)?)?)),
            "mkdir" => ok(direct.mkdir(path(request)?, mode(request)?)),
            "rmdir" => ok(direct.rmdir(path(request)?)),
            "unlink" => ok(direct.unlink(path(request)?)),
            "chmod" => ok(direct.chmod(path(request)?, mode(request)?)),
            "mkfifo" => ok(direct.mkfifo(path(request)?, mode(request)?)),
            "symlink" => ok(direct.symlink(target(request)?, path(request)?)),
            "utimes" => ok(direct.set_times(path(request)?, request.times())),
            "writeFile" => match direct.write_file(path(request)?, binary) {
                Some(done) => ok(done),
                None => ok(self.vfs.write_file(path(request)?, binary)),
            },
            "rename" => {
                let (from, to) = two(request)?;
                ok(direct.rename(from, to))
            }
            "link" => {
                let (from, to) = two(request)?;
                ok(direct.link(from, to))
            }
            "copy" => {
                let (from, to) = two(request)?;
                match direct.copy(from, to) {
                    Some(copied) => size(copied?),
                    None => size(self.vfs.copy(from, to)?),
                }
            }
            "open" => {
                self.open.check_room(MAX_OPEN_FILES)?;
                let file = direct.open(path(request)?, &options(request)?)?;
                self.opened(file)
            }
            op => Err(unknown(op)),
        }
    }

    /// The worker says that a path is resolved. It must at least look like one, and lead where it says.
    fn check_resolved(&self, path: &VfsPath) -> Result<(), Failed> {
        if path == VfsPath::ROOT {
            return Ok(());
        }
        if !is_plain(path) {
            return Err(Failed::Violation(Violation::Unreadable {
                reason: "a resolved path with `.`, `..` or an empty name in it".to_owned(),
            }));
        }
        if self.direct.is_exact(path) {
            return Ok(());
        }
        let above = path.parent().unwrap_or(VfsPath::ROOT);
        if above != VfsPath::ROOT && *self.vfs.realpath(above)? != *above {
            return Err(Errno::ELOOP.into());
        }
        Ok(())
    }

    fn opened(&mut self, file: Arc<dyn hotcell_vfs::VfsFile>) -> Result<Done, Failed> {
        let seekable = file.is_seekable();
        let file = self.open.add(file);
        json(&json!({ "file": file, "seekable": seekable }))
    }

    /// Operations on open files.
    fn on_file(&mut self, request: &FileRequest<'_>, binary: &[u8]) -> Result<Done, Failed> {
        let file = || self.open.get(request.file);
        match &*request.op {
            "read" => {
                let length = usize::try_from(length(request)?.min(MOST_READ)).unwrap_or(0);
                let file = self.open.get(request.file)?;
                if self.scratch.len() < length {
                    self.scratch.resize(length, 0);
                }
                let into = &mut self.scratch[..length];
                let count = file.read_at(request.offset.unwrap_or(0), into)?;
                Ok(Done::Read(count.min(length)))
            }
            "write" => {
                let count = file()?.write_at(request.offset.unwrap_or(0), binary)?;
                size(count as u64)
            }
            "append" => size(file()?.append(binary)?),
            "ftruncate" => ok(file()?.truncate(length(request)?)),
            "fstat" => json(&WireMetadata::from(file()?.stat()?)),
            "futimes" => ok(file()?.set_times(request.times())),
            "fchmod" => ok(file()?.chmod(mode(request)?)),
            "fsync" => ok(file()?.sync()),
            // What there is to close is in `closed`.
            "close" => json(&Ok_ { ok: true }),
            op => Err(unknown(op)),
        }
    }

    fn fetch(
        &mut self,
        metadata: &[u8],
        incoming: &mut Incoming,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Done, Failed> {
        #[derive(serde::Deserialize)]
        struct Wire {
            #[serde(flatten)]
            request: FetchRequest,
            body: Option<String>,
        }
        let Wire { mut request, body } = serde_json::from_slice(metadata).map_err(unreadable)?;
        if incoming.is_cut {
            return Err(too_large());
        }
        request.body = match body {
            Some(text) => text.into_bytes(),
            None => std::mem::take(&mut incoming.binary),
        };
        let Some(fetch) = &self.fetch else {
            return Err(Failed::Fetch(FetchError {
                code: "EACCES".to_owned(),
                message: "there is no network here: the host has to allow it".to_owned(),
            }));
        };
        let response = fetch.fetch(request, is_over).map_err(Failed::Fetch)?;
        let metadata = serde_json::to_vec(&response).unwrap_or_default();
        Ok(Done::Content(metadata, response.body))
    }
}

#[derive(serde::Deserialize)]
struct Op<'a> {
    op: &'a str,
}

#[derive(Serialize)]
struct Ok_ {
    ok: bool,
}

fn ok<E: Into<Failed>>(done: Result<(), E>) -> Result<Done, Failed> {
    done.map_err(Into::into)?;
    json(&Ok_ { ok: true })
}

fn size(size: u64) -> Result<Done, Failed> {
    json(&json!({ "size": size }))
}

fn told(path: &VfsPath) -> Result<Done, Failed> {
    json(&json!({ "path": Name::of(path) }))
}

fn json(metadata: &impl Serialize) -> Result<Done, Failed> {
    let metadata = serde_json::to_vec(metadata).map_err(unreadable)?;
    Ok(Done::Metadata(metadata))
}

fn refused(error: &WireError<'_>) -> Answer<'static> {
    Answer {
        is_error: true,
        metadata: serde_json::to_vec(error).unwrap_or_default(),
        ..Answer::default()
    }
}

fn unreadable(error: serde_json::Error) -> Failed {
    Failed::Violation(Violation::Unreadable {
        reason: error.to_string(),
    })
}

fn missing(what: &str) -> Failed {
    Failed::Violation(Violation::Unreadable {
        reason: format!("{what} is missing"),
    })
}

fn unknown(op: &str) -> Failed {
    let op: String = op.chars().take(40).collect();
    Failed::Violation(Violation::Unreadable {
        reason: format!("there is no operation {op:?}"),
    })
}

fn too_large() -> Failed {
    Failed::Fault(Fault::new(
        Errno::EFBIG,
        "more than can be written in one step: write it in pieces",
    ))
}

fn path<'a>(request: &'a FileRequest<'_>) -> Result<&'a VfsPath, Failed> {
    let path = request.path.as_ref().ok_or_else(|| missing("path"))?;
    Ok(path.path())
}

fn target<'a>(request: &'a FileRequest<'_>) -> Result<&'a VfsPath, Failed> {
    let target = request.target.as_ref().ok_or_else(|| missing("target"))?;
    Ok(target.path())
}

fn two<'a>(request: &'a FileRequest<'_>) -> Result<(&'a VfsPath, &'a VfsPath), Failed> {
    let old = request
        .old_path
        .as_ref()
        .ok_or_else(|| missing("oldPath"))?;
    let new = request
        .new_path
        .as_ref()
        .ok_or_else(|| missing("newPath"))?;
    Ok((old.path(), new.path()))
}

fn mode(request: &FileRequest<'_>) -> Result<u32, Failed> {
    request.mode.ok_or_else(|| missing("mode"))
}

fn length(request: &FileRequest<'_>) -> Result<u64, Failed> {
    request.length.ok_or_else(|| missing("length"))
}

fn options(request: &FileRequest<'_>) -> Result<hotcell_vfs::OpenOptions, Failed> {
    let flags = request.flags.as_deref().unwrap_or("r");
    options_of(flags, request.mode).ok_or_else(|| {
        Failed::Violation(Violation::Unreadable {
            reason: "unknown flags".to_owned(),
        })
    })
}
