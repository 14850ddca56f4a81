//! Random operations, and what they answer.

use std::sync::Arc;

use hotcell_vfs::{
    Errno, FileType, MemVfs, OpenOptions, SetTime, Times, Timestamp, Vfs, VfsFile, VfsPath,
    VfsPathBuf,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// One operation. Paths are relative to a directory that both sides have.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Open(String, OpenOptions),
    Close(usize),
    ReadAt(usize, u64, usize),
    WriteAt(usize, u64, usize, u8),
    Append(usize, usize, u8),
    TruncateHandle(usize, u64),
    StatHandle(usize),
    ChmodHandle(usize, u32),
    SetTimesHandle(usize, i64),
    Stat(String),
    Lstat(String),
    Readdir(String),
    Mkdir(String, u32),
    Rmdir(String),
    Unlink(String),
    Rename(String, String),
    Chmod(String, u32),
    Symlink(String, String),
    Readlink(String),
    Link(String, String),
    Realpath(String),
    ReadFile(String),
    WriteFile(String, usize, u8),
    AppendFile(String, usize, u8),
    Truncate(String, u64),
    Copy(String, String),
    SetTimes(String, i64, bool),
}

/// What an operation answered, reduced to what both sides have to agree on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Done,
    Bytes(Vec<u8>),
    Names(Vec<(Vec<u8>, FileType)>),
    Stat {
        kind: FileType,
        mode: Option<u32>,
        size: Option<u64>,
        nlink: Option<u64>,
    },
    Offset(u64),
    /// When it was last changed and, if looking at it is no access, last read.
    Times {
        modified: i64,
        accessed: Option<i64>,
    },
    Failed(Errno),
    NoHandle,
}

/// A few names that collide often, and the ways to write a path that mean something.
fn path() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        4 => "[abc]".prop_map(String::from),
        1 => Just("..".to_owned()),
        1 => Just(".".to_owned()),
        1 => Just("d\n\u{fc}".to_owned()),
    ];
    let end = prop_oneof![8 => Just(""), 1 => Just("/"), 1 => Just("//")];
    let long = Just("n".repeat(256));
    let usual = (vec(name, 1..4), end).prop_map(|(names, end)| names.join("/") + end);
    prop_oneof![60 => usual, 1 => long.prop_map(String::from), 1 => Just(String::new())]
}

/// What a link says: at most one step up, so that forty of them cannot climb far.
fn target() -> impl Strategy<Value = String> {
    let up = prop_oneof![3 => Just(""), 1 => Just("../"), 1 => Just("./")];
    let end = prop_oneof![8 => Just(""), 1 => Just("/")];
    let names =
        prop_oneof![6 => "[abc](/[abc])?", 1 => Just(".".to_owned()), 1 => Just("..".to_owned())];
    (up, names, end).prop_map(|(up, names, end)| match names.as_str() {
        ".." => names + end,
        _ => up.to_owned() + &names + end,
    })
}

fn options() -> impl Strategy<Value = OpenOptions> {
    (
        0..4_u8,
        any::<[bool; 5]>(),
        prop_oneof![Just(0o644), Just(0o600), Just(0o755)],
    )
        .prop_map(
            |(access, [create, new, truncate, no_follow, directory], mode)| {
                let mut options = match access {
                    0 => OpenOptions::read(),
                    1 => OpenOptions::write(),
                    2 => OpenOptions::read_write(),
                    _ => OpenOptions::append(),
                };
                options.create = create || new;
                options.create_new = new;
                options.truncate = truncate && options.writes();
                options.no_follow = no_follow;
                options.directory = directory && !options.create;
                options.mode(mode)
            },
        )
}

fn offset() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..20_u64, 2 => 65_500..65_600_u64, 1 => 131_000..200_000_u64, 1 => Just(5_000_000_u64)]
}

fn len() -> impl Strategy<Value = usize> {
    prop_oneof![4 => 0..20_usize, 1 => 65_530..65_545_usize, 1 => 130_000..140_000_usize]
}

fn mode() -> impl Strategy<Value = u32> {
    prop_oneof![
        Just(0o644),
        Just(0o600),
        Just(0o755),
        Just(0o4711),
        Just(0o000)
    ]
}

/// Seconds that every file system of Linux can store.
fn time() -> impl Strategy<Value = i64> {
    -2_000_000_000..2_000_000_000_i64
}

