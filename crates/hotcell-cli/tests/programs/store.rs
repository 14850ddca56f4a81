//! Adding, listing and removing programs.

use std::fs;

use tempfile::tempdir;

use crate::{Ran, data, hotcell, install};

/// A module that says a word.
fn says(word: &str) -> String {
    format!(
        r#"(module
            (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
            (memory (export "memory") 1)
            (data (i32.const 0) "\08\00\00\00\03\00\00\00{word}")
            (func (export "_start") (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 64)))))"#
    )
}

fn module(word: &str) -> Vec<u8> {
    wat::parse_str(says(word)).unwrap()
}

#[test]
fn a_file_is_added_listed_run_replaced_and_removed() {
    let dir = tempdir().unwrap();
    let (data, file) = (dir.path().join("data"), dir.path().join("tool.wasm"));
    let hotcell = |arguments: &[&str]| hotcell(&data, arguments, "");
    let path = file.to_str().unwrap();
    fs::write(&file, module("one")).unwrap();
    assert_eq!(hotcell(&["program", "add", path]).ok(), "added tool: tool");
    assert_eq!(
        hotcell(&["program", "add", "--name", "other", path]).ok(),
        "added other: other"
    );
    assert_eq!(
        hotcell(&["sh", "-c", "tool; other | tr a-z A-Z; command -v tool"]).ok(),
        "oneONE/usr/local/bin/tool"
    );
    let listed: Vec<_> = hotcell(&["program", "list"])
        .stdout
        .lines()
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .collect();
    assert_eq!(listed, ["other", "tool"]);
    fs::write(&file, module("two")).unwrap();
    hotcell(&["program", "add", path]).ok();
    assert_eq!(hotcell(&["sh", "-c", "tool; other"]).ok(), "twoone");
    assert_eq!(hotcell(&["program", "remove", "tool"]).ok(), "removed tool");
    assert_eq!(hotcell(&["sh", "-c", "tool"]).code, 127);
    let again = hotcell(&["program", "remove", "tool"]);
    assert_ne!(again.code, 0);
    assert!(again.stderr.contains("tool is not installed"), "{again}");
}

#[test]
fn the_list_is_there_as_json_too() {
    let dir = tempdir().unwrap();
    let ran = hotcell(dir.path(), &["program", "list", "--json"], "");
    let list: serde_json::Value = serde_json::from_str(ran.ok()).unwrap();
    assert_eq!(list["programs"], serde_json::json!([]));
    assert_eq!(
        list["available"],
        serde_json::json!(["python", "ruby", "sqlite3", "php"])
    );
}

#[test]
fn what_cannot_be_added_is_told_why() {
    let dir = tempdir().unwrap();
    let add = |name: &str, content: &[u8]| -> Ran {
        let file = dir.path().join(name);
        fs::write(&file, content).unwrap();
        hotcell(dir.path(), &["program", "add", file.to_str().unwrap()], "")
    };
    for (ran, said) in [
        (add("text.wasm", b"echo hi"), "text cannot be run: "),
        (
            add("library.wasm", &wat::parse_str("(module)").unwrap()),
            "it has no _start: a library or reactor, not a program",
        ),
        (
            add("-x y.wasm", &module("one")),
            "cannot be the name of a program",
        ),
        (
            hotcell(dir.path(), &["program", "add", "perl"], ""),
            "there is no program \"perl\" to add: name one of python, ruby, sqlite3, php, or a file that ends in .wasm",
        ),
        (
            hotcell(dir.path(), &["program", "add", "no/such.wasm"], ""),
            "failed to read no/such.wasm",
        ),
        (
            hotcell(dir.path(), &["program", "remove", "../x"], ""),
            "cannot be the name of a program",
        ),
    ] {
        assert_ne!(ran.code, 0, "{ran}");
        assert!(ran.stderr.contains(said), "{said}: {ran}");
    }
    assert_eq!(hotcell(dir.path(), &["program", "list"], "").stdout, "");
}

#[test]
fn without_a_program_its_name_says_how_to_add_it() {
    let dir = tempdir().unwrap();
    for (command, program) in [
        ("python3", "python"),
        ("python", "python"),
        ("ruby", "ruby"),
        ("sqlite3", "sqlite3"),
        ("php", "php"),
    ] {
        let ran = hotcell(dir.path(), &["sh", "-c", &format!("{command} -c x")], "");
        assert_eq!(ran.code, 127, "{ran}");
        assert_eq!(
            ran.stderr,
            format!(
                "bash: line 1: {command}: command not found (not installed here; the host can add it with: hotcell program add {program})\n"
            )
        );
    }
}

#[test]
fn a_module_among_the_files_goes_by_its_name_on_path() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("tool.wasm"), module("one")).unwrap();
    let work = dir.path().to_str().unwrap();
    let ran = hotcell(
        &dir.path().join("data"),
        &[
            "sh",
            "--workspace",
            work,
            "-c",
            "chmod +x tool.wasm; ./tool.wasm; PATH=$PATH:/workspace; tool | rev",
        ],
        "",
    );
    assert_eq!(ran.ok(), "oneeno");
}

#[test]
fn compiled_code_that_was_changed_is_compiled_again() {
    let dir = tempdir().unwrap();
    let file = dir.path().join("tool.wasm");
    fs::write(&file, module("one")).unwrap();
    hotcell(dir.path(), &["program", "add", file.to_str().unwrap()], "").ok();
    let compiled = fs::read_dir(dir.path().join("compiled")).unwrap();
    let code = compiled.map(|entry| entry.unwrap().path()).next().unwrap();
    let good = fs::read(&code).unwrap();
    let mut bad = good.clone();
    let middle = bad.len() / 2;
    bad[middle] ^= 1;
    fs::write(&code, &bad).unwrap();
    assert_eq!(hotcell(dir.path(), &["sh", "-c", "tool"], "").ok(), "one");
    assert_eq!(fs::read(&code).unwrap(), good);
}

#[test]
fn an_installed_program_is_found_and_its_library_cannot_be_changed() {
    install("python");
    let ran = hotcell(
        &data(),
        &[
            "sh",
            "-c",
            "which python3; echo x > /opt/python/lib/python3.11/os.pyc; rm -rf /opt/python/lib/python3.11/json; python3 -c 'import os, json; print(json.dumps(os.sep))'",
        ],
        "",
    );
    assert_eq!(ran.stdout, "/usr/local/bin/python3\n\"/\"\n", "{ran}");
    assert!(ran.stderr.contains("Read-only file system"), "{ran}");
}
