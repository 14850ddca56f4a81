//! Files for code, and files that follow their executor.

use std::fs;

use hotcell_cell::Value;
use hotcell_executor::{ErrorCode, Executor, ExecutorOptions, Files};
use hotcell_vfs::{Access, Limits};
use pollster::block_on;

fn with(files: &Files) -> Executor {
    let executor = Executor::new(ExecutorOptions::default());
    block_on(executor.init()).unwrap();
    block_on(executor.enable_files(files)).unwrap();
    executor
}

#[track_caller]
fn value(executor: &Executor, code: &str) -> Value {
    match block_on(executor.run(code)) {
        Ok(step) => step.output,
        Err(error) => panic!("{code}\n{error:#?}"),
    }
}

#[track_caller]
fn text(executor: &Executor, code: &str) -> String {
    value(executor, code).as_str().unwrap().to_owned()
}

#[test]
fn code_reads_and_writes_what_it_means() {
    let executor = with(&Files::memory());
    let code = r#"
        const written = await writeText("data/rows.csv", "id,name\n1,tea\n2,milk\n");
        await writeText({ path: "data/one.json", text: '{"a":[1,2]}' });
        const json = await readJson("data/one.json");
        json.a.push(3);
        const bytes = await readBytes("data/rows.csv", 0, 2);
        const rows = [];
        for await (const line of readLines("data/rows.csv")) rows.push(line.split(","));
        JSON.stringify({
          written,
          text: (await readText("data/rows.csv")).length,
          json,
          bytes: [...bytes],
          rows,
          list: await list("data"),
          all: await list(".", { recursive: true }),
          there: [await exists("data"), await exists("nowhere")],
        })"#;
    assert_eq!(
        text(&executor, code),
        r#"{"written":21,"text":21,"json":{"a":[1,2,3]},"bytes":[105,100],"rows":[["id","name"],["1","tea"],["2","milk"]],"list":["one.json","rows.csv"],"all":["data/","data/one.json","data/rows.csv"],"there":[true,false]}"#
    );
}

#[test]
fn a_large_file_is_streamed_and_counted_right() {
    let files = Files::memory();
    let rows = 30_000;
    let rows_of = |n: u32| [n.to_string(), format!(",thing number {n}\n")];
    let csv: String = (0..rows).flat_map(rows_of).collect();
    files.tools().write_text("big.csv", csv).unwrap();
    let executor = with(&files);
    let code = "let n = 0; let last; for await (const line of readLines('big.csv')) { n++; last = line; } `${n} ${last}`";
    assert_eq!(text(&executor, code), "30000 29999,thing number 29999");
    // And whole, which `read` does not give.
    let code = "(await readText('big.csv')).trimEnd().split('\\n').length";
    assert_eq!(value(&executor, code), Value::from(rows));
}

#[test]
fn mistakes_are_told_with_what_to_do() {
    let executor = with(&Files::memory());
    block_on(executor.run("await writeText('a.json', '{a:1}')")).unwrap();
    for (code, expected) in [
        ("await readText('b.txt')", "File not found: b.txt"),
        (
            "await readText()",
            "readText: path must be a string, got nothing",
        ),
        ("await readJson('a.json')", "readJson found no JSON: "),
        (
            "await writeText('a', { b: 1 })",
            "JSON.stringify makes a text of data",
        ),
        (
            "await readBytes('a.json', -1)",
            "offset must be a whole number of at least 0, got a number",
        ),
        (
            "for (const line of readLines('a.json')) {}",
            "use `for await`",
        ),
        (
            "for await (const line of readLines('b')) {}",
            "File not found: b",
        ),
        ("await list('a.json')", "Not a directory: a.json"),
    ] {
        let error = block_on(executor.run(code)).unwrap_err();
        assert!(error.message.contains(expected), "{code}\n{error}");
        assert_eq!(error.location.map(|place| place.line), Some(1), "{code}");
    }
    let code = "try { await readText('b') } catch (error) { error.code }";
    assert_eq!(text(&executor, code), "ENOENT");
}

#[test]
fn code_may_take_these_names_for_itself() {
    let executor = with(&Files::memory());
    let step =
        block_on(executor.run("const list = [3, 1]; const exists = true; list.length")).unwrap();
    assert_eq!(step.output, Value::from(2));
    assert_eq!(step.diagnostics, []);
    let step = block_on(executor.run("list[0] + 1")).unwrap();
    assert_eq!((step.output, step.diagnostics), (Value::from(4), vec![]));
    // The host's own names stay the host's.
    let error = block_on(executor.run("const read = 1")).unwrap_err();
    assert_eq!(error.code, ErrorCode::ValidationFailed);
    let fork = block_on(executor.fork()).unwrap();
    assert_eq!(value(&fork, "list.length"), Value::from(2));
}

