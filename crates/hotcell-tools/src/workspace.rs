//! From a path that a model wrote to a file in the workspace, or a refusal.

use std::sync::{Arc, OnceLock};

use hotcell_vfs::{
    DIR_MODE, Errno, Metadata, Result as VfsResult, Vfs, VfsError, VfsPath, VfsPathBuf, View,
};

use crate::error::FileToolError;
use crate::shown::shown;
use crate::spelling;

/// How long a path may be, in bytes: twice what file systems take, as one may say things twice.
const PATH_MAX: usize = 8192;
/// How many symbolic links one path may lead through, as on Linux.
const LINKS_MAX: usize = 40;

/// The directory the tools work in.
pub(crate) struct Workspace {
    /// What the directory is on. The tools see no more of it than `view` shows.
    vfs: Arc<dyn Vfs>,
    /// The directory as it was named.
    root: VfsPathBuf,
    /// What `~` stands for.
    home: String,
    /// The directory, from the first time that it is there. Whoever moves it, or puts a link in its place, does not
    /// give the tools another one.
    view: OnceLock<View>,
}

/// A place in the workspace.
pub(crate) struct Place<'a> {
    /// The workspace and nothing else.
    pub(crate) vfs: &'a dyn Vfs,
    /// The workspace's path without links.
    pub(crate) root: &'a VfsPath,
    /// The path without links, `.` and `..`.
    pub(crate) real: VfsPathBuf,
    /// What is there.
    pub(crate) meta: Option<Metadata>,
}

impl Place<'_> {
    /// The path below the workspace; empty for the workspace itself.
    pub(crate) fn relative(&self) -> &VfsPath {
        self.real
            .strip_prefix(self.root)
            .unwrap_or_else(|| VfsPath::new(""))
    }
}

impl Workspace {
    pub(crate) fn new(vfs: Arc<dyn Vfs>, root: &VfsPath) -> Self {
        let root = root.normalize();
        let workspace = Self {
            vfs,
            home: root.to_string_lossy().trim_end_matches('/').to_owned(),
            root,
            view: OnceLock::new(),
        };
        // That it cannot be looked at yet is told when somebody wants something of it.
        let _there = workspace.view();
        workspace
    }

    /// The directory as it was named.
    pub(crate) fn root(&self) -> &VfsPath {
        &self.root
    }

