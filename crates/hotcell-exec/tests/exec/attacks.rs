//! Guests that try to break one promise each.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use hotcell_exec::{
    Capabilities, CompileIn, Config, Grant, Host, ModuleError, ModuleLimits, Outcome, RunOptions,
};
use hotcell_hopper::{
    Encode, command,
    control::{CAPS_OPEN, HubParams, OpenRequest, Reply, Request},
    frame::{Frame, Owner},
    selector::{
        config,
        exec::{self, StartRequest, State, StatusRequest},
    },
};
use hotcell_meter::{StopToken, Stopped};
use hotcell_process::{Programs, Stream, pipe_metadata};
use hotcell_shell::ShellPrograms;
use hotcell_utilities::Utilities;
use hotcell_vfs::Metadata;

use crate::{
    harness::{
        Native, SHORT, bare, capabilities, policy, register, registry, standard, with_policy,
    },
    wasm::{ENGINE, body, module},
};

/// Takes everything, and its time for it.
struct Slow(AtomicUsize);

impl Stream for Slow {
    fn poll_write(&self, data: &[u8], _: &Waker) -> Poll<io::Result<usize>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(1));
        Poll::Ready(Ok(data.len()))
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Ok(pipe_metadata(0))
    }
}

fn until(time: Duration) -> RunOptions {
    RunOptions {
        stop: StopToken::until(Instant::now() + time),
        ..RunOptions::default()
    }
}

#[test]
fn calls_that_never_wait_do_not_outlast_the_deadline() {
    // Fuel is the guest's own instructions, of which there are few between these calls.
    let slow = Arc::new(Slow(AtomicUsize::new(0)));
    let (mut streams, _) = standard(b"");
    streams.output = Arc::clone(&slow) as _;
    let writes = body(
        "(loop $l (drop (call $write (i32.const 1) (i32.const 0) (i32.const 60000))) (br $l))",
    );
    let ended = pollster::block_on(writes.run(Host::new(capabilities(), streams), until(SHORT)));
    assert!(
        matches!(ended.outcome, Outcome::Stopped(Stopped::Deadline)),
        "{ended:?}"
    );
    let calls = slow.0.load(Ordering::Relaxed);
    assert!(calls < 1000, "{calls} calls in {SHORT:?}");
}

#[test]
fn lines_of_the_log_do_not_outlast_the_deadline() {
    let logs = module(
        r#"(module
            (import "lembeh" "log" (func $log (param i32 i32 i32 i32)))
            (memory (export "memory") 1)
            (func (export "lembeh_handle") (param i32 i32)
              (loop $l (call $log (i32.const 0) (i32.const 9) (i32.const 0) (i32.const 60000)) (br $l))))"#,
    );
    let lines = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&lines);
    let (streams, _) = standard(b"");
    let host = Host::new(capabilities(), streams).on_log(Arc::new(move |_, _| {
        count.fetch_add(1, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(1));
    }));
    let ended = pollster::block_on(logs.run(host, until(SHORT)));
    assert!(
        matches!(ended.outcome, Outcome::Stopped(Stopped::Deadline)),
        "{ended:?}"
    );
    let lines = lines.load(Ordering::Relaxed);
    assert!(lines < 1000, "{lines} lines in {SHORT:?}");
}

/// Some thousand bytes that keep the compiler busy for minutes: a hundred loops within each other, around a thousand numbers.
fn endless_to_compile() -> String {
    let numbers = "(local i32)".repeat(1000);
    let loops = "loop ".repeat(100);
    let increments: String = (2..1002)
        .map(|n| format!("local.get {n} i32.const 1 i32.add local.set {n} "))
        .collect();
    let ends = "i32.const 1 br_if 0 end ".repeat(100);
    format!(
        r#"(module (memory (export "memory") 1)
            (func (export "lembeh_handle") (param i32 i32) {numbers} {loops} {increments} {ends}))"#
    )
}

