//! Paths: bytes, split in one place.
//!
//! A path is any sequence of bytes except NUL. `/` separates names; empty names and `.` mean nothing; `..` is left
//! to [`resolve`](crate::resolve), because what it means depends on symbolic links. Nobody else takes a path apart.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::ops::Deref;

use ref_cast::{RefCastCustom, ref_cast_custom};

/// The longest path an operation takes, in bytes; as on Linux, where the limit of 4,096 includes a final NUL.
pub const PATH_MAX: usize = 4095;

/// A path, borrowed. Relative paths start at the root: a current directory is the caller's business.
///
/// ```
/// use hotcell_vfs::VfsPath;
///
/// let path = VfsPath::new("/work/notes.txt");
/// assert_eq!(path.file_name(), Some(b"notes.txt".as_slice()));
/// assert_eq!(path.parent(), Some(VfsPath::new("/work")));
/// assert_eq!(VfsPath::new("/work").join("../tmp").to_string(), "/work/../tmp");
/// ```
#[derive(PartialEq, Eq, Hash, PartialOrd, Ord, RefCastCustom)]
#[repr(transparent)]
pub struct VfsPath([u8]);

impl VfsPath {
    /// The root, `/`.
    pub const ROOT: &'static VfsPath = VfsPath::from_bytes(b"/");

    /// Sees bytes or text as a path; nothing is checked until a file operation is given the path.
    pub fn new<P: AsRef<[u8]> + ?Sized>(path: &P) -> &Self {
        Self::from_bytes(path.as_ref())
    }

    /// Sees bytes as a path, in constants too.
    #[ref_cast_custom]
    pub const fn from_bytes(bytes: &[u8]) -> &Self;

    /// The bytes.
    pub const fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path as text, if it is UTF-8.
    pub fn to_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The path as text; what is not UTF-8 becomes U+FFFD.
    pub fn to_string_lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    /// Whether it starts with `/`.
    pub fn is_absolute(&self) -> bool {
        self.0.first() == Some(&b'/')
    }

    /// Whether it has no bytes at all; every operation answers `ENOENT` to such a path.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names it consists of; empty names and `.` are left out, `..` is kept.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &[u8]> + Clone {
        self.0
            .split(|byte| *byte == b'/')
            .filter(|name| !name.is_empty() && *name != b".")
    }

    /// The last name; none for the root and for a path that ends in `..`.
    pub fn file_name(&self) -> Option<&[u8]> {
        self.components().next_back().filter(|name| *name != b"..")
    }

    /// The file name's part after its last dot, if there is one and it is not the first byte.
    pub fn extension(&self) -> Option<&[u8]> {
        let name = self.file_name()?;
        let dot = name
            .iter()
            .rposition(|byte| *byte == b'.')
            .filter(|dot| *dot > 0)?;
        name.get(dot + 1..)
    }

    /// The path without its last name; none for the root and the empty path.
    pub fn parent(&self) -> Option<&Self> {
        let trim = |bytes: &[u8]| {
            bytes
                .iter()
                .rposition(|byte| *byte != b'/')
                .map_or(0, |last| last + 1)
        };
        let end = trim(&self.0);
        let name = self.0[..end]
            .iter()
            .rposition(|byte| *byte == b'/')
            .map_or(0, |slash| slash + 1);
        if end == 0 {
            return None;
        }
        let parent = trim(&self.0[..name]);
        // The root keeps its slash; a relative path of one name has the empty path as its parent.
        let keep = if parent == 0 && name > 0 { 1 } else { parent };
        Some(Self::from_bytes(&self.0[..keep]))
    }

    /// This path followed by `path`, or `path` alone if that is absolute.
    #[must_use]
    pub fn join<P: AsRef<[u8]> + ?Sized>(&self, path: &P) -> VfsPathBuf {
        let mut joined = self.to_owned();
        joined.push(path);
        joined
    }

    /// What is left of this path below `base`, if it lies below it (or is it) name by name.
    pub fn strip_prefix(&self, base: &Self) -> Option<&Self> {
        let mut rest = self.0.trim_prefix_slashes();
        for name in base.components() {
            loop {
                let end = rest
                    .iter()
                    .position(|byte| *byte == b'/')
                    .unwrap_or(rest.len());
                let (first, after) = rest.split_at(end);
                rest = after.trim_prefix_slashes();
                if first == b"." {
                    continue;
                }
                if first != name {
                    return None;
                }
                break;
            }
        }
        Some(Self::from_bytes(rest))
    }

    /// Whether this path is `base` or lies below it, name by name.
    pub fn starts_with(&self, base: &Self) -> bool {
        self.strip_prefix(base).is_some()
    }

    /// The absolute path with `.`, `..` and repeated slashes taken out by looking at the text alone.
    ///
    /// This is what a user means who writes `a/../b`; the file system itself never uses it, because `a` may be a
    /// symbolic link.
    #[must_use]
    pub fn normalize(&self) -> VfsPathBuf {
        let mut out = VfsPathBuf::root();
        for name in self.components() {
            if name == b".." {
                out.pop();
            } else {
                out.push_name(name);
            }
        }
        out
    }

    /// How many names it has.
    pub fn depth(&self) -> usize {
        self.components().count()
    }
}