#[test]
fn files_in_memory_follow_fork_and_snapshot() {
    let files = Files::memory();
    let executor = with(&files);
    value(&executor, "await writeText('a.txt', 'one'); 0");
    let fork = block_on(executor.fork()).unwrap();
    value(
        &fork,
        "await writeText('a.txt', 'two'); await writeText('b.txt', ''); 0",
    );
    assert_eq!(text(&executor, "await readText('a.txt')"), "one");
    assert_eq!(text(&fork, "(await list()).join()"), "a.txt,b.txt");
    // What is for the eye sees the same files.
    assert_eq!(text(&fork, "(await read('a.txt')).content[0].text"), "two");
    assert_eq!(fork.files()[0].tools().read_text("a.txt").unwrap(), "two");

    let bytes = block_on(fork.snapshot()).unwrap();
    let later = Executor::restore(&bytes, None).unwrap();
    let fresh = Files::memory();
    block_on(later.enable_files(&fresh)).unwrap();
    assert_eq!(text(&later, "await readText('a.txt')"), "two");
    assert_eq!(
        fresh.tools().list_names(None, false).unwrap(),
        ["a.txt", "b.txt"]
    );
    // They are put in once, and not over something else.
    let later = Executor::restore(&bytes, None).unwrap();
    let error = block_on(later.enable_files(&files)).unwrap_err();
    assert!(
        error.message.contains("send tools with fresh ones"),
        "{error}"
    );
    let small = Files::memory_with(Limits {
        files: 1,
        ..Limits::default()
    });
    let later = Executor::restore(&bytes, None).unwrap();
    assert!(block_on(later.enable_files(&small)).is_err());
}

#[test]
fn an_overlay_leaves_the_directory_alone_until_it_is_applied() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.txt"), "old").unwrap();
    let files = Files::overlay(dir.path()).unwrap();
    let executor = with(&files);
    value(
        &executor,
        "await writeText('a.txt', (await readText('a.txt')) + ' and new'); await write('b.txt', 'b'); 0",
    );
    assert_eq!(fs::read_to_string(dir.path().join("a.txt")).unwrap(), "old");

    let bytes = block_on(executor.snapshot()).unwrap();
    let later = Executor::restore(&bytes, None).unwrap();
    let again = Files::overlay(dir.path()).unwrap();
    block_on(later.enable_files(&again)).unwrap();
    assert_eq!(text(&later, "await readText('a.txt')"), "old and new");
    let fork = block_on(later.fork()).unwrap();
    value(&fork, "await writeText('c.txt', ''); 0");

    let changed: Vec<String> = files
        .changes()
        .unwrap()
        .iter()
        .map(|change| change.path.to_string())
        .filter(|path| path != "/")
        .collect();
    assert_eq!(changed, ["/a.txt", "/b.txt"]);
    files.apply().unwrap();
    assert_eq!(
        fs::read_to_string(dir.path().join("a.txt")).unwrap(),
        "old and new"
    );
    assert!(!dir.path().join("c.txt").exists());
}

#[test]
fn what_cannot_be_written_is_not_offered() {
    let dir = tempfile::tempdir().unwrap();
    let files = Files::directory(dir.path(), Access::ReadOnly).unwrap();
    let executor = with(&files);
    let code = "[typeof write, typeof edit, typeof writeText, typeof editTool, typeof readText, typeof readTool].join()";
    assert_eq!(
        text(&executor, code),
        "undefined,undefined,undefined,undefined,function,function"
    );
}

#[test]
fn a_directory_is_the_same_for_a_fork() {
    let dir = tempfile::tempdir().unwrap();
    let executor = with(&Files::directory(dir.path(), Access::ReadWrite).unwrap());
    let fork = block_on(executor.fork()).unwrap();
    value(&fork, "await writeText('a.txt', 'x'); 0");
    assert_eq!(text(&executor, "await readText('a.txt')"), "x");
}

#[test]
fn the_prompt_declares_them_as_they_are_called() {
    let executor = with(&Files::memory());
    let context = hotcell_prompt::PromptContext {
        tools: executor.tools(),
        ..Default::default()
    };
    let prompt = hotcell_prompt::render_system_prompt(&context).unwrap();
    for line in [
        "declare function readText(path: string): Promise<string>;",
        "declare function readBytes(path: string, offset?: number, length?: number): Promise<Uint8Array>;",
        "declare function readJson(path: string): Promise<unknown>;",
        "declare function readLines(path: string, offset?: number): AsyncIterable<string>;",
        "declare function writeText(path: string, text: string): Promise<number>;",
        "declare function list(path?: string, recursive?: boolean): Promise<string[]>;",
        "declare function exists(path: string): Promise<boolean>;",
    ] {
        assert!(prompt.contains(line), "{line}\n{prompt}");
    }
}

#[test]
fn reading_is_on_the_account_of_the_code() {
    let files = Files::memory();
    let text = "x".repeat(12 << 20);
    files.tools().write_text("big.txt", text).unwrap();
    let options = ExecutorOptions::default().max_host_memory(16 << 20);
    let executor = Executor::new(options);
    block_on(executor.init()).unwrap();
    block_on(executor.enable_files(&files)).unwrap();
    let error = block_on(executor.run("(await readText('big.txt')).length")).unwrap_err();
    assert!(error.message.contains("maxHostMemoryBytes"), "{error}");
}
