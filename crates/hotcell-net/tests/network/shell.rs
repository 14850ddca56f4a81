//! Commands in a shell of ours, with a network.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use hotcell_meter::{Account, StopToken, Stopped};
use hotcell_net::{NetPrograms, Network};
use hotcell_process::{Capture, Environment, Given, Kernel, KernelOptions};
use hotcell_shell::{Shell, ShellOptions, ShellPrograms, Streams};
use hotcell_utilities::Utilities;
use hotcell_vfs::{Clock, DevOptions, Limits, MemVfs, MountVfs, Vfs, VfsPath, dev};

/// A shell and its files.
pub(crate) struct Sandbox {
    pub(crate) vfs: Arc<dyn Vfs>,
    network: Network,
    pub(crate) timeout: Option<Duration>,
    pub(crate) stop: Option<StopToken>,
    pub(crate) memory: usize,
}

/// What a command did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) stopped: Option<Stopped>,
    pub(crate) memory_left: usize,
}

impl Sandbox {
    pub(crate) fn new(network: Network) -> Self {
        let clock = Clock::from_fn(|| std::time::SystemTime::now().into());
        let vfs = MountVfs::new(Arc::new(MemVfs::with(Limits::default(), clock)));
        for directory in ["/home", "/work", "/tmp"] {
            vfs.mkdir(VfsPath::new(directory), 0o755).unwrap();
        }
        vfs.mount(VfsPath::new("/dev"), Arc::new(dev(DevOptions::default())))
            .unwrap();
        Self {
            vfs: Arc::new(vfs),
            network,
            timeout: None,
            stop: None,
            memory: 64 << 20,
        }
    }

    pub(crate) fn run(&self, command: &str) -> Ran {
        let programs = NetPrograms::new(Arc::new(Utilities), self.network.clone());
        let stop = match (&self.stop, self.timeout) {
            (Some(stop), _) => stop.clone(),
            (None, Some(timeout)) => StopToken::until(Instant::now() + timeout),
            (None, None) => StopToken::until(Instant::now() + Duration::from_secs(60)),
        };
        let account = Account::new("memory", self.memory);
        let kernel = Kernel::new(KernelOptions {
            vfs: Arc::clone(&self.vfs),
            programs: Arc::new(ShellPrograms::new(Arc::new(programs))),
            clock: Clock::from_fn(|| std::time::SystemTime::now().into()),
            account: account.clone(),
            stop,
            ..KernelOptions::default()
        });
        let (stdout, stderr) = (
            Capture::new(kernel.account(), 16 << 20),
            Capture::new(kernel.account(), 1 << 20),
        );
        let streams = Streams {
            stdin: Arc::new(Given::new("")),
            stdout: Arc::new(stdout.clone()),
            stderr: Arc::new(stderr.clone()),
        };
        let environment: Environment = [
            ("HOME", "/home"),
            ("PATH", "/usr/bin:/bin"),
            ("LC_ALL", "C.UTF-8"),
            ("TZ", "UTC"),
        ]
        .into_iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
        let mut shell = Shell::new(ShellOptions {
            cwd: VfsPath::new("/work").to_owned(),
            environment,
            ..ShellOptions::default()
        });
        let ended = pollster::block_on(shell.run(&kernel, command.as_bytes(), streams));
        let text = |capture: &Capture| String::from_utf8_lossy(&capture.take().bytes).into_owned();
        Ran {
            code: ended.status.code(),
            stdout: text(&stdout),
            stderr: text(&stderr),
            stopped: ended.stopped,
            memory_left: account.used(),
        }
    }
}
