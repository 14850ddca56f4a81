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
            Op::SetTimesHandle(slot, time) => {
                let Some(file) = self.handles.get(*slot) else {
                    return Ok(Answer::NoHandle);
                };
                fs::futimens(file, &times(*time))?;
                let meta = fs::fstat(file)?;
                Answer::Times {
                    modified: meta.st_mtime,
                    accessed: Some(meta.st_atime),
                }
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
            Op::AppendFile(path, len, byte) => {
                let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND;
                io::write(&self.open(path, flags, 0o644)?, &vec![*byte; *len])?;
                Answer::Done
            }
            Op::Copy(from, to) => {
                let input = self.open(from, OFlags::RDONLY, 0)?;
                let meta = fs::fstat(&input)?;
                if kind(fs::FileType::from_raw_mode(meta.st_mode)) == FileType::Dir {
                    return Err(io::Errno::ISDIR);
                }
                let flags = OFlags::WRONLY | OFlags::CREATE;
                let output = self.open(to, flags, meta.st_mode & 0o7777)?;
                if fs::fstat(&output)?.st_ino == meta.st_ino {
                    return Err(io::Errno::INVAL);
                }
                let size = usize::try_from(meta.st_size).unwrap();
                let mut buf = vec![0; size];
                io::pread(&input, &mut buf[..], 0)?;
                io::pwrite(&output, &buf, 0)?;
                fs::ftruncate(&output, size as u64)?;
                Answer::Offset(size as u64)
            }
            Op::SetTimes(path, time, follow) => {
                let flags = if *follow {
                    AtFlags::empty()
                } else {
                    AtFlags::SYMLINK_NOFOLLOW
                };
                let path = self.path(path);
                fs::utimensat(CWD, &path, &times(*time), flags)?;
                // The way to look at it may lead through the very link whose time was set.
                Answer::Times {
                    modified: fs::statat(CWD, &path, flags)?.st_mtime,
                    accessed: None,
                }
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

fn times(seconds: i64) -> fs::Timestamps {
    let at = |tv_sec, tv_nsec| fs::Timespec { tv_sec, tv_nsec };
    fs::Timestamps {
        last_access: at(seconds, 7),
        last_modification: at(seconds / 2, 0),
    }
}

fn kind(kind: fs::FileType) -> FileType {
    match kind {
        fs::FileType::Directory => FileType::Dir,
        fs::FileType::Symlink => FileType::Symlink,
        _ => FileType::File,
    }
}
