//! Programs: their streams, limits and statuses.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use hotcell_exec::{ExecPolicy, Registry};
use hotcell_hopper::{
    Encode, Raw,
    selector::exec::{
        self, StartRequest, Started,
        State::{Exited, Failed, Running, Timeout},
        StatusRequest,
    },
};
use hotcell_process::Programs;
use hotcell_shell::ShellPrograms;
use hotcell_utilities::Utilities;
use hotcell_vfs::{MemVfs, Vfs, VfsPath};
use hotcell_wasi::{WasiEngine, WasiPrograms};

use crate::harness::{Native, SHORT, capabilities, policy, vector, with_policy};

fn opened(policy: ExecPolicy) -> (Native, i32) {
    let mut guest = Native::new(with_policy(policy));
    let hub = guest.open(b"");
    (guest, hub)
}

#[test]
fn echo_is_started_read_and_asked_about() {
    let (mut guest, hub) = opened(policy());
    guest.send(hub, &vector("E4"));
    let (_, bytes) = guest.read_all(hub);
    let (ack, result) = bytes.split_at(48);
    assert_eq!(ack, vector("Z2"));
    // E6, with this host's numbers.
    let started = Started {
        exec_id: 1,
        status_flags: 1,
        stdin: 0,
        stdout: 4,
        stderr: 5,
    };
    let mut expected = vector("E6");
    let at = expected.len() - 20;
    expected[at..].copy_from_slice(&started.to_vec().unwrap());
    assert_eq!(result, expected);
    assert_eq!(guest.read(4, 100), (3, b"hi\n".to_vec()));
    assert_eq!(guest.read(4, 100).0, 0);
    assert_eq!(guest.read(4, 100).0, 0);
    assert_eq!(guest.read(5, 100).0, 0);
    let mut status = vector("E8");
    let at = status.len() - 4;
    status[at] = 1;
    guest.send(hub, &status);
    let (_, bytes) = guest.read_all(hub);
    assert_eq!(bytes[48..], *vector("E11"));
}

#[test]
fn streams_that_are_not_wanted_are_not_there() {
    let (mut guest, hub) = opened(policy());
    let both = guest.start(hub, 1, ("t/both", &["both"]), 0);
    assert_eq!((both.stdin, both.stdout, both.stderr), (0, 0, 0));
    assert_eq!(guest.status(hub, 2, both.exec_id), (Exited, 3));
    // Input that nobody gives is at its end; output that nobody wants has no limit.
    let mut policy = policy();
    policy.limits.max_stdout_bytes = 10;
    let (mut guest, hub) = opened(policy);
    let cat = guest.start(hub, 1, ("tools/cat", &["cat"]), 0);
    assert_eq!(guest.status(hub, 2, cat.exec_id), (Exited, 0));
    let seq = guest.start(hub, 3, ("tools/seq", &["seq", "1000"]), 4);
    assert_eq!(guest.status(hub, 4, seq.exec_id), (Exited, 0));
}

#[test]
fn cat_gives_what_it_gets() {
    let (mut guest, hub) = opened(policy());
    let cat = guest.start(hub, 1, ("tools/cat", &["cat"]), 7);
    assert_eq!((cat.stdin, cat.stdout, cat.stderr), (4, 5, 6));
    assert_eq!(guest.write(cat.stdin, b"abc"), 3);
    assert_eq!(guest.read(cat.stdout, 100), (3, b"abc".to_vec()));
    assert_eq!(guest.status(hub, 2, cat.exec_id), (Running, 0));
    assert_eq!(guest.write(cat.stdin, b"def"), 3);
    guest.end(cat.stdin);
    assert_eq!(guest.read_all(cat.stdout), (0, b"def".to_vec()));
    assert_eq!(guest.read_all(cat.stderr), (0, Vec::new()));
    assert_eq!(guest.status(hub, 3, cat.exec_id), (Exited, 0));
    assert_eq!(guest.write(cat.stdin, b"more"), -1);
}