pub(crate) fn op() -> impl Strategy<Value = Op> {
    let slot = || 0..3_usize;
    prop_oneof![
        6 => (path(), options()).prop_map(|(path, options)| Op::Open(path, options)),
        1 => slot().prop_map(Op::Close),
        2 => (slot(), offset(), len()).prop_map(|(slot, offset, len)| Op::ReadAt(slot, offset, len)),
        2 => (slot(), offset(), len(), any::<u8>()).prop_map(|(slot, at, len, byte)| Op::WriteAt(slot, at, len, byte)),
        2 => (slot(), len(), any::<u8>()).prop_map(|(slot, len, byte)| Op::Append(slot, len, byte)),
        1 => (slot(), offset()).prop_map(|(slot, size)| Op::TruncateHandle(slot, size)),
        1 => slot().prop_map(Op::StatHandle),
        1 => (slot(), mode()).prop_map(|(slot, mode)| Op::ChmodHandle(slot, mode)),
        1 => (slot(), time()).prop_map(|(slot, time)| Op::SetTimesHandle(slot, time)),
        2 => path().prop_map(Op::Stat),
        2 => path().prop_map(Op::Lstat),
        2 => path().prop_map(Op::Readdir),
        8 => (path(), prop_oneof![Just(0o755), Just(0o700)]).prop_map(|(path, mode)| Op::Mkdir(path, mode)),
        3 => path().prop_map(Op::Rmdir),
        3 => path().prop_map(Op::Unlink),
        8 => (path(), path()).prop_map(|(from, to)| Op::Rename(from, to)),
        1 => (path(), mode()).prop_map(|(path, mode)| Op::Chmod(path, mode)),
        4 => (target(), path()).prop_map(|(target, link)| Op::Symlink(target, link)),
        1 => path().prop_map(Op::Readlink),
        4 => (path(), path()).prop_map(|(existing, new)| Op::Link(existing, new)),
        1 => path().prop_map(Op::Realpath),
        1 => path().prop_map(Op::ReadFile),
        4 => (path(), len(), any::<u8>()).prop_map(|(path, len, byte)| Op::WriteFile(path, len, byte)),
        1 => (path(), len(), any::<u8>()).prop_map(|(path, len, byte)| Op::AppendFile(path, len, byte)),
        1 => (path(), offset()).prop_map(|(path, size)| Op::Truncate(path, size)),
        3 => (path(), path()).prop_map(|(from, to)| Op::Copy(from, to)),
        2 => (path(), time(), any::<bool>())
            .prop_map(|(path, time, follow)| Op::SetTimes(path, time, follow)),
    ]
}

/// `MemVfs` (or any other `Vfs`) as one of the two sides.
pub(crate) struct Virtual<V: Vfs> {
    pub(crate) vfs: V,
    pub(crate) base: VfsPathBuf,
    pub(crate) handles: Vec<Arc<dyn VfsFile>>,
}

impl<V: Vfs> Virtual<V> {
    pub(crate) fn path(&self, path: &str) -> VfsPathBuf {
        if path.is_empty() {
            VfsPathBuf::from("")
        } else {
            self.base.join(path)
        }
    }

    fn handle(&self, slot: usize) -> Option<&Arc<dyn VfsFile>> {
        self.handles.get(slot)
    }

    pub(crate) fn run(&mut self, op: &Op) -> Answer {
        self.try_run(op)
            .unwrap_or_else(|error| Answer::Failed(error.errno()))
    }