    /// The file at a path somebody gave, or another file that the path may have meant. `None` if there is neither.
    pub(crate) fn existing(
        &self,
        given: &str,
        action: &'static str,
    ) -> Result<Option<Place<'_>>, FileToolError> {
        check_length(given, action)?;
        let plain = spelling::plain(given, &self.home);
        let Some(view) = self.view().map_err(told(action, given))? else {
            self.check_text(given, &plain)?;
            return Ok(None);
        };
        // `~` is never a name; everything else that is there as it was written is what was meant.
        let mut spellings = Vec::new();
        if !given.starts_with('~') && given != plain {
            spellings.push(given.to_owned());
        }
        let others = spelling::variants(&plain);
        spellings.push(plain);
        spellings.extend(others);
        for spelling in &spellings {
            let place = self.place(view, &self.absolute(view, spelling), given, action)?;
            if place.meta.is_some() {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// The place a path names, whether something is there or not. The workspace is made if it is missing.
    pub(crate) fn target(
        &self,
        given: &str,
        action: &'static str,
    ) -> Result<Place<'_>, FileToolError> {
        check_length(given, action)?;
        let plain = spelling::plain(given, &self.home);
        let view = if let Some(view) = self.view().map_err(told(action, given))? {
            view
        } else {
            self.check_text(given, &plain)?;
            self.make().map_err(told(action, given))?
        };
        let literal = self.absolute(view, given);
        let known = !given.starts_with('~')
            && given != plain
            && (view.exists(&literal)
                || literal.parent().is_some_and(|dir| {
                    // `@types/x.d.ts` is a name like any other if there is a directory `@types`.
                    dir.depth() > view.root().depth() && view.exists(dir)
                }));
        let path = if known {
            literal
        } else {
            self.absolute(view, &plain)
        };
        let place = self.place(view, &path, given, action)?;
        if ends_like_directory(path.as_bytes()) && place.meta.is_none() {
            return Err(FileToolError::refused(action, given, Errno::EISDIR));
        }
        Ok(place)
    }

    /// The workspace, if its directory is there.
    fn view(&self) -> VfsResult<Option<&View>> {
        if let Some(view) = self.view.get() {
            return Ok(Some(view));
        }
        match View::confined(Arc::clone(&self.vfs), &self.root) {
            Ok(view) => Ok(Some(self.view.get_or_init(|| view))),
            Err(error) if error.errno() == Errno::ENOENT => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Makes the workspace's directory.
    fn make(&self) -> VfsResult<&View> {
        self.vfs.mkdir_all(&self.root, DIR_MODE)?;
        let view = self.view()?;
        view.ok_or_else(|| VfsError::new(Errno::ENOENT, "open", &self.root))
    }

    /// Refuses a path that leads out of a workspace in which there is nothing yet, so that its text tells all.
    fn check_text(&self, given: &str, plain: &str) -> Result<(), FileToolError> {
        if self.root.join(plain).normalize().starts_with(&self.root) {
            return Ok(());
        }
        Err(self.outside(given))
    }

    fn place<'a>(
        &self,
        view: &'a View,
        path: &VfsPath,
        given: &str,
        action: &'static str,
    ) -> Result<Place<'a>, FileToolError> {
        let real = resolve(view, path).map_err(told(action, given))?;
        let real = real.ok_or_else(|| self.outside(given))?;
        let meta = match view.lstat(&real) {
            Ok(meta) => Some(meta),
            Err(error) if error.errno() == Errno::ENOENT => None,
            Err(error) => return Err(FileToolError::failed(action, given, &error)),
        };
        Ok(Place {
            vfs: view,
            root: view.root(),
            real,
            meta,
        })
    }

    fn outside(&self, given: &str) -> FileToolError {
        FileToolError::OutsideWorkspace {
            path: shown(given.as_bytes()),
            root: self.root.to_string(),
        }
    }

    /// The absolute path that is meant. The workspace's own may have been named by way of a link.
    fn absolute(&self, view: &View, path: &str) -> VfsPathBuf {
        let path = self.root.join(path);
        match path.strip_prefix(&self.root) {
            Some(below) => view.root().join(below),
            None => path,
        }
    }
}

/// Tells of a failure by the path that was given.
fn told(action: &'static str, given: &str) -> impl Fn(VfsError) -> FileToolError {
    move |error| FileToolError::failed(action, given, &error)
}

/// The path without links, `.` and `..`; names that do not exist are taken as they are. `None` if it leads out.
fn resolve(view: &View, path: &VfsPath) -> VfsResult<Option<VfsPathBuf>> {
    let inside = |path: VfsPathBuf| path.starts_with(view.root()).then_some(path);
    match view.realpath(path) {
        Ok(real) => return Ok(inside(real)),
        // Something is missing, or lies elsewhere. Which of the two takes a walk of our own, because what is missing may
        // be about to be made.
        Err(error) if matches!(error.errno(), Errno::ENOENT | Errno::EACCES) => {}
        Err(error) => return Err(error),
    }
    let mut links = 0;
    let mut at = VfsPathBuf::root();
    let mut todo: Vec<Vec<u8>> = path.components().rev().map(<[u8]>::to_vec).collect();
    while let Some(name) = todo.pop() {
        if name == b".." {
            at.pop();
            continue;
        }
        at.push(&name);
        // What is there or not elsewhere is nobody's business: the walk does not even look.
        if !at.starts_with(view.root()) && !view.root().starts_with(&at) {
            return Ok(None);
        }
        match view.lstat(&at) {
            Ok(meta) if meta.is_symlink() => {
                links += 1;
                if links > LINKS_MAX {
                    return Err(VfsError::new(Errno::ELOOP, "open", path));
                }
                let target = view.readlink(&at)?;
                at.pop();
                if target.is_absolute() {
                    at = VfsPathBuf::root();
                }
                todo.extend(target.components().rev().map(<[u8]>::to_vec));
            }
            Ok(meta) if !meta.is_dir() && !todo.is_empty() => {
                return Err(VfsError::new(Errno::ENOTDIR, "open", path));
            }
            Ok(_) => {}
            Err(error) if error.errno() == Errno::ENOENT => {}
            Err(error) => return Err(error),
        }
    }
    Ok(inside(at))
}

/// Refuses a path that no system takes, before other spellings of it are looked for.
fn check_length(given: &str, action: &'static str) -> Result<(), FileToolError> {
    if given.len() > PATH_MAX {
        let end = given.floor_char_boundary(100);
        let beginning = format!("{}...", given.get(..end).unwrap_or_default());
        return Err(FileToolError::refused(
            action,
            &beginning,
            Errno::ENAMETOOLONG,
        ));
    }
    Ok(())
}

fn ends_like_directory(path: &[u8]) -> bool {
    path.ends_with(b"/") || path.ends_with(b"/.") || path.ends_with(b"/..")
}