#[test]
fn a_program_that_has_ended_takes_no_input() {
    let (mut guest, hub) = opened(policy());
    let echo = guest.start(hub, 1, ("tools/echo", &["echo"]), 3);
    guest.read_all(echo.stdout);
    assert_eq!(guest.write(echo.stdin, b"x"), -1);
    assert_eq!(guest.write(echo.stdin, b"x"), -1);
}

#[test]
fn streams_have_one_direction() {
    let (mut guest, hub) = opened(policy());
    let cat = guest.start(hub, 1, ("tools/cat", &["cat"]), 7);
    assert_eq!(guest.write(cat.stdout, b"x"), -1);
    assert_eq!(guest.write(cat.stderr, b"x"), -1);
    assert_eq!(guest.read(cat.stdin, 10).0, -1);
    guest.end(cat.stdout);
    assert_eq!(guest.write(cat.stdin, b"still"), 5);
    assert_eq!(guest.read(cat.stdout, 10).1, b"still");
    // The first three have theirs, too.
    assert_eq!(guest.read(1, 10).0, -1);
    assert_eq!(guest.read(2, 10).0, -1);
    assert_eq!(guest.write(0, b"x"), -1);
    for handle in [-1, i32::MIN, 99, i32::MAX] {
        assert_eq!(guest.read(handle, 10).0, -1);
        assert_eq!(guest.write(handle, b"x"), -1);
        guest.end(handle);
    }
}

#[test]
fn nothing_is_moved_by_an_empty_call() {
    let (mut guest, hub) = opened(policy());
    let cat = guest.start(hub, 1, ("tools/cat", &["cat"]), 7);
    assert_eq!(guest.read(cat.stdout, 0).0, 0);
    assert_eq!(guest.write(cat.stdin, b""), 0);
    // That was not the end.
    assert_eq!(guest.write(cat.stdin, b"x"), 1);
    assert_eq!(guest.read(cat.stdout, 1).0, 1);
}

#[test]
fn output_ends_exactly_at_its_limit() {
    let mut policy = policy();
    policy.limits.max_stdout_bytes = 1000;
    let (mut guest, hub) = opened(policy);
    let yes = guest.start(hub, 1, ("tools/yes", &["yes"]), 2);
    let (end, bytes) = guest.read_all(yes.stdout);
    assert_eq!((end, bytes.len()), (0, 1000));
    assert_eq!(guest.status(hub, 2, yes.exec_id), (Failed, 125));
    assert_eq!(guest.status(hub, 3, yes.exec_id), (Failed, 125));
    // Exactly the limit is fine.
    let head = guest.start(hub, 4, ("tools/printf", &["printf", "%01000d", "0"]), 2);
    assert_eq!(guest.read_all(head.stdout).1.len(), 1000);
    assert_eq!(guest.status(hub, 5, head.exec_id), (Exited, 0));
    // One byte more is not, and it counts for each output alone.
    let head = guest.start(hub, 6, ("tools/printf", &["printf", "%01001d", "0"]), 2);
    assert_eq!(guest.read_all(head.stdout).1.len(), 1000);
    assert_eq!(guest.status(hub, 7, head.exec_id), (Failed, 125));
    let both = guest.start(hub, 8, ("t/both", &["both"]), 6);
    guest.read_all(both.stdout);
    assert_eq!(guest.read_all(both.stderr).1.len(), 690);
    assert_eq!(guest.status(hub, 9, both.exec_id), (Exited, 3));
}

#[test]
fn input_beyond_its_limit_is_not_taken() {
    let mut policy = policy();
    policy.limits.max_stdin_bytes = 10;
    let (mut guest, hub) = opened(policy);
    let cat = guest.start(hub, 1, ("tools/cat", &["cat"]), 3);
    assert_eq!(guest.write(cat.stdin, b"12345678"), 8);
    assert_eq!(guest.write(cat.stdin, b"901"), -1);
    assert_eq!(guest.write(cat.stdin, b"90"), 2);
    assert_eq!(guest.write(cat.stdin, b"1"), -1);
    guest.end(cat.stdin);
    assert_eq!(guest.read_all(cat.stdout).1, b"1234567890");
    assert_eq!(guest.status(hub, 2, cat.exec_id), (Exited, 0));
}

