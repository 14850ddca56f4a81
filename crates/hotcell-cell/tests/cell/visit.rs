//! A cell that is polled on a thread with better things to do leaves before the host has much to do for it.

use std::{
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Wake, Waker},
};

use hotcell_cell::{Cell, CellOptions, Tool, Value, is_leaving, leave, visit};

use crate::support::engine;

/// Notes whether whoever woke it was leaving.
#[derive(Default)]
struct Door(AtomicBool);

impl Wake for Door {
    fn wake(self: Arc<Self>) {
        self.0.fetch_or(is_leaving(), Ordering::Relaxed);
    }
}

/// Polls a future as a visitor until it ends or leaves; true if it left.
fn leaves<F: Future>(mut future: Pin<&mut F>) -> bool {
    let door = Arc::new(Door::default());
    let waker = Waker::from(Arc::clone(&door));
    loop {
        let poll = visit(|| future.as_mut().poll(&mut Context::from_waker(&waker)));
        let has_left = door.0.load(Ordering::Relaxed);
        // A cell that gives way, as it does to others when it computes, is still on its visit.
        if poll.is_ready() || has_left {
            return poll.is_pending();
        }
    }
}

/// A cell that asks its host for everything there is.
fn cell() -> Cell {
    let options = CellOptions::default()
        .on_console(|_| ())
        .on_source(|_| Ok(()))
        .on_import(|_| Ok("export default 1".into()));
    let mut cell = engine().cell(options).unwrap();
    let echo = |call: hotcell_cell::ToolCall| call.argument(0).clone();
    cell.define_tools([
        ("echo", Tool::sync(move |call| Ok(echo(call)))),
        (
            "wait",
            Tool::blocking(move |call| async move { Ok(echo(call)) }),
        ),
        (
            "later",
            Tool::asynchronous(move |call| async move { Ok(echo(call)) }),
        ),
    ])
    .unwrap();
    cell
}

const DOORS: [&str; 11] = [
    "eval('/*' + text + '*/ 1')",
    "new Function('/*' + text + '*/')()",
    "console.log(text)",
    "new URL('http://example.com/' + text).pathname.length",
    "await import(text)",
    "echo(text).length",
    "wait(text).length",
    "(await later(text)).length",
    "text",
    "throw text",
    "Promise.reject(text); 1",
];

#[test]
fn what_is_long_is_not_done_on_a_visit() {
    for door in DOORS {
        let mut cell = cell();
        let code = format!("let text = 'x'.repeat(10000); {door}");
        let mut run = pin!(cell.evaluate(&*code));
        assert!(leaves(run.as_mut()), "{door}");
        // Elsewhere it goes on as if nothing had happened.
        let outcome = pollster::block_on(run);
        assert_eq!(outcome.is_err(), door.starts_with("throw"), "{outcome:?}");
    }
}

#[test]
fn what_is_short_is_done_where_it_is_polled() {
    for door in DOORS {
        let mut cell = cell();
        let code = format!("let text = 'x'; {door}");
        assert!(!leaves(pin!(cell.evaluate(&*code))), "{door}");
    }
}

#[test]
fn whoever_is_at_home_does_not_leave() {
    let mut cell = cell();
    let code = "echo('x'.repeat(10000)).length";
    let value = pollster::block_on(cell.evaluate(code)).unwrap().value;
    assert_eq!(value, Value::from(10_000));
    assert!(leaves(pin!(leave())));
    let mut context = Context::from_waker(Waker::noop());
    assert!(pin!(leave()).poll(&mut context).is_ready());
}
