//! The code of programs: from a module to something that can be run.
//!
//! A module is looked up by its hash, in memory, then on disk, and is compiled if it is in neither. All but the first happens
//! on a thread of its own: the process that wants to run it waits as for anything else, and can be killed meanwhile.

mod admit;
mod cache;
#[cfg(all(feature = "compile", target_os = "linux"))]
mod child;
mod disk;
mod jobs;
#[cfg(feature = "compile")]
mod keep;
mod seal;

use std::{borrow::Cow, io, path::PathBuf, sync::Arc};

use hotcell_meter::Charge;
use hotcell_process::Process;
use wasmtime::{Engine, InstancePre, Linker, Module};

pub(crate) use admit::NotRunnable;
pub(crate) use jobs::Lane;
pub(crate) use jobs::STACK;

use crate::{
    abi::Version,
    engine::{CompileIn, ModuleLimits, WasiEngineOptions},
    guest::Guest,
};
use cache::Cache;
use disk::{Code, Disk};
use jobs::Jobs;
use seal::SealKey;

/// The hash of a module.
pub(crate) type Key = blake3::Hash;

/// A module that can be run.
pub(crate) struct Loaded {
    pub(crate) pre: InstancePre<Guest>,
    /// The version of WASI that it speaks.
    pub(crate) version: Version,
    /// Bytes of its code.
    size: usize,
}

/// Where the bytes of a module are.
pub(crate) enum Source {
    /// Here, charged to whoever wants to run it.
    Bytes { bytes: Vec<u8>, _charge: Charge },
    /// In a file of the host.
    File(PathBuf),
    /// Somebody else has it, compiled, with the seal of the engine's key.
    Elsewhere(Arc<Ask>),
}

/// Asks for compiled code, and waits for it.
pub(crate) type Ask = dyn Fn() -> io::Result<Vec<u8>> + Send + Sync;

/// The modules of an engine.
pub(crate) struct Modules {
    shared: Arc<Shared>,
    jobs: [Jobs; Lane::COUNT],
}

struct Shared {
    engine: Engine,
    linker: Linker<Guest>,
    cache: Cache,
    disk: Option<Disk>,
    /// What compiled code from elsewhere is sealed with.
    seal: Option<SealKey>,
    limits: ModuleLimits,
    #[cfg_attr(
        not(all(feature = "compile", target_os = "linux")),
        expect(dead_code, reason = "everything is compiled on threads")
    )]
    compile_in: CompileIn,
}

impl Modules {
    pub(crate) fn new(
        engine: &Engine,
        linker: &Linker<Guest>,
        options: &WasiEngineOptions,
    ) -> Self {
        let disk = options
            .cache
            .as_ref()
            .and_then(|directory| Disk::open(directory, options.cache_bytes, options.seal_key));
        Self {
            shared: Arc::new(Shared {
                engine: engine.clone(),
                linker: linker.clone(),
                cache: Cache::new(options.memory_bytes),
                disk,
                seal: options.seal_key.map(SealKey::new),
                limits: options.limits,
                compile_in: options.compile_in,
            }),
            jobs: [Jobs::new(Lane::Host), Jobs::new(Lane::Guest)],
        }
    }

    /// The module of this hash, if it is in memory.
    pub(crate) fn get(&self, key: &Key) -> Option<Result<Arc<Loaded>, NotRunnable>> {
        self.shared.cache.get(key)
    }

    /// The module of this hash, once it is there. Waits as long as the limits say, and can be killed.
    pub(crate) fn load(
        &self,
        process: &Process,
        lane: Lane,
        key: Key,
        source: Source,
    ) -> Result<Arc<Loaded>, NotRunnable> {
        if let Some(known) = self.get(&key) {
            return known;
        }
        let ticket = self.jobs(lane).ask(&self.shared, key, source);
        jobs::wait(process, ticket, self.shared.limits.compile_time)
    }

    /// The same, for who has no process: blocks the thread.
    pub(crate) fn load_now(&self, key: Key, source: &Source) -> Result<Arc<Loaded>, NotRunnable> {
        match self.get(&key) {
            Some(known) => known,
            None => self.shared.make(&key, source, Lane::Host, &|| true),
        }
    }

    /// The code of a module, for another process whose engine has this key.
    #[cfg(feature = "compile")]
    pub(crate) fn seal(
        &self,
        name: &Key,
        loaded: &Loaded,
        key: [u8; 32],
    ) -> Result<Vec<u8>, NotRunnable> {
        let code = loaded
            .pre
            .module()
            .serialize()
            .map_err(|error| NotRunnable::Machine(format!("{error:#}")))?;
        Ok(Code::compiled_here(code).sealed(&SealKey::new(key), name, &self.shared.engine))
    }

    #[cfg(not(feature = "compile"))]
    #[expect(clippy::unused_self, reason = "as the one that seals")]
    pub(crate) fn seal(
        &self,
        _name: &Key,
        _loaded: &Loaded,
        _key: [u8; 32],
    ) -> Result<Vec<u8>, NotRunnable> {
        Err(NotRunnable::NoCompiler)
    }

    fn jobs(&self, lane: Lane) -> &Jobs {
        match lane {
            Lane::Host => &self.jobs[0],
            Lane::Guest => &self.jobs[1],
        }
    }
}

