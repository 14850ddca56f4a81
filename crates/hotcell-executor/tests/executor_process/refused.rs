//! What does not go along to a worker process is refused with a reason; what goes along works as it does here.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hotcell_cell::{Clock, Timers, Value};
use hotcell_executor::{ErrorCode, Executor, ExecutorOptions, Run, State};
use hotcell_prepare::{Diagnostic, ProgramView, Rule};
use pollster::block_on;

use crate::support::{fail, options, ready, value};

fn refusal(options: ExecutorOptions) -> String {
    let executor = Executor::new(options);
    let error = block_on(executor.init()).unwrap_err();
    assert_eq!(error.code, ErrorCode::InitFailed);
    assert_eq!(executor.state(), State::Dead);
    error.message
}

#[test]
fn rules_of_the_host_are_refused_at_init() {
    struct Silence;
    impl Rule for Silence {
        fn name(&self) -> &'static str {
            "silence"
        }

        fn check(&self, _: &ProgramView<'_>) -> Vec<Diagnostic> {
            Vec::new()
        }
    }
    let message = refusal(options().rule(Arc::new(Silence)));
    assert!(message.contains("rules and transforms"), "{message}");
}

#[test]
fn without_a_timeout_a_worker_that_goes_its_own_way_is_killed_when_it_has_computed_too_long() {
    let endless = options().timeout(None).cpu_time(Duration::from_millis(100));
    let executor = ready(endless.max_operations(1 << 50));
    // Nothing looks at the time within this.
    let error = fail(&executor, "3n ** (2n ** 24n)");
    assert_eq!(error.code, ErrorCode::ExecTimeout);
    assert_eq!(error.details["limit"], "cpuTimeMs");
    assert_eq!(error.details["recoverable"], false);
    assert_eq!(executor.state(), State::Dirty);
    block_on(executor.cleanup()).unwrap();
    block_on(executor.init()).unwrap();
    assert_eq!(value(&executor, "1 + 1"), Value::from(2));
}

#[test]
fn computing_time_ends_a_run() {
    let most = options().max_operations(1 << 50);
    let executor = ready(most.clone().cpu_time(Duration::from_millis(30)));
    let error = fail(&executor, "for (;;) {}");
    assert_eq!(error.code, ErrorCode::ExecTimeout);
    assert_eq!(error.details["limit"], "cpuTimeMs");
    let executor = ready(most);
    let run = Run::new("for (;;) {}").cpu_time(Duration::from_millis(30));
    let error = block_on(executor.run(run)).unwrap_err();
    assert_eq!(error.details["limit"], "cpuTimeMs");
}

#[test]
fn timers_fire_and_waiting_is_not_computing() {
    let wait = "await new Promise((done) => setTimeout(done, 200, 7))";
    let real = options()
        .timers(Timers::On)
        .cpu_time(Duration::from_millis(150));
    let began = Instant::now();
    assert_eq!(value(&ready(real), wait), Value::from(7));
    assert!(began.elapsed() >= Duration::from_millis(190));
    let fixed = options().timers(Timers::On).clock(Clock::Fixed(0.0));
    assert_eq!(value(&ready(fixed), wait), Value::from(7));
    let persistent = ready(options().timers(Timers::Persistent));
    value(
        &persistent,
        "var fired = 0; setTimeout(() => { fired = 1; }, 1); 0",
    );
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(value(&persistent, "fired"), Value::from(1));
}
