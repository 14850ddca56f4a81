//! The directories that a walk through a tree is in: a link that leads back to one of them is not followed for ever.

use std::collections::HashSet;

use hotcell_vfs::Metadata;

type Id = (u64, u64);

/// The directories above the one that is looked at, by the path that led to them.
#[derive(Default)]
pub(crate) struct Ancestors {
    stack: Vec<(Vec<u8>, Id)>,
    inside: HashSet<Id>,
}

impl Ancestors {
    /// Enters a directory, and leaves all that it is not below. False if the walk is in it already.
    ///
    /// Paths are those of a walk in which a directory comes before what is in it.
    pub(crate) fn enter(&mut self, path: &[u8], directory: &Metadata) -> bool {
        while let Some((above, id)) = self.stack.last()
            && !is_below(path, above)
        {
            self.inside.remove(id);
            self.stack.pop();
        }
        let id = (directory.dev, directory.ino);
        if !self.inside.insert(id) {
            return false;
        }
        self.stack.push((path.to_vec(), id));
        true
    }
}

fn is_below(path: &[u8], above: &[u8]) -> bool {
    match path.strip_prefix(above) {
        Some([]) | None => false,
        Some(rest) => above.ends_with(b"/") || rest.starts_with(b"/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hotcell_vfs::{MemVfs, Vfs, VfsPath};

    #[test]
    fn a_directory_is_entered_again_only_from_beside() {
        let files = MemVfs::new();
        files.mkdir(VfsPath::new("/a"), 0o755).unwrap();
        files.mkdir(VfsPath::new("/a/b"), 0o755).unwrap();
        let outer = files.stat(VfsPath::new("/a")).unwrap();
        let inner = files.stat(VfsPath::new("/a/b")).unwrap();
        let mut ancestors = Ancestors::default();
        assert!(ancestors.enter(b"a", &outer));
        assert!(ancestors.enter(b"a/b", &inner));
        assert!(!ancestors.enter(b"a/b/loop", &outer));
        // A link to a directory that the walk has left.
        assert!(ancestors.enter(b"a/c", &inner));
        assert!(ancestors.enter(b"ab", &outer));
    }
}