#[test]
fn what_does_not_end_is_ended() {
    let mut policy = policy();
    policy.limits.time_limit = SHORT;
    let (mut guest, hub) = opened(policy);
    let began = Instant::now();
    let spin = guest.start(hub, 1, ("t/spin", &["spin"]), 6);
    // It runs as long as anybody has patience.
    assert_eq!(guest.status(hub, 2, spin.exec_id), (Running, 0));
    assert_eq!(guest.read_all(spin.stdout), (0, Vec::new()));
    assert!(began.elapsed() >= SHORT);
    assert_eq!(guest.read_all(spin.stderr), (0, Vec::new()));
    for id in 3..6 {
        assert_eq!(guest.status(hub, id, spin.exec_id), (Timeout, 124));
    }
}

#[test]
fn what_waits_for_ever_is_ended_too() {
    let mut policy = policy();
    policy.limits.time_limit = SHORT;
    let (mut guest, hub) = opened(policy);
    // Asleep, and with nobody who reads its output.
    let sleep = guest.start(hub, 1, ("tools/sleep", &["sleep", "1000"]), 2);
    let yes = guest.start(hub, 2, ("tools/yes", &["yes"]), 4 | 2);
    assert_eq!(guest.status(hub, 3, sleep.exec_id), (Running, 0));
    assert_eq!(guest.read_all(sleep.stdout), (0, Vec::new()));
    assert_eq!(guest.status(hub, 4, sleep.exec_id), (Timeout, 124));
    assert_eq!(guest.status(hub, 5, yes.exec_id), (Timeout, 124));
    // What it had written stays.
    assert_eq!(guest.read_all(yes.stdout).1.len(), 64 << 10);
}

#[test]
fn computing_has_a_limit_of_its_own() {
    let mut policy = policy();
    policy.limits.cpu_time = Duration::from_millis(30);
    policy.limits.status_patience = Duration::ZERO;
    let (mut guest, hub) = opened(policy);
    let spin = guest.start(hub, 1, ("t/spin", &["spin"]), 2);
    assert_eq!(guest.status(hub, 2, spin.exec_id), (Running, 0));
    let began = Instant::now();
    assert_eq!(guest.read_all(spin.stdout), (0, Vec::new()));
    assert!(began.elapsed() < Duration::from_secs(5));
    assert_eq!(guest.status(hub, 3, spin.exec_id), (Timeout, 124));
    // Sleeping is not computing.
    let sleep = guest.start(hub, 4, ("tools/sleep", &["sleep", "0.1"]), 2);
    assert_eq!(guest.read_all(sleep.stdout), (0, Vec::new()));
    assert_eq!(guest.status(hub, 5, sleep.exec_id), (Exited, 0));
}

#[test]
fn memory_has_a_limit() {
    let (mut guest, hub) = opened(policy());
    let greedy = guest.start(hub, 1, ("t/greedy", &["greedy"]), 6);
    guest.read_all(greedy.stdout);
    assert_eq!(guest.status(hub, 2, greedy.exec_id), (Failed, 125));
    let told = String::from_utf8(guest.read_all(greedy.stderr).1).unwrap();
    assert!(told.contains("mem_limit_bytes limit exceeded"), "{told}");
}

#[test]
fn a_crash_is_a_failure() {
    let (mut guest, hub) = opened(policy());
    let crash = guest.start(hub, 1, ("t/crash", &["crash"]), 0);
    assert_eq!(guest.status(hub, 2, crash.exec_id), (Failed, 128 + 11));
    let exit = guest.start(hub, 3, ("tools/false", &["false"]), 0);
    assert_eq!(guest.status(hub, 4, exit.exec_id), (Exited, 1));
}

