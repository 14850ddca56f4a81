//! The time that a run computes, and timers, without an executor around the cell.

use std::time::Duration;

use hotcell_cell::{CellError, CellOptions, Clock, Program, Progress, Timers, Value};
use pollster::block_on;

use crate::support::{cell, engine, eval, fail};

const MOMENT: Duration = Duration::from_millis(30);

fn with_timers(clock: Clock) -> CellOptions {
    CellOptions::default().timers(Timers::On).clock(clock)
}

#[test]
fn computing_ends_at_its_own_limit() {
    for code in [
        "while (true) {}",
        "/(a+)+$/.test('a'.repeat(40) + 'b')",
        "try { while (true) {} } catch {} finally { while (true) {} }",
    ] {
        let mut cell = cell();
        let program = Program::new(code).timeout(None).cpu_time(MOMENT);
        let error = fail(&mut cell, program);
        assert!(
            matches!(error, CellError::CpuTime { killed: false }),
            "{code}: {error:?}"
        );
        assert_eq!(error.code(), "ERR_EXEC_TIMEOUT");
        assert_eq!(eval(&mut cell, "'usable'"), Value::from("usable"));
    }
}

#[test]
fn a_run_without_any_limit_of_time_does_not_begin() {
    let mut cell = cell();
    let error = fail(&mut cell, Program::new("1").timeout(None));
    assert!(matches!(error, CellError::State(_)), "{error:?}");
    assert_eq!(eval(&mut cell, "1"), Value::from(1));
}

#[test]
fn a_cell_that_waits_for_a_timer_is_at_rest() {
    for clock in [Clock::Off, Clock::Real] {
        let options = || with_timers(clock);
        let mut cell = engine().cell(options()).unwrap();
        let code = "await new Promise((done) => setTimeout(done, 40, 'slept'))";
        cell.start(code).unwrap();
        while !matches!(block_on(cell.step()).unwrap(), Progress::Waiting) {}
        let bytes = cell.snapshot().unwrap();
        let twin = cell.fork().unwrap();
        let restored = engine().restore(&bytes, options()).unwrap();
        for mut one in [cell, twin, restored] {
            let outcome = block_on(one.complete()).unwrap();
            assert_eq!(outcome.value, Value::from("slept"));
        }
        // Who restores it does not grant what it waits for.
        let mut without = engine().restore(&bytes, CellOptions::default()).unwrap();
        let error = block_on(without.complete()).unwrap_err();
        assert!(matches!(error, CellError::Stalled), "{error:?}");
        // Or has a clock in which nobody waits.
        let fixed = with_timers(Clock::Fixed(0.0));
        let mut fixed = engine().restore(&bytes, fixed).unwrap();
        assert_eq!(
            block_on(fixed.complete()).unwrap().value,
            Value::from("slept")
        );
    }
}
