//! WebAssembly programs: a small one, and Python if it is installed (`hotcell program add python`).

use std::{env, path::PathBuf};

use bench_measure::{Report, Row, alone};
use hotcell_sandbox::{Sandbox, SandboxOptions};
use hotcell_wasi::ProgramStore;

use crate::machine;

const SMALL: &str = r#"(module
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 16) "hi\n")
    (func (export "_start")
        (i32.store (i32.const 0) (i32.const 16))
        (i32.store (i32.const 4) (i32.const 3))
        (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))))"#;

pub(crate) fn measure(report: &mut Report) {
    let sandbox = crate::sandbox();
    let module = wat::parse_str(SMALL).unwrap();
    sandbox.write_file("/bin/small.wasm", module).unwrap();
    sandbox.chmod("/bin/small.wasm", 0o755).unwrap();
    assert_eq!(crate::run(&sandbox, "/bin/small.wasm").stdout, b"hi\n");
    report.add(Row {
        name: "a small WASI program, compiled before".into(),
        unit: "µs".into(),
        bar: Some(200.0),
        hotcell: alone(500, || crate::run(&sandbox, "/bin/small.wasm")),
        beside: Some(alone(200, || machine::run("/bin/echo", &["hi"]))),
        ..Row::default()
    });
    if let Some(sandbox) = with_installed() {
        python(report, &sandbox);
    }
}

/// A sandbox with the programs that are installed on this machine.
fn with_installed() -> Option<Sandbox> {
    let known = |name: &str| env::var_os(name).map(PathBuf::from);
    let directory = known("HOTCELL_DATA")
        .or_else(|| Some(known("XDG_DATA_HOME")?.join("hotcell")))
        .or_else(|| Some(known("HOME")?.join(".local/share/hotcell")))?;
    let store = ProgramStore::new(directory);
    let options = SandboxOptions::default().programs(&store.engine(), store.list());
    Some(Sandbox::create(options).unwrap())
}

fn python(report: &mut Report, sandbox: &Sandbox) {
    let script = "python3 -c 'print(1)'";
    let first = pollster::block_on(sandbox.run(script)).unwrap();
    if first.exit_code != 0 {
        eprintln!("{script}: {}", first.stderr_text());
        return;
    }
    let beside = machine::has("python3")
        .then(|| alone(20, || machine::run("python3", &["-c", "print(1)"])) / 1000.0);
    report.add(Row {
        name: format!("`{script}`, beside the machine's own"),
        unit: "ms".into(),
        hotcell: alone(20, || crate::run(sandbox, script)) / 1000.0,
        beside,
        ..Row::default()
    });
}
