//! `hotcell guest`.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{Ipv4Addr, TcpListener},
    thread,
};

use tempfile::tempdir;

use crate::{command, hotcell, hotcell_in, ran};

/// Starts `tools/echo hi` and copies what it prints.
const ECHO: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../hotcell-exec/examples/guests/echo.wat"
);

/// A guest whose entry point is this.
fn guest(body: &str) -> String {
    format!(
        r#"(module
            (import "lembeh" "req_read" (func $read (param i32 i32 i32) (result i32)))
            (import "lembeh" "res_write" (func $write (param i32 i32 i32) (result i32)))
            (import "lembeh" "log" (func $log (param i32 i32 i32 i32)))
            (memory (export "memory") 1)
            (data (i32.const 0) "topic")
            (data (i32.const 16) "a message")
            (func (export "lembeh_handle") (param i32 i32) (local $n i32) {body}))"#
    )
}

#[test]
fn a_guest_starts_what_it_may() {
    let echo = hotcell(&["guest", "run", ECHO, "--allow", "tools/echo"]);
    assert_eq!(echo.ok(), "hi");
    let all = hotcell(&["guest", "run", ECHO, "--allow", "tools/*"]);
    assert_eq!(all.ok(), "hi");
    // The guest does not expect a refusal, and traps.
    let none = hotcell(&["guest", "run", ECHO, "--allow", "tools/cat"]);
    assert_eq!((none.code, &*none.stdout), (1, ""), "{none}");
    assert_eq!(
        none.stderr,
        "hotcell: the guest trapped: wasm `unreachable` instruction executed\n"
    );
    let wrong = hotcell(&["guest", "run", ECHO, "--allow", "echo"]);
    assert_eq!(wrong.code, 2, "{wrong}");
    assert!(
        wrong.stderr.contains("there is no program \"echo\""),
        "{wrong}"
    );
}

#[test]
fn input_output_and_log_are_the_commands_own() {
    let dir = tempdir().unwrap();
    let copy = guest(
        r"(loop $l
            (local.set $n (call $read (i32.const 0) (i32.const 1024) (i32.const 1024)))
            (drop (call $write (i32.const 1) (i32.const 1024) (local.get $n)))
            (br_if $l (local.get $n)))
          (call $log (i32.const 0) (i32.const 5) (i32.const 16) (i32.const 9))",
    );
    fs::write(dir.path().join("copy.wat"), copy).unwrap();
    let ran = ran(
        command(&["guest", "run", "copy.wat"]).current_dir(dir.path()),
        "through and through",
    );
    assert_eq!(
        (ran.code, &*ran.stdout),
        (0, "through and through"),
        "{ran}"
    );
    assert_eq!(ran.stderr, "topic: a message\n");
}

#[test]
fn a_run_is_recorded_for_its_owner_and_replayed_without_programs() {
    let dir = tempdir().unwrap();
    let echo = fs::read_to_string(ECHO).unwrap();
    fs::write(dir.path().join("echo.wat"), &echo).unwrap();
    let record = [
        "guest",
        "run",
        "echo.wat",
        "--allow",
        "tools/echo",
        "--record",
        "tape",
    ];
    assert_eq!(hotcell_in(dir.path(), &record).ok(), "hi");
    let tape = dir.path().join("tape");
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&tape).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let replay = ["guest", "run", "echo.wat", "--replay", "tape"];
    assert_eq!(hotcell_in(dir.path(), &replay).ok(), "hi");
    // One byte of an argument differs.
    fs::write(
        dir.path().join("echo.wat"),
        echo.replace("\\00hi\"", "\\00ho\""),
    )
    .unwrap();
    let other = hotcell_in(dir.path(), &replay);
    assert_eq!((other.code, &*other.stdout), (1, ""), "{other}");
    assert!(
        other.stderr.contains("t_specimen_write_mismatch"),
        "{other}"
    );
    assert!(
        other.stderr.contains("recorded:") && other.stderr.contains("68 69"),
        "{other}"
    );
}

