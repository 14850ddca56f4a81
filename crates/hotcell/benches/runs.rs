//! Runs that wait, and events: suspended, kept, loaded, resumed; beside pydantic-monty, in turns in one run.
//!
//! Prints one JSON object; `cargo xtask bench runs` turns it into the table in `bench/RESULTS.md`. `HOTCELL_MONTY` names the command
//! that measures the other side, see `bench/runs/monty.py`.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a program for developers"
)]

use std::{process::Command, time::Instant};

use hotcell::{AgentTool, Answer, Executor, ExecutorOptions, Started, Value};
use pollster::block_on;
use serde_json::{Value as Json, json};

const TIMES: usize = 300;
const ROUNDS: usize = 5;
const CODE: &str = "const n = await ask('?'); n + 1";

fn executor(options: ExecutorOptions) -> Executor {
    let executor = Executor::new(options);
    block_on(executor.init()).unwrap();
    let add = AgentTool::sync(|call| Ok(call.argument(0).clone()));
    block_on(executor.send_tools([("ask", AgentTool::suspending()), ("add", add)])).unwrap();
    executor
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

/// Median microseconds of one call.
fn micros<T>(mut work: impl FnMut() -> T, mut after: impl FnMut(T)) -> f64 {
    let samples = (0..TIMES).map(|_| {
        let began = Instant::now();
        let result = work();
        let took = began.elapsed().as_secs_f64() * 1e6;
        after(result);
        took
    });
    median(samples.collect())
}

fn suspend(executor: &Executor) -> Vec<u8> {
    match block_on(executor.start(CODE)) {
        Started::Suspended(_) => block_on(executor.snapshot()).unwrap(),
        other => panic!("{other:?}"),
    }
}

fn resume(executor: &Executor) {
    let waiting = block_on(executor.suspension()).unwrap();
    let answer = [(waiting.calls[0].id.clone(), Answer::Value(Value::from(41)))];
    match block_on(executor.resume(answer)).unwrap() {
        Started::Complete(execution) => assert_eq!(execution.output, Value::from(42)),
        other => panic!("{other:?}"),
    }
}

/// What the other side measures of the same; nothing if it is not there.
fn monty() -> Json {
    let Ok(command) = std::env::var("HOTCELL_MONTY") else {
        return Json::Null;
    };
    let output = Command::new("sh").args(["-c", &command]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// Microseconds for each line that is printed.
fn per_line(executor: &Executor) -> f64 {
    const LINES: f64 = 1000.0;
    let code = "for (let i = 0; i < 1000; i++) console.log('a line')";
    let run = || block_on(executor.run(code)).unwrap();
    micros(run, drop) / LINES
}

fn main() {
    // Cargo asks whether there are tests in here.
    if std::env::args().any(|argument| argument == "--list" || argument == "--test") {
        return;
    }
    let live = executor(ExecutorOptions::default());
    let watched = executor(ExecutorOptions::default());
    let mut events = watched.events().max_unread(4000, 1 << 22);
    let heard = executor(ExecutorOptions::default().on_event(|_| {}));
    let mut rounds: Vec<[f64; 9]> = Vec::new();
    let mut size = 0;
    for _ in 0..ROUNDS {
        let suspending = micros(|| suspend(&live), |_| block_on(live.abandon()).unwrap());
        let bytes = suspend(&live);
        size = bytes.len();
        let resuming = micros(
            || {
                let restored = Executor::restore(&bytes, None).unwrap();
                resume(&restored);
                restored
            },
            drop,
        );
        block_on(live.abandon()).unwrap();
        let plain = per_line(&live);
        let read = {
            let run = || {
                block_on(watched.run("for (let i = 0; i < 1000; i++) console.log('a line')"))
                    .unwrap();
                std::iter::from_fn(|| events.next_now()).count()
            };
            micros(run, |count| assert_eq!(count, 1002)) / 1000.0
        };
        let told = per_line(&heard);
        let run = micros(|| block_on(live.run("1 + 1")).unwrap(), drop);
        let call = micros(|| block_on(live.run("add(1)")).unwrap(), drop);
        let other = monty();
        let of = |name: &str| other[name].as_f64().unwrap_or(f64::NAN);
        rounds.push([
            suspending,
            resuming,
            read - plain,
            told - plain,
            run,
            call,
            of("suspend"),
            of("resume"),
            of("bytes"),
        ]);
    }
    print_report(&rounds, size);
}

fn print_report(rounds: &[[f64; 9]], size: usize) {
    let column = |index: usize| median(rounds.iter().map(|round| round[index]).collect());
    let known = |number: f64| number.is_finite().then_some(number);
    #[expect(clippy::cast_precision_loss, reason = "some thousand bytes")]
    let size = size as f64;
    let row = |name: &str, hotcell: f64, unit: &str, beside: Option<f64>, bar: Option<f64>| json!({"name": name, "hotcell": hotcell, "unit": unit, "beside": beside, "bar": bar});
    let rows = [
        row(
            "start until suspended, snapshot",
            column(0),
            "µs",
            known(column(6)),
            Some(1500.0),
        ),
        row(
            "restore, resume to the end",
            column(1),
            "µs",
            known(column(7)),
            Some(600.0),
        ),
        row(
            "size of the snapshot",
            size,
            "bytes",
            known(column(8)),
            Some(100_000.0),
        ),
        row(
            "an event, taken from the stream",
            column(2),
            "µs",
            None,
            Some(2.0),
        ),
        row("an event, to a callback", column(3), "µs", None, Some(2.0)),
        row(
            "`run` of `1 + 1`, nobody watching",
            column(4),
            "µs",
            None,
            None,
        ),
        row(
            "`run` with one synchronous call, nobody watching",
            column(5),
            "µs",
            None,
            None,
        ),
    ];
    let machine = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let machine = machine
        .lines()
        .find_map(|line| line.strip_prefix("model name\t: "));
    let report = json!({
        "machine": machine.unwrap_or("unknown"),
        "beside": "pydantic-monty",
        "rows": rows,
        "peers": [],
    });
    println!("{report}");
}
