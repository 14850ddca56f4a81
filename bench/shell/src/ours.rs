//! Our side: a shell over files in memory.

use std::{path::Path, sync::Arc};

use hotcell_meter::Account;
use hotcell_process::{Capture, Environment, Kernel, KernelOptions};
use hotcell_shell::{Shell, ShellOptions, ShellPrograms, Streams};
use hotcell_utilities::Utilities;
use hotcell_vfs::{MemVfs, Vfs, VfsPath};

/// Enough for sorting 50 MB.
const MEMORY: usize = 1 << 30;

pub(crate) struct Ours {
    shell: Shell,
    files: Arc<dyn Vfs>,
}

impl Ours {
    /// A shell over a copy of what is below `folder`.
    pub(crate) fn new(folder: &Path) -> Self {
        let files = MemVfs::new();
        copy(folder, &files, "/work");
        Self {
            shell: shell(),
            files: Arc::new(files),
        }
    }

    /// A shell without files.
    pub(crate) fn empty() -> Self {
        let files = MemVfs::new();
        files.mkdir_all(VfsPath::new("/work"), 0o755).unwrap();
        Self {
            shell: shell(),
            files: Arc::new(files),
        }
    }

    /// What the command prints.
    pub(crate) fn run(&mut self, script: &str) -> Vec<u8> {
        run(&mut self.shell, &self.files, script)
    }
}

/// One that has run nothing yet.
pub(crate) fn shell() -> Shell {
    let environment: Environment = [("PATH", "/usr/bin:/bin"), ("LC_ALL", "C")]
        .into_iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    Shell::new(ShellOptions {
        environment,
        cwd: VfsPath::new("/work").to_owned(),
        ..ShellOptions::default()
    })
}

/// One that has variables and a function of its own.
pub(crate) fn used_shell() -> Shell {
    let mut shell = shell();
    let files: Arc<dyn Vfs> = Arc::new(MemVfs::new());
    run(&mut shell, &files, "f() { echo $1; }; x=(1 2 3); f $x");
    shell
}

fn run(shell: &mut Shell, files: &Arc<dyn Vfs>, script: &str) -> Vec<u8> {
    let kernel = Kernel::new(KernelOptions {
        vfs: Arc::clone(files),
        programs: Arc::new(ShellPrograms::new(Arc::new(Utilities))),
        account: Account::new("memory", MEMORY),
        ..KernelOptions::default()
    });
    let output = Capture::new(kernel.account(), MEMORY);
    let streams = Streams {
        stdout: Arc::new(output.clone()),
        ..Streams::default()
    };
    let ended = pollster::block_on(shell.run(&kernel, script.as_bytes(), streams));
    assert_eq!(ended.status.code(), 0, "{script}");
    output.take().bytes
}

fn copy(from: &Path, to: &MemVfs, path: &str) {
    to.mkdir_all(VfsPath::new(path), 0o755).unwrap();
    for entry in from.read_dir().unwrap() {
        let entry = entry.unwrap();
        let target = format!("{path}/{}", entry.file_name().to_string_lossy());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), to, &target);
        } else {
            let content = std::fs::read(entry.path()).unwrap();
            to.write_file(VfsPath::new(&target), &content).unwrap();
        }
    }
}
