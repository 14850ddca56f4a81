//! Visiting a whole tree without recursion.

use crate::error::{Fault, Result};
use crate::metadata::{DirEntry, FileType, Metadata};
use crate::path::{VfsPath, VfsPathBuf};
use crate::vfs::Vfs;

/// Everything below a directory: parents before their children, names in the order of their bytes.
///
/// Symbolic links are not followed unless [`follow_links`](Self::follow_links) says so. A directory that cannot be read
/// gives one error and the walk goes on after it.
///
/// ```
/// use hotcell_vfs::{MemVfs, Vfs, VfsPath, Walk};
///
/// let vfs = MemVfs::new();
/// vfs.mkdir_all(VfsPath::new("/a/b"), 0o755)?;
/// vfs.write_file(VfsPath::new("/a/x"), b"")?;
/// let found: Vec<String> = Walk::new(&vfs, VfsPath::new("/a")).map(|e| Ok(e?.path.to_string())).collect::<Result<_, hotcell_vfs::VfsError>>()?;
/// assert_eq!(found, ["/a", "/a/b", "/a/x"]);
/// # Ok::<(), hotcell_vfs::VfsError>(())
/// ```
pub struct Walk<'a> {
    vfs: &'a dyn Vfs,
    /// What is still to be visited, the next one last.
    todo: Vec<WalkEntry>,
    /// The directory that was given out last: it is read when the next entry is asked for.
    enter: Option<WalkEntry>,
    /// The directories above the current entry, to notice a link that leads back up.
    above: Vec<(u64, u64)>,
    follow: bool,
    max_depth: usize,
    started: Option<VfsPathBuf>,
}

/// A file met on a [`Walk`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkEntry {
    /// The start's path followed by the names below it.
    pub path: VfsPathBuf,
    /// What it is: of what the link leads to, if links are followed.
    pub kind: FileType,
    /// How far below the start it is; the start itself is at 0.
    pub depth: usize,
}

impl<'a> Walk<'a> {
    /// A walk that starts with `path` itself. A start that is a link is followed.
    pub fn new(vfs: &'a dyn Vfs, path: &VfsPath) -> Self {
        Self {
            vfs,
            todo: Vec::new(),
            enter: None,
            above: Vec::new(),
            follow: false,
            max_depth: usize::MAX,
            started: Some(path.to_owned()),
        }
    }

    /// Goes into directories that symbolic links lead to, except those that lead back to where the walk came from. A
    /// directory that many links lead to is visited by way of each: whoever walks a stranger's tree has to stop some time.
    #[must_use]
    pub fn follow_links(mut self) -> Self {
        self.follow = true;
        self
    }

    /// Goes no deeper than this; 1 visits the directory's own names.
    #[must_use]
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.max_depth = depth;
        self
    }

    /// Leaves out what is below the directory that was visited last.
    pub fn skip_dir(&mut self) {
        self.enter = None;
    }

    fn start(&mut self, path: VfsPathBuf) -> Result<WalkEntry> {
        let meta = self.vfs.stat(&path)?;
        Ok(self.give(WalkEntry {
            path,
            kind: meta.kind,
            depth: 0,
        }))
    }

    fn give(&mut self, entry: WalkEntry) -> WalkEntry {
        if entry.kind.is_dir() && entry.depth < self.max_depth {
            self.enter = Some(entry.clone());
        }
        entry
    }

    /// Puts the names of the directory on the list.
    fn enter(&mut self, dir: &WalkEntry) -> Result<()> {
        if self.follow {
            let id = identity(&self.vfs.stat(&dir.path)?);
            self.above.truncate(dir.depth);
            if self.above.contains(&id) {
                return Ok(());
            }
            self.above.push(id);
        }
        let entries = self.vfs.readdir(&dir.path)?;
        self.todo.extend(
            entries
                .into_iter()
                .rev()
                .map(|DirEntry { name, kind, .. }| {
                    let mut path = dir.path.clone();
                    path.push_name(&name);
                    WalkEntry {
                        path,
                        kind,
                        depth: dir.depth + 1,
                    }
                }),
        );
        Ok(())
    }
}

const fn identity(meta: &Metadata) -> (u64, u64) {
    (meta.dev, meta.ino)
}

impl Iterator for Walk<'_> {
    type Item = Result<WalkEntry>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(path) = self.started.take() {
            return Some(self.start(path));
        }
        if let Some(dir) = self.enter.take()
            && let Err(error) = self.enter(&dir)
        {
            return Some(Err(Fault::from(error).at("readdir", &dir.path)));
        }
        let mut entry = self.todo.pop()?;
        if self.follow && entry.kind.is_symlink() {
            // A link that leads nowhere stays a link.
            if let Ok(meta) = self.vfs.stat(&entry.path) {
                entry.kind = meta.kind;
            }
        }
        Some(Ok(self.give(entry)))
    }
}
