//! Error codes.

use std::io;

use hotcell_vfs::VfsError;

/// An error code of WASI, named as POSIX names it. Those that nothing here returns are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Errno {
    Acces = 2,
    Again = 6,
    Badf = 8,
    Busy = 10,
    Canceled = 11,
    Dquot = 19,
    Exist = 20,
    Fault = 21,
    Fbig = 22,
    Intr = 27,
    Inval = 28,
    Io = 29,
    Isdir = 31,
    Loop = 32,
    Mfile = 33,
    Mlink = 34,
    Nametoolong = 37,
    Nfile = 41,
    Nodev = 43,
    Noent = 44,
    Nomem = 48,
    Nospc = 51,
    Nosys = 52,
    Notdir = 54,
    Notempty = 55,
    Notsock = 57,
    Notsup = 58,
    Nxio = 60,
    Overflow = 61,
    Perm = 63,
    Pipe = 64,
    Rofs = 69,
    Spipe = 70,
    Stale = 72,
    Xdev = 75,
    Notcapable = 76,
}

impl Errno {
    /// The number that a program sees.
    pub(crate) const fn code(self) -> u16 {
        self as u16
    }
}

impl From<hotcell_vfs::Errno> for Errno {
    fn from(errno: hotcell_vfs::Errno) -> Self {
        use hotcell_vfs::Errno as Posix;
        match errno {
            Posix::EPERM => Self::Perm,
            Posix::ENOENT => Self::Noent,
            Posix::EINTR => Self::Intr,
            Posix::ENXIO => Self::Nxio,
            Posix::EBADF => Self::Badf,
            Posix::EAGAIN => Self::Again,
            Posix::ENOMEM => Self::Nomem,
            Posix::EACCES => Self::Acces,
            Posix::EBUSY => Self::Busy,
            Posix::EEXIST => Self::Exist,
            Posix::EXDEV => Self::Xdev,
            Posix::ENODEV => Self::Nodev,
            Posix::ENOTDIR => Self::Notdir,
            Posix::EISDIR => Self::Isdir,
            Posix::EINVAL => Self::Inval,
            Posix::ENFILE => Self::Nfile,
            Posix::EFBIG => Self::Fbig,
            Posix::ENOSPC => Self::Nospc,
            Posix::ESPIPE => Self::Spipe,
            Posix::EROFS => Self::Rofs,
            Posix::EMLINK => Self::Mlink,
            Posix::EPIPE => Self::Pipe,
            Posix::ENAMETOOLONG => Self::Nametoolong,
            Posix::ENOSYS => Self::Nosys,
            Posix::ENOTEMPTY => Self::Notempty,
            Posix::ELOOP => Self::Loop,
            Posix::EOVERFLOW => Self::Overflow,
            Posix::ENOTSUP => Self::Notsup,
            Posix::EDQUOT => Self::Dquot,
            Posix::ESTALE => Self::Stale,
            Posix::ECANCELED => Self::Canceled,
            _ => Self::Io,
        }
    }
}

impl From<VfsError> for Errno {
    fn from(error: VfsError) -> Self {
        error.errno().into()
    }
}

/// The code for an error of a stream.
pub(crate) fn errno_of(error: &io::Error) -> Errno {
    match (error.raw_os_error(), error.kind()) {
        (Some(code), _) => hotcell_vfs::Errno::from_code(code).into(),
        (None, io::ErrorKind::OutOfMemory) => Errno::Nomem,
        (None, io::ErrorKind::StorageFull) => Errno::Nospc,
        (None, io::ErrorKind::BrokenPipe) => Errno::Pipe,
        (None, _) => Errno::Io,
    }
}
