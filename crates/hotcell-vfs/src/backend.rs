//! File systems that are addressed by paths: what they have to bring, and how that becomes a [`Vfs`].

use std::sync::Arc;

use crate::clock::Times;
use crate::error::{Errno, Fault, Result};
use crate::file::VfsFile;
use crate::metadata::{DirEntry, FileType, Metadata, Usage};
use crate::options::OpenOptions;
use crate::path::{PATH_MAX, VfsPath, VfsPathBuf};
use crate::resolve::{self, Follow, Found, Graph, Spot, is_plain};
use crate::rules;
use crate::vfs::{MODE_BITS, Vfs};

/// A file system that knows its files by their paths. Whoever implements it has a [`Vfs`] for free.
///
/// Every path an implementation is given is absolute and resolved: no `.`, no `..`, no empty or over-long name, and when
/// it was resolved no name before the last was a symbolic link. A link as the last name is meant itself, never what it
/// leads to. If somebody else changes the tree in between, an implementation may find another file than the walk did; but
/// a link that it finds on the way was put there to lead somebody astray, and has to be refused.
///
/// Operations that change something answer `EROFS` unless they are implemented.
pub trait Backend: Send + Sync {
    /// What is known about the file.
    fn lstat(&self, path: &VfsPath) -> Result<Metadata, Fault>;

    /// What a symbolic link says.
    fn readlink(&self, path: &VfsPath) -> Result<Vec<u8>, Fault>;

    /// The names in a directory, sorted by their bytes.
    fn readdir(&self, path: &VfsPath) -> Result<Vec<DirEntry>, Fault>;

    /// Opens a file, or creates it.
    fn open(&self, path: &VfsPath, options: &OpenOptions) -> Result<Arc<dyn VfsFile>, Fault>;

    /// Makes a directory where nothing is.
    fn mkdir(&self, _path: &VfsPath, _mode: u32) -> Result<(), Fault> {
        Err(Errno::EROFS.into())
    }

    /// Removes an empty directory.
    fn rmdir(&self, _path: &VfsPath) -> Result<(), Fault> {
        Err(Errno::EROFS.into())
    }

    /// Removes a name that is not a directory's.
    fn unlink(&self, _path: &VfsPath) -> Result<(), Fault> {
        Err(Errno::EROFS.into())
    }

    /// Moves a file to another name, over what is there.
    fn rename(&self, _from: &VfsPath, _to: &VfsPath) -> Result<(), Fault> {
        Err(Errno::EROFS.into())
    }

    /// Makes a symbolic link where nothing is.
    fn symlink(&self, _target: &VfsPath, _link: &VfsPath) -> Result<(), Fault> {
        Err(Errno::EROFS.into())
    }

    /// Makes a named pipe where nothing is.
    fn mkfifo(&self, _path: &VfsPath, _mode: u32) -> Result<(), Fault> {
        Err(Errno::EROFS.into())
    }

    /// Gives a file a second name where nothing is.
    fn link(&self, _existing: &VfsPath, _new: &VfsPath) -> Result<(), Fault> {
        Err(Errno::EROFS.into())
    }

    /// Sets the permission bits.
    fn chmod(&self, _path: &VfsPath, _mode: u32) -> Result<(), Fault> {
        Err(Errno::EROFS.into())
    }

    /// Sets the times.
    fn set_times(&self, _path: &VfsPath, _times: Times) -> Result<(), Fault> {
        Err(Errno::EROFS.into())
    }

    /// Copies a file's content, if there is a better way than reading and writing it.
    fn copy(&self, _from: &VfsPath, _to: &VfsPath) -> Option<Result<u64, Fault>> {
        None
    }

    /// Makes `data` the whole content of a file in one step, if there is a way: then nobody sees a part of it, and what
    /// does not fit leaves the old content.
    fn write_file(&self, _path: &VfsPath, _data: &[u8]) -> Option<Result<(), Fault>> {
        None
    }