#[test]
fn both_outputs_are_whole_and_in_order() {
    let (mut guest, hub) = opened(policy());
    let both = guest.start(hub, 1, ("t/both", &["both"]), 6);
    let lines = |name: &str| -> String { (0..100).map(|n| format!("{name} {n}\n")).collect() };
    assert_eq!(guest.read_all(both.stderr).1, lines("err").as_bytes());
    assert_eq!(guest.read_all(both.stdout).1, lines("out").as_bytes());
    assert_eq!(guest.status(hub, 2, both.exec_id), (Exited, 3));
}

#[test]
fn an_unknown_exec_id_is_not_found() {
    let (mut guest, hub) = opened(policy());
    for (id, exec_id) in [(1, 0), (2, 1), (3, u32::MAX)] {
        let call = exec::STATUS.call(StatusRequest { exec_id });
        assert_eq!(
            guest.call(hub, id, &call),
            format!("FAILED {id} t_exec_not_found")
        );
    }
    for (id, params) in [(4, &b"\x01\0\0"[..]), (5, b"\x01\0\0\0\0"), (6, b"")] {
        let call = exec::STATUS.call(Raw(params));
        assert_eq!(
            guest.call(hub, id, &call),
            format!("FAILED {id} t_async_bad_params")
        );
    }
}

#[test]
fn a_host_may_keep_statuses_to_itself() {
    let mut policy = policy();
    policy.tells_status = false;
    let (mut guest, hub) = opened(policy);
    let echo = guest.start(hub, 1, ("tools/echo", &["echo"]), 0);
    let call = exec::STATUS.call(StatusRequest {
        exec_id: echo.exec_id,
    });
    assert_eq!(guest.call(hub, 2, &call), "FAILED 2 t_exec_not_listable");
}

#[test]
fn a_status_is_kept_when_everything_else_is_gone() {
    let mut policy = policy();
    policy.limits.time_limit = SHORT;
    let (mut guest, hub) = opened(policy);
    let echo = guest.start(hub, 1, ("tools/false", &["false"]), 6);
    guest.read_all(echo.stdout);
    guest.read_all(echo.stderr);
    // Longer than the grace that is promised.
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(guest.status(hub, 2, echo.exec_id), (Exited, 1));
    // Ids are not used again.
    let other = guest.start(hub, 3, ("tools/true", &["true"]), 0);
    assert_eq!(other.exec_id, echo.exec_id + 1);
}

#[test]
fn statuses_of_other_guests_are_not_seen() {
    let (mut one, hub) = opened(policy());
    one.start(hub, 1, ("tools/true", &["true"]), 0);
    let (mut two, hub) = opened(policy());
    let call = exec::STATUS.call(StatusRequest { exec_id: 1 });
    assert_eq!(two.call(hub, 1, &call), "FAILED 1 t_exec_not_found");
}

#[test]
fn arguments_and_environment_arrive_as_they_were_given() {
    let (mut guest, hub) = opened(policy());
    let request = StartRequest {
        prog_id: "t/told",
        flags: 2,
        args: &["zero", "", "two words", "ünïcode", "-x"],
        env: &[("Z", "1"), ("A", "two words"), ("Z", "again"), ("E", "")],
    };
    let value = guest.value(hub, 1, &exec::START.call(request));
    let stdout = Started::decode(&value).unwrap().stdout;
    let (_, told) = guest.read_all(i32::try_from(stdout).unwrap());
    assert_eq!(
        String::from_utf8(told).unwrap(),
        "arg zero\narg \narg two words\narg ünïcode\narg -x\n\
         env Z=1\nenv A=two words\nenv Z=again\nenv E=\ncwd [47]\n"
    );
    // Nothing at all is passed on as nothing at all.
    let request = StartRequest {
        args: &[],
        env: &[],
        ..request
    };
    let value = guest.value(hub, 2, &exec::START.call(request));
    let stdout = Started::decode(&value).unwrap().stdout;
    assert_eq!(
        guest.read_all(i32::try_from(stdout).unwrap()).1,
        b"cwd [47]\n"
    );
}