impl Shared {
    /// Loads a module from disk, or compiles it, and keeps it. It need not go on when nobody wants it any more.
    fn make(
        &self,
        key: &Key,
        source: &Source,
        lane: Lane,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Arc<Loaded>, NotRunnable> {
        let made = self.make_anew(key, source, lane, is_wanted);
        self.cache.put(*key, made.clone());
        made
    }

    fn make_anew(
        &self,
        key: &Key,
        source: &Source,
        lane: Lane,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Arc<Loaded>, NotRunnable> {
        if let Source::Elsewhere(ask) = source {
            let bytes = ask().map_err(|error| NotRunnable::Machine(error.to_string()))?;
            let seal = self.seal.as_ref();
            let code = seal.and_then(|seal| Code::unseal(bytes, seal, key, &self.engine));
            let code = code.ok_or(NotRunnable::Unsealed)?;
            let module = code.load(&self.engine);
            let module = module.map_err(|error| NotRunnable::Malformed(format!("{error:#}")))?;
            return self.link(&module, code.len());
        }
        if let Some(disk) = &self.disk
            && let Some(code) = disk.get(key, &self.engine)
            && let Ok(module) = code.load(&self.engine)
        {
            return self.link(&module, code.len());
        }
        let bytes = match source {
            Source::Bytes { bytes, .. } => Cow::Borrowed(bytes),
            Source::File(path) => {
                let read = std::fs::read(path);
                Cow::Owned(read.map_err(|error| NotRunnable::file(path, &error))?)
            }
            Source::Elsewhere(_) => return Err(NotRunnable::Unsealed),
        };
        if blake3::hash(&bytes) != *key {
            return Err(NotRunnable::Changed);
        }
        admit::admit(&bytes, &self.limits)?;
        self.compile(key, &bytes, lane, is_wanted)
    }

    #[cfg(feature = "compile")]
    fn compile(
        &self,
        key: &Key,
        bytes: &[u8],
        lane: Lane,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Arc<Loaded>, NotRunnable> {
        let code = match lane {
            // What the host installed it trusts.
            Lane::Host => here(&parallel_engine()?, bytes)?,
            Lane::Guest => strange(
                &self.engine,
                bytes,
                &self.limits,
                self.compile_in,
                is_wanted,
            )?,
        };
        let code = Code::compiled_here(code);
        if let Some(disk) = &self.disk {
            disk.put(key, &self.engine, &code);
        }
        let module = code
            .load(&self.engine)
            .map_err(|error| NotRunnable::Malformed(format!("{error:#}")))?;
        self.link(&module, code.len())
    }

    #[cfg(not(feature = "compile"))]
    #[expect(clippy::unused_self, reason = "as the one that compiles")]
    fn compile(
        &self,
        _key: &Key,
        _bytes: &[u8],
        _lane: Lane,
        _is_wanted: &dyn Fn() -> bool,
    ) -> Result<Arc<Loaded>, NotRunnable> {
        Err(NotRunnable::NoCompiler)
    }

    fn link(&self, module: &Module, size: usize) -> Result<Arc<Loaded>, NotRunnable> {
        let zero = Version::Zero.module();
        let version = if module.imports().any(|import| import.module() == zero) {
            Version::Zero
        } else {
            Version::One
        };
        let pre = self
            .linker
            .instantiate_pre(module)
            .map_err(|error| NotRunnable::Malformed(format!("{error:#}")))?;
        Ok(Arc::new(Loaded { pre, version, size }))
    }
}

/// Compiles a module for an engine of somebody else's.
#[cfg(feature = "compile")]
pub(crate) fn compile_for(
    engine: &Engine,
    bytes: &[u8],
    limits: &ModuleLimits,
    place: CompileIn,
    is_wanted: &dyn Fn() -> bool,
) -> Result<Module, NotRunnable> {
    admit::measure(bytes, limits)?;
    let code = strange(engine, bytes, limits, place, is_wanted)?;
    Code::compiled_here(code)
        .load(engine)
        .map_err(|error| NotRunnable::Malformed(format!("{error:#}")))
}

/// Compiles what nobody here wrote.
#[cfg(feature = "compile")]
fn strange(
    engine: &Engine,
    bytes: &[u8],
    limits: &ModuleLimits,
    place: CompileIn,
    is_wanted: &dyn Fn() -> bool,
) -> Result<Vec<u8>, NotRunnable> {
    match place {
        #[cfg(target_os = "linux")]
        CompileIn::Child => child::compile(engine, bytes, limits, is_wanted),
        _ => here(engine, bytes),
    }
}

/// Compiles on this thread.
#[cfg(feature = "compile")]
fn here(engine: &Engine, bytes: &[u8]) -> Result<Vec<u8>, NotRunnable> {
    let code = engine.precompile_module(bytes);
    code.map_err(|error| NotRunnable::Malformed(format!("{error:#}")))
}

/// An engine that compiles on all cores. What it makes runs in the other.
#[cfg(feature = "compile")]
fn parallel_engine() -> Result<Engine, NotRunnable> {
    Engine::new(&crate::settings::parallel_config())
        .map_err(|error| NotRunnable::Machine(format!("{error:#}")))
}
