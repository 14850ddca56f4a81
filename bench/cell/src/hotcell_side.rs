//! The operations on hotcell.

use std::time::{Duration, Instant};

use hotcell::{
    Value,
    cell::{Cell, CellError, CellOptions, Engine, EngineOptions, Program, Tool},
};

use bench_measure::{median, pss, seconds};

pub(crate) const ENDLESS: [(&str, &str); 3] = [
    ("`while (true) {}`", "while (true) {}"),
    (
        "a catastrophic regular expression",
        "/(a+)+$/.test('a'.repeat(40) + 'b')",
    ),
    (
        "a native loop (typed array sort)",
        "const t = new Float64Array(2e5).map((_, i) => Math.sin(i)); while (true) t.slice().sort()",
    ),
];

pub(crate) fn engine() -> Engine {
    Engine::new().unwrap()
}

pub(crate) fn first_result() {
    let engine = Engine::with_options(&EngineOptions::default().max_cells(16)).unwrap();
    let mut cell = cell(&engine);
    println!("{:?}", run(&mut cell, "1+1"));
}

fn cell(engine: &Engine) -> Cell {
    engine.cell(CellOptions::default()).unwrap()
}

fn run(cell: &mut Cell, code: &str) -> Value {
    pollster::block_on(cell.evaluate(Program::new(code).timeout(Duration::from_mins(1))))
        .unwrap()
        .value
}

pub(crate) fn create_run_drop(engine: &Engine) {
    assert_eq!(run(&mut cell(engine), "1+1"), Value::from(2));
}

pub(crate) fn evaluate(engine: &Engine) -> impl FnMut() {
    let mut cell = cell(engine);
    move || assert_eq!(run(&mut cell, "1+1"), Value::from(2))
}

/// µs per call: a loop with calls less the same loop without.
fn per_call(cell: &mut Cell, with: &str, without: &str) -> f64 {
    let full = seconds(|| run(cell, with));
    let empty = seconds(|| run(cell, without));
    (full - empty) * 1e6 / 100_000.0
}

pub(crate) fn sync_calls(engine: &Engine) -> impl FnMut() -> f64 {
    let mut cell = cell(engine);
    cell.define_tool("tool", Tool::sync(|call| Ok(call.argument(0).clone())))
        .unwrap();
    move || {
        per_call(
            &mut cell,
            "{ let s = 0; for (let i = 0; i < 100000; i++) s += tool(i); s }",
            "{ let s = 0; for (let i = 0; i < 100000; i++) s += i; s }",
        )
    }
}

pub(crate) fn async_calls(engine: &Engine) -> impl FnMut() -> f64 {
    let mut cell = cell(engine);
    cell.define_tool(
        "tool",
        Tool::asynchronous(|call| async move { Ok(call.argument(0).clone()) }),
    )
    .unwrap();
    move || {
        per_call(
            &mut cell,
            "{ let s = 0; for (let i = 0; i < 100000; i++) s += await tool(i); s }",
            "{ let s = 0; for (let i = 0; i < 100000; i++) s += i; s }",
        )
    }
}

pub(crate) fn loop_iterations(engine: &Engine) -> impl FnMut() -> f64 {
    let mut cell = cell(engine);
    move || {
        seconds(|| {
            run(
                &mut cell,
                "{ let s = 0; for (let i = 0; i < 1000000; i++) { s = (s + i) | 0 } s }",
            )
        }) * 1e6
            / 1e6
    }
}

/// Median ms by which a run outlives its deadline.
pub(crate) fn kill(engine: &Engine, code: &str) -> f64 {
    const DEADLINE: Duration = Duration::from_millis(50);
    let times = (0..40).map(|_| {
        let mut cell = cell(engine);
        let began = Instant::now();
        let result = pollster::block_on(cell.evaluate(Program::new(code).timeout(DEADLINE)));
        assert!(matches!(result, Err(CellError::Deadline { .. })));
        began.elapsed().saturating_sub(DEADLINE).as_secs_f64() * 1e3
    });
    median(times.collect())
}

const SMALL_STATE: &str = "let n = 1; const list = [1, 2, 3]; const user = { name: 'Ada', tags: new Set(['a']) }; function f(x) { return x + n }";

fn small(engine: &Engine) -> Cell {
    let mut cell = cell(engine);
    run(&mut cell, SMALL_STATE);
    cell
}

pub(crate) fn fork(engine: &Engine) -> f64 {
    let mut cell = small(engine);
    let times = (0..500).map(|_| {
        let mut twin = None;
        let took = seconds(|| twin = Some(cell.fork().unwrap())) * 1e6;
        drop(twin);
        took
    });
    median(times.collect())
}

pub(crate) fn snapshot(engine: &Engine) -> f64 {
    let mut cell = small(engine);
    median(
        (0..200)
            .map(|_| seconds(|| cell.snapshot().unwrap()) * 1e6)
            .collect(),
    )
}

pub(crate) fn restore(engine: &Engine) -> f64 {
    let bytes = small(engine).snapshot().unwrap();
    median(
        (0..200)
            .map(|_| seconds(|| engine.restore(&bytes, CellOptions::default()).unwrap()) * 1e6)
            .collect(),
    )
}

#[expect(clippy::cast_precision_loss, reason = "kilobytes")]
pub(crate) fn snapshot_size(engine: &Engine) -> f64 {
    small(engine).snapshot().unwrap().len() as f64 / 1024.0
}

pub(crate) fn memory_per_cell(engine: &Engine, count: u32) -> f64 {
    let before = pss();
    let cells: Vec<Cell> = (0..count).map(|_| small(engine)).collect();
    let after = pss();
    drop(cells);
    (after - before) / f64::from(count)
}

/// Seconds until ten thousand cells have each answered, and KiB per cell.
pub(crate) fn ten_thousand(engine: &Engine) -> (f64, f64) {
    let before = pss();
    let mut cells = Vec::new();
    let took = seconds(|| {
        for i in 0..10_000u32 {
            let mut cell = cell(engine);
            run(&mut cell, &format!("let mine = {i}"));
            cells.push(cell);
        }
        for (i, cell) in (0..10_000u32).zip(&mut cells) {
            assert_eq!(run(cell, "mine"), Value::from(i));
        }
    });
    (took, (pss() - before) / 10_000.0)
}