#[test]
fn built_in_programs_print_the_environment_in_its_order() {
    let (mut guest, hub) = opened(policy());
    let request = StartRequest {
        prog_id: "tools/env",
        flags: 2,
        args: &["env"],
        env: &[("B", "1"), ("A", "2")],
    };
    let value = guest.value(hub, 1, &exec::START.call(request));
    let stdout = Started::decode(&value).unwrap().stdout;
    assert_eq!(
        guest.read_all(i32::try_from(stdout).unwrap()).1,
        b"B=1\nA=2\n"
    );
}

#[test]
fn programs_see_the_files_they_are_given_and_no_others() {
    let (mut guest, hub) = opened(policy());
    let cat = guest.start(
        hub,
        1,
        ("tools/cat", &["cat", "/work/poem.txt", "/etc/passwd"]),
        6,
    );
    assert_eq!(guest.read_all(cat.stdout).1, b"roses\nare red\n");
    let told = String::from_utf8(guest.read_all(cat.stderr).1).unwrap();
    assert_eq!(told, "cat: /etc/passwd: No such file or directory\n");
    assert_eq!(guest.status(hub, 2, cat.exec_id), (Exited, 1));
}

#[test]
fn a_guest_and_a_program_do_not_wait_for_each_other() {
    let (mut guest, hub) = opened(policy());
    let cat = guest.start(hub, 1, ("tools/cat", &["cat"]), 7);
    assert_eq!(guest.read(cat.stdout, 10).0, -1);
    assert_eq!(guest.read(cat.stderr, 10).0, -1);
    // Nothing is broken by that.
    guest.write(cat.stdin, b"x");
    assert_eq!(guest.read(cat.stdout, 10), (1, b"x".to_vec()));
    assert_eq!(guest.read(cat.stdout, 10).0, -1);
    guest.end(cat.stdin);
    assert_eq!(guest.read(cat.stdout, 10).0, 0);
    // Nor does a guest wait for one output while the program waits for the other to be read.
    let program = guest.start(hub, 2, ("t/stderr-first", &["p"]), 6);
    assert_eq!(guest.read(program.stdout, 10).0, -1);
    let mut errors = 0;
    loop {
        let (count, _) = guest.read(program.stderr, 1 << 16);
        if count <= 0 {
            break;
        }
        errors += count;
    }
    assert_eq!(errors, 200_000);
    assert_eq!(guest.read_all(program.stdout).1, b"done\n");
}

#[test]
fn a_program_that_only_sleeps_is_waited_for() {
    // It waits for its input and for a time at once: the time comes by itself.
    let (mut guest, hub) = shell("sleep 0.05; echo late; cat");
    let program = guest.start(hub, 1, ("my/script", &["script"]), 7);
    assert_eq!(guest.read(program.stdout, 10).1, b"late\n");
    assert_eq!(guest.read(program.stdout, 10).0, -1);
}

#[test]
fn input_is_taken_as_far_as_there_is_room() {
    let (mut guest, hub) = opened(policy());
    let sleep = guest.start(hub, 1, ("tools/sleep", &["sleep", "1000"]), 1);
    let data = vec![b'x'; 100_000];
    assert_eq!(guest.write(sleep.stdin, &data), 65_536);
    assert_eq!(guest.write(sleep.stdin, &data), 0);
    assert_eq!(guest.write(sleep.stdin, &data), 0);
    // A program that reads makes room, within the call.
    let wc = guest.start(hub, 2, ("tools/wc", &["wc", "-c"]), 3);
    let mut written = 0;
    while written < 1_000_000 {
        let count = guest.write(wc.stdin, &data[..data.len().min(1_000_000 - written)]);
        assert!(count > 0);
        written += usize::try_from(count).unwrap();
    }
    guest.end(wc.stdin);
    assert_eq!(guest.read_all(wc.stdout).1, b"1000000\n");
}

#[test]
fn much_output_comes_whole_however_it_is_read() {
    for cap in [1, 7, 4096, 1 << 20] {
        let (mut guest, hub) = opened(policy());
        let lines = if cap == 1 { "2000" } else { "100000" };
        let seq = guest.start(hub, 1, ("tools/seq", &["seq", lines]), 2);
        let mut all = Vec::new();
        loop {
            let (count, bytes) = guest.read(seq.stdout, cap);
            if count == 0 {
                break;
            }
            assert!(count > 0);
            all.extend(bytes);
        }
        let last: usize = lines.parse().unwrap();
        let expected: String = (1..=last).map(|n| format!("{n}\n")).collect();
        assert_eq!(all, expected.as_bytes());
    }
}