#[test]
fn schedules_change_nothing() {
    for schedule in ["all", "byte", "pow2", "crlf", "random:3"] {
        let args = [
            "guest",
            "run",
            ECHO,
            "--allow",
            "tools/echo",
            "--chunks",
            schedule,
        ];
        assert_eq!(hotcell(&args).ok(), "hi");
    }
    let wrong = hotcell(&["guest", "run", ECHO, "--chunks", "some"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("pow2"), "{wrong}");
}

#[test]
fn limits_end_a_guest_with_their_codes() {
    let dir = tempdir().unwrap();
    let write = |name: &str, body: &str| fs::write(dir.path().join(name), guest(body)).unwrap();
    write("loop.wat", "(loop $l (br $l))");
    write(
        "grow.wat",
        "(loop $l (if (i32.lt_s (memory.grow (i32.const 16)) (i32.const 0)) (then (unreachable))) (br $l))",
    );
    let run = |args: &[&str]| hotcell_in(dir.path(), &[&["guest", "run"], args].concat());
    let late = run(&["loop.wat", "--timeout", "100ms"]);
    assert_eq!(late.code, 124, "{late}");
    assert_eq!(
        late.stderr,
        "hotcell: stopped at the time limit of 100ms (--timeout)\n"
    );
    let empty = run(&["loop.wat", "--fuel", "100000"]);
    assert_eq!(
        (empty.code, &*empty.stderr),
        (124, "hotcell: all fuel is used (--fuel)\n")
    );
    let large = run(&["grow.wat", "--memory", "2MiB"]);
    assert_eq!(large.code, 137, "{large}");
    assert!(large.stderr.contains("(--memory)"), "{large}");
}

#[test]
fn what_is_no_guest_is_told() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("text"), "no module").unwrap();
    fs::write(dir.path().join("empty.wat"), "(module)").unwrap();
    fs::write(
        dir.path().join("wasi.wat"),
        r#"(module (import "wasi_snapshot_preview1" "proc_exit" (func (param i32)))
            (memory (export "memory") 1) (func (export "lembeh_handle") (param i32 i32)))"#,
    )
    .unwrap();
    for (file, told) in [
        ("text", "not a WebAssembly module"),
        ("empty.wat", "the guest exports no memory"),
        (
            "wasi.wat",
            "imports \"wasi_snapshot_preview1\" \"proc_exit\"",
        ),
        ("nothing", "failed to read nothing"),
    ] {
        let ran = hotcell_in(dir.path(), &["guest", "run", file]);
        assert_eq!(ran.code, 2, "{ran}");
        assert!(ran.stderr.contains(told), "{ran}");
    }
}

#[test]
fn programs_may_be_files_of_the_tree() {
    let dir = tempdir().unwrap();
    fs::create_dir(dir.path().join("src")).unwrap();
    fs::write(dir.path().join("src/say.js"), "console.log('from a cell')").unwrap();
    fs::write(
        dir.path().join("src/say.sh"),
        "echo from $PWD; rm say.js; ls",
    )
    .unwrap();
    // The same guest; its program has another name of the same length.
    let echo = fs::read_to_string(ECHO).unwrap();
    for (id, path, told) in [
        ("mine/jsjsj", "/src/say.js", "from a cell"),
        ("mine/shell", "/src/say.sh", "from /src\nsay.sh"),
    ] {
        fs::write(dir.path().join("g.wat"), echo.replace("tools/echo", id)).unwrap();
        let program = format!("{id}={path}");
        let args = [
            "guest",
            "run",
            "g.wat",
            "--mount",
            "src=src",
            "--program",
            &program,
            "--allow",
            "mine/*",
            "--allow",
            "tools/*",
            "--program-memory",
            "256MiB",
        ];
        assert_eq!(hotcell_in(dir.path(), &args).ok(), told);
    }
    // The directory itself stays as it is.
    assert!(dir.path().join("src/say.js").exists());
    // A WASI module.
    let text = r#"(module
        (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
        (memory (export "memory") 1)
        (data (i32.const 0) "\08\00\00\00\0e\00\00\00from a module\n")
        (func (export "_start") (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 100)))))"#;
    fs::write(
        dir.path().join("src/say.wasm"),
        wat::parse_str(text).unwrap(),
    )
    .unwrap();
    fs::write(
        dir.path().join("g.wat"),
        echo.replace("tools/echo", "mine/wasi1"),
    )
    .unwrap();
    let args = [
        "guest",
        "run",
        "g.wat",
        "--mount",
        "src=src",
        "--program",
        "mine/wasi1=/src/say.wasm",
        "--allow",
        "mine/*",
        "--timeout",
        "1m",
        "--program-timeout",
        "1m",
    ];
    assert_eq!(hotcell_in(dir.path(), &args).ok(), "from a module");
    let wrong = hotcell_in(
        dir.path(),
        &["guest", "run", "g.wat", "--program", "../x=/src/say.js"],
    );
    assert_eq!(wrong.code, 2, "{wrong}");
    assert!(wrong.stderr.contains("is no program id"), "{wrong}");
}

/// An H4 length and bytes.
fn field(bytes: &[u8]) -> Vec<u8> {
    [
        &u32::try_from(bytes.len()).unwrap().to_le_bytes()[..],
        bytes,
    ]
    .concat()
}

