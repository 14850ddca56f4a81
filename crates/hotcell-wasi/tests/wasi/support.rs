//! A machine to run programs on, and the programs.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use hotcell_meter::{Account, StopToken, Stopped};
use hotcell_process::{Capture, Given, Kernel, KernelOptions, Programs};
use hotcell_shell::{Shell, ShellOptions, ShellPrograms, Streams};
use hotcell_utilities::Utilities;
use hotcell_vfs::{Clock, DevOptions, MemVfs, MountVfs, Vfs, VfsPath, dev};
use hotcell_wasi::{WasiEngine, WasiEngineOptions, WasiOptions, WasiPrograms};

/// What a command did.
#[derive(Debug, Clone)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) stopped: Option<Stopped>,
    /// How long it took.
    pub(crate) took: Duration,
    /// The most memory that was charged at once.
    pub(crate) peak: usize,
    /// What was still charged afterwards, beside what was captured.
    pub(crate) left: usize,
    account: Account,
}

impl Ran {
    /// Its output, if it ended well and had nothing to complain about.
    #[track_caller]
    pub(crate) fn ok(&self) -> &str {
        assert_eq!((self.code, &*self.stderr), (0, ""), "{self}");
        self.stdout.trim_end_matches('\n')
    }

    /// What is still charged once what was on its way to the compiler when the run was stopped has been let go.
    pub(crate) fn left_in_the_end(&self) -> usize {
        let end = Instant::now() + Duration::from_secs(10);
        while self.account.used() > 0 && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.account.used()
    }

    /// Its complaint, if it ended with this code and said nothing else.
    #[track_caller]
    pub(crate) fn failed(&self, code: i32) -> &str {
        assert_eq!((self.code, self.stopped), (code, None), "{self}");
        self.stderr.trim_end_matches('\n')
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            code,
            stdout,
            stderr,
            ..
        } = self;
        write!(
            f,
            "exit: {code}\n--- stdout ---\n{stdout}--- stderr ---\n{stderr}"
        )
    }
}

