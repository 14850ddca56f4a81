//! Who waits for whom: the line before a cell, and the locks that nothing of the host's is called behind.

use std::{
    future::Future,
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    task::{Context, Wake, Waker},
    thread,
    time::Duration,
};

use hotcell_cell::{Tool, Value};
use hotcell_executor::{Concurrency, ErrorCode, Executor, ExecutorError, Isolation, State};
use pollster::block_on;

use crate::support::{Gate, executor, poll_once, ready, run, value};

/// Runs `work` on a thread of its own. What waits for itself never ends, so a test that hangs is one that failed.
fn ends(work: impl FnOnce() + Send + 'static) {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || {
        work();
        sender.send(()).unwrap();
    });
    let ended = receiver.recv_timeout(Duration::from_mins(1));
    assert_ne!(
        ended,
        Err(mpsc::RecvTimeoutError::Timeout),
        "it waits for itself"
    );
    thread.join().unwrap();
}

/// A waker, and whatever else is dropped, that asks the executor for everything that takes its lock.
struct Curious {
    executor: Mutex<Option<Executor>>,
    asked: Arc<AtomicUsize>,
}

impl Curious {
    fn new(executor: &Executor) -> (Arc<Self>, Arc<AtomicUsize>) {
        let asked = Arc::new(AtomicUsize::new(0));
        let curious = Self {
            executor: Mutex::new(Some(executor.clone())),
            asked: Arc::clone(&asked),
        };
        (Arc::new(curious), asked)
    }

