//! What code prints, and how much of it is kept.

use std::sync::{Arc, Mutex};

use hotcell_cell::{Level, Value};

use crate::support::{executor, ready, run};

#[test]
fn lines_are_joined_in_order() {
    let output = run(
        &executor(),
        "console.log('a', 1); console.info({ b: 2 }); console.warn(); console.error(new Map([[1, 2]])); 0",
    );
    assert_eq!(output.logs, "a 1\n{ b: 2 }\n\nMap(1) { 1 => 2 }");
    let levels: Vec<_> = output.entries.iter().map(|entry| entry.level).collect();
    assert_eq!(levels, [Level::Log, Level::Info, Level::Warn, Level::Error]);
    let entry = serde_json::to_value(&output.entries[0]).unwrap();
    assert_eq!(entry["level"], "log");
    assert_eq!(entry["message"], "a 1");
    let ts = entry["ts"].as_str().unwrap();
    assert!(
        ts.len() == 24 && ts.ends_with('Z') && ts.as_bytes()[10] == b'T',
        "{ts}"
    );
}

#[test]
fn every_run_begins_with_an_empty_page() {
    let executor = executor();
    assert_eq!(run(&executor, "console.log(1)").logs, "1");
    assert_eq!(run(&executor, "2").logs, "");
}

#[test]
fn it_prints_as_node_does() {
    let output = run(
        &executor(),
        "class Point { constructor() { this.x = 1; this.self = this } }
         console.log(new Point(), [1, , 'two', [3, [4, [5, [6]]]]], new Set(['a']), null, undefined, -0, 10n, Symbol('s'));
         console.log('%s is %d years, %i, %f, %j %o %O %c%%', 'Ada', 36.5, 36.5, '1.5', { a: 1 }, [1], { b: 2 }, 'css', 'rest');",
    );
    assert_eq!(
        output.logs,
        "<ref *1> Point { x: 1, self: [Circular *1] } [ 1, <1 empty item>, 'two', [ 3, [ 4, [Array] ] ] ] \
         Set(1) { 'a' } null undefined -0 10n Symbol(s)\n\
         Ada is 36.5 years, 36, 1.5, {\"a\":1} [ 1, [length]: 1 ] { b: 2 } % rest"
    );
}

#[test]
fn what_is_too_much_is_cut_at_a_character() {
    let executor = ready(crate::options().max_log_bytes(1024));
    let output = run(
        &executor,
        "console.log('é'.repeat(600)); console.log('more')",
    );
    assert_eq!(output.logs, format!("{}...[TRUNCATED]", "é".repeat(512)));
    assert_eq!(output.entries.len(), 1);

    let output = run(
        &executor,
        "console.log('a'); console.log('é'.repeat(600)); console.log('more')",
    );
    assert_eq!(output.logs, format!("a\n{}...[TRUNCATED]", "é".repeat(511)));

    let output = run(
        &executor,
        "for (let i = 0; i < 2000; i++) console.log('x'.repeat(9))",
    );
    assert!(output.logs.ends_with("...[TRUNCATED]"));
    assert_eq!(output.logs.len(), 1024 + "...[TRUNCATED]".len());
}

#[test]
fn what_just_fits_is_not_cut() {
    let executor = ready(crate::options().max_log_bytes(1024));
    let output = run(&executor, "console.log('x'.repeat(1022)); console.log('y')");
    assert_eq!(output.logs.len(), 1024);
    assert!(!output.logs.contains("TRUNCATED"));
    let output = run(&executor, "console.log('x'.repeat(1023)); console.log('y')");
    assert!(
        output.logs.ends_with("x\n...[TRUNCATED]"),
        "{}",
        output.logs
    );
}

#[test]
fn levels_can_be_left_out() {
    let executor = ready(crate::options().collect_console_levels([Level::Warn, Level::Error]));
    let output = run(
        &executor,
        "console.log(1); console.info(2); console.warn(3); console.error(4)",
    );
    assert_eq!(output.logs, "3\n4");
}

#[test]
fn lines_can_be_had_as_they_come() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let options = crate::options().on_log(move |entry| {
        log.lock().unwrap().push(entry.message.clone());
    });
    let executor = ready(options);
    run(&executor, "console.log('a'); console.error('b')");
    assert_eq!(*seen.lock().unwrap(), ["a", "b"]);
}

#[test]
fn printing_runs_no_code_of_what_is_printed() {
    let output = run(
        &executor(),
        "let ran = 0;
         console.log({ get x() { ran++ } }, new Proxy({}, { get() { ran++ }, ownKeys() { ran++; return [] } }),
                     { toString() { ran++; return 'no' } });
         ran",
    );
    assert_eq!(output.output, Value::from(0));
}
