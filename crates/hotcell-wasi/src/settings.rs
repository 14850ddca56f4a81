//! How programs are compiled and run. Who compiles and who runs must agree on every setting here.

use wasmtime::Config;

/// The machine's stack that a program may use. Enough for deep recursion in interpreters; all of it is charged while a
/// program runs.
pub(crate) const MAX_WASM_STACK: usize = 4 << 20;

/// What host functions may use on the same stack, above that.
const HOST_STACK: usize = 512 << 10;

/// The settings.
pub(crate) fn config() -> Config {
    let mut config = Config::new();
    config.epoch_interruption(true);
    config.max_wasm_stack(MAX_WASM_STACK);
    config.async_stack_size(MAX_WASM_STACK + HOST_STACK);
    // A whole 32-bit address space is reserved per program, so that no access needs a bounds check.
    config.memory_reservation(1 << 32);
    config.memory_guard_size(32 << 20);
    // A trap ends the program, and nobody reads its frames.
    config.wasm_backtrace_max_frames(None);
    config.generate_address_map(false);
    config.native_unwind_info(false);
    // One memory, one thread, nothing that is collected: what WASI preview 1 knows.
    config.gc_support(false);
    config.concurrency_support(false);
    config.wasm_memory64(false);
    config.wasm_multi_memory(false);
    config.wasm_relaxed_simd(false);
    // Threads would not be there in a child.
    #[cfg(feature = "compile")]
    config.parallel_compilation(false);
    config
}

/// The same, for compiling what the host installs.
#[cfg(feature = "compile")]
pub(crate) fn parallel_config() -> Config {
    let mut config = config();
    config.parallel_compilation(true);
    config
}
