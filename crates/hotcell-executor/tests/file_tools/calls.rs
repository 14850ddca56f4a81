//! What is special when code calls.

use std::{sync::Arc, time::Duration};

use hotcell_executor::{ErrorCode, Executor, ExecutorOptions, Files, file_tools};
use hotcell_vfs::{MemVfs, Vfs, VfsPath};
use pollster::block_on;

use crate::support::{all_backends, mem};

#[test]
fn one_line_gives_code_files() {
    let vfs = Arc::new(MemVfs::new());
    vfs.write_file(VfsPath::new("/a.txt"), b"one\ntwo\n")
        .unwrap();
    let executor = Executor::new(ExecutorOptions::default());
    block_on(executor.init()).unwrap();
    block_on(executor.enable_file_tools(Arc::clone(&vfs) as Arc<dyn Vfs>)).unwrap();
    let code = "
        const { content } = await readTool('a.txt');
        await write({ path: 'b/c.txt', content: content[0].text.toUpperCase() });
        (await ls({ path: 'b' })).content[0].text";
    assert_eq!(block_on(executor.run(code)).unwrap().output, "c.txt".into());
    assert_eq!(
        vfs.read_file(VfsPath::new("/b/c.txt")).unwrap(),
        b"ONE\nTWO\n"
    );
}

#[test]
fn the_prompt_names_each_tool_once() {
    let executor = mem().executor;
    let names: Vec<String> = executor.tools().into_iter().map(|tool| tool.name).collect();
    let expected =
        "edit exists find grep list ls read readBytes readJson readLines readText write writeText";
    assert_eq!(names.join(" "), expected);
    let declared = hotcell_prompt::tools_prompt(&executor.tools()).unwrap();
    assert!(declared.contains("declare function read("), "{declared}");
}

#[test]
fn an_error_of_a_tool_is_one_that_code_can_read() {
    let backend = mem();
    let error = block_on(backend.executor.run("await read('gone.txt')")).unwrap_err();
    assert_eq!(error.code, ErrorCode::ToolProxyFail);
    assert_eq!(
        error.message,
        "Tool execution failed: Error: File not found: gone.txt"
    );
    assert_eq!(error.details["tool"], "read");
}

#[test]
fn writes_at_the_same_time_end_with_one_of_them_whole() {
    for backend in all_backends() {
        let code = "
            const texts = Array.from({ length: 20 }, (_, i) => String(i).repeat(5000));
            await Promise.all(texts.map((content) => write({ path: 'same.txt', content })));
            const { content } = await read('same.txt');
            String(texts.some((text) => text === content[0].text))";
        assert_eq!(backend.run(code), "true", "{}", backend.name);
    }
}

#[test]
fn edits_at_the_same_time_all_take_place() {
    for backend in all_backends() {
        let code = "
            const words = Array.from({ length: 20 }, (_, i) => `word${i};`);
            await write({ path: 'same.txt', content: words.join('\\n') });
            await Promise.all(words.map((word) => edit({ path: 'same.txt', oldText: word, newText: word.toUpperCase() })));
            (await read('same.txt')).content[0].text";
        let expected: Vec<String> = (0..20).map(|i| format!("WORD{i};")).collect();
        assert_eq!(backend.run(code), expected.join("\n"), "{}", backend.name);
    }
}

#[test]
fn no_path_leads_out_of_the_workspace() {
    for backend in all_backends() {
        backend
            .vfs
            .write_file(VfsPath::new("/secret.txt"), b"secret")
            .unwrap();
        for path in [
            "../secret.txt",
            "/secret.txt",
            "a/../../secret.txt",
            "/work/../secret.txt",
        ] {
            let code = format!("await read({path:?}).then(() => 'read', (error) => error.message)");
            let message = backend.run(&code);
            assert!(
                message.starts_with("Path is outside the workspace"),
                "{path}: {message}"
            );
        }
    }
}

#[test]
fn a_search_ends_with_its_run() {
    let vfs = Arc::new(MemVfs::new());
    for number in 0..2000 {
        let path = format!("/{number}.txt");
        vfs.write_file(VfsPath::new(&path), "x".repeat(20_000).as_bytes())
            .unwrap();
    }
    let options = ExecutorOptions::default().timeout(Duration::from_millis(5));
    let executor = Executor::new(options);
    block_on(executor.init()).unwrap();
    block_on(executor.send_tools(file_tools(&Files::of(vfs, "/")))).unwrap();
    let code = "while (true) await grep({ pattern: '(x+x+)+y' })";
    let error = block_on(executor.run(code)).unwrap_err();
    assert_eq!(error.code, ErrorCode::ExecTimeout);
}
