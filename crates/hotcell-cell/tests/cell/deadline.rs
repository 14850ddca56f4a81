//! Every run ends at its deadline or when it is cancelled, whatever it does.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use hotcell_cell::{Cell, CellError, Program, Text, Tool, Value};

use crate::support::{cell, eval, fail, sleep};

/// Far more than a kill takes, far less than these programs would.
const SOON: Duration = Duration::from_secs(5);

/// Programs that go on for ever, or close to it.
const ENDLESS: &[&str] = &[
    "while (true) {}",
    "for (;;);",
    "do {} while (true)",
    "try { while (true) {} } catch {} finally { while (true) {} }",
    "/(a+)+$/.test('a'.repeat(40) + 'b')",
    "/(?:(?:a|a)*)*b/.exec('a'.repeat(50))",
    "const a = Array.from({ length: 3e5 }, (_, i) => i % 7); while (true) a.sort((x, y) => x - y)",
    "const t = new Float64Array(2e6).map((_, i) => Math.sin(i)); while (true) t.slice().sort()",
    "while (true) 'x'.repeat(2 ** 24)",
    "const a = Array(1e6).fill('abc'); while (true) a.join('-')",
    "let x = 3n ** 100000n; while (true) x * x",
    "3n ** (2n ** 22n)",
    "const loop = () => Promise.resolve().then(loop); await loop()",
    "const f = async () => { while (true) await null }; await f()",
    "const loop = () => queueMicrotask(loop); loop(); await new Promise(() => {})",
    "for (const x of (function* () { while (true) yield 1 })()) {}",
    "const f = () => { try { f() } catch {} try { f() } catch {} }; f()",
    "const deep = '['.repeat(5000) + ']'.repeat(5000); while (true) JSON.parse(deep)",
    "const p = new Proxy({}, { get: (t, k, r) => r[k + 'x'] }); while (true) { try { p.a } catch {} }",
    "const o = { get x() { return this.x } }; while (true) { try { o.x } catch {} }",
    "[].concat(...Array(30).fill(0)); Array(1e9).fill(0).length; while (true) {}",
    "let s = 'x'; while (true) { try { s += s } catch { s = 'x' } }",
    "const a = []; while (true) { try { a.push(new Array(10000).fill(1.5)) } catch {} }",
    "const m = new Map(); while (true) { try { for (let i = 0; ; i++) m.set(i, {}) } catch {} }",
    "({ toString() { while (true) {} } }) + ''",
    "[1, 2].sort(() => { while (true) {} })",
    "'a'.replace(/a/, () => { while (true) {} })",
    "new Array(5e6).fill(0).map((x, i) => i).filter((x) => x % 2).reduce((a, b) => a + b); while (true) {}",
    "class A { static { while (true) {} } }",
    "Reflect.ownKeys(new Proxy({}, { ownKeys() { while (true) {} } }))",
    "({ get x() { while (true) {} } })",
    "throw { get message() { while (true) {} }, toString() { while (true) {} } }",
    "throw Object.assign(new Error, { get cause() { while (true) {} } })",
    "console.log({ get [Symbol.toStringTag]() { while (true) {} } })",
    "eval('while (true) {}')",
    "new Function('while (true) {}')()",
    "new Compartment().evaluate('while (true) {}')",
];

#[test]
fn the_deadline_ends_every_kind_of_work() {
    for code in ENDLESS {
        let mut cell = cell();
        let began = Instant::now();
        let error = fail(
            &mut cell,
            Program::new(code).timeout(Duration::from_millis(60)),
        );
        assert!(
            matches!(error, CellError::Deadline { .. }),
            "{code}: {error:?}"
        );
        assert!(began.elapsed() < SOON, "{code} took {:?}", began.elapsed());
        match error {
            CellError::Deadline { killed: true } => {
                assert!(!cell.is_alive(), "{code}");
                assert!(matches!(fail(&mut cell, "1"), CellError::Gone), "{code}");
            }
            _ => assert_eq!(eval(&mut cell, "'usable'"), Value::from("usable"), "{code}"),
        }
    }
}

#[test]
fn a_javascript_loop_leaves_the_cell_usable() {
    for code in [
        "while (true) {}",
        "/(a+)+$/.test('a'.repeat(40) + 'b')",
        "const f = async () => { while (true) await null }; await f()",
    ] {
        let mut cell = cell();
        eval(&mut cell, "let kept = 1");
        assert!(
            matches!(
                fail(
                    &mut cell,
                    Program::new(code).timeout(Duration::from_millis(30))
                ),
                CellError::Deadline { killed: false }
            ),
            "{code}"
        );
        assert_eq!(eval(&mut cell, "kept"), Value::from(1));
    }
}

