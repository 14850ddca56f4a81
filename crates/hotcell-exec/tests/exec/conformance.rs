//! The checklist of the capability (its document's section 9), point by point. Each point is held elsewhere in detail; here is
//! the shortest thing that shows it.

use hotcell_exec::Capabilities;
use hotcell_guest::hopper::{
    Encode, Raw, command,
    control::{Reply, read_capabilities},
    frame::{self, Frame},
    selector::exec::{self, StartRequest, Started, State, Status},
    source::Source,
};

use crate::harness::{Native, capabilities, policy, vector, with_policy};

#[test]
fn host_1_advertises_exec_when_it_has_it_and_not_otherwise() {
    let listed = |capabilities: Capabilities| {
        let mut guest = Native::new(capabilities);
        let reply = guest.control(&vector("C1"), 4096).unwrap();
        let body = Reply::decode(&reply).unwrap().outcome.unwrap();
        let list = read_capabilities(body.0).unwrap();
        list.iter()
            .any(|one| (one.kind, one.name) == ("exec", "default"))
    };
    assert!(listed(capabilities()));
    assert!(!listed(Capabilities::default()));
}

#[test]
fn host_2_has_both_selectors_as_laid_out() {
    let mut guest = Native::new(capabilities());
    let hub = guest.open(b"");
    let value = guest.value(hub, 1, &Raw(&vector("E3")));
    assert_eq!(value.len(), 20);
    let started = Started::decode(&value).unwrap();
    assert_eq!((started.status_flags, started.stdin), (1, 0));
    let call = exec::STATUS.call(exec::StatusRequest {
        exec_id: started.exec_id,
    });
    let value = guest.value(hub, 2, &call);
    assert_eq!(value.len(), 8);
    assert_eq!(Status::decode(&value).unwrap().state, State::Exited);
}

#[test]
fn host_3_enforces_bounds_the_same_way_every_time() {
    let mut limited = policy();
    limited.limits.max_stdout_bytes = 1000;
    limited.limits.max_args = 2;
    let run = || {
        let mut guest = Native::new(with_policy(limited.clone()));
        let hub = guest.open(b"");
        let yes = guest.start(hub, 1, ("tools/yes", &["yes"]), 2);
        let output = guest.read_all(yes.stdout);
        let status = guest.status(hub, 2, yes.exec_id);
        let many = StartRequest {
            prog_id: "tools/echo",
            flags: 0,
            args: &["1", "2", "3"],
            env: &[],
        };
        (output, status, guest.call(hub, 3, &exec::START.call(many)))
    };
    let first = run();
    assert_eq!(first.0.1.len(), 1000);
    assert_eq!(first.1, (State::Failed, 125));
    assert_eq!(first.2, "FAILED 3 t_exec_bad_args");
    for _ in 0..20 {
        assert_eq!(run(), first);
    }
}

#[test]
fn host_4_fails_futures_with_stable_codes() {
    let mut refused = policy();
    refused.allow.clear();
    let mut guest = Native::new(with_policy(refused));
    let hub = guest.open(b"");
    guest.send(hub, &vector("E4"));
    let (_, bytes) = guest.read_all(hub);
    assert_eq!(bytes[48..], *vector("E13"));
}

#[test]
fn host_5_keeps_the_order_of_streams_and_closes_them_at_the_end() {
    let mut guest = Native::new(capabilities());
    let hub = guest.open(b"");
    let both = guest.start(hub, 1, ("t/both", &["both"]), 6);
    assert_eq!(guest.status(hub, 2, both.exec_id), (State::Exited, 3));
    // What was written before the end is there after it, in order, and then nothing.
    for (handle, name) in [(both.stdout, "out"), (both.stderr, "err")] {
        let expected: String = (0..100).map(|n| format!("{name} {n}\n")).collect();
        assert_eq!(guest.read_all(handle), (0, expected.into_bytes()));
        assert_eq!(guest.read(handle, 10).0, 0);
    }
}

#[test]
fn guest_1_uses_the_hub_and_cap_selector() {
    let call = exec::START.call(StartRequest {
        prog_id: "tools/echo",
        flags: 6,
        args: &["echo", "hi"],
        env: &[],
    });
    let bytes = Frame::command(command::REGISTER_FUTURE, 1, 100, call)
        .to_vec()
        .unwrap();
    assert_eq!(bytes, vector("E4"));
    let frame = Frame::decode(&bytes, frame::COMMAND).unwrap();
    assert!(matches!(
        Source::decode(frame.payload.0),
        Ok(Source::Selector(_))
    ));
}

#[test]
fn guest_2_rejects_malformed_results() {
    for length in (0..20).chain(21..30) {
        assert!(Started::decode(&vec![1; length]).is_err());
    }
    let mut value = vector("E5");
    assert!(Started::decode(&value).unwrap().answers(6));
    value[4] = 0;
    assert!(!Started::decode(&value).unwrap().answers(6), "not started");
    assert!(Status::decode(&[5, 0, 0, 0, 0, 0, 0, 0]).is_err());
}

// In the client it is held by types: a `Source` has no `write`, a `Sink` no `read`. That a host which lies about handles is not
// believed is in `client`.
#[test]
fn guest_3_finds_streams_of_one_direction() {
    let mut guest = Native::new(capabilities());
    let hub = guest.open(b"");
    let cat = guest.start(hub, 1, ("tools/cat", &["cat"]), 7);
    assert_eq!(guest.read(cat.stdin, 10).0, -1);
    assert_eq!(guest.write(cat.stdout, b"x"), -1);
    assert_eq!(guest.write(cat.stderr, b"x"), -1);
    guest.end(cat.stdout);
    assert_eq!(guest.write(cat.stdin, b"abc"), 3);
    assert_eq!(guest.read(cat.stdout, 10).1, b"abc");
}

#[test]
fn the_further_musts_of_the_document_hold() {
    let mut guest = Native::new(capabilities());
    let hub = guest.open(b"");
    // Unknown versions, unknown bits, paths.
    let start = |selector, prog_id, flags| {
        let request = StartRequest {
            prog_id,
            flags,
            args: &[],
            env: &[],
        };
        hotcell_guest::hopper::selector::Selector {
            selector,
            ..exec::START
        }
        .call(request)
    };
    let v2 = start("exec.start.v2", "tools/echo", 0);
    assert_eq!(guest.call(hub, 1, &v2), "FAILED 1 t_async_unknown_selector");
    let bits = start("exec.start.v1", "tools/echo", 0x10);
    assert_eq!(guest.call(hub, 2, &bits), "FAILED 2 t_async_bad_params");
    let path = start("exec.start.v1", "../bin/sh", 0);
    assert_eq!(guest.call(hub, 3, &path), "FAILED 3 t_exec_bad_prog");
    // Ids are unique, states do not go back.
    let first = guest.start(hub, 4, ("tools/true", &["true"]), 0);
    let second = guest.start(hub, 5, ("tools/true", &["true"]), 0);
    assert_ne!(first.exec_id, second.exec_id);
    for id in 6..10 {
        assert_eq!(guest.status(hub, id, first.exec_id), (State::Exited, 0));
    }
}
