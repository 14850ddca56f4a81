//! The library inside against what Node and the standards say. The cases are in `tests/data`; its README tells how they
//! were made.

use std::{
    fmt::Write,
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use hotcell_cell::{CellOptions, Clock, Value};
use serde_json::Value as Json;

use crate::support::{engine, eval};

fn cases(file: &str) -> Vec<Json> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(file);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// What code printed, as (level, text), run with a clock unless the case says otherwise.
fn printed(case: &Json, code: &str) -> Result<Vec<(String, String)>, String> {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&lines);
    let clock = if case["clock"] == "off" {
        Clock::Off
    } else {
        Clock::Real
    };
    let options = CellOptions::default().clock(clock).on_console(move |line| {
        sink.lock()
            .unwrap()
            .push((line.level.as_str().to_owned(), line.text.to_owned()));
    });
    let mut cell = engine().cell(options).unwrap();
    pollster::block_on(cell.evaluate(code)).map_err(|error| error.to_string())?;
    drop(cell);
    let lines = lines.lock().unwrap();
    let is_frames = case["frames"] == true;
    Ok(lines
        .iter()
        .map(|(level, text)| {
            (
                level.clone(),
                if is_frames {
                    fold_frames(text)
                } else {
                    text.clone()
                },
            )
        })
        .collect())
}

/// Every run of stack frames as one line `at <frames>`: stacks differ between engines.
fn fold_frames(text: &str) -> String {
    let is_frame = |line: &str| {
        let line = line.trim_end_matches([' ', '{', ']', '}', ',']);
        line.trim_start().starts_with("at ")
            && line.starts_with(' ')
            && (line.ends_with("native)")
                || line.ends_with("<anonymous>")
                || line
                    .trim_end_matches(')')
                    .rsplit(':')
                    .next()
                    .is_some_and(|n| n.parse::<u32>().is_ok()))
    };
    let mut folded = String::new();
    let mut in_frames = false;
    for (index, line) in text.split('\n').enumerate() {
        if is_frame(line) {
            if !in_frames {
                let indent = &line[..line.len() - line.trim_start().len()];
                write!(folded, "\n{indent}at <frames>").unwrap();
            }
            let rest = line.trim_end_matches([' ', '{', ']', '}', ',']).len();
            folded.push_str(&line[rest..]);
            in_frames = line.len() == rest;
        } else {
            if index > 0 {
                folded.push('\n');
            }
            folded.push_str(line);
            in_frames = false;
        }
    }
    folded
}

/// Fails with a list of what differs.
fn check(file: &str, mut run: impl FnMut(&Json) -> Result<(), String>) {
    let cases = cases(file);
    assert!(!cases.is_empty());
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            run(case)
                .err()
                .map(|error| format!("{}\n    {error}", case["code"]))
        })
        .collect();
    let some = failures
        .iter()
        .take(20)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join("\n");
    assert!(
        failures.is_empty(),
        "{} of {} cases of {file} differ:\n{some}",
        failures.len(),
        cases.len()
    );
}

fn check_inspect(file: &str) {
    check(file, |case| {
        let code = case["code"].as_str().unwrap();
        let options = if case["options"].is_null() {
            "undefined".to_owned()
        } else {
            case["options"].to_string()
        };
        let lines = printed(case, &format!("console.dir((\n{code}\n), {options})"))?;
        let expected = case["expected"].as_str().unwrap();
        match lines.as_slice() {
            [(_, text)] if text == expected => Ok(()),
            other => Err(format!("expected {expected:?}\n         got {other:?}")),
        }
    });
}

fn check_console(file: &str) {
    check(file, |case| {
        let code = case["code"].as_str().unwrap();
        let lines = printed(case, &format!("{{\n{code}\n}}"))?;
        let expected: Vec<(String, String)> =
            serde_json::from_value(case["expected"].clone()).unwrap();
        if lines == expected {
            Ok(())
        } else {
            Err(format!("expected {expected:?}\n         got {lines:?}"))
        }
    });
}

fn check_expressions(file: &str) {
    check(file, |case| {
        let code = case["code"].as_str().unwrap();
        let mut cell = engine().cell(CellOptions::default()).unwrap();
        let program = format!("JSON.stringify((\n{code}\n)) ?? 'null'");
        let outcome = pollster::block_on(cell.evaluate(program.as_str()))
            .map_err(|error| error.to_string())?;
        let got: Json = serde_json::from_str(outcome.value.as_str().unwrap_or("null"))
            .map_err(|e| e.to_string())?;
        if got == case["expected"] {
            Ok(())
        } else {
            Err(format!("expected {}\n         got {got}", case["expected"]))
        }
    });
}

#[test]
fn values_print_as_node_prints_them() {
    check_inspect("inspect.json");
}

#[test]
fn values_print_safely_where_node_would_not() {
    check_inspect("inspect-own.json");
}

#[test]
fn the_console_prints_as_nodes_does() {
    check_console("console.json");
}

#[test]
fn the_console_has_its_own_ways_where_node_has_none() {
    check_console("console-own.json");
}

#[test]
fn urls_are_those_of_the_standard() {
    check_expressions("url.json");
}

#[test]
fn encodings_are_those_of_the_standard() {
    check_expressions("encoding.json");
}

#[test]
fn intl_formats_as_node_does_for_en_us() {
    check_expressions("intl.json");
}

#[test]
fn what_the_library_does_not_support_it_says() {
    check_expressions("web-decisions.json");
}

#[test]
fn printing_has_no_power_over_the_library() {
    let mut cell = engine().cell(CellOptions::default()).unwrap();
    // Everything global is gone or changed; printing and URLs still work.
    eval(
        &mut cell,
        "for (const name of Object.getOwnPropertyNames(globalThis)) { if (!['globalThis', 'console', 'URL', 'undefined', 'NaN', 'Infinity'].includes(name)) { try { delete globalThis[name] } catch {} } }",
    );
    eval(&mut cell, "console.log({ a: [1, 'x'] })");
    assert_eq!(
        eval(&mut cell, "new URL('../b', 'https://x.org/a/c').href"),
        Value::from("https://x.org/b")
    );
}
