//! Code that is not ours (tools, callbacks, wakers) may do what it likes: panic, drop the task it is part of, use the engine.

use std::{
    future::poll_fn,
    num::NonZeroUsize,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, ThreadId},
    time::Duration,
};

use hotcell_cell::{
    Cell, CellError, CellOptions, Engine, Outcome, Pool, Program, Reply, Tool, ToolError, Value,
};

use crate::support::{cell, engine, eval, fail, sleep};

type Run = Pin<Box<dyn Future<Output = Result<Outcome, CellError>> + Send>>;

const SHORT: Duration = Duration::from_millis(20);

/// A task that waits for a tool until its deadline.
fn waiting(engine: &Engine) -> Run {
    let mut cell = engine.cell(CellOptions::default()).unwrap();
    cell.define_tool("never", Tool::asynchronous(|_| std::future::pending()))
        .unwrap();
    Box::pin(async move {
        cell.evaluate(Program::new("await never()").timeout(SHORT))
            .await
    })
}

/// Waits until `done`, for as long as a slow machine may take.
fn soon(done: impl Fn() -> bool) {
    for _ in 0..2000 {
        if done() {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
    panic!("it did not happen");
}

/// A waker that does something when another thread wakes.
struct OnWake<F> {
    act: F,
    here: ThreadId,
    /// Woken on this thread, which a poll does itself when it makes way for others.
    again: AtomicBool,
}

impl<F: Fn() + Send + Sync + 'static> Wake for OnWake<F> {
    fn wake(self: Arc<Self>) {
        if thread::current().id() == self.here {
            self.again.store(true, Ordering::SeqCst);
        } else {
            (self.act)();
        }
    }
}

/// Polls the run until it waits. Then it is another thread's matter to wake it, which does this.
fn poll_until_waiting(run: &mut Run, act: impl Fn() + Send + Sync + 'static) {
    let wake = Arc::new(OnWake {
        act,
        here: thread::current().id(),
        again: AtomicBool::new(true),
    });
    let waker = Waker::from(Arc::clone(&wake));
    while wake.again.swap(false, Ordering::SeqCst) {
        let polled = run.as_mut().poll(&mut Context::from_waker(&waker));
        assert!(polled.is_pending());
    }
}

fn deadline_works(engine: &Engine) {
    let error = pollster::block_on(waiting(engine)).unwrap_err();
    assert!(matches!(error, CellError::Deadline { .. }), "{error:?}");
}

#[test]
fn a_waker_may_drop_its_task() {
    let engine = Engine::new().unwrap();
    let task: Arc<Mutex<Option<Run>>> = Arc::default();
    let woken = Arc::new(AtomicBool::new(false));
    let mut run = waiting(&engine);
    let (taken, done) = (Arc::clone(&task), Arc::clone(&woken));
    poll_until_waiting(&mut run, move || {
        // With the task goes its cell, and the deadline that is about to be over.
        soon(|| taken.lock().unwrap().is_some());
        drop(taken.lock().unwrap().take());
        done.store(true, Ordering::SeqCst);
    });
    *task.lock().unwrap() = Some(run);
    soon(|| woken.load(Ordering::SeqCst));
    deadline_works(&engine);
}

#[test]
fn a_waker_may_use_the_engine() {
    let engine = Engine::new().unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let mut run = waiting(&engine);
    let (shared, ended) = (engine.clone(), Arc::clone(&done));
    poll_until_waiting(&mut run, move || {
        let mut cell = shared.cell(CellOptions::default()).unwrap();
        // To its end here, on the watchdog's own thread, with nobody to watch: it looks at the clock itself.
        let program = Program::new("for (;;);").timeout(SHORT);
        let error = pollster::block_on(cell.evaluate(program)).unwrap_err();
        ended.store(
            matches!(error, CellError::Deadline { .. }),
            Ordering::SeqCst,
        );
    });
    soon(|| done.load(Ordering::SeqCst));
    deadline_works(&engine);
}

#[test]
fn a_waker_that_panics_takes_nothing_with_it() {
    let engine = Engine::new().unwrap();
    let woken = Arc::new(AtomicU32::new(0));
    for round in 0..3 {
        let mut run = waiting(&engine);
        let count = Arc::clone(&woken);
        poll_until_waiting(&mut run, move || {
            count.fetch_add(1, Ordering::SeqCst);
            panic!("a waker that panics");
        });
        soon(|| woken.load(Ordering::SeqCst) > round);
        deadline_works(&engine);
    }
}

struct Panics;

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        panic!("a waker that panics");
    }
}

struct Tells(Arc<AtomicBool>);

