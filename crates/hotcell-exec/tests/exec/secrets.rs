//! Nothing of arguments, environment and input is told: not in events, not in what errors and `Debug` print, not in the log.

use std::{
    io::Write as _,
    sync::{Arc, Mutex},
};

use hotcell_exec::{Capabilities, Config, Grant, Host, HostError, RunOptions};
use hotcell_hopper::{
    Encode, Raw, command,
    frame::Frame,
    selector::exec::{self, StartRequest},
};
use hotcell_process::Process;

use crate::{
    harness::{Native, policy, register, standard, with_policy},
    transcripts::Tape,
    wasm::ENGINE,
};

const SECRET: &str = "hunter2hunter2";

/// Whether a text has the secret in it: as it is, as numbers, as hexadecimal digits, as base64.
fn tells(text: &str) -> bool {
    let bytes = &SECRET.as_bytes()[..6];
    let numbers = format!("{bytes:?}");
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let spaced: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [
        "hunter2",
        numbers.trim_matches(['[', ']']),
        &hex,
        &hex.to_uppercase(),
        &spaced.join(" "),
        "aHVudGVyM",
    ]
    .iter()
    .any(|form| text.contains(form))
}

#[test]
fn the_search_finds_what_it_looks_for() {
    assert!(tells(&format!("x{SECRET}")) && tells(&format!("{:?}", SECRET.as_bytes())));
    assert!(tells("68756e746572") && tells("68 75 6e 74 65 72") && !tells("hunter"));
}

/// Programs that break in all ways there are, without a word of their own.
fn breaking() -> hotcell_exec::Registry {
    let mut registry = crate::harness::registry();
    registry
        .program(
            "t/panics",
            Arc::new(|_: &Process| -> std::io::Result<i32> {
                std::panic::resume_unwind(Box::new("a fault"))
            }),
        )
        .unwrap()
        .program(
            "t/fails",
            Arc::new(|process: &Process| -> std::io::Result<i32> {
                process.stdout().flush()?;
                Err(std::io::ErrorKind::Other.into())
            }),
        )
        .unwrap();
    registry
}

#[test]
fn nothing_that_a_program_is_told_is_told_again() {
    let mut policy = policy();
    policy.limits.max_args = 3;
    policy.limits.max_stdin_bytes = 20;
    policy.registry = Arc::new(breaking());
    policy
        .allow
        .extend(["t/panics", "t/fails"].map(String::from));
    let log = Arc::new(Mutex::new(String::new()));
    let lines = Arc::clone(&log);
    let (standard, output) = standard(SECRET.as_bytes());
    let capabilities = Capabilities {
        config: Grant::Given(Config::default().secret("key", SECRET)),
        ..with_policy(policy)
    };
    let mut told = format!("{capabilities:?}");
    let host = Host::new(capabilities, standard).on_log(Arc::new(move |topic, msg| {
        let mut lines = lines.lock().unwrap();
        lines.push_str(&String::from_utf8_lossy(topic));
        lines.push_str(&String::from_utf8_lossy(msg));
    }));
    let mut guest = Native::with(host, output);
    let hub = guest.open(b"");
    let mut id = 0;
    let mut events = Vec::new();
    for prog_id in [
        "tools/true",
        "tools/false",
        "t/crash",
        "t/panics",
        "t/fails",
        "t/greedy",
        "tools/rm",
        SECRET,
        "tools/../x",
        "tools/cat",
    ] {
        for args in [
            &["prog", SECRET][..],
            &["prog", SECRET, "\u{1}"],
            &[SECRET, "", "", ""],
        ] {
            for env in [
                &[("KEY", SECRET)][..],
                &[(SECRET, "x=y")],
                &[("hunter2hunter2=", "x")],
            ] {
                id += 1;
                let request = StartRequest {
                    prog_id,
                    flags: 1,
                    args,
                    env,
                };
                let call = exec::START.call(request);
                told += &format!("{request:?} {call:?} {:?}", Frame::command(1, 1, 1, &call));
                guest.send(hub, &register(id, id, &call));
                events.extend(guest.events(hub));
                // Whatever was started gets a secret, if it takes one.
                for handle in 4..40 {
                    guest.write(handle, SECRET.as_bytes());
                    guest.end(handle);
                }
            }
        }
    }
    for exec_id in 1..30 {
        id += 1;
        let call = exec::STATUS.call(exec::StatusRequest { exec_id });
        guest.send(hub, &register(id, id, &call));
        events.extend(guest.events(hub));
    }
    // Broken frames that carry it.
    let broken = Frame::command(command::REGISTER_FUTURE, 5, 999_999, Raw(SECRET.as_bytes()));
    guest.send(hub, &broken.to_vec().unwrap());
    guest.send(
        hub,
        &Frame::command(99, 6, 1, Raw(SECRET.as_bytes()))
            .to_vec()
            .unwrap(),
    );
    events.extend(guest.events(hub));
    assert!(events.len() > 100);
    told += &events.join("\n");
    told += &format!("{:?}", guest.host);
    told += &log.lock().unwrap();
    told += &String::from_utf8_lossy(&guest.output.take().bytes);
    assert!(!tells(&told), "{told}");
}

#[test]
fn a_divergence_does_not_tell_what_was_written() {
    let text = format!(
        "{{\"k\":\"write\",\"i\":0,\"h\":1,\"ret\":{},\"b64\":\"{}\"}}\n",
        SECRET.len(),
        // The same with another ending.
        "aHVudGVyMmh1bnRlcjM="
    );
    let (streams, output) = standard(b"");
    let mut guest = Native::with(Host::replay(Tape::reader(&text), streams), output);
    let error = guest.try_write(1, SECRET.as_bytes()).unwrap_err();
    let told = format!("{error} {error:?}");
    assert!(told.contains("from byte 13"), "{told}");
    assert!(!tells(&told), "{told}");
    let HostError::Diverged(divergence) = error else {
        panic!("{told}");
    };
    // Who has the transcript may see it.
    assert!(divergence.context.is_some());
}

#[test]
fn how_a_run_ended_tells_nothing_of_it() {
    let module = ENGINE
        .module(include_bytes!("../../examples/guests/echo.wat"))
        .unwrap();
    let (streams, _) = standard(SECRET.as_bytes());
    let host = Host::new(with_policy(policy()), streams);
    let options = RunOptions::default();
    let mut told = format!("{options:?} {module:?}");
    let ended = pollster::block_on(module.run(host, options));
    told += &format!("{ended:?}");
    assert!(!tells(&told) && !told.contains("hi"), "{told}");
}
