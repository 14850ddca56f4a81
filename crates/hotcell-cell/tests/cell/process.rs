//! Cells go on in a child of `fork()`, where the threads of its parent are not.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
    time::Duration,
};

use hotcell_cell::{Cell, CellError, CellOptions, Engine, Program, Progress, Tool, Value};

use crate::support::eval;

/// Runs `work` in a child of this process and says whether it came to its end in time.
fn succeeds_in_child(work: impl FnOnce()) -> bool {
    // SAFETY: the child uses nothing that another thread of its parent may have left half done: what it runs is a cell,
    // whose own locks are what this is about, and the allocator, which the C library sees to. It leaves without returning.
    match unsafe { libc::fork() } {
        0 => {
            let worked = catch_unwind(AssertUnwindSafe(work)).is_ok();
            // SAFETY: it ends the process and touches nothing.
            unsafe { libc::_exit(i32::from(!worked)) }
        }
        child => {
            assert!(child > 0);
            ends_well(child)
        }
    }
}

fn ends_well(child: libc::pid_t) -> bool {
    for _ in 0..3000 {
        let mut status = 0;
        // SAFETY: our own child, and a place for its status.
        if unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) } == child {
            return libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0;
        }
        thread::sleep(Duration::from_millis(10));
    }
    // SAFETY: our own child, which has not been waited for.
    unsafe { libc::kill(child, libc::SIGKILL) };
    false
}

fn with_never(engine: &Engine) -> Cell {
    let mut cell = engine.cell(CellOptions::default()).unwrap();
    cell.define_tool("never", Tool::asynchronous(|_| std::future::pending()))
        .unwrap();
    cell
}

fn assert_deadlines_hold(cell: &mut Cell) {
    for code in ["await never()", "for (;;);", "3n ** (2n ** 22n)"] {
        if !cell.is_alive() {
            return;
        }
        let program = Program::new(code).timeout(Duration::from_millis(30));
        let error = pollster::block_on(cell.evaluate(program)).unwrap_err();
        assert!(
            matches!(error, CellError::Deadline { .. }),
            "{code}: {error:?}"
        );
    }
}

#[test]
fn deadlines_hold_in_a_forked_process() {
    let engine = Engine::new().unwrap();
    let mut old = with_never(&engine);
    // The watchdog is awake, and has a thread, which the child will not have.
    assert_deadlines_hold(&mut with_never(&engine));
    eval(&mut old, "let kept = 42");
    let worked = succeeds_in_child(|| {
        assert_deadlines_hold(&mut with_never(&engine));
        assert_eq!(eval(&mut old, "kept"), Value::from(42));
        assert_deadlines_hold(&mut old);
        // And in a child's child.
        assert!(succeeds_in_child(|| assert_deadlines_hold(
            &mut with_never(&engine)
        )));
        assert_deadlines_hold(&mut with_never(&engine));
        drop(old);
        drop(engine);
    });
    assert!(worked);
}

#[test]
fn the_parent_goes_on_as_before() {
    let engine = Engine::new().unwrap();
    let mut cell = with_never(&engine);
    eval(&mut cell, "let kept = 1");
    assert!(succeeds_in_child(|| {
        eval(&mut cell, "kept = 2");
    }));
    assert_eq!(eval(&mut cell, "kept"), Value::from(1));
    assert_deadlines_hold(&mut cell);
}

#[test]
fn a_run_that_was_waiting_ends_at_its_deadline_in_the_child_and_in_the_parent() {
    let engine = Engine::new().unwrap();
    let mut cell = with_never(&engine);
    let program = Program::new("await never()").timeout(Duration::from_millis(200));
    cell.start(program).unwrap();
    assert!(matches!(
        pollster::block_on(cell.step()),
        Ok(Progress::Waiting)
    ));
    let ends = |cell: &mut Cell| {
        let error = pollster::block_on(cell.complete()).unwrap_err();
        assert!(matches!(error, CellError::Deadline { .. }), "{error:?}");
    };
    assert!(succeeds_in_child(|| ends(&mut cell)));
    ends(&mut cell);
}

#[test]
fn a_process_may_fork_while_its_other_threads_run_cells() {
    let engine = Engine::new().unwrap();
    let stop = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    let mut cell = with_never(&engine);
                    let program = Program::new("await never()").timeout(Duration::from_micros(300));
                    drop(pollster::block_on(cell.evaluate(program)));
                }
            });
        }
        let worked = (0..40).all(|_| {
            thread::sleep(Duration::from_millis(2));
            succeeds_in_child(|| assert_deadlines_hold(&mut with_never(&engine)))
        });
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(worked);
    });
}
