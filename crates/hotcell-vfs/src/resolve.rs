//! From a path to a file: the one place where symbolic links, `.`, `..` and slashes get their meaning.
//!
//! The walk keeps the trail from the root to where it stands, without links, so that `..` is one step back on the
//! trail. There is no step before the root. What the walk knows of the tree it asks from a [`Graph`]; each file system
//! has one. The rules, and the order in which errors are found, are those of Linux.

use std::borrow::Cow;

use crate::error::{Errno, Fault};
use crate::metadata::FileType;
use crate::path::{PATH_MAX, VfsPath, VfsPathBuf};

/// How many symbolic links one path may lead through, as on Linux.
pub(crate) const SYMLINKS_MAX: usize = 40;
/// How many names one walk may take. A path has half as many; forty links that are nothing but `a/..` have far more, and
/// every name costs a look at the tree.
const NAMES_MAX: usize = 4096;
/// The longest name, in bytes.
pub const NAME_MAX: usize = 255;

/// A path, and whether it may lead through symbolic links.
#[derive(Clone, Copy)]
pub(crate) struct Route<'a> {
    pub(crate) path: &'a VfsPath,
    /// The path was resolved before: a link on the way was put there since, and must not be followed.
    pub(crate) resolved: bool,
}

impl<'a> From<&'a VfsPath> for Route<'a> {
    fn from(path: &'a VfsPath) -> Self {
        Self {
            path,
            resolved: false,
        }
    }
}

/// A tree that can be walked name by name.
pub(crate) trait Graph {
    /// What the walk remembers of a file it passed.
    type Node: Clone;

    /// Where walks start; a directory.
    fn root(&self) -> Self::Node;

    /// The file called `name` in `dir`; `path` is its path without links.
    fn child(
        &self,
        dir: &Self::Node,
        name: &[u8],
        path: &VfsPath,
    ) -> Result<Option<Found<Self::Node>>, Fault>;

    /// What a symbolic link says.
    fn target(&self, link: &Self::Node, path: &VfsPath) -> Result<Vec<u8>, Fault>;

    /// The longest name.
    fn name_max(&self) -> usize {
        NAME_MAX
    }
}

/// A file the walk came to.
#[derive(Clone, Debug)]
pub(crate) struct Found<N> {
    pub(crate) node: N,
    pub(crate) kind: FileType,
}

/// What to do with a symbolic link as the last name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Follow {
    /// It is itself what is meant, even before a slash: for names that are made, moved or removed.
    Never,
    /// It is itself what is meant, unless a slash comes after it: `lstat`.
    IfSlash,
    /// It stands for what it says.
    Always,
    /// It stands for what it says, and what that is may be created: a slash at the end is refused.
    Create,
}

/// What the last part of the path was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Last {
    Name,
    Dot,
    DotDot,
    /// There was none: the path was `/`.
    Root,
}

/// Where the walk ended.
pub(crate) struct Spot<N> {
    /// The path without links; of the file, also if it is missing.
    pub(crate) path: VfsPathBuf,
    /// The directories from the root to the one that holds the name; of a directory reached by `..`, itself too.
    pub(crate) trail: Vec<N>,
    /// What the last part of the path was.
    pub(crate) last: Last,
    /// Whether the path demands a directory by ending in a slash.
    pub(crate) slash: bool,
    /// The file, if it is there. That looking failed is not told before somebody asks: an operation on two paths
    /// walks to both before it looks at either.
    found: Result<Option<Found<N>>, Fault>,
}

impl<N: Clone> Spot<N> {
    /// A place that was found without a walk, because the path has no links in it.
    pub(crate) fn exact(path: VfsPathBuf, found: Option<Found<N>>) -> Self {
        Self {
            path,
            trail: Vec::new(),
            last: Last::Name,
            slash: false,
            found: Ok(found),
        }
    }

    /// The file, if it is there.
    pub(crate) fn found(&self) -> Result<Option<&Found<N>>, Fault> {
        self.found
            .as_ref()
            .map(Option::as_ref)
            .map_err(Fault::clone)
    }

    /// The file, which has to be there.
    pub(crate) fn present(&self) -> Result<&Found<N>, Fault> {
        self.found()?.ok_or_else(|| Errno::ENOENT.into())
    }

    /// The file, which has to be there, and be a directory if the path says so.
    pub(crate) fn existing(&self) -> Result<&Found<N>, Fault> {
        let found = self.present()?;
        if self.slash && !found.kind.is_dir() {
            return Err(Errno::ENOTDIR.into());
        }
        Ok(found)
    }

    /// The directory that holds the name.
    pub(crate) fn parent(&self) -> Result<&N, Fault> {
        self.trail.last().ok_or_else(|| Errno::EBUSY.into())
    }

    /// The name in that directory.
    pub(crate) fn name(&self) -> &[u8] {
        self.path.file_name().unwrap_or_default()
    }

