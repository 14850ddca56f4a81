//! The other side: a temporary directory, by the system calls themselves.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use hotcell_vfs::{Errno, FileType};
use rustix::fd::OwnedFd;
use rustix::fs::{self, AtFlags, CWD, Mode, OFlags};
use rustix::io;

use crate::ops::{Answer, Op, base};

pub(crate) struct Real {
    root: tempfile::TempDir,
    base: PathBuf,
    handles: Vec<OwnedFd>,
}

impl Real {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().expect("a temporary directory");
        let base = root.path().join(base().trim_start_matches('/'));
        std::fs::create_dir_all(&base).expect("a new directory takes directories");
        Self {
            root,
            base,
            handles: Vec::new(),
        }
    }

    fn path(&self, path: &str) -> PathBuf {
        if path.is_empty() {
            return PathBuf::new();
        }
        let mut bytes = self.base.as_os_str().as_bytes().to_vec();
        bytes.push(b'/');
        bytes.extend_from_slice(path.as_bytes());
        PathBuf::from(OsStr::from_bytes(&bytes))
    }

    pub(crate) fn run(&mut self, op: &Op) -> Answer {
        self.try_run(op)
            .unwrap_or_else(|errno| Answer::Failed(Errno::from_code(errno.raw_os_error())))
    }

    fn open(&self, path: &str, flags: OFlags, mode: u32) -> io::Result<OwnedFd> {
        fs::open(
            self.path(path),
            flags | OFlags::CLOEXEC,
            Mode::from_raw_mode(mode),
        )
    }

    fn try_run(&mut self, op: &Op) -> io::Result<Answer> {
        let done = |()| Answer::Done;
        Ok(match op {
            Op::Open(path, options) => {
                let mut flags = match (options.read, options.write) {
                    (true, true) => OFlags::RDWR,
                    (false, true) => OFlags::WRONLY,
                    _ => OFlags::RDONLY,
                };
                flags.set(OFlags::APPEND, options.append);
                flags.set(OFlags::CREATE, options.create);
                flags.set(OFlags::EXCL, options.create_new);
                flags.set(OFlags::TRUNC, options.truncate);
                flags.set(OFlags::NOFOLLOW, options.no_follow);
                flags.set(OFlags::DIRECTORY, options.directory);
                let file = self.open(path, flags, options.mode)?;
                if self.handles.len() == 3 {
                    self.handles.remove(0);
                }
                self.handles.push(file);
                Answer::Done
            }
            Op::Close(slot) => {
                if *slot < self.handles.len() {
                    self.handles.remove(*slot);
                }
                Answer::Done
            }
            Op::ReadAt(slot, offset, len) => {
                let Some(file) = self.handles.get(*slot) else {
                    return Ok(Answer::NoHandle);
                };
                let mut buf = vec![0; *len];
                let count = io::pread(file, &mut buf[..], *offset)?;
                buf.truncate(count);
                Answer::Bytes(buf)
            }
            Op::WriteAt(slot, offset, len, byte) => {
                let Some(file) = self.handles.get(*slot) else {
                    return Ok(Answer::NoHandle);
                };
                Answer::Offset(io::pwrite(file, &vec![*byte; *len], *offset)? as u64)
            }
            Op::Append(slot, len, byte) => {
                let Some(file) = self.handles.get(*slot) else {
                    return Ok(Answer::NoHandle);
                };
                let end = u64::try_from(fs::fstat(file)?.st_size).unwrap();
                io::pwrite(file, &vec![*byte; *len], end)?;
                Answer::Offset(end)
            }
            Op::TruncateHandle(slot, size) => {
                let Some(file) = self.handles.get(*slot) else {
                    return Ok(Answer::NoHandle);
                };
                done(fs::ftruncate(file, *size)?)
            }
            Op::StatHandle(slot) => {
                let Some(file) = self.handles.get(*slot) else {
                    return Ok(Answer::NoHandle);
                };
                stat(&fs::fstat(file)?)
            }
            Op::ChmodHandle(slot, mode) => {
                let Some(file) = self.handles.get(*slot) else {
                    return Ok(Answer::NoHandle);
                };
                done(fs::fchmod(file, Mode::from_raw_mode(*mode))?)
            }
            Op::Stat(path) => stat(&fs::stat(self.path(path))?),
            Op::Lstat(path) => stat(&fs::lstat(self.path(path))?),
            Op::Readdir(path) => {
                let dir = self.open(path, OFlags::RDONLY | OFlags::DIRECTORY, 0)?;
                let mut names = Vec::new();
                for entry in fs::Dir::new(dir)? {
                    let entry = entry?;
                    let name = entry.file_name().to_bytes().to_vec();
                    if name != b"." && name != b".." {
                        names.push((name, kind(entry.file_type())));
                    }
                }
                names.sort();
                Answer::Names(names)
            }
            Op::Mkdir(path, mode) => done(fs::mkdir(self.path(path), Mode::from_raw_mode(*mode))?),
            Op::Rmdir(path) => done(fs::rmdir(self.path(path))?),
            Op::Unlink(path) => done(fs::unlink(self.path(path))?),
            Op::Rename(from, to) => done(fs::rename(self.path(from), self.path(to))?),
            Op::Chmod(path, mode) => done(fs::chmod(self.path(path), Mode::from_raw_mode(*mode))?),
            Op::Symlink(target, link) => done(fs::symlink(target, self.path(link))?),
            Op::Readlink(path) => {
                Answer::Bytes(fs::readlink(self.path(path), Vec::new())?.into_bytes())
            }
            Op::Link(existing, new) => done(fs::linkat(
                CWD,
                self.path(existing),
                CWD,
                self.path(new),
                AtFlags::empty(),
            )?),
            Op::Realpath(path) => {
                let path = self.path(path);
                // `realpath` knows nothing of a final slash, the file system does.
                fs::stat(&path)?;
                let real = path
                    .canonicalize()
                    .map_err(|error| io::Errno::from_io_error(&error).unwrap())?;
                let inside = real
                    .strip_prefix(self.root.path().canonicalize().unwrap())
                    .unwrap();
                Answer::Bytes([b"/".as_slice(), &inside.as_os_str().to_owned().into_vec()].concat())
            }
            Op::ReadFile(path) => {
                let file = self.open(path, OFlags::RDONLY, 0)?;
                let size = usize::try_from(fs::fstat(&file)?.st_size).unwrap();
                let mut buf = vec![0; size];
                let count = io::pread(&file, &mut buf[..], 0)?;
                buf.truncate(count);
                Answer::Bytes(buf)
            }
            Op::WriteFile(path, len, byte) => {
                let file =
                    self.open(path, OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC, 0o644)?;
                io::pwrite(&file, &vec![*byte; *len], 0)?;
                Answer::Done
            }
            Op::Truncate(path, size) => {
                done(fs::ftruncate(self.open(path, OFlags::WRONLY, 0)?, *size)?)
            }
        })
    }
}

fn stat(meta: &fs::Stat) -> Answer {
    let kind = kind(fs::FileType::from_raw_mode(meta.st_mode));
    Answer::Stat {
        kind,
        mode: (kind != FileType::Symlink).then_some(meta.st_mode & 0o7777),
        size: (kind != FileType::Dir).then(|| u64::try_from(meta.st_size).unwrap()),
        // How a directory counts its names differs between file systems of Linux.
        nlink: (kind != FileType::Dir).then_some(meta.st_nlink),
    }
}

fn kind(kind: fs::FileType) -> FileType {
    match kind {
        fs::FileType::Directory => FileType::Dir,
        fs::FileType::Symlink => FileType::Symlink,
        _ => FileType::File,
    }
}
