//! What changed in a directory, for a person.

use std::{
    io::{IsTerminal as _, Write as _},
    sync::Arc,
};

use hotcell::process::{Capture, Kernel, KernelOptions, Spec};
use hotcell::utilities::Utilities;
use hotcell::vfs::{MemVfs, MountVfs, Vfs, VfsPath};

use crate::{exit::CliError, print};

/// Prints what is different as a patch, with our own `diff`.
pub(crate) fn print_diff(before: Arc<dyn Vfs>, after: Arc<dyn Vfs>) -> Result<(), CliError> {
    let failed = |error: hotcell::vfs::VfsError| CliError::Usage(error.to_string());
    let both = MountVfs::new(Arc::new(MemVfs::new()));
    for (name, side) in [("/a", before), ("/b", after)] {
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
        // A link is what it says: what it leads to is there by itself, or is none of the directory's.
        let words = ["diff", "-ruN", "--no-dereference", "a", "b"];
        let status = process.execute(process.spec(words));
        Ok(status.map_or(2, hotcell::process::Status::code))
    });
    pollster::block_on(run);
    let mut patch = output.take().bytes;
    // Names and contents are a guest's. Whoever applies the patch does not read it from a terminal.
    if std::io::stdout().is_terminal() {
        patch = print::visible_bytes(&patch);
    }
    // A reader that has had enough is no failure.
    let _ = std::io::stdout().write_all(&patch);
    Ok(())
}
