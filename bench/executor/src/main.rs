//! Measures the executor beside the same contract written on Node with SES (`bench/peers/ses`), in turns in one run.
//!
//! Prints one JSON object; `cargo xtask bench executor` turns it into the table in `bench/RESULTS.md`.

#![expect(clippy::unwrap_used, reason = "a program for developers")]

use std::{process::Command, time::Instant};

use bench_measure::{Report, Row, median};
use hotcell::{
    AgentTool, Executor, ExecutorOptions, Value,
    cell::{Cell, CellOptions, Engine, Program},
};
use pollster::block_on;
use serde_json::{Value as Json, json};

const ROUNDS: usize = 5;
const RUNS: usize = 1000;

/// Ten lines as a model writes them; the number makes the text new.
fn ten_lines(number: usize) -> String {
    format!(
        "const orders{number} = [\n\
         \x20 {{ id: 1, items: ['tea', 'cake'], total: 12.5 }},\n\
         \x20 {{ id: 2, items: ['coffee'], total: 3.2 }},\n\
         ];\n\
         let sum{number} = 0;\n\
         for (const order of orders{number}) {{\n\
         \x20 sum{number} += order.total;\n\
         }}\n\
         console.log(`sum: ${{sum{number}}}`);\n\
         sum{number} > 10 ? 'large' : 'small';"
    )
}

const LOOP: &str = "let s = 0; for (let i = 0; i < 10000000; i++) { s = (s + i) | 0 } s";

fn executor() -> Executor {
    let executor = Executor::new(ExecutorOptions::default());
    block_on(executor.init()).unwrap();
    let add = AgentTool::asynchronous(|call| async move {
        Ok(Value::from(call.argument(0).as_f64().unwrap_or(0.0) + 1.0))
    });
    block_on(executor.send_tools([("add", add)])).unwrap();
    executor
}

/// Median microseconds of one call.
fn micros(times: usize, mut work: impl FnMut(usize)) -> f64 {
    let samples = (0..times).map(|number| {
        let began = Instant::now();
        work(number);
        began.elapsed().as_secs_f64() * 1e6
    });
    median(samples.collect())
}

/// What Node measures of the same.
fn node() -> Json {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/ses.mjs");
    let output = Command::new("node").arg(script).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let reason = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_str(&text).unwrap_or_else(|_| json!({ "failed": reason }))
}

/// One round of ours, by the names that `ses.mjs` uses.
fn hotcell(round: usize) -> Json {
    let live = executor();
    let run = |code: &str| {
        block_on(live.run(code)).unwrap();
    };
    let base = (round + 1) * 1_000_000;
    let fresh_text = micros(RUNS, |number| run(&ten_lines(base + number)));
    let same = ten_lines(base);
    let same_text = micros(RUNS, |_| run(&same));
    let tool = micros(RUNS, |_| run("await add(1)"));
    let create = micros(200, |_| {
        let executor = Executor::new(ExecutorOptions::default());
        block_on(executor.init()).unwrap();
        block_on(executor.run("1 + 1")).unwrap();
        block_on(executor.cleanup()).unwrap();
    });
    json!({ "newText": fresh_text, "sameText": same_text, "tool": tool, "create": create })
}

/// Milliseconds of the long loop, counted and not, in turns.
fn loops() -> (f64, f64) {
    let engine = Engine::new().unwrap();
    let cell = |count: bool| {
        engine
            .cell(CellOptions::default().count_operations(count))
            .unwrap()
    };
    let time = |cell: &mut Cell| {
        let began = Instant::now();
        block_on(cell.evaluate(Program::new(LOOP))).unwrap();
        began.elapsed().as_secs_f64() * 1e3
    };
    let (mut counted, mut uncounted) = (Vec::new(), Vec::new());
    let (mut with, mut without) = (cell(true), cell(false));
    for _ in 0..7 {
        counted.push(time(&mut with));
        uncounted.push(time(&mut without));
    }
    (median(counted), median(uncounted))
}

fn main() {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    hotcell(ROUNDS);
    for round in 0..ROUNDS {
        ours.push(hotcell(round));
        theirs.push(node());
    }
    let (counted, uncounted) = loops();

    let of = |rounds: &[Json], key: &str| {
        let found = rounds.iter().filter_map(|round| round[key].as_f64());
        let found: Vec<f64> = found.collect();
        (!found.is_empty()).then(|| median(found))
    };
    let failed = theirs.iter().find_map(|round| round["failed"].as_str());
    let note = failed.map(|_| "not measured, see above".to_owned());
    if let Some(reason) = failed {
        eprintln!("Node measured nothing: {reason}");
    }
    let mut report = Report::new("the contract on Node with SES");
    let mut add = |name: &str, unit: &str, bar: Option<f64>, hotcell: f64, beside: Option<f64>| {
        report.add(Row {
            name: name.into(),
            unit: unit.into(),
            bar,
            hotcell,
            beside,
            note: note.clone(),
            ..Row::default()
        });
    };
    for (name, key, bar) in [
        (
            "`run` of ten lines on a live executor, new text",
            "newText",
            Some(100.0),
        ),
        ("the same text again", "sameText", Some(40.0)),
        ("`run` with one asynchronous tool call", "tool", None),
        ("create, `1 + 1`, clean up", "create", None),
    ] {
        let hotcell = of(&ours, key).unwrap_or(f64::NAN);
        add(name, "µs", bar, hotcell, of(&theirs, key));
    }
    let (guarded, free) = (of(&theirs, "loopGuarded"), of(&theirs, "loop"));
    add("loop of 10 million, counted", "ms", None, counted, guarded);
    add("the same, not counted", "ms", None, uncounted, free);
    let cost = guarded.zip(free).map(|(guarded, free)| guarded / free);
    add(
        "what counting costs",
        "×",
        Some(1.6),
        counted / uncounted,
        cost,
    );
    report.print();
}
