//! A directory of the host, through a capability to it and nothing else.

mod file;
mod mode;
mod parent;
mod status;

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::sync::Arc;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, DirBuilder, DirBuilderExt, OpenOptions as HostOptions, OpenOptionsExt};
use rustix::fs::{AtFlags, OFlags, utimensat};

use crate::backend::Backend;
use crate::clock::Times;
use crate::error::{Errno, Fault};
use crate::file::VfsFile;
use crate::links::LinkPolicy;
use crate::metadata::{DirEntry, FileType, Metadata};
use crate::options::OpenOptions;
use crate::path::VfsPath;
use crate::vfs::Vfs;
use file::HostFile;

/// What may be done with a host directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Look, do not touch: every change is `EROFS`.
    ReadOnly,
    /// Changes go to the host at once.
    ReadWrite,
}

/// A directory of the host as a file system.
///
/// `..`, absolute paths and symbolic links are resolved here, with the directory as their root, as in a `chroot`. What
/// comes out is a path without links, and it is opened as one: a directory that somebody swaps for a link at that moment
/// makes the operation fail. [`cap_std`] holds the directory, and does not leave it either.
///
/// Named pipes, sockets and devices are listed and can be neither opened nor made. Set-user-id and set-group-id bits cannot be set.
/// A hard link to a file that also has a name elsewhere on the host is that file: what lies in the directory
/// is the host's decision.
#[derive(Clone)]
pub struct HostVfs {
    dir: Arc<Dir>,
    access: Access,
    links: LinkPolicy,
}

impl HostVfs {
    /// The directory at `path` on the host. This is the one place in the crate that uses the ambient file system.
    pub fn open(path: impl AsRef<Path>, access: Access) -> io::Result<Self> {
        let dir = Dir::open_ambient_dir(path, cap_std::ambient_authority())?;
        Ok(Self::new(dir, access))
    }

    /// A directory somebody holds a capability to.
    pub fn new(dir: Dir, access: Access) -> Self {
        Self {
            dir: Arc::new(dir),
            access,
            links: LinkPolicy::Inside,
        }
    }

    /// Sets which symbolic links may be made.
    #[must_use]
    pub fn with_links(mut self, links: LinkPolicy) -> Self {
        self.links = links;
        self
    }

    /// What may be done with it.
    pub const fn access(&self) -> Access {
        self.access
    }

    fn admit_link(&self, says: &VfsPath, link: &VfsPath) -> Result<(), Fault> {
        if self.links.allows(says, link) {
            return Ok(());
        }
        Err(Fault::new(
            Errno::EPERM,
            "links in a host directory have to be relative and stay below it",
        ))
    }

    fn writable(&self) -> Result<(), Fault> {
        match self.access {
            Access::ReadOnly => Err(Errno::EROFS.into()),
            Access::ReadWrite => Ok(()),
        }
    }
}

fn no_pipes() -> Fault {
    Fault::new(
        Errno::ENOTSUP,
        "named pipes are not made in host directories: make it elsewhere, as in /tmp",
    )
}

fn refuse_set_id(mode: u32) -> Result<(), Fault> {
    if mode & 0o6000 != 0 {
        return Err(Fault::new(
            Errno::EPERM,
            "set-user-id and set-group-id bits are not for host files",
        ));
    }
    Ok(())
}

fn fault(errno: rustix::io::Errno) -> Fault {
    io::Error::from(errno).into()
}

impl Backend for HostVfs {
    fn lstat(&self, path: &VfsPath) -> Result<Metadata, Fault> {
        status::at(&self.spot(path)?)
    }

    fn readlink(&self, path: &VfsPath) -> Result<Vec<u8>, Fault> {
        let spot = self.spot(path)?;
        let target = spot.dir.read_link_contents(spot.name())?;
        Ok(target.into_os_string().into_vec())
    }

