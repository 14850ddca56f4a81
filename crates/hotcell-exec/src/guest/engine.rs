//! The engine under guests.
//!
//! One of its own: guests are compiled here, cells are not. Time is fuel: a guest yields after so much of it, so there is no
//! thread that watches, and the same guest stops at the same instruction. Everything that knows how Wasmtime is set up is in
//! this file, so that another engine can take its place.

use hotcell_meter::{StopToken, Stopped};
use hotcell_wasi::{CompileError, CompileIn, ModuleLimits, compile};
use wasmtime::{Config, ResourceLimiter};

use super::{Module, abi};

/// The stack that guest code may use.
const MAX_WASM_STACK: usize = 512 << 10;

/// Host functions run on the same stack, above it. Programs have stacks of their own.
const ASYNC_STACK: usize = MAX_WASM_STACK + (1 << 20);

/// The largest module, unless the host says otherwise: compiling takes time and memory.
const MAX_MODULE: usize = 16 << 20;

/// The longest text of a module. It is read here and not in a child, into some hundred times its size.
const MAX_TEXT: usize = 1 << 20;

/// How much of a line of such a text is shown.
const MAX_LINE: usize = 200;

/// What a module in binary form begins with.
const MAGIC: &[u8] = b"\0asm";

/// How many elements tables may have.
const MAX_TABLE: usize = 100_000;

/// Compiles guests. Cheap to clone; make one per process.
#[derive(Clone)]
pub struct Engine {
    engine: wasmtime::Engine,
    limits: ModuleLimits,
    place: CompileIn,
}

/// Why a module cannot be a guest.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModuleError {
    /// The machine cannot run WebAssembly.
    #[error("failed to set up WebAssembly")]
    Machine(#[source] wasmtime::Error),
    /// It is too large.
    #[error("the module has {size} bytes, and at most {max} are compiled")]
    TooLarge {
        /// How large it is.
        size: usize,
        /// How large it may be.
        max: usize,
    },
    /// As text it is too long.
    #[error(
        "the module is a text of {size} bytes, and at most {max} of a text are read: bring it into binary form (.wasm) first"
    )]
    TextTooLong {
        /// How long it is.
        size: usize,
        /// How long it may be.
        max: usize,
    },
    /// It is not WebAssembly, in binary form or as text.
    #[error("not a WebAssembly module")]
    Invalid(#[source] wasmtime::Error),
    /// The compiler did not take it, within the limits that it has.
    #[error(transparent)]
    NotCompiled(CompileError),
    /// Compiling was stopped.
    #[error("compiling the module was stopped: {0}")]
    Stopped(Stopped),
    /// It wants something else than the seven functions.
    #[error(
        "the guest imports {module:?} {name:?}, and there are only req_read, res_write, res_end, log, _alloc, _free and _ctl of \"lembeh\" (or \"env\"), with numbers of 32 bits"
    )]
    Import {
        /// From where.
        module: String,
        /// What.
        name: String,
    },
    /// It lacks something.
    #[error("the guest exports no {0}")]
    Export(&'static str),
}

impl Engine {
    /// An engine.
    pub fn new() -> Result<Self, ModuleError> {
        let mut config = Config::new();
        config.consume_fuel(true);
        config.max_wasm_stack(MAX_WASM_STACK);
        config.async_stack_size(ASYNC_STACK);
        // One memory of 32-bit addresses, one thread, no features that bring other state.
        config.wasm_memory64(false);
        config.wasm_multi_memory(false);
        config.wasm_relaxed_simd(false);
        config.gc_support(false);
        // A trap ends the guest, and nobody reads its frames.
        config.wasm_backtrace_max_frames(None);
        config.generate_address_map(false);
        // The same numbers on every machine, also those that are none.
        config.cranelift_nan_canonicalization(true);
        // A child that compiles has no other threads.
        config.parallel_compilation(false);
        let engine = wasmtime::Engine::new(&config).map_err(ModuleError::Machine)?;
        Ok(Self {
            engine,
            limits: ModuleLimits {
                bytes: MAX_MODULE,
                ..ModuleLimits::default()
            },
            place: CompileIn::Child,
        })
    }

    /// With other limits on what is compiled, and at another place than in a child of this process.
    #[must_use]
    pub fn compiling(self, limits: ModuleLimits, place: CompileIn) -> Self {
        Self {
            limits,
            place,
            ..self
        }
    }

    /// Compiles a guest, from its binary form or from text. Blocks the thread, as long as the limits allow.
    pub fn module(&self, bytes: &[u8]) -> Result<Module, ModuleError> {
        self.module_until(bytes, &StopToken::new())
    }

    /// The same, unless `stop` comes first.
    pub fn module_until(&self, bytes: &[u8], stop: &StopToken) -> Result<Module, ModuleError> {
        let max = self.limits.bytes;
        let size = bytes.len();
        if size > max {
            return Err(ModuleError::TooLarge { size, max });
        }
        if !bytes.starts_with(MAGIC) && size > MAX_TEXT {
            return Err(ModuleError::TextTooLong {
                size,
                max: MAX_TEXT,
            });
        }
        let binary = wat::parse_bytes(bytes)
            .map_err(|error| ModuleError::Invalid(wasmtime::Error::msg(told(&error))))?;
        let is_wanted = || stop.stopped().is_none();
        let compiled = compile(&self.engine, &binary, &self.limits, self.place, &is_wanted);
        let module = compiled.map_err(|error| match stop.stopped() {
            Some(stopped) if error.is_abandoned() => ModuleError::Stopped(stopped),
            _ => ModuleError::NotCompiled(error),
        })?;
        abi::check_exports(&module)?;
        let linker = abi::linker(&self.engine).map_err(ModuleError::Machine)?;
        let pre = linker.instantiate_pre(&module).map_err(|_| {
            let unknown = abi::unknown_import(&module);
            let (module, name) = unknown.unwrap_or_default();
            ModuleError::Import { module, name }
        })?;
        Ok(Module { pre })
    }
}

/// What is wrong with a text, with the beginning of the line where it is: a line may be all of the text.
fn told(error: &wat::Error) -> String {
    let text = error.to_string();
    let lines = text
        .lines()
        .map(|line| match line.char_indices().nth(MAX_LINE) {
            Some((at, _)) => format!("{}…", line.get(..at).unwrap_or(line)),
            None => line.to_owned(),
        });
    lines.collect::<Vec<_>>().join("\n")
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

/// What a guest's memory and tables may be.
pub(super) struct Limiter {
    memory: usize,
    was_refused: bool,
}

impl Limiter {
    pub(super) fn new(memory: usize) -> Self {
        Self {
            memory,
            was_refused: false,
        }
    }

    /// Whether it asked for more than it may have.
    pub(super) fn was_refused(&self) -> bool {
        self.was_refused
    }

    fn judge(&mut self, is_fine: bool) -> bool {
        self.was_refused |= !is_fine;
        is_fine
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(self.judge(desired <= self.memory))
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(self.judge(desired <= MAX_TABLE))
    }

    fn instances(&self) -> usize {
        1
    }

    fn memories(&self) -> usize {
        1
    }

    fn tables(&self) -> usize {
        16
    }
}
