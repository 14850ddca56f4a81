//! What can be mounted.

use std::{fmt, path::PathBuf, sync::Arc};

use hotcell_vfs::{Access, Clock, HostVfs, Limits, MemVfs, OverlayVfs, Vfs, VfsPath};

use crate::error::{Result, SandboxError};

/// What can be mounted in a sandbox.
#[derive(Clone)]
#[non_exhaustive]
pub enum Mount {
    /// An empty file system in memory, with limits of its own.
    Memory,
    /// A directory of the host's, which cannot be changed.
    ReadOnly(PathBuf),
    /// A directory of the host's, on top of which changes stay with the sandbox: see
    /// [`Sandbox::overlay`](crate::Sandbox::overlay).
    Overlay(PathBuf),
    /// A directory of the host's, changed as commands change it. A sandbox with one cannot be forked.
    ReadWrite(PathBuf),
    /// Any other file system.
    Custom(Arc<dyn Vfs>),
}

impl Mount {
    /// Its name in records.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::ReadOnly(_) => "readOnly",
            Self::Overlay(_) => "overlay",
            Self::ReadWrite(_) => "readWrite",
            Self::Custom(_) => "custom",
        }
    }

    /// Opens what is to be mounted.
    pub(crate) fn open(self, limits: Limits, clock: Clock) -> Result<Mounted> {
        let directory = |path: PathBuf, access| {
            HostVfs::open(&path, access).map(Arc::new).map_err(|error| {
                SandboxError::Invalid(format!("cannot mount {}: {error}", path.display()))
            })
        };
        Ok(match self {
            Self::Memory => Mounted::Memory(Arc::new(MemVfs::with(limits, clock))),
            Self::ReadOnly(path) => Mounted::Other(directory(path, Access::ReadOnly)?),
            Self::ReadWrite(path) => Mounted::Other(directory(path, Access::ReadWrite)?),
            Self::Overlay(path) => {
                let lower = directory(path, Access::ReadOnly)?;
                Mounted::Overlay(Arc::new(OverlayVfs::new(lower, limits, clock)))
            }
            Self::Custom(vfs) => Mounted::Other(vfs),
        })
    }
}

impl fmt::Debug for Mount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReadOnly(path) | Self::Overlay(path) | Self::ReadWrite(path) => {
                write!(f, "{}({})", self.kind(), path.display())
            }
            Self::Memory | Self::Custom(_) => f.write_str(self.kind()),
        }
    }
}

/// Something that is mounted, as what it is: so its state can be saved.
#[derive(Clone)]
pub(crate) enum Mounted {
    Memory(Arc<MemVfs>),
    Overlay(Arc<OverlayVfs>),
    /// Holds no state of the sandbox's.
    Other(Arc<dyn Vfs>),
}

impl Mounted {
    pub(crate) fn vfs(&self) -> Arc<dyn Vfs> {
        match self {
            Self::Memory(vfs) => Arc::clone(vfs) as Arc<dyn Vfs>,
            Self::Overlay(vfs) => Arc::clone(vfs) as Arc<dyn Vfs>,
            Self::Other(vfs) => Arc::clone(vfs),
        }
    }

    pub(crate) fn fork(&self, path: &VfsPath) -> Result<Self, hotcell_vfs::VfsError> {
        Ok(match self {
            Self::Memory(vfs) => Self::Memory(Arc::new(vfs.fork())),
            Self::Overlay(vfs) => Self::Overlay(Arc::new(vfs.fork())),
            Self::Other(vfs) => Self::Other(vfs.fork_dyn().map_err(|error| error.with_path(path))?),
        })
    }

    /// How often a limit of its was met.
    pub(crate) fn refusals(&self) -> u64 {
        match self {
            Self::Memory(vfs) => vfs.usage().refusals,
            Self::Overlay(vfs) => vfs.usage().refusals,
            Self::Other(_) => 0,
        }
    }
}
