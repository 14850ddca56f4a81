//! What commands of `hotcell sh` changed of the directory of `--root`.

use std::{path::Path, sync::Arc};

use hotcell::sandbox::Sandbox;
use hotcell::vfs::{Access, HostVfs, OverlayVfs, Overwrite};

use super::WORKSPACE;
use crate::{changes, exit::CliError};

/// Opens the directory of `--root`.
pub(super) fn open(root: &Path) -> Result<HostVfs, CliError> {
    HostVfs::open(root, Access::ReadWrite).map_err(CliError::file("open", root))
}

pub(super) struct Changes {
    /// The directory of the machine.
    host: Arc<HostVfs>,
    /// What was changed on top of it.
    overlay: Arc<OverlayVfs>,
}

impl Changes {
    pub(super) fn new(host: HostVfs, sandbox: &Sandbox) -> Result<Self, CliError> {
        let overlay = sandbox.overlay(WORKSPACE).map_err(CliError::usage)?;
        let Some(overlay) = overlay else {
            return Err(CliError::Usage(format!(
                "nothing is mounted at {WORKSPACE}"
            )));
        };
        Ok(Self {
            host: Arc::new(host),
            overlay,
        })
    }

    /// Writes the changes back to the directory.
    pub(super) fn commit(&self) -> Result<(), CliError> {
        let applied = self.overlay.apply(&*self.host, Overwrite::Refuse);
        applied.map(|_| ()).map_err(CliError::usage)
    }

    /// Prints the changes as a patch.
    pub(super) fn print(&self) -> Result<(), CliError> {
        changes::print_diff(Arc::clone(&self.host) as _, Arc::clone(&self.overlay) as _)
    }
}