/// Files, and a shell that runs programs on them.
pub(crate) struct Machine {
    pub(crate) files: Arc<MountVfs>,
    programs: Arc<dyn Programs>,
    pub(crate) memory: usize,
    pub(crate) timeout: Duration,
    pub(crate) stdin: Vec<u8>,
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self::with(&engine(), WasiOptions::default())
    }

    pub(crate) fn with(engine: &WasiEngine, options: WasiOptions) -> Self {
        let clock = Clock::from_fn(|| std::time::SystemTime::now().into());
        let limits = hotcell_vfs::Limits::default();
        let files = MountVfs::new(Arc::new(MemVfs::with(limits, clock)));
        for folder in ["/work", "/tmp", "/usr/local/bin"] {
            files.mkdir_all(VfsPath::new(folder), 0o755).unwrap();
        }
        files
            .mount(VfsPath::new("/dev"), Arc::new(dev(DevOptions::default())))
            .unwrap();
        let wasi = WasiPrograms::with_options(Arc::new(Utilities), engine, options);
        Self {
            files: Arc::new(files),
            programs: Arc::new(ShellPrograms::new(Arc::new(wasi))),
            memory: 256 << 20,
            timeout: Duration::from_mins(1),
            stdin: Vec::new(),
        }
    }

    /// Puts a file somewhere.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = VfsPath::new(path);
        self.files.mkdir_all(path.parent().unwrap(), 0o755).unwrap();
        self.files.write_file(path, content.as_ref()).unwrap();
        self
    }

    /// What is in a file.
    pub(crate) fn read(&self, path: &str) -> String {
        String::from_utf8(self.files.read_file(VfsPath::new(path)).unwrap()).unwrap()
    }

    /// Puts a program on `PATH`.
    pub(crate) fn install(&self, name: &str, module: &[u8]) -> &Self {
        let path = format!("/usr/local/bin/{name}.wasm");
        self.write(&path, module);
        self.files.chmod(VfsPath::new(&path), 0o755).unwrap();
        self
    }

    /// Puts a C program of `tests/c` on `PATH`.
    pub(crate) fn with_c(self, name: &str) -> Self {
        self.install(name, &c(name, &[]));
        self
    }

    /// Puts a program in the text format on `PATH`.
    pub(crate) fn with_wat(self, name: &str, text: &str) -> Self {
        self.install(name, &wat::parse_str(text).unwrap());
        self
    }

    /// Runs a command in `/work`.
    pub(crate) fn sh(&self, command: &str) -> Ran {
        self.sh_until(command, &StopToken::until(Instant::now() + self.timeout))
    }

    /// Runs a command that this token ends.
    pub(crate) fn sh_until(&self, command: &str, stop: &StopToken) -> Ran {
        let account = Account::new("memory", self.memory);
        let kernel = Kernel::new(KernelOptions {
            vfs: Arc::clone(&self.files) as Arc<dyn Vfs>,
            programs: Arc::clone(&self.programs),
            stop: stop.clone(),
            account: account.clone(),
            clock: Clock::from_fn(|| std::time::SystemTime::now().into()),
            ..KernelOptions::default()
        });
        // Not on the account, so that what is left on it is the processes'.
        let host = Account::unlimited();
        let (stdout, stderr) = (Capture::new(&host, 64 << 20), Capture::new(&host, 64 << 20));
        let streams = Streams {
            stdin: Arc::new(Given::new(self.stdin.clone())),
            stdout: Arc::new(stdout.clone()),
            stderr: Arc::new(stderr.clone()),
        };
        let mut environment = hotcell_process::Environment::new();
        environment.insert("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into());
        let mut shell = Shell::new(ShellOptions {
            cwd: VfsPath::new("/work").to_owned(),
            environment,
            ..ShellOptions::default()
        });
        let began = Instant::now();
        let ended = pollster::block_on(shell.run(&kernel, command.as_bytes(), streams));
        let took = began.elapsed();
        drop((kernel, shell));
        let text = |capture: Capture| String::from_utf8_lossy(&capture.take().bytes).into_owned();
        Ran {
            code: ended.status.code(),
            stdout: text(stdout),
            stderr: text(stderr),
            stopped: ended.stopped,
            took,
            peak: account.peak(),
            left: account.used(),
            account,
        }
    }
}

/// An engine whose compiled code other runs of the tests find again.
pub(crate) fn engine() -> WasiEngine {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wasi-compiled");
    WasiEngine::with_options(WasiEngineOptions::default().cache(cache))
}

/// A C program of `tests/c`, compiled with the compiler that `cargo xtask image` brings. It is compiled once, until it
/// changes.
pub(crate) fn c(name: &str, flags: &[&str]) -> Vec<u8> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c");
    let source = sources.join(format!("{name}.c"));
    let mut hasher = blake3::Hasher::new();
    hasher.update(&fs::read(&source).unwrap());
    hasher.update(&fs::read(sources.join("check.h")).unwrap());
    for flag in flags {
        hasher.update(flag.as_bytes());
    }
    let hash = hasher.finalize().to_hex();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wasi-c");
    fs::create_dir_all(&folder).unwrap();
    let built = folder.join(format!("{name}-{}.wasm", &hash[..16]));
    if !built.exists() {
        let output = tempfile::Builder::new()
            .suffix(".wasm")
            .tempfile_in(&folder)
            .unwrap();
        let compiled = Command::new(zig())
            .args([
                "cc",
                "--target=wasm32-wasi",
                "-O1",
                "-Wl,--strip-debug",
                "-w",
            ])
            .args(flags)
            .arg("-o")
            .arg(output.path())
            .arg(&source)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{name}.c: {said}");
        output.persist(&built).unwrap();
    }
    fs::read(built).unwrap()
}

fn zig() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let zig = target.join("hotcell-image/zig/ziglang/zig");
    assert!(
        zig.is_file(),
        "the C compiler is missing: run cargo xtask image"
    );
    zig
}
