//! Any bytes are a snapshot or an error. The header is made right first, so that what is behind it gets looked at; a cell
//! that comes of it may do anything but break the host.

#![no_main]

use std::{sync::OnceLock, time::Duration};

use hotcell_cell::{Cell, CellOptions, Engine, EngineOptions, Program, seal_for_fuzzing};
use libfuzzer_sys::fuzz_target;

fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        Engine::with_options(&EngineOptions::default().max_cells(4)).expect("the engine starts")
    })
}

fn run(cell: &mut Cell) {
    let program = Program::new("1 + 1").timeout(Duration::from_millis(50));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let mut future = std::pin::pin!(cell.evaluate(program));
    while future.as_mut().poll(&mut context).is_pending() {
        std::thread::yield_now();
    }
}

fuzz_target!(|data: &[u8]| {
    let _ = engine().restore(data, CellOptions::default());
    if let Ok(mut cell) = engine().restore(&seal_for_fuzzing(data), CellOptions::default()) {
        run(&mut cell);
    }
});