#[test]
fn programs_run_beside_each_other() {
    let (mut guest, hub) = opened(policy());
    let cats: Vec<_> = (1..=10)
        .map(|id| guest.start(hub, id, ("tools/cat", &["cat"]), 3))
        .collect();
    for (n, cat) in cats.iter().enumerate() {
        guest.write(cat.stdin, format!("cat {n}").as_bytes());
    }
    for (n, cat) in cats.iter().enumerate().rev() {
        assert_eq!(guest.read(cat.stdout, 100).1, format!("cat {n}").as_bytes());
        guest.end(cat.stdin);
        assert_eq!(guest.read(cat.stdout, 100).0, 0);
    }
    for (n, cat) in cats.iter().enumerate() {
        let id = 100 + u64::try_from(n).unwrap();
        assert_eq!(guest.status(hub, id, cat.exec_id), (Exited, 0));
    }
}

/// A guest whose `my/script` is a shell script.
fn shell(script: &str) -> (Native, i32) {
    let files = MemVfs::new();
    files
        .write_file(VfsPath::new("/script"), script.as_bytes())
        .unwrap();
    let programs = ShellPrograms::new(Arc::new(Utilities));
    let mut registry = Registry::new();
    registry.programs("tools", &Utilities);
    let bash = programs.find(b"bash").unwrap();
    registry
        .script("my/script", ("bash", bash), VfsPath::new("/script"))
        .unwrap();
    opened(ExecPolicy::all(registry, Arc::new(files)))
}

#[test]
fn a_script_runs_with_its_interpreter_and_its_arguments() {
    let (mut guest, hub) = shell("echo \"$1 and $2\" | tr a-z A-Z; read x; echo got $x; exit 7");
    let program = guest.start(hub, 1, ("my/script", &["script", "this", "that"]), 3);
    guest.write(program.stdin, b"input\n");
    assert_eq!(
        guest.read_all(program.stdout).1,
        b"THIS AND THAT\ngot input\n"
    );
    assert_eq!(guest.status(hub, 2, program.exec_id), (Exited, 7));
}

#[test]
fn what_a_program_starts_by_name_is_allowed_to_the_guest_too() {
    let (mut guest, hub) = opened(policy());
    let run = |guest: &mut Native, id, args: &[&str]| {
        let program = guest.start(hub, id, ("tools/env", args), 6);
        let out = guest.read_all(program.stdout).1;
        let told = String::from_utf8(guest.read_all(program.stderr).1).unwrap();
        (String::from_utf8(out).unwrap(), told)
    };
    let (out, _) = run(&mut guest, 1, &["env", "PATH=/bin", "echo", "hi"]);
    assert_eq!(out, "hi\n");
    let (out, told) = run(&mut guest, 2, &["env", "PATH=/bin", "rm", "/work/poem.txt"]);
    assert_eq!(out, "");
    assert!(told.contains("No such file or directory"), "{told}");
}

#[test]
fn javascript_runs_in_a_cell() {
    let files = MemVfs::new();
    let text = b"const fs = require('fs');\nconsole.log(process.argv.slice(2).join('+'), fs.readFileSync('/note', 'utf8'));";
    files.write_file(VfsPath::new("/main.js"), text).unwrap();
    files.write_file(VfsPath::new("/note"), b"a note").unwrap();
    let programs = hotcell_js::JsPrograms::new(Arc::new(Utilities));
    let js = programs.find(b"js").unwrap();
    let mut registry = Registry::new();
    registry
        .script("my/js", ("js", js), VfsPath::new("/main.js"))
        .unwrap();
    let mut policy = ExecPolicy::all(registry, Arc::new(files));
    policy.limits.mem_limit_bytes = 256 << 20;
    let (mut guest, hub) = opened(policy);
    let program = guest.start(hub, 1, ("my/js", &["js", "1", "2"]), 6);
    let out = guest.read_all(program.stdout).1;
    let told = guest.read_all(program.stderr).1;
    assert_eq!(String::from_utf8(out).unwrap(), "1+2 a note\n", "{told:?}");
    assert_eq!(guest.status(hub, 2, program.exec_id), (Exited, 0));
}