    fn try_run(&mut self, op: &Op) -> hotcell_vfs::Result<Answer> {
        let done = |()| Answer::Done;
        let stat = |meta: hotcell_vfs::Metadata| Answer::Stat {
            kind: meta.kind,
            mode: (!meta.is_symlink()).then_some(meta.mode),
            size: (!meta.is_dir()).then_some(meta.size),
            nlink: (!meta.is_dir()).then_some(meta.nlink),
        };
        let vfs = &self.vfs;
        Ok(match op {
            Op::Open(path, options) => {
                let file = vfs.open(&self.path(path), options)?;
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
                let Some(file) = self.handle(*slot) else {
                    return Ok(Answer::NoHandle);
                };
                let mut buf = vec![1; *len];
                let count = file.read_at(*offset, &mut buf)?;
                buf.truncate(count);
                Answer::Bytes(buf)
            }
            Op::WriteAt(slot, offset, len, byte) => {
                let Some(file) = self.handle(*slot) else {
                    return Ok(Answer::NoHandle);
                };
                Answer::Offset(file.write_at(*offset, &vec![*byte; *len])? as u64)
            }
            Op::Append(slot, len, byte) => {
                let Some(file) = self.handle(*slot) else {
                    return Ok(Answer::NoHandle);
                };
                Answer::Offset(file.append(&vec![*byte; *len])?)
            }
            Op::TruncateHandle(slot, size) => {
                let Some(file) = self.handle(*slot) else {
                    return Ok(Answer::NoHandle);
                };
                done(file.truncate(*size)?)
            }
            Op::StatHandle(slot) => {
                let Some(file) = self.handle(*slot) else {
                    return Ok(Answer::NoHandle);
                };
                stat(file.stat()?)
            }
            Op::ChmodHandle(slot, mode) => {
                let Some(file) = self.handle(*slot) else {
                    return Ok(Answer::NoHandle);
                };
                done(file.chmod(*mode)?)
            }
            Op::SetTimesHandle(slot, time) => {
                let Some(file) = self.handle(*slot) else {
                    return Ok(Answer::NoHandle);
                };
                file.set_times(times(*time))?;
                let meta = file.stat()?;
                Answer::Times {
                    modified: meta.modified.seconds(),
                    accessed: Some(meta.accessed.seconds()),
                }
            }
            Op::Stat(path) => stat(vfs.stat(&self.path(path))?),
            Op::Lstat(path) => stat(vfs.lstat(&self.path(path))?),
            Op::Readdir(path) => {
                let entries = vfs.readdir(&self.path(path))?;
                Answer::Names(
                    entries
                        .into_iter()
                        .map(|entry| (entry.name, entry.kind))
                        .collect(),
                )
            }
            Op::Mkdir(path, mode) => done(vfs.mkdir(&self.path(path), *mode)?),
            Op::Rmdir(path) => done(vfs.rmdir(&self.path(path))?),
            Op::Unlink(path) => done(vfs.unlink(&self.path(path))?),
            Op::Rename(from, to) => done(vfs.rename(&self.path(from), &self.path(to))?),
            Op::Chmod(path, mode) => done(vfs.chmod(&self.path(path), *mode)?),
            Op::Symlink(target, link) => done(vfs.symlink(VfsPath::new(target), &self.path(link))?),
            Op::Readlink(path) => Answer::Bytes(vfs.readlink(&self.path(path))?.into_bytes()),
            Op::Link(existing, new) => done(vfs.link(&self.path(existing), &self.path(new))?),
            Op::Realpath(path) => Answer::Bytes(vfs.realpath(&self.path(path))?.into_bytes()),
            Op::ReadFile(path) => Answer::Bytes(vfs.read_file(&self.path(path))?),
            Op::WriteFile(path, len, byte) => {
                done(vfs.write_file(&self.path(path), &vec![*byte; *len])?)
            }
            Op::AppendFile(path, len, byte) => {
                done(vfs.append_file(&self.path(path), &vec![*byte; *len])?)
            }
            Op::Truncate(path, size) => done(vfs.truncate(&self.path(path), *size)?),
            Op::Copy(from, to) => Answer::Offset(vfs.copy(&self.path(from), &self.path(to))?),
            Op::SetTimes(path, time, follow) => {
                let path = self.path(path);
                vfs.set_times(&path, times(*time), *follow)?;
                let meta = if *follow {
                    vfs.stat(&path)?
                } else {
                    vfs.lstat(&path)?
                };
                Answer::Times {
                    modified: meta.modified.seconds(),
                    accessed: None,
                }
            }
        })
    }
}

fn times(seconds: i64) -> Times {
    Times {
        accessed: SetTime::At(Timestamp::from_parts(seconds, 7)),
        modified: SetTime::At(Timestamp::from_parts(seconds / 2, 0)),
    }
}

/// How deep the shared directory lies: deeper than forty links with one `..` each can climb, so that no sequence of
/// operations leaves the temporary directory.
const CLIMB: usize = 50;

/// The path below which the operations happen.
pub(crate) fn base() -> String {
    "/x".repeat(CLIMB)
}

/// A file system as a side, with the shared directory made.
pub(crate) fn side<V: Vfs>(vfs: V) -> Virtual<V> {
    let base = VfsPathBuf::from(&base());
    vfs.mkdir_all(&base, 0o755)
        .expect("an empty file system takes directories");
    Virtual {
        vfs,
        base,
        handles: Vec::new(),
    }
}

/// A `MemVfs` as a side.
pub(crate) fn memory(limits: hotcell_vfs::Limits) -> Virtual<MemVfs> {
    side(MemVfs::with(limits, hotcell_vfs::Clock::None))
}
