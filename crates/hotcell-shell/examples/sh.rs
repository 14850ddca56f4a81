//! The shell on the files below the working directory, to hold it beside bash:
//!
//! `cargo run -p hotcell-shell --example sh -- -c 'ls | wc -l'`

use std::{
    io::{IsTerminal, Read, Write},
    os::unix::ffi::{OsStrExt, OsStringExt},
    sync::Arc,
    time::SystemTime,
};

use bstr::BString;
use hotcell_process::{Capture, Environment, Given, Kernel, KernelOptions, Spec};
use hotcell_shell::{ShellPrograms, run_shell};
use hotcell_utilities::Utilities;
use hotcell_vfs::{Access, Clock, DevOptions, HostVfs, MemVfs, MountVfs, Vfs, VfsPath, dev};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cwd = std::env::current_dir()?;
    let path = VfsPath::new(cwd.as_os_str().as_bytes());
    let tree = MountVfs::new(Arc::new(MemVfs::new()));
    tree.mkdir_all(path, 0o755)?;
    tree.mkdir_all(VfsPath::new("/tmp"), 0o777)?;
    tree.mount(path, Arc::new(HostVfs::open(&cwd, Access::ReadWrite)?))?;
    tree.mount(VfsPath::new("/dev"), Arc::new(dev(DevOptions::default())))?;
    let kernel = Kernel::new(KernelOptions {
        vfs: Arc::new(tree),
        programs: Arc::new(ShellPrograms::new(Arc::new(Utilities))),
        clock: Clock::from_fn(|| SystemTime::now().into()),
        ..KernelOptions::default()
    });
    let mut input = Vec::new();
    if !std::io::stdin().is_terminal() {
        std::io::stdin().read_to_end(&mut input)?;
    }
    let (out, err) = (
        Capture::new(kernel.account(), 1 << 30),
        Capture::new(kernel.account(), 1 << 30),
    );
    let mut args: Vec<BString> = vec!["bash".into()];
    args.extend(
        std::env::args_os()
            .skip(1)
            .map(|arg| BString::from(arg.into_vec())),
    );
    let variables =
        std::env::vars_os().map(|(name, value)| (name.into_vec().into(), value.into_vec().into()));
    let spec = Spec::new(args)
        .cwd(path)
        .env(Arc::new(variables.collect::<Environment>()))
        .stdin(Arc::new(Given::new(input)))
        .stdout(Arc::new(out.clone()))
        .stderr(Arc::new(err.clone()));
    let ended = pollster::block_on(kernel.run(spec, run_shell));
    std::io::stdout().write_all(&out.take().bytes)?;
    std::io::stderr().write_all(&err.take().bytes)?;
    std::process::exit(ended.status.code());
}
