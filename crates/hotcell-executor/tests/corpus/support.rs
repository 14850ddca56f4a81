//! What the tests have in common.

use std::sync::OnceLock;

use hotcell_cell::Engine;
use hotcell_executor::{Executor, ExecutorOptions};
use pollster::block_on;

/// One engine for the whole binary, as a program has one.
pub(crate) fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| Engine::new().unwrap())
}

/// An executor that is ready.
pub(crate) fn ready(options: ExecutorOptions) -> Executor {
    let executor = Executor::with_engine(engine(), options);
    block_on(executor.init()).unwrap();
    executor
}
