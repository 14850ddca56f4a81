//! Deep recursion: an error in time, wherever it happens, and the memory it took comes back.

use hotcell_cell::{Cell, CellOptions, Engine, EngineOptions, Tool, Value};

use crate::support::{cell, engine, eval, thrown};

/// Does `what` at call depth `depth`, and says what comes of it.
fn at_depth(depth: u32, what: &str) -> String {
    format!(
        "const down = n => n ? down(n - 1) : {what}; try {{ typeof down({depth}) }} catch (e) {{ e.name }}"
    )
}

/// A value this deep, made without recursion.
fn nested(levels: u32) -> String {
    format!(
        "(() => {{ let v = 1; for (let i = 0; i < {levels}; i++) v = i % 2 ? [v] : {{ v }}; return v }})()"
    )
}

fn with_echo() -> Cell {
    let mut cell = cell();
    cell.define_tools([
        ("echo", Tool::sync(|call| Ok(call.argument(0).clone()))),
        (
            "deep",
            Tool::sync(|_| Ok((0..998).fold(Value::Null, |value, _| Value::array([value])))),
        ),
        (
            "later",
            Tool::asynchronous(|call| async move { Ok(call.argument(0).clone()) }),
        ),
    ])
    .unwrap();
    cell
}

#[test]
fn a_deep_value_that_crosses_deep_in_the_stack_is_a_range_error() {
    let mut cell = with_echo();
    eval(
        &mut cell,
        format!("globalThis.value = {}", nested(998)).as_str(),
    );
    for what in [
        "echo(value)",
        "later(value)",
        "structuredClone(value)",
        "deep()",
    ] {
        for depth in [5_000, 9_000, 9_900, 9_980] {
            let code = at_depth(depth, what);
            let outcome = eval(&mut cell, code.as_str());
            let outcome = outcome.as_str().unwrap_or_default().to_owned();
            assert!(
                ["object", "RangeError"].contains(&outcome.as_str()),
                "{what} at {depth}: {outcome}"
            );
        }
    }
    assert_eq!(eval(&mut cell, "typeof echo(value)"), Value::from("object"));
}

#[test]
fn at_every_depth_there_is_an_answer_or_a_range_error() {
    // The depth at which there is no more room for a value depends on its own: all of them, around the end of the stack.
    let mut cell = with_echo();
    let code = format!(
        "globalThis.value = {}; const seen = new Set();
         const down = n => {{
            if (n % 7 === 0) try {{ seen.add(typeof echo(value)) }} catch (e) {{ seen.add(e.name) }}
            down(n + 1);
         }};
         try {{ down(9_000) }} catch (e) {{ seen.add('end: ' + e.name) }}
         [...seen].sort().join()",
        nested(998)
    );
    let outcome = eval(&mut cell, code.as_str());
    let outcome = outcome.as_str().unwrap_or_default();
    assert!(
        outcome.starts_with("RangeError,end: RangeError"),
        "{outcome}"
    );
}

#[test]
fn a_deep_exception_leaves_the_cell_alive() {
    let mut cell = with_echo();
    let code = format!(
        "const down = n => {{ if (n) down(n - 1); throw Object.assign(new Error('deep'), {{ value: {} }}) }}; down(9_900)",
        nested(900)
    );
    thrown(&mut cell, code.as_str());
    assert_eq!(eval(&mut cell, "1"), Value::from(1));
}

const DEEP: &str = "const down = n => n ? down(n - 1) + 1 : 0; down(9_900)";

#[test]
fn the_depth_of_a_run_shows_in_its_statistics() {
    let mut cell = cell();
    eval(&mut cell, "1 + 1");
    assert!(cell.stats().peak_stack_bytes < 64 << 10);
    let outcome = pollster::block_on(cell.evaluate(DEEP)).unwrap();
    assert_eq!(outcome.value, Value::from(9_900));
    assert!(
        outcome.stats.peak_stack_bytes > 1 << 20,
        "{}",
        outcome.stats.peak_stack_bytes
    );
    assert_eq!(
        cell.stats().peak_stack_bytes,
        outcome.stats.peak_stack_bytes
    );
}

/// Memory of this process that no file stands behind, in bytes.
#[cfg(target_os = "linux")]
fn anonymous_memory() -> usize {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap();
    let line = rollup
        .lines()
        .find_map(|line| line.strip_prefix("Anonymous:"))
        .unwrap();
    let kib: usize = line.trim().trim_end_matches(" kB").parse().unwrap();
    kib << 10
}

#[cfg(target_os = "linux")]
#[test]
fn a_cell_at_rest_keeps_no_deep_stack() {
    const CELLS: usize = 50;
    let engine = Engine::with_options(&EngineOptions::default().max_cells(256)).unwrap();
    let idle = |code: &str| {
        let before = anonymous_memory();
        let cells: Vec<Cell> = (0..CELLS)
            .map(|_| {
                let mut cell = engine.cell(CellOptions::default()).unwrap();
                eval(&mut cell, code);
                cell
            })
            .collect();
        let grown = anonymous_memory().saturating_sub(before) / CELLS;
        (cells, grown)
    };
    let (flat_cells, flat) = idle("9_900");
    let (deep_cells, deep) = idle(DEEP);
    // Both stacks of a deep cell come to several megabytes while it runs. What its code leaves on the heap stays.
    assert!(deep < flat + (512 << 10), "{flat} bytes each, or {deep}");
    // And a cell that waits, or failed, is at rest, too.
    let (failed_cells, failed) =
        idle("const down = n => down(n + 1) + 1; try { down(0) } catch (e) { e.name }");
    assert!(failed < flat + (1 << 20), "{flat} bytes each, or {failed}");
    drop((flat_cells, deep_cells, failed_cells));
}

#[test]
fn a_cell_that_gave_its_stack_back_recurses_again() {
    let mut cell = engine().cell(CellOptions::default()).unwrap();
    for _ in 0..3 {
        let code = format!("{{ {DEEP} }}");
        assert_eq!(eval(&mut cell, code.as_str()), Value::from(9_900));
        assert_eq!(
            eval(&mut cell, "[1, 2].map(x => x * 2).join()"),
            Value::from("2,4")
        );
    }
}

#[test]
fn cells_inside_of_cells_keep_their_stacks_apart() {
    // A tool runs another cell on the same thread, deeper than this one is, while this one is not at rest.
    let mut outer = cell();
    outer
        .define_tool(
            "inner",
            Tool::sync(|_| {
                let mut inner = cell();
                Ok(eval(&mut inner, DEEP))
            }),
        )
        .unwrap();
    let code = "const down = n => n ? down(n - 1) + 1 : inner(); [down(2_000), down(2_000)].join()";
    assert_eq!(eval(&mut outer, code), Value::from("11900,11900"));
    assert_eq!(eval(&mut outer, "down(10)"), Value::from(9_910));
}
