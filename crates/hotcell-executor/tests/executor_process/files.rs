//! File tools run in the worker, on files that stay here.

use hotcell_cell::Value;
use hotcell_executor::{Executor, Files, file_tools};
use pollster::block_on;

use crate::support::{executor, run, value};

fn with_files() -> (Executor, Files) {
    let executor = executor();
    let files = Files::memory();
    block_on(executor.enable_files(&files)).unwrap();
    (executor, files)
}

#[test]
fn what_code_writes_is_here() {
    let (executor, files) = with_files();
    run(&executor, "await writeText('a/b.txt', 'one\\ntwo\\n')");
    assert_eq!(
        files.tools().read_text("a/b.txt").as_deref(),
        Ok("one\ntwo\n")
    );
    let found = value(&executor, "JSON.stringify(await grep({ pattern: 'tw.' }))");
    assert!(found.as_str().unwrap().contains("two"), "{found:?}");
    run(&executor, "await edit('a/b.txt', 'two', 'three')");
    assert_eq!(
        files.tools().read_text("a/b.txt").as_deref(),
        Ok("one\nthree\n")
    );
}

#[test]
fn large_files_go_over_whole() {
    let (executor, files) = with_files();
    files.tools().write_text("in", "x".repeat(5 << 20)).unwrap();
    let length = value(&executor, "(await readText('in')).length");
    assert_eq!(length, Value::from(f64::from(5 << 20)));
}

#[test]
fn other_files_stay_here_with_their_tools() {
    let (executor, _files) = with_files();
    let others = Files::memory();
    let tools = file_tools(&others).into_iter();
    let tools = tools.map(|(name, tool)| (format!("other_{name}"), tool));
    block_on(executor.send_tools(tools)).unwrap();
    run(
        &executor,
        "await writeText('f', 'mine'); await other_writeText('f', 'theirs')",
    );
    assert_eq!(others.tools().read_text("f").as_deref(), Ok("theirs"));
    assert_eq!(value(&executor, "readText('f')"), Value::from("mine"));
}

#[test]
fn a_fork_has_files_of_its_own() {
    let (executor, files) = with_files();
    run(
        &executor,
        "await writeText('f', 'before'); globalThis.count = 1",
    );
    let twin = block_on(executor.fork()).unwrap();
    run(&twin, "await writeText('f', 'twin'); count += 1");
    assert_eq!(files.tools().read_text("f").as_deref(), Ok("before"));
    assert_eq!(
        value(&executor, "[await readText('f'), count]").at(1),
        Some(&Value::from(1))
    );
    assert_eq!(value(&twin, "count"), Value::from(2));
}
