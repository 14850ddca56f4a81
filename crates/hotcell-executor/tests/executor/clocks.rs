//! Two clocks: what a run takes, and what it computes.

use std::time::{Duration, Instant};

use hotcell_cell::{Timers, Tool, Value};
use hotcell_executor::{
    AgentTool, Answer, ErrorCode, Executor, ExecutorOptions, Run, Started, State,
};
use pollster::block_on;
use serde_json::json;

use crate::support::{fail, ready, rules, sleep_tool, value};

/// Only computing is limited.
fn free_waits(cpu_ms: u64) -> ExecutorOptions {
    crate::options()
        .timeout(None)
        .cpu_time(Duration::from_millis(cpu_ms))
        .max_operations(1 << 50)
        .timers(Timers::On)
}

#[test]
fn computing_is_limited_by_its_own_clock() {
    let executor = ready(free_waits(30));
    for code in [
        "for (;;) {}",
        "try { for (;;) {} } catch {} finally { for (;;) {} }",
        "/(a+)+$/.test('a'.repeat(40) + 'b')",
        "const spin = async () => { for (;;) await null }; await spin()",
    ] {
        let error = fail(&executor, code);
        assert_eq!(error.code, ErrorCode::ExecTimeout, "{code}");
        assert_eq!(
            error.message, "Execution timed out after 30ms of computing",
            "{code}"
        );
        assert_eq!(error.details["limit"], "cpuTimeMs");
        assert_eq!(error.details["cpuTimeMs"], 30.0);
        assert!(error.hint().unwrap().contains("cpuTimeMs"));
        assert_eq!(executor.state(), State::Dirty);
        block_on(executor.recover()).unwrap();
    }
}

#[test]
fn waiting_for_tools_and_timers_is_not_computing() {
    let executor = ready(free_waits(100));
    block_on(executor.send_tools([("sleepTool", sleep_tool())])).unwrap();
    let code = "for (let i = 0; i < 5; i++) {
        await sleepTool(60);
        await new Promise((done) => setTimeout(done, 20));
    }
    'awake'";
    let began = Instant::now();
    let output = block_on(executor.run(code)).unwrap();
    assert_eq!(output.output, Value::from("awake"));
    assert!(began.elapsed() >= Duration::from_millis(400));
    assert!(output.stats.cpu < Duration::from_millis(100));
}

#[test]
fn what_a_synchronous_tool_takes_is_computing() {
    let executor = ready(free_waits(30));
    let slow = Tool::sync(|_| {
        std::thread::sleep(Duration::from_millis(100));
        Ok(Value::Undefined)
    });
    block_on(executor.send_tools([("slow", slow)])).unwrap();
    let error = fail(&executor, "slow(); 'not reached'");
    assert_eq!(error.details["limit"], "cpuTimeMs");
}

#[test]
fn whichever_time_is_over_first_ends_the_run() {
    let both = |timeout, cpu| {
        crate::options()
            .timeout(Duration::from_millis(timeout))
            .cpu_time(Duration::from_millis(cpu))
            .max_operations(1 << 50)
    };
    let error = fail(&ready(both(30, 60_000)), "for (;;) {}");
    assert_eq!(error.message, "Execution timed out after 30ms");
    assert_eq!(error.details["limit"], "timeoutMs");
    let error = fail(&ready(both(60_000, 30)), "for (;;) {}");
    assert_eq!(error.details["limit"], "cpuTimeMs");
}

#[test]
fn a_run_can_have_times_of_its_own() {
    let executor = ready(crate::options().max_operations(1 << 50));
    block_on(executor.send_tools([("sleepTool", sleep_tool())])).unwrap();
    let endless = || Run::new("for (;;) {}");
    let error = block_on(executor.run(endless().cpu_time(Duration::from_millis(20))));
    assert_eq!(error.unwrap_err().details["limit"], "cpuTimeMs");
    block_on(executor.recover()).unwrap();
    let error = block_on(executor.run(endless().timeout(Duration::from_millis(20))));
    assert_eq!(error.unwrap_err().details["limit"], "timeoutMs");
    block_on(executor.recover()).unwrap();
    // As long as it likes, for both: that of the executor is ten seconds.
    let waits = Run::new("await sleepTool(30); 1").timeout(None);
    let waits = waits.cpu_time(Duration::from_secs(5));
    assert_eq!(
        block_on(executor.run(waits)).unwrap().output,
        Value::from(1)
    );
    // Without a limit of its computing that does not count.
    let run = endless().timeout(None);
    let options = crate::options().timeout(Duration::from_millis(20));
    let error = block_on(ready(options.max_operations(1 << 50)).run(run)).unwrap_err();
    assert_eq!(error.details["limit"], "timeoutMs");
}

#[test]
fn no_timeout_needs_a_limit_of_computing() {
    let executor = ready(crate::options().timeout(None));
    assert_eq!(rules(&fail(&executor, "1")), ["timeout_valid"]);
}

#[test]
fn null_is_no_timeout_beside_a_limit_of_computing() {
    let options = |json| ExecutorOptions::from_json(&json).unwrap().to_json();
    let both = options(json!({ "timeoutMs": null, "cpuTimeMs": 250 }));
    assert_eq!(both["timeoutMs"], json!(null));
    assert_eq!(both["cpuTimeMs"], 250);
    assert_eq!(options(json!({ "timeoutMs": null }))["timeoutMs"], 10_000);
    let only = options(json!({ "cpuTimeMs": 1.5 }));
    assert_eq!(
        (&only["timeoutMs"], &only["cpuTimeMs"]),
        (&json!(10_000), &json!(1.5))
    );
    let wrong = ExecutorOptions::from_json(&json!({ "cpuTimeMs": 0 })).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "option cpuTimeMs is 0: it must be a number of at least 1"
    );
}

/// Computes for some milliseconds, and tells nobody.
const SOME_WORK: &str = "const work = () => { for (let i = 0; i < 400_000; i++) Math.sqrt(i) };";

#[test]
fn what_is_left_of_the_times_goes_along_with_a_suspended_run() {
    let options = || free_waits(150);
    let executor = ready(options());
    block_on(executor.send_tools([("ask", AgentTool::suspending())])).unwrap();
    // Each part takes less than the limit, all together more.
    let code =
        format!("{SOME_WORK} for (;;) {{ for (let i = 0; i < 4; i++) work(); await ask(); }}");
    let mut executor = executor;
    let mut started = block_on(executor.start(&*code));
    let mut parts = 0;
    let error = loop {
        match started {
            Started::Suspended(suspension) => {
                parts += 1;
                assert!(parts < 1000, "nothing ends it");
                // Elsewhere, every time.
                let bytes = block_on(executor.snapshot()).unwrap();
                executor = Executor::restore(&bytes, Some(options())).unwrap();
                let answer = (suspension.calls[0].id.clone(), Answer::Value(0.into()));
                started = block_on(executor.resume([answer])).unwrap();
            }
            Started::Complete(execution) => break execution.error.unwrap(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(error.details["limit"], "cpuTimeMs");
}

#[test]
fn reading_code_is_on_the_clock_of_computing() {
    // Some seconds of work for the parser, in a debug build more.
    let code = "[".repeat(400) + &"1,".repeat(500_000) + &"]".repeat(400);
    let executor = ready(free_waits(1));
    let error = fail(&executor, &code);
    assert_eq!(error.details["limit"], "cpuTimeMs");
    assert_eq!(error.details["recoverable"], true);
    block_on(executor.recover()).unwrap();
    assert_eq!(value(&ready(free_waits(10_000)), "1"), Value::from(1));
}
