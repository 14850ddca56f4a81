//! The host's functions know when the run that calls them has to end.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use hotcell_cell::{Cell, CellError, CellOptions, Pace, Program, Stopped, Tool, Value, Watch};

use crate::support::{engine, eval, fail};

/// Works until it is told to stop, as a function of the host's on hostile input would.
fn work(watch: &dyn Watch) -> Stopped {
    let mut pace = Pace::new(watch);
    loop {
        if let Err(stopped) = pace.spend(1) {
            return stopped;
        }
    }
}

/// A cell of which every function of the host's works until it is stopped, and how often that happened.
fn working_cell() -> (Cell, Arc<AtomicU32>) {
    let stops = Arc::new(AtomicU32::new(0));
    let stop = {
        let stops = Arc::clone(&stops);
        move |watch: &dyn Watch| {
            let stopped = work(watch);
            stops.fetch_add(1, Ordering::Relaxed);
            stopped
        }
    };
    let (console, gate, modules, tool) = (stop.clone(), stop.clone(), stop.clone(), stop.clone());
    let options = CellOptions::default()
        .on_console(move |line| {
            console(line.watch());
        })
        .on_source(move |source| Err(gate(source.watch()).to_string()))
        .on_import(move |import| Err(modules(import.watch()).to_string().into()));
    let mut cell = engine().cell(options).unwrap();
    let later = stop.clone();
    cell.define_tools([
        (
            "now",
            Tool::sync(move |call| Err(tool(call.watch()).to_string().into())),
        ),
        (
            "soon",
            Tool::asynchronous(move |call| {
                let stopped = later(call.watch()).to_string();
                async move { Err(stopped.into()) }
            }),
        ),
    ])
    .unwrap();
    (cell, stops)
}

/// Each calls the host over and over, and swallows whatever comes of it.
const DOORS: [(&str, &str); 6] = [
    ("console", "for (;;) console.log('x')"),
    ("eval", "for (;;) try { (0, eval)('1') } catch {}"),
    ("Function", "for (;;) try { Function('1') } catch {}"),
    ("import", "for (;;) try { await import('x') } catch {}"),
    ("sync tool", "for (;;) try { now() } catch {}"),
    ("async tool", "for (;;) try { await soon() } catch {}"),
];

#[test]
fn work_for_a_guest_ends_at_the_deadline_and_the_run_with_it() {
    for (door, code) in DOORS {
        let (mut cell, stops) = working_cell();
        let program = Program::new(code).timeout(Duration::from_millis(20));
        let error = fail(&mut cell, program);
        assert!(
            matches!(error, CellError::Deadline { killed: false }),
            "{door}: {error:?}"
        );
        // Once, not again and again until somebody noticed.
        assert_eq!(stops.load(Ordering::Relaxed), 1, "{door}");
        assert_eq!(eval(&mut cell, "1 + 1"), Value::from(2), "{door}");
    }
}

#[test]
fn work_for_a_guest_ends_when_the_run_is_cancelled() {
    for (door, code) in DOORS {
        let (mut cell, stops) = working_cell();
        let interrupter = cell.interrupter();
        let cancel = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            interrupter.cancel();
        });
        let error = fail(&mut cell, code);
        cancel.join().unwrap();
        assert!(
            matches!(error, CellError::Cancelled { killed: false }),
            "{door}: {error:?}"
        );
        assert_eq!(stops.load(Ordering::Relaxed), 1, "{door}");
    }
}

#[test]
fn the_watch_of_a_tool_stands_still_while_the_clock_does() {
    let (mut cell, _) = working_cell();
    cell.define_tool(
        "patient",
        Tool::sync(|call| {
            std::thread::sleep(Duration::from_millis(60));
            Ok(call.watch().check().is_ok().into())
        }),
    )
    .unwrap();
    let program = Program::new("patient()").timeout(Duration::from_millis(30));
    let paused = program.pause_clock_during_tools(true);
    assert_eq!(eval(&mut cell, paused), Value::Bool(true));
    let error = fail(&mut cell, program);
    assert!(matches!(error, CellError::Deadline { .. }), "{error:?}");
}