/// A guest whose `my/wasi` is a WASI module.
fn wasi(text: &str, limit: Duration) -> (Native, i32) {
    let files = MemVfs::new();
    let binary = wat::parse_str(text).unwrap();
    files
        .write_file(VfsPath::new("/program.wasm"), &binary)
        .unwrap();
    let programs = WasiPrograms::new(Arc::new(Utilities), &WasiEngine::new());
    let mut registry = Registry::new();
    registry
        .file("my/wasi", Arc::new(programs), VfsPath::new("/program.wasm"))
        .unwrap();
    let mut policy = ExecPolicy::all(registry, Arc::new(files));
    policy.limits.time_limit = limit;
    opened(policy)
}

#[test]
fn a_wasi_module_is_a_program() {
    // Copies its input, and exits with the number of its arguments.
    let copy = r#"(module
        (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "args_sizes_get" (func $args (param i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
        (memory (export "memory") 1)
        (func (export "_start")
          (i32.store (i32.const 0) (i32.const 1024))
          (loop $again
            (i32.store (i32.const 4) (i32.const 1000))
            (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
            (i32.store (i32.const 4) (i32.load (i32.const 8)))
            (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 12)))
            (br_if $again (i32.load (i32.const 8))))
          (drop (call $args (i32.const 16) (i32.const 20)))
          (call $exit (i32.load (i32.const 16)))))"#;
    let (mut guest, hub) = wasi(copy, Duration::from_secs(60));
    let program = guest.start(hub, 1, ("my/wasi", &["wasi", "a", "b"]), 7);
    assert_eq!(guest.write(program.stdin, b"through a module"), 16);
    assert_eq!(guest.read(program.stdout, 100).1, b"through a module");
    guest.end(program.stdin);
    assert_eq!(guest.read_all(program.stdout), (0, Vec::new()));
    assert_eq!(guest.read_all(program.stderr), (0, Vec::new()));
    assert_eq!(guest.status(hub, 2, program.exec_id), (Exited, 3));
}

#[test]
fn a_wasi_module_ends_at_its_limit_and_its_traps_are_crashes() {
    let program = |body: &str| {
        format!(r#"(module (memory (export "memory") 1) (func (export "_start") {body}))"#)
    };
    let (mut guest, hub) = wasi(&program("(loop $l (br $l))"), Duration::from_millis(300));
    let endless = guest.start(hub, 1, ("my/wasi", &["wasi"]), 2);
    assert_eq!(guest.read(endless.stdout, 10).0, 0);
    assert_eq!(guest.status(hub, 2, endless.exec_id), (Timeout, 124));

    let (mut guest, hub) = wasi(&program("(unreachable)"), Duration::from_secs(60));
    let trap = guest.start(hub, 1, ("my/wasi", &["wasi"]), 2);
    assert_eq!(guest.read(trap.stdout, 10).0, 0);
    let (state, code) = guest.status(hub, 2, trap.exec_id);
    assert!(state == Failed && code > 128, "{state:?} {code}");
}

#[test]
fn two_runs_of_the_same_guest_are_the_same() {
    let run = || {
        let mut guest = Native::new(capabilities());
        let hub = guest.open(b"");
        let mut told = Vec::new();
        for id in 1..20 {
            let program = guest.start(hub, id, ("t/both", &["both"]), 6);
            told.push(format!("{program:?}"));
            told.push(format!(
                "{:?}",
                guest.status(hub, 100 + id, program.exec_id)
            ));
            told.push(format!("{:?}", guest.read(program.stdout, 33)));
            told.push(format!("{:?}", guest.read_all(program.stderr)));
        }
        told
    };
    assert_eq!(run(), run());
}