#[test]
#[cfg(target_os = "linux")]
fn compiling_is_on_a_clock_and_can_be_stopped() {
    let text = endless_to_compile();
    let began = Instant::now();
    let stop = StopToken::until(Instant::now() + SHORT);
    let error = ENGINE.module_until(text.as_bytes(), &stop).unwrap_err();
    assert!(
        matches!(error, ModuleError::Stopped(Stopped::Deadline)),
        "{error}"
    );
    let limits = ModuleLimits {
        compile_time: SHORT,
        ..ModuleLimits::default()
    };
    let limited = ENGINE.clone().compiling(limits, CompileIn::Child);
    let error = limited.module(text.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "compiling it takes longer than the limit of 100ms"
    );
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn what_is_compiled_has_limits() {
    let limits = ModuleLimits {
        functions: 2,
        function_bytes: 100,
        ..ModuleLimits::default()
    };
    let limited = ENGINE.clone().compiling(limits, CompileIn::Thread);
    let guest = |functions: &str| {
        let text = format!(
            r#"(module (memory (export "memory") 1) (func (export "lembeh_handle") (param i32 i32)) {functions})"#
        );
        limited.module(text.as_bytes()).map(drop)
    };
    assert!(guest("(func)").is_ok());
    let many = guest("(func) (func)").unwrap_err().to_string();
    assert_eq!(many, "functions of the module: 3, and the limit is 2");
    let long = format!("(func {})", "(drop (i32.const 1))".repeat(100));
    let long = guest(&long).unwrap_err().to_string();
    assert!(long.starts_with("bytes of one function: "), "{long}");
    // A text is read here, into far more than its size.
    let text = format!("(module {})", "(func)".repeat(200_000));
    let error = ENGINE.module(text.as_bytes()).unwrap_err();
    assert!(matches!(error, ModuleError::TextTooLong { .. }), "{error}");
}

#[test]
fn other_kinds_of_memory_are_not_to_be_had() {
    for memory in [
        r#"(memory (export "memory") 1 2 shared)"#,
        r#"(memory (export "memory") i64 1)"#,
        r#"(memory (export "memory") 1) (memory 1)"#,
    ] {
        let text = format!(r#"(module {memory} (func (export "lembeh_handle") (param i32 i32)))"#);
        assert!(ENGINE.module(text.as_bytes()).is_err(), "{memory}");
    }
}

fn get(key: &str) -> Vec<u8> {
    config::GET
        .call(config::KeyRequest { key })
        .to_vec()
        .unwrap()
}

fn with_config(host_memory: usize) -> Capabilities {
    let config = Config::default()
        .value("k", "v")
        .value("long", vec![b'v'; 30_000]);
    Capabilities {
        config: Grant::Given(config),
        host_memory,
        ..capabilities()
    }
}

#[test]
fn a_full_hub_does_not_hold_another() {
    let mut guest = Native::new(with_config(32 << 20));
    let (full, other) = (guest.open(b""), guest.open(b""));
    for id in 1..=5 {
        guest.send(full, &register(0, id, &hotcell_hopper::Raw(&get("long"))));
    }
    // Nobody reads the first, so that some of its values wait. The second is read, and has its own.
    assert_eq!(
        guest.call(other, 1, &hotcell_hopper::Raw(&get("k"))),
        "OK 1 0100000076"
    );
    assert_eq!(guest.events(full).len(), 5);
}

#[test]
fn hubs_are_charged_to_the_host_memory() {
    let mut guest = Native::new(with_config(1 << 20));
    let open = Request {
        op: CAPS_OPEN,
        rid: 1,
        timeout_ms: 0,
        payload: OpenRequest {
            kind: "async",
            name: "default",
            mode: 1,
            params: HubParams::default(),
        },
    };
    let open = open.to_vec().unwrap();
    let mut opened = Vec::new();
    let refused = loop {
        let reply = guest.control(&open, 1024).unwrap();
        match Reply::decode(&reply).unwrap().outcome {
            Ok(_) => opened.push(i32::try_from(opened.len() + 3).unwrap()),
            Err(failure) => break failure.trace.to_owned(),
        }
    };
    // Each has a queue of 64 KiB.
    assert_eq!((opened.len(), &*refused), (16, "t_ctl_overflow"));
    // One that is ended and read to its end gives its memory back.
    guest.end(opened[0]);
    assert_eq!(guest.read(opened[0], 10).0, 0);
    assert!(
        guest
            .control(&open, 1024)
            .is_some_and(|reply| { Reply::decode(&reply).unwrap().outcome.is_ok() })
    );
}

#[test]
fn numbers_and_owners_are_charged_to_the_host_memory() {
    let mut guest = Native::new(with_config(96 << 10));
    let hub = guest.open(b"");
    // Every other number, so that each is a range of its own. In the end there is no memory for it, or for the command.
    let source = get("k");
    let mut taken = 0;
    loop {
        let id = 2 * (taken + 1);
        let frame = register(id, id, &hotcell_hopper::Raw(&source));
        if guest.write(hub, &frame) < 0 || guest.events(hub).len() == 1 {
            break;
        }
        taken += 1;
        assert!(taken < 60_000, "numbers are not charged");
    }
    assert!(taken > 500, "{taken}");

    let mut guest = Native::new(with_config(96 << 10));
    let hub = guest.open(b"");
    let name = "o".repeat(200);
    let mut refused = 0;
    for task in 1..=1000 {
        let mut frame = Frame::command(command::DETACH_TASK, task, 0, Owner(&name));
        frame.task_id = task;
        let is_taken = guest.write(hub, &frame.to_vec().unwrap()) > 0;
        refused += usize::from(!is_taken || guest.events(hub)[0].starts_with("FAIL"));
    }
    assert!((700..1000).contains(&refused), "{refused}");
}

#[test]
fn one_write_does_not_bring_more_commands_than_it_may() {
    // Cancelling what there never was, without wanting an answer: no room is needed for any of them.
    let mut guest = Native::new(capabilities());
    let hub = guest.open(b"");
    let commands = bare(command::CANCEL_FUTURE, 0, 7).repeat(100_000);
    let taken = guest.write(hub, &commands);
    assert_eq!(taken, 256 * 48);
    assert_eq!(guest.read(hub, 10).0, -1);
    // Nor more bytes; what is cut off in the middle of a frame goes on there.
    let large = Frame::command(
        command::CANCEL_FUTURE,
        0,
        7,
        hotcell_hopper::Raw(&[0; 1 << 20]),
    );
    let large = large.to_vec().unwrap().repeat(3);
    assert_eq!(guest.write(hub, &large), 2 << 20);
    guest.send(hub, &large[2 << 20..]);
    let mut left = &commands[256 * 48..];
    while !left.is_empty() {
        let taken = usize::try_from(guest.write(hub, left)).unwrap();
        left = &left[taken..];
    }
    guest.send(hub, &crate::harness::vector("E4"));
    assert_eq!(guest.events(hub).len(), 2);
}

#[test]
fn values_that_wait_are_charged_to_the_host_memory() {
    // Two queues, what is asked for, and no room for a value beside them.
    let mut guest = Native::new(with_config(2 * 65_536 + 20_000));
    let (full, other) = (guest.open(b""), guest.open(b""));
    for id in 1..=4 {
        guest.send(full, &register(0, id, &hotcell_hopper::Raw(&get("long"))));
    }
    guest.call(other, 1, &hotcell_hopper::Raw(&get("k")));
    let told = guest.events(full);
    let ends: Vec<_> = told.iter().map(|line| &line[..4]).collect();
    assert_eq!(ends, ["OK 1", "OK 2", "FAIL", "FAIL"]);
    assert_eq!(told[3], "FAILED 4 t_async_overflow");
}

fn start(prog_id: &str) -> Vec<u8> {
    let request = StartRequest {
        prog_id,
        flags: 2,
        args: &["p"],
        env: &[],
    };
    exec::START.call(request).to_vec().unwrap()
}

#[test]
fn a_future_can_be_cancelled_in_every_state() {
    let mut slots = policy();
    slots.limits.max_running = 1;
    slots.limits.status_patience = Duration::from_secs(5);
    slots.limits.time_limit = Duration::from_secs(20);
    let mut guest = Native::new(with_policy(slots));
    let hub = guest.open(b"");
    let cancel = |id: u64| bare(command::CANCEL_FUTURE, 1000 + id, id);
    let raw = |bytes: &[u8]| bytes.to_vec();

    // Taken, and not begun.
    guest.send(
        hub,
        &register(1, 1, &hotcell_hopper::Raw(&start("tools/echo"))),
    );
    guest.send(hub, &cancel(1));
    assert_eq!(guest.events(hub), ["ACK 1", "ACK 1001", "CANCELLED 1"]);

    // Waiting for a slot, which a program that never ends has. The acknowledgement is read, the start has begun to wait.
    let spin = guest.start(hub, 2, ("t/spin", &["spin"]), 2);
    guest.send(
        hub,
        &register(3, 3, &hotcell_hopper::Raw(&start("tools/echo"))),
    );
    let (_, told) = guest.read(hub, 48);
    assert_eq!(guest.tell(&told), ["ACK 3"]);
    guest.send(hub, &cancel(3));
    assert_eq!(guest.events(hub), ["ACK 1003", "CANCELLED 3"]);

    // A status that is patient with a program that computes.
    let status = exec::STATUS.call(StatusRequest {
        exec_id: spin.exec_id,
    });
    guest.send(hub, &register(4, 4, &status));
    let (_, told) = guest.read(hub, 48);
    assert_eq!(guest.tell(&told), ["ACK 4"]);
    guest.send(hub, &cancel(4));
    assert_eq!(guest.events(hub), ["ACK 1004", "CANCELLED 4"]);

    // Finished and not read: the result stays, and is not followed by anything.
    guest.send(
        hub,
        &register(0, 5, &hotcell_hopper::Raw(&raw(b"\x01\0\0\0\0"))),
    );
    let (_, part) = guest.read(hub, 10);
    guest.send(hub, &cancel(5));
    let (_, rest) = guest.read_all(hub);
    let told = guest.tell(&[part, rest].concat());
    assert_eq!(told, ["FAILED 5 t_async_unsupported", "ACK 1005"]);

    // Cancelled already, never there, and on a hub that has ended.
    guest.send(hub, &cancel(3));
    guest.send(hub, &cancel(99));
    assert_eq!(
        guest.events(hub),
        ["ACK 1003", "FAIL 1099 t_async_missing_future"]
    );
    guest.end(hub);
    assert_eq!(guest.write(hub, &cancel(3)), -1);
    assert_eq!(
        guest.host.started(),
        1,
        "nothing that was cancelled was started"
    );
}

#[test]
fn a_program_that_leaves_others_behind_holds_its_streams_no_longer_than_its_time() {
    let shell = ShellPrograms::new(Arc::new(Utilities));
    let mut registry = registry();
    let bash = shell.find(b"bash").unwrap();
    registry.program("my/bash", bash).unwrap();
    let mut policy = hotcell_exec::ExecPolicy::all(registry, crate::harness::files());
    policy.limits.time_limit = Duration::from_secs(1);
    let mut guest = Native::new(with_policy(policy));
    let hub = guest.open(b"");
    // A run is over when all of its processes are.
    let script = "sleep 1000 & (while :; do :; done) & echo gone; exit 3";
    let program = guest.start(hub, 1, ("my/bash", &["bash", "-c", script]), 7);
    assert_eq!(guest.read_all(program.stdout), (0, b"gone\n".to_vec()));
    assert_eq!(guest.status(hub, 2, program.exec_id), (State::Timeout, 124));
    assert_eq!(guest.write(program.stdin, b"x"), -1);
    assert_eq!(guest.read(program.stderr, 10).0, 0);
}

#[test]
fn programs_that_are_never_read_do_not_hold_others() {
    // All but one slot is taken by programs whose output nobody reads.
    let mut guest = Native::new(capabilities());
    let hub = guest.open(b"");
    let held: Vec<_> = (1..=15)
        .map(|id| guest.start(hub, id, ("tools/yes", &["yes"]), 2))
        .collect();
    let echo = guest.start(hub, 16, ("tools/echo", &["echo", "hi"]), 2);
    assert_eq!(guest.read_all(echo.stdout), (0, b"hi\n".to_vec()));
    for (n, yes) in held.iter().enumerate() {
        let id = 100 + u64::try_from(n).unwrap();
        assert_eq!(guest.status(hub, id, yes.exec_id), (State::Running, 0));
    }
}