    fn readdir(&self, path: &VfsPath) -> Result<Vec<DirEntry>, Fault> {
        let dir = self.directory(path)?;
        let mut entries = status::entries(&dir)?;
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn open(&self, path: &VfsPath, options: &OpenOptions) -> Result<Arc<dyn VfsFile>, Fault> {
        if options.mutates() {
            self.writable()?;
        }
        refuse_set_id(options.mode)?;
        let mut host = HostOptions::new();
        host.read(options.read)
            // Creating and truncating want a writable file underneath; the handle knows what was asked for.
            .write(options.mutates())
            .append(options.append)
            .create(options.create)
            .create_new(options.create_new)
            .mode(options.mode)
            .follow(FollowSymlinks::No);
        // A pipe must not hold us up, a terminal must not become ours; what it is, is known only afterwards.
        let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        flags.set(OFlags::DIRECTORY, options.directory);
        host.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
        let spot = self.spot(path)?;
        if let Ok(before) = status::at(&spot) {
            refuse_special(before.kind)?;
        }
        let file = spot.dir.open_with(spot.name(), &host)?;
        refuse_special(status::of(&file)?.kind)?;
        if options.truncate {
            file.set_len(0)?;
        }
        Ok(Arc::new(HostFile::new(file, *options, path)))
    }

    fn mkdir(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        self.writable()?;
        refuse_set_id(mode)?;
        let mut builder = DirBuilder::new();
        builder.mode(mode);
        let spot = self.spot(path)?;
        Ok(spot.dir.create_dir_with(spot.name(), &builder)?)
    }

    fn rmdir(&self, path: &VfsPath) -> Result<(), Fault> {
        self.writable()?;
        let spot = self.spot(path)?;
        Ok(spot.dir.remove_dir(spot.name())?)
    }

    fn unlink(&self, path: &VfsPath) -> Result<(), Fault> {
        self.writable()?;
        let spot = self.spot(path)?;
        Ok(spot.dir.remove_file(spot.name())?)
    }

    fn rename(&self, from: &VfsPath, to: &VfsPath) -> Result<(), Fault> {
        self.writable()?;
        let (old, new) = (self.spot(from)?, self.spot(to)?);
        Ok(old.dir.rename(old.name(), &new.dir, new.name())?)
    }

    fn symlink(&self, target: &VfsPath, link: &VfsPath) -> Result<(), Fault> {
        self.writable()?;
        self.admit_link(target, link)?;
        let target = OsStr::from_bytes(target.as_bytes());
        let spot = self.spot(link)?;
        Ok(spot.dir.symlink_contents(target, spot.name())?)
    }

    /// A pipe with an inviting name would hold up every program of the host that opens it.
    fn mkfifo(&self, _path: &VfsPath, _mode: u32) -> Result<(), Fault> {
        self.writable()?;
        Err(no_pipes())
    }

    fn link(&self, existing: &VfsPath, new: &VfsPath) -> Result<(), Fault> {
        self.writable()?;
        let (old, new) = (self.spot(existing)?, self.spot(new)?);
        Ok(old.dir.hard_link(old.name(), &new.dir, new.name())?)
    }

    fn chmod(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        self.writable()?;
        refuse_set_id(mode)?;
        let spot = self.spot(path)?;
        mode::set(&spot.dir, spot.name(), mode)
    }

    fn set_times(&self, path: &VfsPath, times: Times) -> Result<(), Fault> {
        self.writable()?;
        let spot = self.spot(path)?;
        let times = status::timestamps(times);
        utimensat(&*spot.dir, spot.name(), &times, AtFlags::SYMLINK_NOFOLLOW).map_err(fault)
    }

    fn refuses(
        &self,
        file: Option<FileType>,
        path: &VfsPath,
        says: Option<&VfsPath>,
    ) -> Option<Fault> {
        let admitted = self.writable().and_then(|()| match (file, says) {
            (Some(FileType::Symlink), Some(says)) => self.admit_link(says, path),
            (Some(FileType::Fifo), _) => Err(no_pipes()),
            _ => Ok(()),
        });
        admitted.err()
    }

    fn is_exact(&self, _path: &VfsPath) -> bool {
        true
    }

    /// A directory that is only read can be shared; two futures of one that is written cannot be kept apart.
    fn fork(&self) -> Result<Arc<dyn Vfs>, Fault> {
        match self.access {
            Access::ReadOnly => Ok(Arc::new(self.clone())),
            Access::ReadWrite => Err(Fault::new(
                Errno::ENOTSUP,
                "a host directory mounted read-write cannot be forked; mount it as an overlay",
            )),
        }
    }
}

/// Only files and directories can be opened.
fn refuse_special(kind: FileType) -> Result<(), Fault> {
    let detail = match kind {
        FileType::File | FileType::Dir => return Ok(()),
        FileType::Symlink => return Err(Fault::new(Errno::ELOOP, "it became a symbolic link")),
        FileType::Fifo => "named pipes of the host cannot be opened",
        FileType::Socket => "sockets of the host cannot be opened",
        _ => "devices of the host cannot be opened",
    };
    Err(Fault::new(Errno::ENXIO, detail))
}