    /// Whether `lstat` fails if `path` leads through a symbolic link, so that its success proves that there is none
    /// and the names need not be looked at one by one.
    fn is_exact(&self, _path: &VfsPath) -> bool {
        false
    }

    /// Why a change would be refused that [`OverlayVfs::apply`](crate::OverlayVfs::apply) is to make: it is asked before any is made. A
    /// file of this kind is to be at `path` (none is to be there any more), a symbolic link with what it `says`.
    fn refuses(
        &self,
        _file: Option<FileType>,
        _path: &VfsPath,
        _says: Option<&VfsPath>,
    ) -> Option<Fault> {
        None
    }

    /// How much is stored.
    fn usage(&self) -> Usage {
        Usage::default()
    }

    /// A file system that starts with the same content and then goes its own way.
    fn fork(&self) -> Result<Arc<dyn Vfs>, Fault> {
        Err(Fault::new(
            Errno::ENOTSUP,
            "this file system cannot be forked",
        ))
    }
}

/// A backend as something to walk. A node is what `lstat` said; of the root nothing was asked yet.
struct Paths<'a, B: ?Sized>(&'a B);

type Node = Option<Metadata>;

impl<B: Backend + ?Sized> Graph for Paths<'_, B> {
    type Node = Node;

    fn root(&self) -> Node {
        None
    }

    fn child(&self, _: &Node, _: &[u8], path: &VfsPath) -> Result<Option<Found<Node>>, Fault> {
        // A path without links can still grow beyond what a system call takes.
        if path.as_bytes().len() > PATH_MAX {
            return Err(Errno::ENAMETOOLONG.into());
        }
        match self.0.lstat(path) {
            Ok(meta) => Ok(Some(Found {
                node: Some(meta),
                kind: meta.kind,
            })),
            Err(fault) if fault.errno == Errno::ENOENT => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    fn target(&self, _: &Node, path: &VfsPath) -> Result<Vec<u8>, Fault> {
        self.0.readlink(path)
    }
}

/// Walks a path; in one step where that is as good.
fn walk<B: Backend + ?Sized>(
    backend: &B,
    path: &VfsPath,
    follow: Follow,
) -> Result<Spot<Node>, Fault> {
    if is_plain(path) && backend.is_exact(path) {
        match backend.lstat(path) {
            Ok(meta) if !meta.is_symlink() || matches!(follow, Follow::Never | Follow::IfSlash) => {
                let (node, kind) = (Some(meta), meta.kind);
                return Ok(Spot::exact(path.to_owned(), Some(Found { node, kind })));
            }
            Err(fault) if fault.errno == Errno::ENOENT => {
                let above = path.parent().map(|above| backend.lstat(above));
                if above.is_some_and(|above| above.is_ok_and(|above| above.is_dir())) {
                    return Ok(Spot::exact(path.to_owned(), None));
                }
            }
            _ => {}
        }
    }
    resolve::walk(&Paths(backend), path, follow)
}

fn find<B: Backend + ?Sized>(
    backend: &B,
    path: &VfsPath,
    follow: Follow,
) -> Result<Spot<Node>, Fault> {
    let spot = walk(backend, path, follow)?;
    spot.existing()?;
    Ok(spot)
}

fn metadata<B: Backend + ?Sized>(backend: &B, spot: &Spot<Node>) -> Result<Metadata, Fault> {
    match spot.existing()?.node {
        Some(meta) => Ok(meta),
        None => backend.lstat(&spot.path),
    }
}

fn open<B: Backend + ?Sized>(
    backend: &B,
    path: &VfsPath,
    options: &OpenOptions,
) -> Result<Arc<dyn VfsFile>, Fault> {
    // To read a file that is where its path says takes no walk. Whatever is wrong with it, the walk will tell.
    if is_plain(path)
        && backend.is_exact(path)
        && !options.mutates()
        && !options.directory
        && let Ok(file) = backend.open(path, &options.no_follow())
    {
        return Ok(file);
    }
    let spot = walk(backend, path, rules::follow(options)?)?;
    let found = rules::opening(&spot, options)?;
    // What the walk found is what may be opened: should it become a link meanwhile, that is an error. Should it go away,
    // it is created again if that was asked for; but a file that is there is not "created" only to be read.
    let options = OpenOptions {
        create: options.create && (found.is_none() || options.writes()),
        no_follow: true,
        mode: options.mode & MODE_BITS,
        ..*options
    };
    backend.open(&spot.path, &options)
}

impl<B: Backend> Vfs for B {
    fn open(&self, path: &VfsPath, options: &OpenOptions) -> Result<Arc<dyn VfsFile>> {
        open(self, path, options).map_err(|fault| fault.at("open", path))
    }

    fn stat(&self, path: &VfsPath) -> Result<Metadata> {
        let meta = find(self, path, Follow::Always).and_then(|spot| metadata(self, &spot));
        meta.map_err(|fault| fault.at("stat", path))
    }

    fn lstat(&self, path: &VfsPath) -> Result<Metadata> {
        let meta = find(self, path, Follow::IfSlash).and_then(|spot| metadata(self, &spot));
        meta.map_err(|fault| fault.at("lstat", path))
    }

    fn readdir(&self, path: &VfsPath) -> Result<Vec<DirEntry>> {
        if is_plain(path)
            && self.is_exact(path)
            && let Ok(entries) = Backend::readdir(self, path)
        {
            return Ok(entries);
        }
        let entries = find(self, path, Follow::Always).and_then(|spot| {
            if !spot.existing()?.kind.is_dir() {
                return Err(Errno::ENOTDIR.into());
            }
            Backend::readdir(self, &spot.path)
        });
        entries.map_err(|fault| fault.at("readdir", path))
    }

    fn mkdir(&self, path: &VfsPath, mode: u32) -> Result<()> {
        let done = walk(self, path, Follow::Never).and_then(|spot| {
            rules::making(&spot, true)?;
            Backend::mkdir(self, &spot.path, mode & MODE_BITS)
        });
        done.map_err(|fault| fault.at("mkdir", path))
    }

    fn rmdir(&self, path: &VfsPath) -> Result<()> {
        let done = walk(self, path, Follow::Never).and_then(|spot| {
            rules::removing(&spot)?;
            Backend::rmdir(self, &spot.path)
        });
        done.map_err(|fault| fault.at("rmdir", path))
    }

    fn unlink(&self, path: &VfsPath) -> Result<()> {
        let done = walk(self, path, Follow::Never).and_then(|spot| {
            rules::unlinking(&spot)?;
            Backend::unlink(self, &spot.path)
        });
        done.map_err(|fault| fault.at("unlink", path))
    }

    fn rename(&self, from: &VfsPath, to: &VfsPath) -> Result<()> {
        let same = |a: &Node, b: &Node| match (a, b) {
            (Some(a), Some(b)) => !a.is_dir() && (a.dev, a.ino) == (b.dev, b.ino),
            _ => false,
        };
        let done = walk(self, from, Follow::Never).and_then(|old| {
            let new = walk(self, to, Follow::Never)?;
            match rules::renaming(&old, &new, same)? {
                Some(_) => Backend::rename(self, &old.path, &new.path),
                None => Ok(()),
            }
        });
        done.map_err(|fault| fault.between("rename", from, to))
    }

    fn chmod(&self, path: &VfsPath, mode: u32) -> Result<()> {
        let done = find(self, path, Follow::Always)
            .and_then(|spot| Backend::chmod(self, &spot.path, mode & MODE_BITS));
        done.map_err(|fault| fault.at("chmod", path))
    }

    fn symlink(&self, target: &VfsPath, link: &VfsPath) -> Result<()> {
        let done = rules::link_target(target).and_then(|()| {
            let spot = walk(self, link, Follow::Never)?;
            rules::making(&spot, false)?;
            Backend::symlink(self, target, &spot.path)
        });
        done.map_err(|fault| fault.between("symlink", target, link))
    }

    fn mkfifo(&self, path: &VfsPath, mode: u32) -> Result<()> {
        let done = walk(self, path, Follow::Never).and_then(|spot| {
            rules::making(&spot, false)?;
            Backend::mkfifo(self, &spot.path, mode & MODE_BITS)
        });
        done.map_err(|fault| fault.at("mkfifo", path))
    }

    fn readlink(&self, path: &VfsPath) -> Result<VfsPathBuf> {
        let target = find(self, path, Follow::IfSlash).and_then(|spot| {
            if spot.existing()?.kind != FileType::Symlink {
                return Err(Fault::new(Errno::EINVAL, "not a symbolic link"));
            }
            Backend::readlink(self, &spot.path)
        });
        target
            .map(VfsPathBuf::from_vec)
            .map_err(|fault| fault.at("readlink", path))
    }

    fn link(&self, existing: &VfsPath, new: &VfsPath) -> Result<()> {
        let done = find(self, existing, Follow::IfSlash).and_then(|old| {
            let spot = walk(self, new, Follow::Never)?;
            rules::making(&spot, false)?;
            if old.existing()?.kind.is_dir() {
                return Err(Fault::new(Errno::EPERM, "a directory has one name"));
            }
            Backend::link(self, &old.path, &spot.path)
        });
        done.map_err(|fault| fault.between("link", existing, new))
    }

    fn set_times(&self, path: &VfsPath, times: Times, follow: bool) -> Result<()> {
        let follow = if follow {
            Follow::Always
        } else {
            Follow::IfSlash
        };
        let done =
            find(self, path, follow).and_then(|spot| Backend::set_times(self, &spot.path, times));
        done.map_err(|fault| fault.at("utimes", path))
    }

    fn realpath(&self, path: &VfsPath) -> Result<VfsPathBuf> {
        let spot = find(self, path, Follow::Always);
        spot.map(|spot| spot.path)
            .map_err(|fault| fault.at("realpath", path))
    }

    fn write_file(&self, path: &VfsPath, data: &[u8]) -> Result<()> {
        let options = OpenOptions::write().create().truncate();
        let done = walk(self, path, Follow::Create).and_then(|spot| {
            rules::opening(&spot, &options)?;
            Ok(Backend::write_file(self, &spot.path, data))
        });
        match done {
            Ok(Some(Ok(()))) => Ok(()),
            Ok(None) => crate::vfs::overwrite(self, path, data),
            Ok(Some(Err(fault))) | Err(fault) => Err(fault.at("write", path)),
        }
    }

    fn copy(&self, from: &VfsPath, to: &VfsPath) -> Result<u64> {
        let near = find(self, from, Follow::Always).and_then(|old| {
            if old.existing()?.kind.is_dir() {
                return Err(Errno::EISDIR.into());
            }
            let new = walk(self, to, Follow::Create)?;
            rules::opening(&new, &OpenOptions::write().create())?;
            Ok(Backend::copy(self, &old.path, &new.path))
        });
        match near {
            Ok(Some(Ok(size))) => Ok(size),
            Ok(None) => crate::vfs::copy_between(self, from, self, to),
            Ok(Some(Err(fault))) | Err(fault) => Err(fault.between("copy", from, to)),
        }
    }

    fn usage(&self) -> Usage {
        Backend::usage(self)
    }

    fn fork_dyn(&self) -> Result<Arc<dyn Vfs>> {
        Backend::fork(self).map_err(|fault| fault.at("fork", VfsPath::ROOT))
    }

    fn as_backend(&self) -> Option<&dyn Backend> {
        Some(self)
    }
}