    fn ask(&self) {
        if let Some(executor) = &*self.executor.lock().unwrap() {
            let _ = (executor.state(), executor.queued(), executor.tools());
            self.asked.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Wake for Curious {
    fn wake(self: Arc<Self>) {
        self.ask();
    }
}

impl Drop for Curious {
    fn drop(&mut self) {
        self.ask();
    }
}

fn poll_with<F: Future + Unpin>(future: &mut F, waker: &Waker) {
    assert!(
        pin!(future)
            .poll(&mut Context::from_waker(waker))
            .is_pending()
    );
}

#[test]
fn the_state_is_read_while_a_snapshot_is_taken() {
    let executor = ready(crate::options().memory_limit(256 << 20));
    // Something that takes a while to compress.
    run(
        &executor,
        "globalThis.kept = new Uint8Array(100_000_000); for (let i = 0; i < 25_000; i++) kept[i * 4000] = i; 1",
    );
    let is_over = Arc::new(AtomicBool::new(false));
    let (taking, done) = (executor.clone(), Arc::clone(&is_over));
    let thread = thread::spawn(move || {
        let length = block_on(taking.snapshot()).unwrap().len();
        done.store(true, Ordering::Release);
        length
    });
    let mut reads = 0u64;
    while !is_over.load(Ordering::Acquire) {
        assert_eq!(executor.state(), State::Ready);
        reads += 1;
    }
    assert!(thread.join().unwrap() > 1000);
    // One that waits for the snapshot reads a few times at most.
    assert!(reads > 1000, "{reads}");
}

#[test]
fn what_comes_while_the_cell_is_worked_on_waits_for_it() {
    let executor = ready(crate::options().memory_limit(256 << 20));
    run(
        &executor,
        "globalThis.kept = new Uint8Array(50_000_000).fill(1); let count = 0; 1",
    );
    for _ in 0..5 {
        let taking = executor.clone();
        let thread = thread::spawn(move || block_on(taking.snapshot()).map(|bytes| bytes.len()));
        run(&executor, "count++");
        block_on(executor.send_variables([("sent", Value::from(1))])).unwrap();
        is_taken_or_refused(thread);
    }
    assert_eq!(value(&executor, "count"), Value::from(5));
    let taking = executor.clone();
    let thread = thread::spawn(move || block_on(taking.snapshot()).map(|bytes| bytes.len()));
    block_on(executor.cleanup()).unwrap();
    assert_eq!(executor.state(), State::Dead);
    is_taken_or_refused(thread);
}

/// Whoever was first: a snapshot does not wait for a run, but everything else waits for a snapshot.
fn is_taken_or_refused(thread: thread::JoinHandle<Result<usize, ExecutorError>>) {
    match thread.join().unwrap() {
        Ok(length) => assert!(length > 0),
        Err(error) => assert_eq!(error.code, ErrorCode::InvalidState),
    }
}

#[test]
fn cancel_wakes_nobody_behind_a_lock() {
    ends(|| {
        let executor = executor();
        let gate = Gate::default();
        block_on(executor.send_tools([("wait", gate.tool())])).unwrap();
        let mut future = Box::pin(executor.run("await wait()"));
        gate.reached_by(&mut future);
        let (curious, asked) = Curious::new(&executor);
        poll_with(&mut future, &Waker::from(curious));
        assert!(executor.cancel());
        // A worker process wakes who waits when it has ended the run.
        let wakes_at_once = crate::ISOLATION == Isolation::Thread;
        assert!(asked.load(Ordering::Relaxed) > 0 || !wakes_at_once);
        assert_eq!(block_on(future).unwrap_err().code, ErrorCode::Cancelled);
    });
}

#[test]
fn the_next_in_line_is_not_woken_behind_a_lock() {
    ends(|| {
        let options = crate::options()
            .run_concurrency(Concurrency::Queue)
            .max_queued_runs(10);
        let executor = ready(options);
        let gate = Gate::default();
        block_on(executor.send_tools([("wait", gate.tool())])).unwrap();
        let mut first = Box::pin(executor.run("await wait()"));
        gate.reached_by(&mut first);
        let (curious, asked) = Curious::new(&executor);
        let waker = Waker::from(curious);
        let mut second = Box::pin(executor.run("2"));
        poll_with(&mut second, &waker);
        let mut third = Box::pin(executor.run("3"));
        poll_with(&mut third, &waker);
        // The one before goes, and so does one that waits.
        drop(third);
        drop(first);
        assert!(asked.load(Ordering::Relaxed) > 0);
        assert_eq!(block_on(second).unwrap().output, Value::from(2));
    });
}

#[test]
fn tools_are_dropped_outside_of_every_lock() {
    ends(|| {
        let executor = executor();
        let curious_tool = || {
            let (curious, asked) = Curious::new(&executor);
            let tool = Tool::sync(move |_| {
                let _held = &curious;
                Ok(Value::Undefined)
            });
            (tool, asked)
        };
        let (tool, replaced) = curious_tool();
        block_on(executor.send_tools([("tool", tool)])).unwrap();
        let (tool, cleaned) = curious_tool();
        block_on(executor.send_tools([("tool", tool)])).unwrap();
        assert_eq!(replaced.load(Ordering::Relaxed), 1);
        block_on(executor.cleanup()).unwrap();
        assert_eq!(cleaned.load(Ordering::Relaxed), 1);
        assert_eq!(executor.state(), State::Dead);

        // A run that is torn out takes its cell with it, and the cell its tools.
        block_on(executor.init()).unwrap();
        let (tool, torn) = curious_tool();
        block_on(executor.send_tools([("tool", tool)])).unwrap();
        let run = hotcell_executor::Run::new("for (;;) {}").timeout(Duration::from_millis(1));
        assert!(block_on(executor.run(run)).is_err());
        block_on(executor.cleanup()).unwrap();
        assert_eq!(torn.load(Ordering::Relaxed), 1);
    });
}

#[test]
fn runs_in_line_end_in_its_order() {
    let options = crate::options()
        .run_concurrency(Concurrency::Queue)
        .max_queued_runs(100);
    for code in ["number++", "number++; if (number === 20) for (;;) {}"] {
        let executor = ready(
            options
                .clone()
                .max_operations(1 << 40)
                .timeout(Duration::from_millis(200)),
        );
        run(&executor, "let number = 0");
        let gate = Gate::default();
        block_on(executor.send_tools([("wait", gate.tool())])).unwrap();
        let mut first = Box::pin(executor.run("await wait()"));
        gate.reached_by(&mut first);
        let ended = Arc::new(Mutex::new(Vec::new()));
        let threads: Vec<_> = (0..50)
            .map(|number| {
                let (executor, ended) = (executor.clone(), Arc::clone(&ended));
                // Its place in line is taken here; it is served elsewhere.
                let mut run = Box::pin(async move {
                    executor
                        .execute_then(code, |_, _| ended.lock().unwrap().push(number))
                        .await;
                });
                assert!(poll_once(&mut run).is_pending());
                thread::spawn(move || block_on(run))
            })
            .collect();
        gate.open();
        block_on(first).unwrap();
        for thread in threads {
            thread.join().unwrap();
        }
        let ended = ended.lock().unwrap();
        assert_eq!(*ended, (0..50).collect::<Vec<_>>(), "{code}");
    }
}

#[test]
fn what_finishes_a_run_finds_the_executor_ready() {
    let executor = executor();
    let state = block_on(executor.execute_then("1", |execution, _| {
        assert_eq!(execution.output, Value::from(1));
        executor.state()
    }));
    assert_eq!(state, State::Ready);
    let run = hotcell_executor::Run::new("for (;;) {}").timeout(Duration::from_millis(1));
    let executor = ready(crate::options().max_operations(1 << 40));
    let state = block_on(executor.execute_then(run, |_, _| executor.state()));
    assert_eq!(state, State::Dirty);
}