impl Wake for Tells {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn cancelling_survives_a_waker_that_panics() {
    let mut cell = cell();
    let told = Arc::new(AtomicBool::new(false));
    let tell = Arc::clone(&told);
    cell.define_tool(
        "never",
        Tool::asynchronous(move |call| {
            let tell = Arc::clone(&tell);
            async move {
                // Two tasks wait for the same word; the first that hears it panics.
                let bad = Waker::from(Arc::new(Panics));
                let good = Waker::from(Arc::new(Tells(tell)));
                let mut first = Box::pin(call.cancel.cancelled());
                let _ = first.as_mut().poll(&mut Context::from_waker(&bad));
                let mut second = Box::pin(call.cancel.cancelled());
                let _ = second.as_mut().poll(&mut Context::from_waker(&good));
                poll_fn(|_| Poll::<()>::Pending).await;
                Ok(Value::Null)
            }
        }),
    )
    .unwrap();
    let error = fail(&mut cell, Program::new("await never()").timeout(SHORT));
    assert!(matches!(error, CellError::Deadline { .. }), "{error:?}");
    assert!(told.load(Ordering::SeqCst));
    assert_eq!(eval(&mut cell, "1"), Value::from(1));
}

/// A future that panics when it is dropped, and when polled if it is to.
struct Explosive {
    when_polled: bool,
}

impl Future for Explosive {
    type Output = Result<Value, ToolError>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        assert!(!self.when_polled, "a future that panics when polled");
        Poll::Pending
    }
}

impl Drop for Explosive {
    fn drop(&mut self) {
        assert!(thread::panicking(), "a future that panics when dropped");
    }
}

#[test]
fn futures_of_tools_may_panic_wherever_they_can() {
    let code = "
        const all = [];
        for (const name of ['now', 'wait', 'maybe_async', 'later'])
            try { all.push(await globalThis[name]()) } catch (e) { all.push(e.message) }
        all";
    let mut cell = cell();
    cell.define_tools([
        (
            "now",
            Tool::asynchronous(|_| Explosive { when_polled: true }),
        ),
        ("wait", Tool::blocking(|_| Explosive { when_polled: true })),
        (
            "maybe_async",
            Tool::maybe_async(|_| async {
                let value = Explosive { when_polled: true }.await?;
                Ok(Reply::Value(value))
            }),
        ),
        (
            "later",
            Tool::maybe_async(|_| async {
                Ok(Reply::Later(Box::pin(Explosive { when_polled: true })))
            }),
        ),
    ])
    .unwrap();
    let failed = ["now", "wait", "maybe_async", "later"]
        .map(|tool| Value::from(format!("the tool {tool} panicked")));
    assert_eq!(eval(&mut cell, code), Value::array(failed));
}

#[test]
fn futures_of_tools_may_panic_when_they_are_dropped() {
    for (kind, tool) in [
        (
            "asynchronous",
            Tool::asynchronous(|_| Explosive { when_polled: false }),
        ),
        (
            "blocking",
            Tool::blocking(|_| Explosive { when_polled: false }),
        ),
        (
            "maybe_async",
            Tool::maybe_async(|_| async {
                Ok(Reply::Later(Box::pin(Explosive { when_polled: false })))
            }),
        ),
    ] {
        let mut cell = cell();
        cell.define_tool("wait", tool).unwrap();
        let error = fail(&mut cell, Program::new("await wait()").timeout(SHORT));
        assert!(
            matches!(error, CellError::Deadline { .. }),
            "{kind}: {error:?}"
        );
        assert_eq!(eval(&mut cell, "1"), Value::from(1), "{kind}");
        // And when the cell goes with calls outstanding.
        let program = Program::new("wait(); 1").timeout(SHORT);
        drop(pollster::block_on(cell.evaluate(program)));
        drop(cell);
    }
}

fn panicking() -> Cell {
    let options = CellOptions::default()
        .on_console(|_| panic!("a console that panics"))
        .on_source(|_| panic!("a gate that panics"))
        .on_import(|_| panic!("an importer that panics"));
    engine().cell(options).unwrap()
}

#[test]
fn callbacks_may_panic() {
    let mut cell = panicking();
    assert_eq!(eval(&mut cell, "console.log('x'); 1"), Value::from(1));
    assert_eq!(
        eval(&mut cell, "try { eval('1') } catch (e) { String(e) }"),
        Value::from("SyntaxError: the host panicked when it looked at this code")
    );
    assert_eq!(
        eval(
            &mut cell,
            "try { await import('x') } catch (e) { String(e) }"
        ),
        Value::from("Error: the host panicked when it looked for the module \"x\"")
    );
    assert!(cell.is_alive());
}

#[test]
fn a_pool_survives_tasks_that_panic() {
    let pool = Pool::with_threads(NonZeroUsize::MIN);
    for _ in 0..3 {
        pool.spawn(async { panic!("a task that panics") }).detach();
    }
    let task = pool.spawn(async {
        sleep(Duration::from_millis(1)).await;
        42
    });
    assert_eq!(pollster::block_on(task), 42);
    let mut never = pin!(pool.spawn(std::future::pending::<()>()));
    let mut context = Context::from_waker(Waker::noop());
    assert!(never.as_mut().poll(&mut context).is_pending());
}
