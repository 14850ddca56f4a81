//! WebAssembly programs of the shell: WASI preview 1 on a virtual file system.
//!
//! A file that begins with `\0asm` is a program like any other: it has the arguments, the environment and the standard streams
//! of its process, reads and writes the files of the sandbox, stands in pipelines, ends with an exit code or by a signal, and is
//! killed at the deadline whatever it does. Nobody here wrote it, and nothing of it is trusted.
//!
//! ```
//! use std::sync::Arc;
//! use hotcell_process::{Capture, Kernel, KernelOptions, Spec};
//! use hotcell_utilities::Utilities;
//! use hotcell_vfs::{MemVfs, Vfs, VfsPath};
//! use hotcell_wasi::{WasiEngine, WasiPrograms};
//!
//! let hello = wat::parse_str(r#"(module
//!     (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
//!     (memory (export "memory") 1)
//!     (data (i32.const 0) "\08\00\00\00\06\00\00\00hello\n")
//!     (func (export "_start") (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 100)))))"#)?;
//! let files = Arc::new(MemVfs::new());
//! files.write_file(VfsPath::new("/hello.wasm"), &hello)?;
//! files.chmod(VfsPath::new("/hello.wasm"), 0o755)?;
//!
//! let engine = WasiEngine::new();
//! let kernel = Kernel::new(KernelOptions {
//!     vfs: files,
//!     programs: Arc::new(WasiPrograms::new(Arc::new(Utilities), &engine)),
//!     ..KernelOptions::default()
//! });
//! let output = Capture::new(kernel.account(), 1 << 20);
//! let run = kernel.run(Spec::new(["sh"]).stdout(Arc::new(output.clone())), |process| {
//!     let status = process.execute(process.spec(["/hello.wasm"]));
//!     Ok(status.map_or(127, |status| status.code()))
//! });
//! assert_eq!(pollster::block_on(run).status.code(), 0);
//! assert_eq!(output.take().bytes, b"hello\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The parts
//!
//! - [`WasiEngine`] is what all programs of a host share: Wasmtime with its compiler, and compiled code, in memory and on disk.
//! - [`WasiPrograms`] puts programs beside others: files that are modules, and what the host has installed.
//! - [`WasiOptions`] say what a program may have: memory, clock, chance.
//!
//! # How a program lives
//!
//! It runs on a stack of Wasmtime's, inside a future that its process polls (`run`). Functions that cannot wait (`preview1`)
//! are calls; one that has to wait leaves the poll, and with it the stack, so that a program that waits holds no thread. The
//! watchdog's tick ends a poll after a millisecond of computing, so that others get their turn and a kill gets through.
//!
//! # Invariants
//!
//! - **No frame of a program is on the stack of its process when that is suspended.**
//! - **Every address and every length from a program is checked** (`memory`), and what is kept for it is charged to its
//!   process: memory and tables as they grow, its stack, directory listings.
//! - **Compiled code is loaded only if it was compiled here or has our seal** (`module/seal.rs`): it is the one thing that is
//!   trusted.
//! - The compiler runs on a thread of its own, on modules within [`ModuleLimits`]; a run that is killed does not wait for it.

#![deny(unsafe_code)]

mod abi;
#[cfg(feature = "compile")]
mod compile;
mod ending;
mod engine;
mod fds;
mod files;
mod front;
mod guest;
mod installed;
mod limiter;
mod mailbox;
mod memory;
mod module;
mod options;
mod preview1;
mod program;
mod run;
mod settings;
mod store;

use std::sync::Arc;

use bstr::BString;
use hotcell_process::{Program, Programs};
use hotcell_vfs::VfsPath;

#[cfg(feature = "compile")]
pub use compile::{CompileError, compile};
pub use engine::{CompileIn, ModuleLimits, WasiEngine, WasiEngineOptions};
pub use installed::{Installed, Sealing};
pub use options::{WasiClock, WasiOptions, WasiRandom};
pub use store::{ProgramStore, Recipe, StoreError};

use program::Wasm;

/// What a WebAssembly module begins with.
const MAGIC: &[u8] = b"\0asm";

/// Programs, with WebAssembly modules among them.
pub struct WasiPrograms {
    inner: Arc<dyn Programs>,
    engine: WasiEngine,
    options: WasiOptions,
    installed: Vec<Installed>,
    advice: Arc<str>,
}

/// What is said of a program that people know and that is not there; `{program}` stands for what it is added as.
const ADVICE: &str = "not installed here; the host can add it with: hotcell program add {program}";

impl WasiPrograms {
    /// These programs, and every file that is a module.
    pub fn new(inner: Arc<dyn Programs>, engine: &WasiEngine) -> Self {
        Self::with_options(inner, engine, WasiOptions::default())
    }

    /// The same, with limits and policies of your own.
    pub fn with_options(
        inner: Arc<dyn Programs>,
        engine: &WasiEngine,
        options: WasiOptions,
    ) -> Self {
        Self {
            inner,
            engine: engine.clone(),
            options,
            installed: Vec::new(),
            advice: ADVICE.into(),
        }
    }

    /// With other words about a program that people know and that is not there: `python3`, say. `{program}` in them stands for what
    /// `hotcell program add` calls it.
    #[must_use]
    pub fn with_advice(mut self, advice: &str) -> Self {
        self.advice = advice.into();
        self
    }

    /// With programs that the host has installed, which go by their names. Their libraries are to be
    /// [mounted](Installed::mount) in the files of the kernel.
    #[must_use]
    pub fn with_installed(mut self, installed: impl IntoIterator<Item = Installed>) -> Self {
        self.installed.extend(installed);
        self
    }

    fn installed(&self, name: &[u8]) -> Option<&Installed> {
        self.installed.iter().find(|one| {
            one.commands()
                .iter()
                .any(|command| command.as_bytes() == name)
        })
    }
}

impl Programs for WasiPrograms {
    fn find(&self, name: &[u8]) -> Option<Arc<dyn Program>> {
        match self.installed(name) {
            Some(installed) => Some(installed.program(&self.engine, self.options)),
            None => self.inner.find(name),
        }
    }

    fn for_file(&self, path: &VfsPath, head: &[u8]) -> Option<Arc<dyn Program>> {
        if head.starts_with(MAGIC) {
            return Some(Arc::new(Wasm {
                engine: self.engine.clone(),
                options: self.options,
                path: path.to_owned(),
            }));
        }
        self.inner.for_file(path, head)
    }

    fn suffix(&self) -> Option<&'static str> {
        Some(".wasm")
    }

    fn advice(&self, name: &[u8]) -> Option<String> {
        self.inner.advice(name).or_else(|| {
            let program = store::recipe_of(name)?;
            Some(self.advice.replace("{program}", program))
        })
    }

    fn names(&self) -> Vec<BString> {
        let mut names = self.inner.names();
        for installed in &self.installed {
            let commands = installed.commands().iter();
            names.extend(commands.map(|command| BString::from(command.as_str())));
        }
        names.sort();
        names.dedup();
        names
    }
}