/// `trim_start_matches('/')`, for bytes.
trait TrimSlashes {
    fn trim_prefix_slashes(&self) -> &Self;
}

impl TrimSlashes for [u8] {
    fn trim_prefix_slashes(&self) -> &Self {
        let start = self
            .iter()
            .position(|byte| *byte != b'/')
            .unwrap_or(self.len());
        &self[start..]
    }
}

/// A path, owned.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VfsPathBuf(Vec<u8>);

impl VfsPathBuf {
    /// The root, `/`.
    pub fn root() -> Self {
        Self(b"/".to_vec())
    }

    /// Takes bytes as a path.
    pub const fn from_vec(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Appends `path`, or becomes it if it is absolute.
    pub fn push<P: AsRef<[u8]> + ?Sized>(&mut self, path: &P) {
        let path = path.as_ref();
        if path.first() == Some(&b'/') {
            self.0.clear();
        } else if self.0.last().is_some_and(|last| *last != b'/') {
            self.0.push(b'/');
        }
        self.0.extend_from_slice(path);
    }

    /// Appends one name as it is.
    pub(crate) fn push_name(&mut self, name: &[u8]) {
        if self.0.last().is_some_and(|last| *last != b'/') {
            self.0.push(b'/');
        }
        self.0.extend_from_slice(name);
    }

    /// Takes the last name off; the root stays the root.
    pub fn pop(&mut self) -> bool {
        let Some(keep) = self.parent().map(|parent| parent.0.len()) else {
            return false;
        };
        self.0.truncate(keep);
        true
    }
}

impl Default for VfsPathBuf {
    fn default() -> Self {
        Self::root()
    }
}

impl Deref for VfsPathBuf {
    type Target = VfsPath;

    fn deref(&self) -> &VfsPath {
        VfsPath::from_bytes(&self.0)
    }
}

impl Borrow<VfsPath> for VfsPathBuf {
    fn borrow(&self) -> &VfsPath {
        self
    }
}

impl ToOwned for VfsPath {
    type Owned = VfsPathBuf;

    fn to_owned(&self) -> VfsPathBuf {
        VfsPathBuf(self.0.to_vec())
    }
}

impl AsRef<[u8]> for VfsPath {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for VfsPathBuf {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<VfsPath> for VfsPath {
    fn as_ref(&self) -> &VfsPath {
        self
    }
}

impl AsRef<VfsPath> for VfsPathBuf {
    fn as_ref(&self) -> &VfsPath {
        self
    }
}

impl AsRef<VfsPath> for str {
    fn as_ref(&self) -> &VfsPath {
        VfsPath::new(self)
    }
}

impl AsRef<VfsPath> for String {
    fn as_ref(&self) -> &VfsPath {
        VfsPath::new(self)
    }
}

impl AsRef<VfsPath> for [u8] {
    fn as_ref(&self) -> &VfsPath {
        VfsPath::new(self)
    }
}

impl<'a> From<&'a str> for &'a VfsPath {
    fn from(path: &'a str) -> Self {
        VfsPath::new(path)
    }
}

impl<P: AsRef<[u8]> + ?Sized> From<&P> for VfsPathBuf {
    fn from(path: &P) -> Self {
        Self(path.as_ref().to_vec())
    }
}

impl From<String> for VfsPathBuf {
    fn from(path: String) -> Self {
        Self(path.into_bytes())
    }
}

impl From<Vec<u8>> for VfsPathBuf {
    fn from(path: Vec<u8>) -> Self {
        Self(path)
    }
}

impl fmt::Display for VfsPath {
    /// Control characters and what is not UTF-8 are escaped, so that a path cannot forge a line of output.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        for chunk in self.0.utf8_chunks() {
            for c in chunk.valid().chars() {
                if c.is_control() {
                    write!(f, "{}", c.escape_default())?;
                } else {
                    f.write_char(c)?;
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for VfsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

impl fmt::Display for VfsPathBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl fmt::Debug for VfsPathBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
