//! A mounted directory, and what lies outside of it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hotcell_vfs::{
    Access, Clock, HostVfs, Limits, LinkPolicy, MemVfs, MountVfs, OverlayVfs, Vfs, VfsPath,
    VfsPathBuf,
};

pub(crate) const SECRET: &[u8] = b"the host's secret";

/// `outside/secret` must stay out of reach; `inside` is what the guest gets.
pub(crate) struct Fixture {
    _root: tempfile::TempDir,
    pub(crate) inside: PathBuf,
    pub(crate) outside: PathBuf,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().canonicalize().unwrap();
        let (inside, outside) = (path.join("inside"), path.join("outside"));
        fs::create_dir_all(inside.join("dir/deep")).unwrap();
        fs::create_dir_all(outside.join("dir")).unwrap();
        fs::write(inside.join("file"), b"inside").unwrap();
        fs::write(inside.join("dir/file"), b"inside").unwrap();
        for secret in ["secret", "file", "dir/file"] {
            fs::write(outside.join(secret), SECRET).unwrap();
        }
        Self {
            _root: root,
            inside,
            outside,
        }
    }

    /// Puts a symbolic link into the mounted directory, as the host or an earlier guest may have.
    pub(crate) fn plant(&self, target: impl AsRef<Path>, link: &str) {
        symlink(target, self.inside.join(link)).unwrap();
    }

    pub(crate) fn host(&self) -> HostVfs {
        HostVfs::open(&self.inside, Access::ReadWrite)
            .unwrap()
            .with_links(LinkPolicy::Any)
    }

    /// The directory in each of the forms a guest may meet it, with the path it has there.
    pub(crate) fn forms(&self) -> Vec<(&'static str, Arc<dyn Vfs>, VfsPathBuf)> {
        let tree = MountVfs::new(Arc::new(MemVfs::new()));
        tree.mount(VfsPath::new("/mnt/host"), Arc::new(self.host()))
            .unwrap();
        let overlay = OverlayVfs::new(Arc::new(self.host()), Limits::default(), Clock::None);
        vec![
            ("alone", Arc::new(self.host()), VfsPathBuf::root()),
            ("mounted", Arc::new(tree), VfsPathBuf::from("/mnt/host")),
            ("overlay", Arc::new(overlay), VfsPathBuf::root()),
        ]
    }

    /// What is outside is as it was: nothing new, nothing gone, nothing changed.
    pub(crate) fn assert_outside_untouched(&self) {
        let mut found = Vec::new();
        let mut todo = vec![self.outside.clone()];
        while let Some(dir) = todo.pop() {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    todo.push(path.clone());
                } else {
                    assert_eq!(fs::read(&path).unwrap(), SECRET, "{}", path.display());
                }
                found.push(
                    path.strip_prefix(&self.outside)
                        .unwrap()
                        .to_str()
                        .unwrap()
                        .to_owned(),
                );
            }
        }
        found.sort();
        assert_eq!(found, ["dir", "dir/file", "file", "secret"]);
    }
}
