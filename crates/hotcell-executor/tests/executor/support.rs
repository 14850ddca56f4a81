//! What the tests have in common.

use std::{
    future::poll_fn,
    pin::pin,
    sync::{Arc, Mutex},
    task::{Poll, Waker},
    thread,
    time::Duration,
};

use hotcell_cell::{Tool, Value};
use hotcell_executor::{CodeOutput, Executor, ExecutorError, ExecutorOptions};
use pollster::block_on;

/// Default options, with the code where these tests have it.
pub(crate) fn options() -> ExecutorOptions {
    ExecutorOptions::default().isolation(crate::ISOLATION)
}

/// An executor that is ready.
pub(crate) fn ready(options: ExecutorOptions) -> Executor {
    let executor = Executor::new(options);
    block_on(executor.init()).unwrap();
    executor
}

/// One with default options.
pub(crate) fn executor() -> Executor {
    ready(options())
}

pub(crate) fn run(executor: &Executor, code: &str) -> CodeOutput {
    block_on(executor.run(code)).unwrap_or_else(|error| panic!("{code}\n{error:#?}"))
}

pub(crate) fn value(executor: &Executor, code: &str) -> Value {
    run(executor, code).output
}

pub(crate) fn fail(executor: &Executor, code: &str) -> ExecutorError {
    match block_on(executor.run(code)) {
        Ok(output) => panic!("{code}\nshould have failed: {output:?}"),
        Err(error) => error,
    }
}

/// The ids of the rules in an error.
pub(crate) fn rules(error: &ExecutorError) -> Vec<&str> {
    let diagnostics = error.diagnostics().iter();
    diagnostics.filter_map(|one| one["rule"].as_str()).collect()
}

/// Completes after a while, on a thread of its own.
pub(crate) async fn sleep(duration: Duration) {
    let state = Arc::new(Mutex::new((false, None::<Waker>)));
    let of_thread = Arc::clone(&state);
    thread::spawn(move || {
        thread::sleep(duration);
        let mut state = of_thread.lock().unwrap();
        state.0 = true;
        if let Some(waker) = state.1.take() {
            waker.wake();
        }
    });
    poll_fn(|context| {
        let mut state = state.lock().unwrap();
        if state.0 {
            return Poll::Ready(());
        }
        state.1 = Some(context.waker().clone());
        Poll::Pending
    })
    .await;
}

/// `sleepTool(ms)`.
pub(crate) fn sleep_tool() -> Tool {
    Tool::asynchronous(|call| async move {
        let millis = call.argument(0).as_f64().unwrap_or(0.0);
        sleep(Duration::from_secs_f64(millis / 1000.0)).await;
        Ok(Value::Undefined)
    })
}

/// A tool whose calls stay open until the gate is opened.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<Mutex<(bool, Vec<Waker>)>>);

impl Gate {
    pub(crate) fn open(&self) {
        let mut state = self.0.lock().unwrap();
        state.0 = true;
        state.1.drain(..).for_each(Waker::wake);
    }

    /// Polls the future of a run until it waits at the gate: a run may give the thread back before.
    pub(crate) fn reached_by<F: Future + Unpin>(&self, future: &mut F) {
        while self.0.lock().unwrap().1.is_empty() {
            assert!(poll_once(future).is_pending());
        }
    }

    pub(crate) fn tool(&self) -> Tool {
        let gate = self.clone();
        Tool::asynchronous(move |_| {
            let gate = gate.clone();
            async move {
                poll_fn(|context| {
                    let mut state = gate.0.lock().unwrap();
                    if state.0 {
                        return Poll::Ready(());
                    }
                    state.1.push(context.waker().clone());
                    Poll::Pending
                })
                .await;
                Ok(Value::Undefined)
            }
        })
    }
}

/// Takes a future as far as it goes without waiting.
pub(crate) fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    let mut context = std::task::Context::from_waker(Waker::noop());
    pin!(future).poll(&mut context)
}
