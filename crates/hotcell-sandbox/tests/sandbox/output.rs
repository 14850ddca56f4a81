//! Input, and output as it comes.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use hotcell_meter::Account;
use hotcell_process::{Capture, pipe};
use hotcell_sandbox::{Command, ErrorClass, OutputStream};

use crate::{run, sandbox, text};

#[test]
fn standard_input_is_the_commands_own() {
    let sandbox = sandbox();
    let result = run(
        &sandbox,
        Command::new("read x; cat; echo got $x").stdin("one\ntwo\n"),
    );
    assert_eq!(result.stdout, b"two\ngot one\n");
    assert_eq!(
        text(&sandbox, "cat; echo nothing to read"),
        "nothing to read\n"
    );
    let result = run(&sandbox, Command::new("wc -c").stdin(b"\0\xff".to_vec()));
    assert_eq!(result.stdout, b"2\n");
}

#[test]
fn output_comes_in_its_order_while_the_command_runs() {
    let sandbox = sandbox();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (to, other) = (heard.clone(), sandbox.clone());
    let command =
        Command::new("echo a; echo b >&2; sleep 0.01; printf c").on_output(move |stream, bytes| {
            assert!(other.is_running());
            to.lock().unwrap().push((stream, bytes.to_vec()));
        });
    let result = run(&sandbox, command);
    let heard = heard.lock().unwrap();
    assert_eq!(
        *heard,
        [
            (OutputStream::Stdout, b"a\n".to_vec()),
            (OutputStream::Stderr, b"b\n".to_vec()),
            (OutputStream::Stdout, b"c".to_vec()),
        ]
    );
    // It is in the result as well.
    assert_eq!(
        (&*result.stdout, &*result.stderr),
        (&b"a\nc"[..], &b"b\n"[..])
    );
}

#[test]
fn a_listener_may_use_the_sandbox() {
    let sandbox = sandbox();
    let other = sandbox.clone();
    let command = Command::new("echo stop; sleep 100").on_output(move |_, _| {
        assert_eq!(other.history().unwrap().len(), 0);
        other.write_file("heard", "x").unwrap();
        other.cancel();
    });
    assert_eq!(
        run(&sandbox, command).error_class,
        Some(ErrorClass::Cancelled)
    );
    assert!(sandbox.exists("heard").unwrap());
}

#[test]
fn streams_of_the_hosts_take_what_comes_and_nothing_is_kept() {
    let sandbox = sandbox();
    let account = Account::unlimited();
    let own = Capture::new(&account, usize::MAX);
    let command = Command::new("seq 300000; echo no >&2").stdout_stream(Arc::new(own.clone()));
    let result = run(&sandbox, command);
    assert_eq!(own.take().bytes.len(), 1_988_895);
    assert_eq!((&*result.stdout, &*result.stderr), (&b""[..], &b"no\n"[..]));
    assert_eq!(result.truncated.stdout, 0);
}

#[test]
fn input_can_come_from_a_stream_that_others_write() {
    let sandbox = sandbox();
    let (reader, writer) = pipe(&Account::unlimited(), 1 << 16).unwrap();
    let writer = Arc::new(Mutex::new(Some(writer)));
    let to = writer.clone();
    let command = Command::new("echo ready; while read x; do echo got $x; done")
        .stdin_stream(Arc::new(reader))
        .on_output(move |_, bytes| {
            let mut writer = to.lock().unwrap();
            if bytes.starts_with(b"ready") {
                let stream: &dyn hotcell_process::Stream = writer.as_ref().unwrap();
                let written = stream.poll_write(b"1\n2\n", std::task::Waker::noop());
                assert!(written.is_ready());
            } else {
                writer.take();
            }
        });
    assert_eq!(run(&sandbox, command).stdout, b"ready\ngot 1\ngot 2\n");
}

#[test]
fn a_result_tells_what_the_command_took() {
    let sandbox = sandbox();
    let result = run(
        &sandbox,
        "sleep 0.03; x=$(head -c 1000000 /dev/zero | tr '\\0' x)",
    );
    assert!(result.duration >= Duration::from_millis(30));
    assert!(result.cpu > Duration::ZERO && result.cpu < result.duration);
    assert!(result.peak_memory >= 1_000_000);
    assert!(run(&sandbox, "unset x").peak_memory < 3_000_000);
}
