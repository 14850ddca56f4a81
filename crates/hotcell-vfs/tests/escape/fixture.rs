//! A mounted directory, and what lies outside of it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hotcell_vfs::{
    Access, Clock, HostVfs, Limits, LinkPolicy, MemVfs, MountVfs, OverlayVfs, Vfs, VfsPathBuf, View,
};

pub(crate) const SECRET: &[u8] = b"the host's secret";
/// What lies in the mounted directory, and not in the part of it that a view shows.
pub(crate) const NEXT_DOOR: &[u8] = b"next door";

/// A file system in one of the forms a guest may meet it, and the path the mounted directory has there.
pub(crate) type Form = (&'static str, Arc<dyn Vfs>, VfsPathBuf);

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
        for secret in ["secret", "file", "dir/file", "dir/telltale"] {
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
    pub(crate) fn forms(&self) -> Vec<Form> {
        let overlay = || OverlayVfs::new(Arc::new(self.host()), Limits::default(), Clock::None);
        vec![
            ("alone", Arc::new(self.host()), VfsPathBuf::root()),
            mounted("mounted", Arc::new(self.host())),
            ("overlay", Arc::new(overlay()), VfsPathBuf::root()),
            mounted("mounted overlay", Arc::new(overlay())),
        ]
    }

    /// Adds `work`, which is all that a view of the directory shows, and `private` beside it.
    pub(crate) fn with_work(self) -> Self {
        for (dir, content) in [
            ("work/dir", b"inside".as_slice()),
            ("private/dir", NEXT_DOOR),
        ] {
            let dir = self.inside.join(dir);
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join("file"), content).unwrap();
        }
        fs::write(self.inside.join("private/dir/telltale"), NEXT_DOOR).unwrap();
        self
    }

    /// Views of `work` alone, over each of the forms.
    pub(crate) fn views(&self) -> Vec<Form> {
        let view = |(name, vfs, base): Form| {
            let work = base.join("work");
            let rooted = View::rooted(Arc::clone(&vfs), &work).unwrap();
            let confined = View::confined(vfs, &work).unwrap();
            let rooted: Form = (name, Arc::new(rooted), VfsPathBuf::root());
            [rooted, (name, Arc::new(confined), work)]
        };
        self.forms().into_iter().flat_map(view).collect()
    }

    /// What is beside the view's directory is as it was.
    pub(crate) fn assert_next_door_untouched(&self) {
        let dir = self.inside.join("private/dir");
        for name in ["file", "telltale"] {
            assert_eq!(fs::read(dir.join(name)).unwrap(), NEXT_DOOR);
        }
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 2);
        assert_eq!(
            fs::read_dir(self.inside.join("private")).unwrap().count(),
            1
        );
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
        assert_eq!(found, ["dir", "dir/file", "dir/telltale", "file", "secret"]);
    }
}

fn mounted(name: &'static str, vfs: Arc<dyn Vfs>) -> Form {
    let tree = MountVfs::new(Arc::new(MemVfs::new()));
    let at = VfsPathBuf::from("/mnt/host");
    tree.mount(&at, vfs).unwrap();
    (name, Arc::new(tree), at)
}
