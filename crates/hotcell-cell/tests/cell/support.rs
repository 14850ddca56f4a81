//! What every test needs.

use std::sync::OnceLock;

use hotcell_cell::{
    Cell, CellError, CellOptions, Engine, EngineOptions, Exception, Program, Value,
};

/// One engine for the whole binary, as a program has one.
pub(crate) fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| Engine::with_options(&EngineOptions::default().max_cells(2048)).unwrap())
}

pub(crate) fn cell() -> Cell {
    engine().cell(CellOptions::default()).unwrap()
}

/// The value of a program.
pub(crate) fn eval<'a>(cell: &mut Cell, program: impl Into<Program<'a>>) -> Value {
    match pollster::block_on(cell.evaluate(program)) {
        Ok(outcome) => outcome.value,
        Err(error) => panic!("{error}: {error:?}"),
    }
}

/// The value of a program in a fresh cell.
pub(crate) fn fresh(code: &str) -> Value {
    eval(&mut cell(), code)
}

/// Why a program failed.
pub(crate) fn fail<'a>(cell: &mut Cell, program: impl Into<Program<'a>>) -> CellError {
    pollster::block_on(cell.evaluate(program)).unwrap_err()
}

/// What a program threw.
pub(crate) fn thrown<'a>(cell: &mut Cell, program: impl Into<Program<'a>>) -> Exception {
    match fail(cell, program) {
        CellError::Exception(exception) => *exception,
        other => panic!("not an exception: {other:?}"),
    }
}

/// A tool's way of waiting: a timer thread for each, which is enough for tests.
pub(crate) async fn sleep(duration: std::time::Duration) {
    let (wake, woken) = futures_channel();
    std::thread::spawn(move || {
        std::thread::sleep(duration);
        wake();
    });
    woken.await;
}

fn futures_channel() -> (impl FnOnce() + Send, impl Future<Output = ()> + Send) {
    use std::{
        sync::{Arc, Mutex},
        task::{Poll, Waker},
    };
    let state: Arc<Mutex<(bool, Option<Waker>)>> = Arc::default();
    let shared = Arc::clone(&state);
    let wake = move || {
        let mut state = shared.lock().unwrap();
        state.0 = true;
        if let Some(waker) = state.1.take() {
            waker.wake();
        }
    };
    let woken = std::future::poll_fn(move |context| {
        let mut state = state.lock().unwrap();
        if state.0 {
            return Poll::Ready(());
        }
        state.1 = Some(context.waker().clone());
        Poll::Pending
    });
    (wake, woken)
}
