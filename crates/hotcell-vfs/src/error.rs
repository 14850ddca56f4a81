//! What can go wrong, as POSIX error kinds that say which operation failed on which path.

use std::borrow::Cow;
use std::fmt;

use crate::path::{VfsPath, VfsPathBuf};

macro_rules! errnos {
    ($($name:ident = $code:literal, $text:literal;)*) => {
        /// A POSIX error kind; the variants are named after the `errno` constants they stand for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Errno {
            $(#[doc = $text] $name,)*
        }

        impl Errno {
            /// The symbolic name, such as `"ENOENT"`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }

            /// What it means, in words.
            pub const fn message(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The number Linux uses for it.
            pub const fn code(self) -> i32 {
                match self { $(Self::$name => $code,)* }
            }

            /// The kind with that symbolic name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $(stringify!($name) => Some(Self::$name),)* _ => None }
            }

            /// The kind Linux means by `code`; what this crate has no name for is [`Errno::EIO`].
            pub const fn from_code(code: i32) -> Self {
                match code { $($code => Self::$name,)* _ => Self::EIO }
            }
        }
    };
}

errnos! {
    EPERM = 1, "operation not permitted";
    ENOENT = 2, "no such file or directory";
    EINTR = 4, "interrupted";
    EIO = 5, "input/output error";
    ENXIO = 6, "no such device";
    EBADF = 9, "file not opened for this";
    EAGAIN = 11, "try again";
    ENOMEM = 12, "out of memory";
    EACCES = 13, "access denied";
    EBUSY = 16, "in use";
    EEXIST = 17, "already exists";
    EXDEV = 18, "not on the same filesystem";
    ENODEV = 19, "no such device";
    ENOTDIR = 20, "not a directory";
    EISDIR = 21, "is a directory";
    EINVAL = 22, "invalid argument";
    ENFILE = 23, "too many open files";
    EFBIG = 27, "file too large";
    ENOSPC = 28, "no space left";
    ESPIPE = 29, "not seekable";
    EROFS = 30, "read-only file system";
    EMLINK = 31, "too many links";
    EPIPE = 32, "broken pipe";
    ENAMETOOLONG = 36, "file name too long";
    ENOSYS = 38, "not implemented";
    ENOTEMPTY = 39, "directory not empty";
    ELOOP = 40, "too many levels of symbolic links";
    EOVERFLOW = 75, "value too large";
    ENOTSUP = 95, "operation not supported";
    EDQUOT = 122, "quota exceeded";
    ESTALE = 116, "stale file handle";
    ECANCELED = 125, "canceled";
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A failure before anybody said where: a kind, and what a reader needs beyond it.
///
/// File systems return it from the inside ([`Backend`](crate::Backend)); the surface adds operation and path and
/// makes a [`VfsError`] of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind.
    pub errno: Errno,
    /// Which limit was met, or what to do instead.
    pub detail: Option<Cow<'static, str>>,
}

impl Fault {
    /// A fault with words of its own, such as the limit that was met.
    pub fn new(errno: Errno, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            errno,
            detail: Some(detail.into()),
        }
    }

    /// Says where it happened.
    #[must_use]
    pub fn at(self, op: &'static str, path: &VfsPath) -> VfsError {
        VfsError::build(self, op, path.to_owned(), None)
    }

    /// Says between which two paths it happened.
    #[must_use]
    pub fn between(self, op: &'static str, from: &VfsPath, to: &VfsPath) -> VfsError {
        VfsError::build(self, op, from.to_owned(), Some(to.to_owned()))
    }
}

impl From<Errno> for Fault {
    fn from(errno: Errno) -> Self {
        Self {
            errno,
            detail: None,
        }
    }
}

impl From<VfsError> for Fault {
    fn from(error: VfsError) -> Self {
        error.0.fault
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        match error.raw_os_error() {
            Some(code) if Errno::from_code(code) == Errno::EIO && code != Errno::EIO.code() => {
                Self::new(Errno::EIO, error.to_string())
            }
            Some(code) => Errno::from_code(code).into(),
            None => from_io_kind(&error),
        }
    }
}

