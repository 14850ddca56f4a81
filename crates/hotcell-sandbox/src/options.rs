//! What a sandbox is made with.

mod contract;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::{Arc, OnceLock},
    time::Duration,
};

use bstr::BString;
use hotcell_cell::{Pool, Random, SnapshotKey};
use hotcell_js::JsOptions;
use hotcell_process::Environment;
use hotcell_vfs::{Clock, VfsPath, VfsPathBuf};
use hotcell_wasi::{Installed, WasiClock, WasiEngine, WasiOptions, WasiRandom};
use serde_json::Value as Json;

use crate::{
    audit::{AuditEvent, Counts, Sink},
    boundary::Isolation,
    commands::HostCommand,
    limits::Limits,
    mount::Mount,
    network::Network,
    random::Chance,
};

pub use contract::OptionsError;

/// Where commands begin unless somebody says otherwise.
pub(crate) const WORKSPACE: &str = "/workspace";
/// The home directory.
pub(crate) const HOME: &str = "/home/user";

/// What is said of programs that are not there, to whoever reads it inside.
const ADVICE: &str = "not in this sandbox; its host can install it (hotcell program add {program}) and give it with the option programs";

/// What happens to a command while another one is running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Concurrency {
    /// It waits for its turn.
    #[default]
    Queue,
    /// It is refused, with [`SandboxError::Busy`](crate::SandboxError::Busy).
    Refuse,
}

/// What a sandbox is made with. The default has no network, no file of the machine, nothing of its environment, and limits on
/// everything.
#[derive(Clone)]
#[must_use]
pub struct SandboxOptions {
    pub(crate) limits: Limits,
    pub(crate) name: BString,
    pub(crate) arguments: Vec<BString>,
    pub(crate) environment: Environment,
    pub(crate) cwd: VfsPathBuf,
    pub(crate) files: Vec<(VfsPathBuf, Vec<u8>)>,
    pub(crate) mounts: Vec<(VfsPathBuf, Mount)>,
    pub(crate) allowed: Option<Arc<BTreeSet<BString>>>,
    pub(crate) commands: Arc<BTreeMap<BString, HostCommand>>,
    pub(crate) wasi: WasiEngine,
    pub(crate) installed: Vec<Installed>,
    pub(crate) advice: Arc<str>,
    pub(crate) network: Option<Arc<dyn Network>>,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    pub(crate) concurrency: Concurrency,
    pub(crate) isolation: Isolation,
    pub(crate) require_jail: bool,
    pub(crate) pool: Option<Arc<Pool>>,
    pub(crate) snapshot_key: Option<SnapshotKey>,
    pub(crate) on_audit: Option<Sink>,
}

impl Default for SandboxOptions {
    fn default() -> Self {
        let usual = [
            ("HOME", HOME),
            ("USER", "user"),
            ("LOGNAME", "user"),
            ("SHELL", "/bin/bash"),
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("LANG", "C.UTF-8"),
        ];
        Self {
            limits: Limits::default(),
            name: "bash".into(),
            arguments: Vec::new(),
            environment: usual
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            cwd: VfsPath::new(WORKSPACE).to_owned(),
            files: Vec::new(),
            mounts: Vec::new(),
            allowed: None,
            commands: Arc::default(),
            wasi: shared_engine(),
            installed: Vec::new(),
            advice: ADVICE.into(),
            network: None,
            clock: Clock::from_fn(|| std::time::SystemTime::now().into()),
            random: Random::Real,
            concurrency: Concurrency::default(),
            isolation: Isolation::default(),
            require_jail: false,
            pool: None,
            snapshot_key: None,
            on_audit: None,
        }
    }
}

