//! Compiling what a stranger wrote, for an engine of somebody else's.
//!
//! It is the road that the programs of the shell take: sizes are looked at first, then the compiler works in a child that is
//! killed at its limits, or when nobody waits any more.

use std::thread;

use wasmtime::{Engine, Module};

use crate::{
    engine::{CompileIn, ModuleLimits},
    module::{NotRunnable, STACK, compile_for},
};

/// Why a module was not compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct CompileError(#[from] NotRunnable);

impl CompileError {
    /// Nobody waited any more: `is_wanted` said so.
    pub fn is_abandoned(&self) -> bool {
        self.0 == NotRunnable::Abandoned
    }
}

/// Compiles a module in binary form, within limits. Blocks the thread, for as long as the limits say or until `is_wanted` says
/// that nobody waits any more; [`CompileIn::Thread`] does neither.
///
/// The engine must not compile in parallel: a child has no other threads.
pub fn compile(
    engine: &Engine,
    bytes: &[u8],
    limits: &ModuleLimits,
    place: CompileIn,
    is_wanted: &(dyn Fn() -> bool + Sync),
) -> Result<Module, CompileError> {
    // The compiler recurses where code is nested, and a child has the stack of the thread that it was made from.
    let compiled = thread::scope(|scope| {
        let thread = thread::Builder::new()
            .name("hotcell-compile".into())
            .stack_size(STACK)
            .spawn_scoped(scope, || {
                compile_for(engine, bytes, limits, place, is_wanted)
            });
        match thread {
            Ok(thread) => thread.join().unwrap_or(Err(NotRunnable::Panicked)),
            Err(error) => Err(NotRunnable::Machine(format!(
                "no thread to compile it on: {error}"
            ))),
        }
    });
    Ok(compiled?)
}