fn from_io_kind(error: &std::io::Error) -> Fault {
    use std::io::ErrorKind;
    let errno = match error.kind() {
        ErrorKind::NotFound => Errno::ENOENT,
        ErrorKind::PermissionDenied => Errno::EACCES,
        ErrorKind::AlreadyExists => Errno::EEXIST,
        ErrorKind::NotADirectory => Errno::ENOTDIR,
        ErrorKind::IsADirectory => Errno::EISDIR,
        ErrorKind::DirectoryNotEmpty => Errno::ENOTEMPTY,
        ErrorKind::InvalidInput => Errno::EINVAL,
        ErrorKind::StorageFull => Errno::ENOSPC,
        ErrorKind::ReadOnlyFilesystem => Errno::EROFS,
        ErrorKind::Unsupported => Errno::ENOTSUP,
        ErrorKind::OutOfMemory => Errno::ENOMEM,
        _ => Errno::EIO,
    };
    Fault::new(errno, error.to_string())
}

/// A failed file operation: the kind, the operation, the path as the caller gave it.
///
/// ```
/// use hotcell_vfs::{Errno, MemVfs, Vfs, VfsPath};
///
/// let error = MemVfs::new().read_file(VfsPath::new("/no/such")).unwrap_err();
/// assert_eq!(error.errno(), Errno::ENOENT);
/// assert_eq!(error.to_string(), "ENOENT: no such file or directory, open '/no/such'");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", Shown(.0))]
pub struct VfsError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    fault: Fault,
    op: &'static str,
    path: VfsPathBuf,
    other: Option<VfsPathBuf>,
}

impl VfsError {
    fn build(fault: Fault, op: &'static str, path: VfsPathBuf, other: Option<VfsPathBuf>) -> Self {
        Self(Box::new(Inner {
            fault,
            op,
            path,
            other,
        }))
    }

    /// An error of this kind at this place.
    pub fn new(errno: Errno, op: &'static str, path: &VfsPath) -> Self {
        Fault::from(errno).at(op, path)
    }

    /// The kind.
    pub fn errno(&self) -> Errno {
        self.0.fault.errno
    }

    /// The operation that failed, such as `"open"`.
    pub fn op(&self) -> &'static str {
        self.0.op
    }

    /// The path the operation was given (the first one, where it takes two).
    pub fn path(&self) -> &VfsPath {
        &self.0.path
    }

    /// The second path of `rename`, `link` and `copy`.
    pub fn other_path(&self) -> Option<&VfsPath> {
        self.0.other.as_deref()
    }

    /// Which limit was met, or what to do instead.
    pub fn detail(&self) -> Option<&str> {
        self.0.fault.detail.as_deref()
    }

    /// The same failure, told about the path the caller knows it by.
    #[must_use]
    pub fn with_path(mut self, path: &VfsPath) -> Self {
        path.clone_into(&mut self.0.path);
        self
    }
}

/// An error without its box, printed: what `thiserror` would derive if the fields were not behind one.
struct Shown<'a>(&'a Inner);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner {
            fault,
            op,
            path,
            other,
        } = self.0;
        write!(
            f,
            "{}: {}, {op} '{path}'",
            fault.errno.name(),
            fault.errno.message()
        )?;
        if let Some(other) = other {
            write!(f, " -> '{other}'")?;
        }
        if let Some(detail) = &fault.detail {
            write!(f, " ({detail})")?;
        }
        Ok(())
    }
}

impl From<VfsError> for std::io::Error {
    fn from(error: VfsError) -> Self {
        use std::io::ErrorKind;
        let kind = match error.errno() {
            Errno::ENOENT => ErrorKind::NotFound,
            Errno::EACCES | Errno::EPERM => ErrorKind::PermissionDenied,
            Errno::EEXIST => ErrorKind::AlreadyExists,
            Errno::ENOTDIR => ErrorKind::NotADirectory,
            Errno::EISDIR => ErrorKind::IsADirectory,
            Errno::ENOTEMPTY => ErrorKind::DirectoryNotEmpty,
            Errno::EINVAL | Errno::ENAMETOOLONG => ErrorKind::InvalidInput,
            Errno::ENOSPC | Errno::EDQUOT => ErrorKind::StorageFull,
            Errno::EROFS => ErrorKind::ReadOnlyFilesystem,
            Errno::EFBIG => ErrorKind::FileTooLarge,
            Errno::EPIPE => ErrorKind::BrokenPipe,
            Errno::ENOTSUP | Errno::ENOSYS => ErrorKind::Unsupported,
            _ => ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}

/// What file operations return.
pub type Result<T, E = VfsError> = std::result::Result<T, E>;
