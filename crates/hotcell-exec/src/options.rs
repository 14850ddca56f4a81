//! What a guest is given, and how much of it.

use std::{collections::BTreeSet, fmt, sync::Arc, time::Duration};

use hotcell_vfs::{Clock, Vfs, VfsPathBuf};

use crate::{config::Config, files::FilePolicy, net::NetPolicy, registry::Registry};

/// Whether a guest has a capability.
#[derive(Debug, Clone, Default)]
pub enum Grant<T> {
    /// There is no such thing here: `t_cap_missing`.
    #[default]
    Absent,
    /// There is, and this guest may not: `t_cap_denied`.
    Denied,
    /// It has.
    Given(T),
}

impl<T> Grant<T> {
    /// What was given.
    pub fn given(&self) -> Option<&T> {
        match self {
            Self::Given(given) => Some(given),
            Self::Absent | Self::Denied => None,
        }
    }
}

/// What a guest can reach, beside its three streams.
#[derive(Debug, Clone)]
pub struct Capabilities {
    /// async/default: the hub, through which all others are used.
    pub hub: Grant<HubLimits>,
    /// exec/default: programs.
    pub exec: Grant<ExecPolicy>,
    /// file/view: files to read.
    pub files: Grant<FilePolicy>,
    /// config/default: values by key.
    pub config: Grant<Config>,
    /// net/tcp: connections.
    pub net: Grant<NetPolicy>,
    /// Handles at once, of all kinds.
    pub max_handles: usize,
    /// Memory that the host holds for the guest: buffers of streams, requests, events.
    pub host_memory: usize,
}

impl Default for Capabilities {
    /// A hub with nothing behind it; no network.
    fn default() -> Self {
        Self {
            hub: Grant::Given(HubLimits::default()),
            exec: Grant::Absent,
            files: Grant::Absent,
            config: Grant::Absent,
            net: Grant::Denied,
            max_handles: 64,
            host_memory: 32 << 20,
        }
    }
}

/// What a hub takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HubLimits {
    /// The longest payload of a command.
    pub max_payload_bytes: u32,
    /// Futures that may be pending on a handle at once.
    pub max_futures: u32,
    /// Events that wait to be read, in bytes. At least [`HubLimits::LEAST_QUEUE`] are taken.
    pub max_queue_bytes: u32,
}

impl HubLimits {
    /// Room for the events of a few futures.
    pub const LEAST_QUEUE: u32 = 4096;
}

impl Default for HubLimits {
    fn default() -> Self {
        Self {
            max_payload_bytes: 1 << 20,
            max_futures: 32,
            max_queue_bytes: 64 << 10,
        }
    }
}

/// Which programs a guest may start, and what they see.
#[derive(Clone)]
pub struct ExecPolicy {
    /// The programs there are.
    pub registry: Arc<Registry>,
    /// Those of them that this guest may start.
    pub allow: BTreeSet<String>,
    /// The files that programs see.
    pub vfs: Arc<dyn Vfs>,
    /// Where they begin.
    pub cwd: VfsPathBuf,
    /// What time it is for them.
    pub clock: Clock,
    /// What they may use.
    pub limits: ExecLimits,
    /// Whether `exec.status.v1` answers.
    pub tells_status: bool,
}

impl ExecPolicy {
    /// All programs of a registry, over these files, without a clock.
    pub fn all(registry: Registry, vfs: Arc<dyn Vfs>) -> Self {
        Self {
            allow: registry.ids().map(str::to_owned).collect(),
            registry: Arc::new(registry),
            vfs,
            cwd: VfsPathBuf::root(),
            clock: Clock::None,
            limits: ExecLimits::default(),
            tells_status: true,
        }
    }
}

impl fmt::Debug for ExecPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecPolicy")
            .field("registry", &self.registry)
            .field("allow", &self.allow)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// What programs may use. `CAPS_DESCRIBE` tells all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExecLimits {
    /// Arguments, the name included.
    pub max_args: usize,
    /// Bytes of all arguments.
    pub max_argv_bytes: usize,
    /// Variables of the environment.
    pub max_env: usize,
    /// Bytes of all their names and values.
    pub max_env_bytes: usize,
    /// Bytes of standard input; 0: no limit.
    pub max_stdin_bytes: u64,
    /// Bytes of each output. One more ends the program.
    pub max_stdout_bytes: u64,
    /// How long a program may take; zero: as long as it likes.
    pub time_limit: Duration,
    /// How long it may compute; zero: as long as it likes.
    pub cpu_time: Duration,
    /// Memory that a program may hold.
    pub mem_limit_bytes: usize,
    /// Programs that run at once.
    pub max_running: usize,
    /// Programs that are started in the whole run. Their statuses are kept.
    pub max_starts: u32,
    /// Bytes that a stream holds before its writer waits.
    pub stream_buffer_bytes: usize,
    /// For how long `exec.status.v1` lets a program compute before it says that it runs, and a write to a full input before
    /// it takes nothing. A program that ends, reads, or has to wait for something within that time gives one answer, however
    /// busy the machine is.
    pub status_patience: Duration,
}

impl Default for ExecLimits {
    fn default() -> Self {
        Self {
            max_args: 64,
            max_argv_bytes: 64 << 10,
            max_env: 64,
            max_env_bytes: 64 << 10,
            max_stdin_bytes: 16 << 20,
            max_stdout_bytes: 16 << 20,
            time_limit: Duration::from_secs(10),
            cpu_time: Duration::ZERO,
            mem_limit_bytes: 64 << 20,
            max_running: 16,
            max_starts: 1_000_000,
            stream_buffer_bytes: 64 << 10,
            status_patience: Duration::from_millis(50),
        }
    }
}