    /// How many directories lie between the root and the file.
    pub(crate) fn depth(&self) -> usize {
        self.trail.len()
    }
}

/// Refuses what no walk can start with.
pub(crate) fn check(path: &VfsPath) -> Result<(), Fault> {
    if path.is_empty() {
        return Err(Fault::new(Errno::ENOENT, "the path is empty"));
    }
    if path.as_bytes().contains(&0) {
        return Err(Fault::new(Errno::EINVAL, "the path contains a NUL byte"));
    }
    if path.as_bytes().len() > PATH_MAX {
        return Err(Fault::new(
            Errno::ENAMETOOLONG,
            format!("a path has at most {PATH_MAX} bytes"),
        ));
    }
    Ok(())
}

/// Walks a path.
pub(crate) fn walk<'a, G: Graph>(
    graph: &G,
    route: impl Into<Route<'a>>,
    follow: Follow,
) -> Result<Spot<G::Node>, Fault> {
    let Route { path, resolved } = route.into();
    check(path)?;
    // What is still to be walked. A link's target takes the place of its name: at most 40 times, at most a path each.
    let mut rest = Cow::Borrowed(path.as_bytes());
    let mut done = 0;
    let mut links = 0;
    let mut names = 0;
    let mut at = VfsPathBuf::root();
    // The directories the walk went into; the last one is where it stands.
    let mut trail = vec![graph.root()];
    let mut last = Last::Root;

    loop {
        let (name, after) = split(rest.get(done..).unwrap_or_default());
        if name.is_empty() {
            break;
        }
        names += 1;
        if names > NAMES_MAX {
            return Err(Fault::new(
                Errno::ELOOP,
                "the links on the way make it too long",
            ));
        }
        let is_last = after.iter().all(|byte| *byte == b'/');
        let slash = is_last && !after.is_empty();
        done = rest.len() - after.len();
        match name {
            b"." => last = Last::Dot,
            b".." => {
                last = Last::DotDot;
                if trail.len() > 1 {
                    trail.pop();
                    at.pop();
                }
            }
            name => {
                if slash && follow == Follow::Create {
                    return Err(Errno::EISDIR.into());
                }
                at.push_name(name);
                let dir = trail.last().ok_or(Errno::EIO)?;
                let found = if name.len() > graph.name_max() {
                    let detail = format!("a name has at most {} bytes", graph.name_max());
                    Err(Fault::new(Errno::ENAMETOOLONG, detail))
                } else {
                    graph.child(dir, name, &at)
                };
                let goes_on = match follow {
                    Follow::Never => !is_last,
                    Follow::IfSlash => !is_last || slash,
                    Follow::Always | Follow::Create => true,
                };
                match found {
                    Ok(Some(found)) if found.kind.is_symlink() && goes_on => {
                        links += 1;
                        if resolved || links > SYMLINKS_MAX {
                            return Err(Errno::ELOOP.into());
                        }
                        let mut target = graph.target(&found.node, &at)?;
                        check(VfsPath::new(&target))?;
                        if target.first() == Some(&b'/') {
                            trail.truncate(1);
                            at = VfsPathBuf::root();
                        } else {
                            at.pop();
                        }
                        last = Last::Root;
                        target.extend_from_slice(after);
                        rest = Cow::Owned(target);
                        done = 0;
                    }
                    found if is_last => {
                        return Ok(Spot {
                            path: at,
                            trail,
                            last: Last::Name,
                            slash,
                            found,
                        });
                    }
                    Ok(Some(found)) if found.kind.is_dir() => trail.push(found.node),
                    Ok(Some(_)) => return Err(Errno::ENOTDIR.into()),
                    Ok(None) => return Err(Errno::ENOENT.into()),
                    Err(fault) => return Err(fault),
                }
            }
        }
    }
    // The path ended in `.`, `..` or at the root: the walk stands in what is meant.
    let found = trail.pop().map(|node| Found {
        node,
        kind: FileType::Dir,
    });
    Ok(Spot {
        path: at,
        trail,
        last,
        slash: false,
        found: Ok(found),
    })
}

/// Whether a path is a plain list of names, none of them empty, `.`, `..` or too long: the form that resolved paths have. The root
/// has no names and is not one.
pub fn is_plain(path: &VfsPath) -> bool {
    let Some(names) = path.as_bytes().strip_prefix(b"/") else {
        return false;
    };
    let plain = |name: &[u8]| {
        !matches!(name, b"" | b"." | b"..") && name.len() <= NAME_MAX && !name.contains(&0)
    };
    path.as_bytes().len() <= PATH_MAX && names.split(|byte| *byte == b'/').all(plain)
}

/// The first name, and what comes after it.
fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    let start = bytes
        .iter()
        .position(|byte| *byte != b'/')
        .unwrap_or(bytes.len());
    let bytes = bytes.get(start..).unwrap_or_default();
    let end = bytes
        .iter()
        .position(|byte| *byte == b'/')
        .unwrap_or(bytes.len());
    bytes.split_at(end)
}
