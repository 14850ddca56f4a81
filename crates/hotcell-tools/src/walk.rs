//! Visiting the files of a tree that a project cares about.

use std::ops::ControlFlow;

use hotcell_vfs::{DirEntry, FileType, Vfs, VfsPath};

use crate::error::FileToolError;
use crate::ignored::Ignored;
use crate::tools::FileTools;
use crate::workspace::Place;

/// A file, directory or link met on the way.
pub(crate) struct Visit<'a> {
    /// Its path.
    pub(crate) path: &'a VfsPath,
    /// Its path below the directory the walk started in.
    pub(crate) below: &'a [u8],
    /// Its path below the workspace.
    pub(crate) shown: &'a [u8],
    pub(crate) name: &'a [u8],
    pub(crate) kind: FileType,
}

/// Visits everything below `start` except what ignore files and git's own directory leave out: parents before
/// children, names in the order of their bytes. Links are visited and not followed. Gives back what the reader has to
/// know about what was not visited.
pub(crate) fn walk(
    tools: &FileTools,
    start: &Place<'_>,
    mut visit: impl FnMut(&Visit<'_>) -> Result<ControlFlow<()>, FileToolError>,
) -> Result<Vec<String>, FileToolError> {
    let mut walk = Walk::new(tools, start);
    let below = below_from(&start.real);
    let shown = below_from(start.root);
    while let Some(kind) = walk.next()? {
        tools.check_cancelled()?;
        let path = walk.path.as_slice();
        let flow = visit(&Visit {
            path: VfsPath::new(path),
            below: path.get(below..).unwrap_or_default(),
            shown: path.get(shown..).unwrap_or_default(),
            name: path.get(walk.name_at..).unwrap_or_default(),
            kind,
        })?;
        if flow.is_break() {
            break;
        }
        if kind.is_dir() {
            walk.enter();
        }
    }
    let unreadable = walk.unreadable;
    let mut notices = walk.ignored.into_notices();
    if unreadable > 0 {
        notices.push(format!("{unreadable} directories could not be read"));
    }
    Ok(notices)
}

/// Where the names below a directory begin in paths below it.
pub(crate) fn below_from(dir: &VfsPath) -> usize {
    let bytes = dir.as_bytes();
    bytes.len() + usize::from(!bytes.ends_with(b"/"))
}

struct Walk<'a> {
    tools: &'a FileTools,
    vfs: &'a dyn Vfs,
    ignored: Ignored,
    levels: Vec<Level>,
    /// The path of the current entry: one buffer for all of them.
    path: Vec<u8>,
    /// Where its name begins.
    name_at: usize,
    /// How deep the start is, counted from the workspace.
    base: usize,
    unreadable: usize,
}

/// A directory that is being visited.
struct Level {
    entries: std::vec::IntoIter<DirEntry>,
    /// Where names begin in paths of its entries.
    name_at: usize,
}

impl<'a> Walk<'a> {
    fn new(tools: &'a FileTools, start: &Place<'a>) -> Self {
        let vfs = start.vfs;
        let mut walk = Self {
            tools,
            vfs,
            ignored: Ignored::default(),
            levels: Vec::new(),
            path: start.root.as_bytes().to_vec(),
            name_at: 0,
            base: 0,
            unreadable: 0,
        };
        // The rules of the directories between the workspace and the start hold below the start.
        for name in start.relative().components() {
            walk.ignored.enter(tools, vfs, &walk.path, walk.base);
            walk.base += 1;
            if !walk.path.ends_with(b"/") {
                walk.path.push(b'/');
            }
            walk.path.extend_from_slice(name);
        }
        walk.enter();
        walk
    }

    /// Goes into the directory at the current path.
    fn enter(&mut self) {
        let Ok(entries) = self.vfs.readdir(VfsPath::new(&self.path)) else {
            self.unreadable += 1;
            return;
        };
        if entries
            .iter()
            .any(|entry| entry.kind.is_file() && Ignored::is_rule_file(&entry.name))
        {
            let depth = self.base + self.levels.len();
            self.ignored.enter(self.tools, self.vfs, &self.path, depth);
        }
        if !self.path.ends_with(b"/") {
            self.path.push(b'/');
        }
        self.levels.push(Level {
            entries: entries.into_iter(),
            name_at: self.path.len(),
        });
    }

    fn next(&mut self) -> Result<Option<FileType>, FileToolError> {
        loop {
            let depth = self.base + self.levels.len();
            let Some(level) = self.levels.last_mut() else {
                return Ok(None);
            };
            let Some(entry) = level.entries.next() else {
                self.levels.pop();
                self.ignored.leave(self.tools, depth - 1);
                continue;
            };
            self.name_at = level.name_at;
            self.path.truncate(self.name_at);
            self.path.extend_from_slice(&entry.name);
            let is_dir = entry.kind.is_dir();
            if is_dir && entry.name == b".git" {
                continue;
            }
            if self.ignored.is_ignored(self.tools, &self.path, is_dir)? {
                // Nothing is visited of many.
                self.tools.check_cancelled()?;
                continue;
            }
            return Ok(Some(entry.kind));
        }
    }
}
