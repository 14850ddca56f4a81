//! What commands of `hotcell sh` see of the machine: a copy of one directory, at most.

use std::{io::Write as _, path::Path, sync::Arc, time::SystemTime};

use hotcell_process::{Capture, Kernel, KernelOptions, Spec};
use hotcell_utilities::Utilities;
use hotcell_vfs::{
    Access, Clock, DevOptions, HostVfs, Limits, MemVfs, MountVfs, OverlayVfs, Overwrite, Vfs,
    VfsPath, dev,
};

use crate::exit::CliError;

/// Where commands begin: the directory of `--root`, or an empty one.
pub(super) const WORKSPACE: &str = "/workspace";
/// The home directory.
pub(super) const HOME: &str = "/home/user";

pub(super) struct Files {
    tree: Arc<MountVfs>,
    /// The directory of the machine, and what was changed on top of it.
    root: Option<(Arc<HostVfs>, Arc<OverlayVfs>)>,
}

impl Files {
    pub(super) fn new(root: Option<&Path>) -> Result<Self, CliError> {
        let clock = Clock::from_fn(|| SystemTime::now().into());
        let tree = MountVfs::new(Arc::new(MemVfs::with(limits(), clock.clone())));
        let devices = DevOptions {
            random: Some(Arc::new(fill_randomly)),
            ..DevOptions::default()
        };
        for folder in [WORKSPACE, HOME, "/tmp", "/dev"] {
            tree.mkdir_all(VfsPath::new(folder), 0o755)
                .map_err(failed)?;
        }
        tree.mount(VfsPath::new("/dev"), Arc::new(dev(devices)))
            .map_err(failed)?;
        let root = match root {
            None => None,
            Some(path) => {
                let host =
                    HostVfs::open(path, Access::ReadWrite).map_err(CliError::file("open", path))?;
                let host = Arc::new(host);
                let overlay = Arc::new(OverlayVfs::new(
                    Arc::clone(&host) as Arc<dyn Vfs>,
                    limits(),
                    clock,
                ));
                let mounted: Arc<dyn Vfs> = Arc::clone(&overlay) as Arc<dyn Vfs>;
                tree.mount(VfsPath::new(WORKSPACE), mounted)
                    .map_err(failed)?;
                Some((host, overlay))
            }
        };
        Ok(Self {
            tree: Arc::new(tree),
            root,
        })
    }

    pub(super) fn tree(&self) -> Arc<dyn Vfs> {
        Arc::clone(&self.tree) as Arc<dyn Vfs>
    }

    /// Writes the changes back to the directory of `--root`.
    pub(super) fn commit(&self) -> Result<(), CliError> {
        if let Some((host, overlay)) = &self.root {
            overlay.apply(&**host, Overwrite::Refuse).map_err(failed)?;
        }
        Ok(())
    }

    /// Prints the changes as a patch, with our own `diff`.
    pub(super) fn print_diff(&self) -> Result<(), CliError> {
        let Some((host, overlay)) = &self.root else {
            return Ok(());
        };
        let both = MountVfs::new(Arc::new(MemVfs::new()));
        for (name, side) in [
            ("/a", Arc::clone(host) as Arc<dyn Vfs>),
            ("/b", Arc::clone(overlay) as Arc<dyn Vfs>),
        ] {
            both.mkdir(VfsPath::new(name), 0o755).map_err(failed)?;
            both.mount(VfsPath::new(name), side).map_err(failed)?;
        }
        let kernel = Kernel::new(KernelOptions {
            vfs: Arc::new(both),
            programs: Arc::new(Utilities),
            ..KernelOptions::default()
        });
        let output = Capture::new(kernel.account(), usize::MAX);
        let spec = Spec::new(["diff"]).stdout(Arc::new(output.clone()));
        let run = kernel.run(spec, |process| {
            let status = process.execute(process.spec(["diff", "-ruN", "a", "b"]));
            Ok(status.map_or(2, hotcell_process::Status::code))
        });
        pollster::block_on(run);
        // A reader that has had enough is no failure.
        let _ = std::io::stdout().write_all(&output.take().bytes);
        Ok(())
    }
}

/// Room for a project and what is made of it.
fn limits() -> Limits {
    Limits {
        bytes: 1 << 30,
        files: 1_000_000,
        ..Limits::default()
    }
}

fn fill_randomly(buffer: &mut [u8]) {
    // Without a source of chance there is none: what is there stays, and is no secret.
    let _ = getrandom::fill(buffer);
}

#[expect(clippy::needless_pass_by_value, reason = "made for map_err")]
fn failed(error: hotcell_vfs::VfsError) -> CliError {
    CliError::Usage(error.to_string())
}
