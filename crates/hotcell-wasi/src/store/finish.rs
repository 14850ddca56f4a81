//! Making a library ready, by a run of the program that it belongs to: inside, like everything that it does.

use std::{path::Path, sync::Arc};

use bstr::BString;
use hotcell_meter::{Account, StopToken};
use hotcell_process::{Capture, Kernel, KernelOptions, NoPrograms, Programs, Spec};
use hotcell_vfs::{Access, Clock, DIR_MODE, HostVfs, MemVfs, MountVfs, Vfs, VfsPath};

use super::{StoreError, file_error, recipes::Library};
use crate::{Installed, WasiEngine, WasiOptions, WasiPrograms};

/// What such a run may take.
const MEMORY: usize = 512 << 20;
const TIME: std::time::Duration = std::time::Duration::from_mins(5);

/// Runs the program of `installed` on its own library, which it may write to.
pub(super) fn finish(
    installed: &Installed,
    library: &Library,
    directory: &Path,
    engine: &WasiEngine,
) -> Result<(), StoreError> {
    let Some(arguments) = library.finish else {
        return Ok(());
    };
    let files = MountVfs::new(Arc::new(MemVfs::new()));
    let tmp = files.mkdir(VfsPath::new("/tmp"), DIR_MODE);
    let host =
        HostVfs::open(directory, Access::ReadWrite).map_err(file_error("open", directory))?;
    tmp.and_then(|()| files.mount(VfsPath::new(library.at), Arc::new(host)))
        .map_err(|error| StoreError::Finish(error.to_string()))?;

    let options = WasiOptions::default().memory_limit(MEMORY);
    let programs: Arc<dyn Programs> = Arc::new(
        WasiPrograms::with_options(Arc::new(NoPrograms), engine, options)
            .with_installed([installed.clone()]),
    );
    let kernel = Kernel::new(KernelOptions {
        vfs: Arc::new(files),
        programs,
        stop: StopToken::until(std::time::Instant::now() + TIME),
        account: Account::new("memory", MEMORY),
        clock: Clock::from_fn(|| std::time::SystemTime::now().into()),
        ..KernelOptions::default()
    });
    let said = Capture::new(kernel.account(), 64 << 10);
    let name = installed.commands().first().cloned().unwrap_or_default();
    let mut args = vec![BString::from(name)];
    args.extend(arguments.iter().map(|argument| BString::from(*argument)));
    let variables = library.finish_environment.iter();
    let environment = variables.map(|(name, value)| ((*name).into(), (*value).into()));
    let spec = Spec::new(args.clone())
        .env(Arc::new(environment.collect()))
        .stderr(Arc::new(said.clone()));
    let run = kernel.run(spec, move |process| {
        let status = process.execute(process.spec(args.iter().cloned()));
        Ok(status.map_or(127, hotcell_process::Status::code))
    });
    let ended = pollster::block_on(run);
    if ended.status.is_success() {
        return Ok(());
    }
    let text = said.take().bytes;
    let text = String::from_utf8_lossy(&text);
    Err(StoreError::Finish(format!(
        "exit code {}: {}",
        ended.status.code(),
        text.trim()
    )))
}
