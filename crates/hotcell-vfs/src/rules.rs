//! What an operation demands of the place its path leads to. Each rule, and the order in which they are asked, is
//! Linux's; every file system in this crate goes by them.

use crate::error::{Errno, Fault};
use crate::options::OpenOptions;
use crate::path::VfsPath;
use crate::resolve::{Follow, Found, Last, Spot, check};

/// How a path that is to be opened is walked.
pub(crate) fn follow(options: &OpenOptions) -> Result<Follow, Fault> {
    let create = options.create || options.create_new;
    if create && options.directory {
        return Err(Fault::new(Errno::EINVAL, "a directory is made with mkdir"));
    }
    Ok(match (create, options.create_new || options.no_follow) {
        (true, true) => Follow::Never,
        (true, false) => Follow::Create,
        (false, true) => Follow::IfSlash,
        (false, false) => Follow::Always,
    })
}

/// The file to open; none if it is to be created.
pub(crate) fn opening<'a, N: Clone>(
    spot: &'a Spot<N>,
    options: &OpenOptions,
) -> Result<Option<&'a Found<N>>, Fault> {
    let create = options.create || options.create_new;
    if create && spot.slash {
        return Err(Errno::EISDIR.into());
    }
    let Some(found) = spot.found()? else {
        return if create {
            Ok(None)
        } else {
            Err(Errno::ENOENT.into())
        };
    };
    if options.create_new {
        return Err(Errno::EEXIST.into());
    }
    if found.kind.is_dir() {
        if options.mutates() {
            return Err(Errno::EISDIR.into());
        }
    } else if options.directory || spot.slash {
        return Err(Errno::ENOTDIR.into());
    } else if found.kind.is_symlink() {
        return Err(Fault::new(Errno::ELOOP, "it is a symbolic link"));
    }
    Ok(Some(found))
}

/// A symbolic link can say this.
pub(crate) fn link_target(target: &VfsPath) -> Result<(), Fault> {
    if target.is_empty() {
        return Err(Fault::new(Errno::ENOENT, "a link has to say something"));
    }
    check(target)
}

/// The name is not taken; a directory may be written with a slash after it.
pub(crate) fn making<N: Clone>(spot: &Spot<N>, is_dir: bool) -> Result<(), Fault> {
    if spot.found()?.is_some() {
        return Err(Errno::EEXIST.into());
    }
    if spot.slash && !is_dir {
        return Err(Errno::ENOENT.into());
    }
    Ok(())
}

/// The file whose name is to be removed.
pub(crate) fn unlinking<N: Clone>(spot: &Spot<N>) -> Result<&Found<N>, Fault> {
    let found = spot.present()?;
    if found.kind.is_dir() {
        return Err(Errno::EISDIR.into());
    }
    if spot.slash {
        return Err(Errno::ENOTDIR.into());
    }
    Ok(found)
}

/// The directory to be removed; whether it is empty is for its file system to say.
pub(crate) fn removing<N: Clone>(spot: &Spot<N>) -> Result<&Found<N>, Fault> {
    match spot.last {
        Last::Name => {}
        Last::Dot => return Err(Errno::EINVAL.into()),
        Last::DotDot => return Err(Errno::ENOTEMPTY.into()),
        Last::Root => return Err(Errno::EBUSY.into()),
    }
    let found = spot.present()?;
    if !found.kind.is_dir() {
        return Err(Errno::ENOTDIR.into());
    }
    Ok(found)
}

/// The file to move, and what is in its way.
pub(crate) struct Move<'a, N> {
    pub(crate) source: &'a Found<N>,
    pub(crate) target: Option<&'a Found<N>>,
}

/// What is to be moved, and over what. `same` says whether two files are one; then nothing is to be done, and the answer
/// is none.
pub(crate) fn renaming<'a, N: Clone>(
    old: &'a Spot<N>,
    new: &'a Spot<N>,
    same: impl Fn(&N, &N) -> bool,
) -> Result<Option<Move<'a, N>>, Fault> {
    if old.last != Last::Name || new.last != Last::Name {
        return Err(Errno::EBUSY.into());
    }
    let source = old.present()?;
    let target = new.found()?;
    let is_dir = source.kind.is_dir();
    if !is_dir && (old.slash || new.slash) {
        return Err(Errno::ENOTDIR.into());
    }
    let moved = Some(Move { source, target });
    if old.path != new.path {
        if new.path.starts_with(&old.path) {
            return Err(Fault::new(
                Errno::EINVAL,
                "a directory cannot be moved into itself",
            ));
        }
        if old.path.starts_with(&new.path) {
            return Err(Errno::ENOTEMPTY.into());
        }
    }
    let Some(target) = target else {
        return Ok(moved);
    };
    if old.path == new.path || same(&source.node, &target.node) {
        return Ok(None);
    }
    match (is_dir, target.kind.is_dir()) {
        (true, false) => Err(Errno::ENOTDIR.into()),
        (false, true) => Err(Errno::EISDIR.into()),
        _ => Ok(moved),
    }
}
