//! Which symbolic links may be made where somebody outside may follow them.

use crate::path::VfsPath;

/// Which symbolic links may be made in a host directory, or taken from an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkPolicy {
    /// Links whose target stays below the directory, as written: relative, with `..` only at the start and no more of
    /// them than there are directories above the link. Programs of the host may come by and follow links.
    Inside,
    /// All of them. What a link may lead this crate to is the same either way.
    Any,
}

impl LinkPolicy {
    /// Whether a link at `link` may say `target`.
    pub(crate) fn allows(self, target: &VfsPath, link: &VfsPath) -> bool {
        self == Self::Any || stays_inside(target, link)
    }
}

/// Whether a link stays below the root, read as it is written. A `..` after a name is refused: the name may be, or become,
/// a link itself.
fn stays_inside(target: &VfsPath, link: &VfsPath) -> bool {
    let climbs = target
        .components()
        .take_while(|name| *name == b"..")
        .count();
    let later = target.components().skip(climbs).any(|name| name == b"..");
    !target.is_absolute() && !later && climbs < link.depth()
}
