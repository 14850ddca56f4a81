//! How WebAssembly is compiled and run. The compiling side (the pipeline) and the running side (cells) must agree on
//! every setting here, or the image does not load.

use wasmtime::Config;

/// The stack that guest code may use. The guest asks how much of it is left where it recurses, and throws a `RangeError`
/// in time; running into this limit itself would be a trap.
pub const MAX_WASM_STACK: usize = 16 << 20;

/// The CPU baseline of the image on `x86_64`: x86-64-v2 with its rounding instructions, which every server since 2009
/// has. Later extensions gained nothing measurable for an interpreter.
pub const TARGET_FEATURES: &[&str] = &[
    "has_sse3",
    "has_ssse3",
    "has_sse41",
    "has_sse42",
    "has_popcnt",
];

/// The settings that the image is compiled with. Allocation strategy is not among them: the running side chooses it.
pub fn engine_config() -> Config {
    let mut config = Config::new();
    config.epoch_interruption(true);
    config.max_wasm_stack(MAX_WASM_STACK);
    // Host functions run on the same stack, above what the guest may use.
    config.async_stack_size(MAX_WASM_STACK + (2 << 20));
    // What is in a cell's memory is not in the module: see `FreshMemory`.
    config.memory_init_cow(false);
    // A whole 32-bit address space is reserved per cell, so that no access needs a bounds check.
    config.memory_reservation(1 << 32);
    config.memory_guard_size(32 << 20);
    config.guard_before_linear_memory(false);
    // A trap ends the cell and nobody reads guest frames.
    config.wasm_backtrace_max_frames(None);
    config.generate_address_map(false);
    config.native_unwind_info(false);
    config.gc_support(false);
    config.concurrency_support(false);
    config.wasm_simd(false);
    config.wasm_relaxed_simd(false);
    config
}

/// The settings for running the image.
#[cfg(hotcell_has_image)]
pub fn running_config() -> Config {
    let mut config = engine_config();
    crate::in_place::allow(&mut config);
    config
}