impl SandboxOptions {
    /// How much it may have of everything.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How long a command may take (30 s). [`Command::timeout`](crate::Command::timeout) says it for one.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.limits.time = time;
        self
    }

    /// A variable of the environment, beside or in the place of the usual ones (`HOME`, `PATH`…).
    pub fn env(mut self, name: impl Into<BString>, value: impl Into<BString>) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }

    /// Where commands begin (`/workspace`). It is made.
    pub fn cwd(mut self, cwd: impl Into<VfsPathBuf>) -> Self {
        self.cwd = cwd.into();
        self
    }

    /// `$0` and `$1`, `$2`… of the shell.
    pub fn arguments<A: Into<BString>>(
        mut self,
        name: impl Into<BString>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        self.name = name.into();
        self.arguments = arguments.into_iter().map(Into::into).collect();
        self
    }

    /// A file that is there from the beginning. Directories above it are made; a relative path begins where commands do.
    pub fn file(mut self, path: impl Into<VfsPathBuf>, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((path.into(), content.into()));
        self
    }

    /// Something that is mounted from the beginning.
    pub fn mount(mut self, path: impl Into<VfsPathBuf>, mount: Mount) -> Self {
        self.mounts.push((path.into(), mount));
        self
    }

    /// The programs that may be run, and no others. Builtins of the shell and functions are not programs.
    pub fn allow_only<N: Into<BString>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.allowed = Some(Arc::new(names.into_iter().map(Into::into).collect()));
        self
    }

    /// A command that is a function of the host's.
    pub fn command(mut self, name: impl Into<BString>, command: HostCommand) -> Self {
        Arc::make_mut(&mut self.commands).insert(name.into(), command);
        self
    }

    /// Programs that the host has installed, Python say, and what compiles and runs them and every other WebAssembly module (an
    /// engine that all sandboxes share, without a cache on disk).
    pub fn programs(
        mut self,
        engine: &WasiEngine,
        installed: impl IntoIterator<Item = Installed>,
    ) -> Self {
        self.wasi = engine.clone();
        self.installed = installed.into_iter().collect();
        self
    }

    /// What is said of a program that people know and that is not there, `python3` say. `{program}` stands for what
    /// `hotcell program add` calls it.
    pub fn missing_program(mut self, advice: &str) -> Self {
        self.advice = advice.into();
        self
    }

    /// What reaches the network for it (nothing): a [`hotcell_net::Network`], say.
    pub fn network(mut self, network: Arc<dyn Network>) -> Self {
        self.network = Some(network);
        self
    }

    /// What time it is inside (the host's clock).
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Where chance comes from, for `/dev/urandom`, what reads it, and `js` (the host's entropy).
    pub fn random(mut self, random: Random) -> Self {
        self.random = random;
        self
    }

    /// What happens to a command while another one is running (it waits).
    pub fn concurrency(mut self, concurrency: Concurrency) -> Self {
        self.concurrency = concurrency;
        self
    }

    /// Where its processes run: on threads of this program, or in a jailed process of their own, which hosts of many tenants
    /// should choose. Files and functions of the host's are the same in both.
    pub fn isolation(mut self, isolation: Isolation) -> Self {
        self.isolation = isolation;
        self
    }

    /// Whether a worker process whose jail lacks a part on this system must not run (it runs). `hotcell doctor` tells what is
    /// there.
    pub fn require_jail(mut self, require: bool) -> Self {
        self.require_jail = require;
        self
    }

    /// Threads that commands run on. Without one they run wherever their futures are polled, for about a millisecond at a time.
    pub fn pool(mut self, pool: Arc<Pool>) -> Self {
        self.pool = Some(pool);
        self
    }

    /// Seals snapshots, and takes only those that it has sealed.
    pub fn snapshot_key(mut self, key: SnapshotKey) -> Self {
        self.snapshot_key = Some(key);
        self
    }

    /// Hears of everything that is decided. It is called on whatever thread that happens on, and must not block.
    pub fn on_audit(mut self, sink: impl Fn(&AuditEvent) + Send + Sync + 'static) -> Self {
        self.on_audit = Some(Arc::new(sink));
        self
    }

    /// The same for hosts in other languages: each event as an [object](AuditEvent::to_json). It may be queued, as a run tells at most
    /// 1,000 times that something was refused or asked of the network; its end says how often that was `untold`.
    pub fn on_audit_json(self, sink: impl Fn(Json) + Send + Sync + 'static) -> Self {
        let counts = Counts::default();
        self.on_audit(move |event| {
            if let Some(told) = counts.tell(event) {
                sink(told);
            }
        })
    }

    /// For `js`.
    pub(crate) fn of_js(&self) -> JsOptions {
        let clock = match &self.clock {
            Clock::None => hotcell_cell::Clock::Off,
            Clock::Fixed(time) => hotcell_cell::Clock::Fixed(milliseconds(*time)),
            Clock::Source(_) => hotcell_cell::Clock::Real,
        };
        JsOptions::default()
            .memory_limit(self.limits.memory.min(64 << 20))
            .clock(clock)
            .random(self.random)
    }

    /// For WebAssembly programs.
    pub(crate) fn of_wasi(&self) -> WasiOptions {
        let clock = match &self.clock {
            Clock::None => WasiClock::Fixed(hotcell_vfs::Timestamp::default()),
            Clock::Fixed(time) => WasiClock::Fixed(*time),
            Clock::Source(_) => WasiClock::Kernel,
        };
        let random = match self.random {
            // Many programs refuse to begin without any.
            Random::Off => WasiRandom::Seeded(0),
            Random::Real => WasiRandom::Real,
            Random::Seeded(seed) => WasiRandom::Seeded(seed),
        };
        WasiOptions::default()
            .memory_limit(self.limits.memory)
            .clock(clock)
            .random(random)
    }

    /// For `/dev`.
    pub(crate) fn chance(&self) -> Chance {
        match self.random {
            Random::Off => Chance::None,
            Random::Real => Chance::Real,
            Random::Seeded(seed) => Chance::seeded(seed),
        }
    }
}

/// What runs WebAssembly for every sandbox whose host has not said otherwise.
fn shared_engine() -> WasiEngine {
    static ENGINE: OnceLock<WasiEngine> = OnceLock::new();
    ENGINE.get_or_init(WasiEngine::new).clone()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "JavaScript's clock has milliseconds as a float"
)]
fn milliseconds(time: hotcell_vfs::Timestamp) -> f64 {
    (time.as_nanos() / 1_000_000) as f64
}

impl fmt::Debug for SandboxOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SandboxOptions")
            .field("limits", &self.limits)
            .field("cwd", &self.cwd)
            .field("mounts", &self.mounts)
            .field("allowed", &self.allowed)
            .field("commands", &self.commands.keys())
            .field("has_network", &self.network.is_some())
            .finish_non_exhaustive()
    }
}