#[test]
fn the_deadline_ends_waiting_for_a_tool_and_cancels_it() {
    let mut cell = cell();
    let dropped = Arc::new(AtomicBool::new(false));
    let told = Arc::new(AtomicBool::new(false));
    let (on_drop, on_cancel) = (Arc::clone(&dropped), Arc::clone(&told));
    cell.define_tool(
        "wait",
        Tool::asynchronous(move |call| {
            struct Dropped(Arc<AtomicBool>);
            impl Drop for Dropped {
                fn drop(&mut self) {
                    self.0.store(true, Ordering::SeqCst);
                }
            }
            let guard = Dropped(Arc::clone(&on_drop));
            let told = Arc::clone(&on_cancel);
            let cancel = call.cancel.clone();
            thread::spawn(move || {
                pollster::block_on(cancel.cancelled());
                told.store(true, Ordering::SeqCst);
            });
            async move {
                std::future::pending::<()>().await;
                drop(guard);
                Ok(Value::Null)
            }
        }),
    )
    .unwrap();
    let began = Instant::now();
    assert!(matches!(
        fail(
            &mut cell,
            Program::new("await wait()").timeout(Duration::from_millis(30))
        ),
        CellError::Deadline { killed: false }
    ));
    assert!(began.elapsed() < SOON);
    assert!(
        dropped.load(Ordering::SeqCst),
        "the tool's future was dropped"
    );
    let began = Instant::now();
    while !told.load(Ordering::SeqCst) {
        assert!(began.elapsed() < SOON, "the tool was told");
        thread::yield_now();
    }
    assert_eq!(eval(&mut cell, "1"), Value::from(1));
}

#[test]
fn the_deadline_ends_a_blocking_tool_uncatchably() {
    let mut cell = cell();
    cell.define_tool(
        "wait",
        Tool::blocking(|_| async { std::future::pending().await }),
    )
    .unwrap();
    let program = Program::new("try { wait() } catch { 'caught' } finally { 1 }")
        .timeout(Duration::from_millis(30));
    assert!(matches!(
        fail(&mut cell, program),
        CellError::Deadline { killed: false }
    ));
    assert_eq!(eval(&mut cell, "1"), Value::from(1));
}

fn cancel_after(cell: &Cell, delay: Duration) -> thread::JoinHandle<()> {
    let interrupter = cell.interrupter();
    thread::spawn(move || {
        thread::sleep(delay);
        interrupter.cancel();
    })
}

#[test]
fn a_run_can_be_cancelled_from_another_thread() {
    for code in [
        "while (true) {}",
        "const t = new Float64Array(2e6).map((_, i) => Math.sin(i)); while (true) t.slice().sort()",
        "await wait()",
        "block()",
    ] {
        let mut cell = cell();
        cell.define_tools([
            (
                "wait",
                Tool::asynchronous(|_| async {
                    sleep(Duration::from_hours(1)).await;
                    Ok(Value::Null)
                }),
            ),
            (
                "block",
                Tool::blocking(|_| async { std::future::pending().await }),
            ),
        ])
        .unwrap();
        let cancelling = cancel_after(&cell, Duration::from_millis(50));
        let began = Instant::now();
        let error = fail(
            &mut cell,
            Program::new(code).timeout(Duration::from_mins(1)),
        );
        assert!(
            matches!(error, CellError::Cancelled { .. }),
            "{code}: {error:?}"
        );
        assert!(began.elapsed() < SOON, "{code}");
        cancelling.join().unwrap();
    }
}

#[test]
fn a_cancel_between_runs_does_nothing() {
    let mut cell = cell();
    cell.interrupter().cancel();
    assert_eq!(eval(&mut cell, "1"), Value::from(1));
    let interrupter = cell.interrupter();
    drop(cell);
    interrupter.cancel();
}

#[test]
fn dropping_the_future_in_the_middle_costs_the_cell() {
    let mut cell = cell();
    {
        let mut run = std::pin::pin!(cell.evaluate("while (true) {}"));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(run.as_mut().poll(&mut context).is_pending());
    }
    assert!(!cell.is_alive());
    assert!(matches!(fail(&mut cell, "1"), CellError::Gone));
}

#[test]
fn a_run_without_a_timeout_of_its_own_has_the_cells() {
    let mut cell = crate::support::engine()
        .cell(hotcell_cell::CellOptions::default().timeout(Duration::from_millis(20)))
        .unwrap();
    assert!(matches!(
        fail(&mut cell, "while (true) {}"),
        CellError::Deadline { .. }
    ));
    assert_eq!(
        eval(&mut cell, Program::new("1").timeout(Duration::MAX)),
        Value::from(1)
    );
}

/// Defining a variable enters the guest, which is not trusted to come back.
#[test]
fn what_does_not_end_between_runs_costs_the_cell() {
    let mut cell = cell();
    eval(&mut cell, "let kept = 1");
    // Texts that the engine's sets cannot tell apart but by comparing them: its hash multiplies by 263 from one unit to the
    // next.
    let pairs = [[0x61, 0x300], [0x62, 0x300 - 263]];
    let texts = (0..1u32 << 15).map(|bits| {
        let units = (0..15).flat_map(|bit| pairs[(bits >> bit & 1) as usize]);
        Value::from(Text::from_utf16(&units.collect::<Vec<_>>()))
    });
    let slow = Value::Set(texts.collect());
    let error = cell.set_variable("slow", &slow).unwrap_err();
    assert!(
        error.to_string().contains("when it should have ended"),
        "{error}"
    );
    assert!(error.is_fatal());
    assert!(!cell.is_alive());
    assert!(matches!(fail(&mut cell, "kept"), CellError::Gone));
}
