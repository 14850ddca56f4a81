//! What all programs of a host share: Wasmtime, and the code of programs.

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Duration,
};

use hotcell_watchdog::Watchdog;
use wasmtime::{Engine, Linker};

use crate::{module::Modules, preview1, settings};

/// What may be compiled. A module comes from whoever wrote the program, so that each of these is a wall: compiling takes
/// memory and time of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModuleLimits {
    /// Bytes of a module.
    pub bytes: usize,
    /// Functions of a module.
    pub functions: usize,
    /// Bytes of one function. The compiler takes more than in proportion for long ones.
    pub function_bytes: usize,
    /// How long compiling one may take.
    pub compile_time: Duration,
    /// How much memory that may take; only where it is done in a [child](CompileIn::Child).
    pub compile_memory: usize,
}

impl Default for ModuleLimits {
    /// More than Python, Ruby or clang need.
    fn default() -> Self {
        Self {
            bytes: 64 << 20,
            functions: 100_000,
            function_bytes: 512 << 10,
            compile_time: Duration::from_mins(1),
            compile_memory: 1 << 30,
        }
    }
}

/// Where modules are compiled that the host has not installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompileIn {
    /// In a child of this process (`fork`), which is killed at its limits and when nobody waits for it any more. Where there
    /// is no `fork` that can be trusted with this, that is everywhere but on Linux, it is a thread.
    Child,
    /// On a thread of this process. A hostile module can keep it busy for hours, and fill memory: for processes that are killed
    /// as a whole, and for those that must not fork.
    Thread,
}

/// How a [`WasiEngine`] is made.
#[derive(Debug, Clone)]
#[must_use]
pub struct WasiEngineOptions {
    pub(crate) cache: Option<PathBuf>,
    pub(crate) cache_bytes: u64,
    pub(crate) memory_bytes: usize,
    pub(crate) seal_key: Option<[u8; 32]>,
    pub(crate) limits: ModuleLimits,
    pub(crate) compile_in: CompileIn,
}

impl Default for WasiEngineOptions {
    fn default() -> Self {
        Self {
            cache: None,
            cache_bytes: 1 << 30,
            memory_bytes: 512 << 20,
            seal_key: None,
            limits: ModuleLimits::default(),
            compile_in: CompileIn::Child,
        }
    }
}

impl WasiEngineOptions {
    /// A directory where compiled programs are kept for the next process (none). It is made if it is missing, for its owner
    /// alone. Beside it is the key that its files are sealed with, unless [`WasiEngineOptions::seal_key`] is given: a file
    /// that does not have the right seal is not loaded.
    pub fn cache(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cache = Some(directory.into());
        self
    }

    /// How much is kept there (1 GiB); what was not used for the longest time goes first.
    pub fn cache_bytes(mut self, bytes: u64) -> Self {
        self.cache_bytes = bytes;
        self
    }

    /// How much compiled code is kept in memory (512 MiB), beside what runs.
    pub fn memory_bytes(mut self, bytes: usize) -> Self {
        self.memory_bytes = bytes;
        self
    }

    /// The key that compiled programs are sealed with, for hosts that keep keys elsewhere.
    pub fn seal_key(mut self, key: [u8; 32]) -> Self {
        self.seal_key = Some(key);
        self
    }

    /// What may be compiled.
    pub fn limits(mut self, limits: ModuleLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Where modules are compiled that the host has not installed (in a child).
    pub fn compile_in(mut self, place: CompileIn) -> Self {
        self.compile_in = place;
        self
    }
}

/// What all programs of a host share. Cheap to clone; make one per process. Nothing is set up until a program runs.
#[derive(Clone, Default)]
pub struct WasiEngine(Arc<Inner>);

#[derive(Default)]
struct Inner {
    options: WasiEngineOptions,
    ready: OnceLock<Result<Arc<Ready>, String>>,
}

/// An engine that was set up.
pub(crate) struct Ready {
    pub(crate) engine: Engine,
    pub(crate) watchdog: Watchdog,
    pub(crate) modules: Modules,
}

impl WasiEngine {
    /// An engine that keeps compiled programs in memory only.
    pub fn new() -> Self {
        Self::default()
    }

    /// An engine of your own making.
    pub fn with_options(options: WasiEngineOptions) -> Self {
        Self(Arc::new(Inner {
            options,
            ready: OnceLock::new(),
        }))
    }

    /// Whether this build can compile programs.
    pub const fn can_compile() -> bool {
        cfg!(feature = "compile")
    }

    pub(crate) fn limits(&self) -> &ModuleLimits {
        &self.0.options.limits
    }

    /// The engine, set up at the latest now. An error is the machine's: no memory, a system that Wasmtime does not know.
    pub(crate) fn ready(&self) -> Result<&Arc<Ready>, &str> {
        let ready = self.0.ready.get_or_init(|| {
            let made = Ready::new(&self.0.options);
            made.map(Arc::new)
                .map_err(|error| format!("WebAssembly cannot be set up here: {error:#}"))
        });
        ready.as_ref().map_err(|error| &**error)
    }
}

impl Ready {
    fn new(options: &WasiEngineOptions) -> wasmtime::Result<Self> {
        let engine = Engine::new(&settings::config())?;
        let mut linker = Linker::new(&engine);
        preview1::define(&mut linker)?;
        let modules = Modules::new(&engine, &linker, options);
        let watchdog = Watchdog::new(&engine);
        Ok(Self {
            engine,
            watchdog,
            modules,
        })
    }
}

impl fmt::Debug for WasiEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WasiEngine")
            .field("options", &self.0.options)
            .finish_non_exhaustive()
    }
}