/// A guest that connects to this port of this machine, says "ping" and writes what it hears, or "no" if it may not.
fn connecting(port: u16) -> String {
    let params = [&field(b"127.0.0.1")[..], &port.to_le_bytes(), &[0; 4]].concat();
    let names = [&b"net"[..], b"tcp", b"net.tcp.connect.v1"].map(field);
    let body = [names.concat(), field(&params)].concat();
    let source = [&[2][..], &field(&body)].concat();
    // A command, REGISTER_FUTURE, that wants no acknowledgement; future 1.
    let mut frame = b"ZAX1\x01\0\x01\0\x01\0\0\0".to_vec();
    frame.extend([0; 24]);
    frame.extend(1_u64.to_le_bytes());
    frame.extend(field(&source));
    let params = [field(b""), vec![0; 4]].concat();
    let hub = [
        field(b"async"),
        field(b"default"),
        vec![1, 0, 0, 0],
        field(&params),
    ]
    .concat();
    let mut open = b"ZCL1\x01\0\x03\0".to_vec();
    open.extend([0; 12]);
    open.extend(field(&hub));
    let data = |bytes: &[u8]| -> String {
        let digits = bytes.iter().map(|byte| format!("\\{byte:02x}"));
        digits.collect::<Vec<_>>().concat()
    };
    format!(
        r#"(module
            (import "lembeh" "_ctl" (func $ctl (param i32 i32 i32 i32) (result i32)))
            (import "lembeh" "req_read" (func $read (param i32 i32 i32) (result i32)))
            (import "lembeh" "res_write" (func $write (param i32 i32 i32) (result i32)))
            (import "lembeh" "res_end" (func $end (param i32)))
            (memory (export "memory") 1)
            (data (i32.const 0) "ping")
            (data (i32.const 8) "no")
            (data (i32.const 256) "{open}")
            (data (i32.const 512) "{frame}")
            (func (export "lembeh_handle") (param i32 i32) (local $hub i32) (local $socket i32) (local $n i32)
              (drop (call $ctl (i32.const 256) (i32.const {open_len}) (i32.const 1024) (i32.const 256)))
              (local.set $hub (i32.load (i32.const 1048)))
              (drop (call $write (local.get $hub) (i32.const 512) (i32.const {frame_len})))
              (drop (call $read (local.get $hub) (i32.const 2048) (i32.const 1024)))
              (if (i32.ne (i32.load16_u (i32.const 2056)) (i32.const 110))
                (then (drop (call $write (i32.const 1) (i32.const 8) (i32.const 2))) (return)))
              (local.set $socket (i32.load (i32.const 2100)))
              (drop (call $write (local.get $socket) (i32.const 0) (i32.const 4)))
              (call $end (local.get $socket))
              (loop $more
                (local.set $n (call $read (local.get $socket) (i32.const 4096) (i32.const 1024)))
                (drop (call $write (i32.const 1) (i32.const 4096) (local.get $n)))
                (br_if $more (i32.gt_s (local.get $n) (i32.const 0))))))"#,
        open = data(&open),
        frame = data(&frame),
        open_len = open.len(),
        frame_len = frame.len(),
    )
}

#[test]
fn a_guest_connects_where_it_may_and_nowhere_else() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut told = String::new();
            stream.read_to_string(&mut told).unwrap();
            write!(stream, "{told} pong").unwrap();
        }
    });
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("g.wat"), connecting(port)).unwrap();
    let run = |args: &[&str]| hotcell_in(dir.path(), &[&["guest", "run", "g.wat"], args].concat());
    let here = format!("127.0.0.1:{port}");
    assert_eq!(
        run(&["--connect", &here, "--record", "tape"]).ok(),
        "ping pong"
    );
    assert_eq!(run(&["--replay", "tape"]).ok(), "ping pong");
    assert_eq!(run(&[]).ok(), "no");
    let other = format!("127.0.0.1:{}", port ^ 1);
    assert_eq!(run(&["--connect", &other]).ok(), "no");
    assert_eq!(run(&["--connect", "db.example.com:5432"]).ok(), "no");
    for wrong in [
        "db.example.com",
        "db.example.com:0",
        "https://db.example.com:443",
        "db.example.com:1/path",
        "db.example.com:1 GET",
        "a b:1",
    ] {
        let ran = run(&["--connect", wrong]);
        assert_eq!(ran.code, 2, "{wrong}: {ran}");
    }
    assert_eq!(run(&["--connect-private"]).code, 2);
}

#[test]
#[cfg(target_os = "linux")]
fn compiling_is_on_the_clock_of_the_guest() {
    let dir = tempdir().unwrap();
    // A hundred loops within each other, around a thousand numbers: it keeps the compiler busy for minutes.
    let numbers = "(local i32)".repeat(1000);
    let counts = |n: u32| format!("local.get {n} i32.const 1 i32.add local.set {n} ");
    let counts: Vec<String> = (2..1002).map(counts).collect();
    let text = format!(
        r#"(module (memory (export "memory") 1) (func (export "lembeh_handle") (param i32 i32) {numbers} {} {} {}))"#,
        "loop ".repeat(100),
        counts.concat(),
        "i32.const 1 br_if 0 end ".repeat(100),
    );
    fs::write(dir.path().join("slow.wat"), text).unwrap();
    let late = hotcell_in(
        dir.path(),
        &["guest", "run", "slow.wat", "--timeout", "300ms"],
    );
    assert_eq!(late.code, 124, "{late}");
    assert_eq!(
        late.stderr,
        "hotcell: stopped at the time limit of 300ms (--timeout)\n"
    );
}
