//! The hub.

use std::{
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use hotcell_exec::{
    Capabilities, Config, Grant, HubLimits,
    net::{ConnectError, Connecting, Destination, NetPolicy, Network},
};
use hotcell_hopper::{
    Encode, Raw, command,
    frame::{Frame, Fuel, Owner},
    selector::{
        Selector, config, exec,
        net::{CONNECT, ConnectRequest},
    },
    source::Call,
};

use crate::harness::{Native, bare, capabilities, register, vector};

/// A network in which nothing ever happens, so that futures stay pending.
struct Silent;

impl Network for Silent {
    fn connect(&self, _: Destination) -> Connecting {
        Box::pin(std::future::poll_fn(|_| {
            Poll::<Result<_, ConnectError>>::Pending
        }))
    }
}

fn silent() -> Capabilities {
    let mut policy = NetPolicy::new(Arc::new(Silent));
    policy.max_conns = 10_000;
    Capabilities {
        net: Grant::Given(policy),
        ..capabilities()
    }
}

/// A source whose future does not end by itself.
fn forever() -> Call<'static, ConnectRequest<'static>> {
    CONNECT.call(ConnectRequest {
        host: "nowhere",
        port: 1,
        flags: 0,
    })
}

fn opened(capabilities: Capabilities) -> (Native, i32) {
    let mut guest = Native::new(capabilities);
    let hub = guest.open(b"");
    (guest, hub)
}

#[test]
fn a_frame_may_come_byte_by_byte() {
    let (mut guest, hub) = opened(capabilities());
    for byte in vector("E4") {
        guest.send(hub, &[byte]);
    }
    let (mut whole, other) = opened(capabilities());
    whole.send(other, &vector("E4"));
    let expected = whole.events(other);
    assert_eq!(expected[0], "ACK 1");
    assert_eq!(guest.events(hub), expected);
}

#[test]
fn two_frames_may_come_at_once() {
    let (mut guest, hub) = opened(capabilities());
    guest.send(hub, &[vector("E4"), vector("E8")].concat());
    let events = guest.events(hub);
    assert_eq!(events[0], "ACK 1");
    assert_eq!(events[1], "ACK 2");
    assert!(events[2].starts_with("OK 100 01000000"), "{events:?}");
    assert_eq!(events[3], "FAILED 101 t_exec_not_found");
}

#[test]
fn an_unknown_command_is_told_to_who_asked() {
    let (mut guest, hub) = opened(capabilities());
    guest.send(hub, &bare(9, 2, 0));
    assert_eq!(guest.read_all(hub), (-1, vector("Z4")));
    guest.send(hub, &bare(9, 0, 0));
    assert_eq!(guest.events(hub), Vec::<String>::new());
}

#[test]
fn no_future_has_the_number_zero() {
    let (mut guest, hub) = opened(capabilities());
    guest.send(hub, &register(5, 0, &forever()));
    assert_eq!(guest.events(hub), ["FAIL 5 t_async_bad_params"]);
}

#[test]
fn a_number_is_used_once() {
    let (mut guest, hub) = opened(capabilities());
    guest.send(hub, &vector("E4"));
    guest.send(hub, &register(6, 100, &forever()));
    let events = guest.events(hub);
    assert_eq!(events[1], "FAIL 6 t_async_future_exists");
    // Also when it has ended.
    guest.send(hub, &register(7, 100, &forever()));
    assert_eq!(guest.events(hub), ["FAIL 7 t_async_future_exists"]);
}

#[test]
fn another_kind_of_source_is_unknown() {
    let (mut guest, hub) = opened(capabilities());
    guest.send(hub, &register(5, 1, &Raw(b"\x03\0\0\0\0")));
    guest.send(hub, &register(6, 2, &Raw(b"\x02\0\0\0")));
    guest.send(hub, &register(7, 3, &Raw(b"")));
    assert_eq!(
        guest.events(hub),
        [
            "FAIL 5 t_async_unknown_source",
            "FAIL 6 t_async_bad_params",
            "FAIL 7 t_async_bad_params",
        ]
    );
}

#[test]
fn a_source_of_another_length_than_it_says_fails_its_future() {
    let (mut guest, hub) = opened(capabilities());
    let mut longer = vector("E3");
    longer[1] += 1;
    assert_eq!(
        guest.call(hub, 1, &Raw(&longer)),
        "FAILED 1 t_async_bad_params"
    );
    let mut trailing = vector("E3");
    trailing.push(0);
    assert_eq!(
        guest.call(hub, 2, &Raw(&trailing)),
        "FAILED 2 t_async_bad_params"
    );
}

#[test]
fn opaque_sources_are_not_supported() {
    let (mut guest, hub) = opened(capabilities());
    for id in ["Z1", "Z1b"] {
        let mut frame = vector(id);
        // Futures have their numbers once.
        frame[36] = if id == "Z1" { 7 } else { 8 };
        guest.send(hub, &frame);
    }
    assert_eq!(
        guest.events(hub),
        [
            "ACK 1",
            "ACK 1",
            "FAILED 7 t_async_unsupported",
            "FAILED 8 t_async_unsupported",
        ]
    );
}

#[test]
fn unknown_capabilities_and_selectors_are_told_apart() {
    let (mut guest, hub) = opened(capabilities());
    let call = |kind, name, selector| {
        Selector {
            kind,
            name,
            selector,
        }
        .call(Raw(b""))
    };
    for (id, call, trace) in [
        (1, call("exek", "default", "exec.start.v1"), "t_cap_missing"),
        (2, call("exec", "other", "exec.start.v1"), "t_cap_missing"),
        (
            3,
            call("exec", "default", "exec.start.v2"),
            "t_async_unknown_selector",
        ),
        (
            4,
            call("exec", "default", "files.list.v1"),
            "t_async_unknown_selector",
        ),
        (
            5,
            call("exec", "default", "exec start"),
            "t_async_bad_params",
        ),
        (6, call("exec", "default", ""), "t_async_bad_params"),
        (7, call("file", "view", "files.list.v1"), "t_cap_missing"),
        (8, call("net", "tcp", "net.tcp.connect.v1"), "t_cap_denied"),
        (
            9,
            call("async", "default", "exec.start.v1"),
            "t_async_unknown_selector",
        ),
        (
            10,
            call("ex\u{7}ec", "default", "exec.start.v1"),
            "t_async_bad_params",
        ),
    ] {
        assert_eq!(guest.call(hub, id, &call), format!("FAILED {id} {trace}"));
    }
}

#[test]
fn a_denied_capability_is_denied() {
    let (mut guest, hub) = opened(Capabilities {
        exec: Grant::Denied,
        ..Capabilities::default()
    });
    assert_eq!(
        guest.call(hub, 1, &Raw(&vector("E3"))),
        "FAILED 1 t_cap_denied"
    );
}

#[test]
fn only_futures_that_there_were_can_be_cancelled() {
    let (mut guest, hub) = opened(silent());
    guest.send(hub, &bare(command::CANCEL_FUTURE, 7, 99));
    assert_eq!(guest.events(hub), ["FAIL 7 t_async_missing_future"]);
    guest.send(hub, &bare(command::CANCEL_FUTURE, 8, 0));
    let cancel = Frame::command(command::CANCEL_FUTURE, 9, 1, Raw(b"x"));
    guest.send(hub, &cancel.to_vec().unwrap());
    assert_eq!(
        guest.events(hub),
        ["FAIL 8 t_async_bad_params", "FAIL 9 t_async_bad_params"]
    );
}

#[test]
fn a_future_that_has_ended_is_not_cancelled_again() {
    let (mut guest, hub) = opened(capabilities());
    guest.send(hub, &vector("E4"));
    assert_eq!(guest.events(hub).len(), 2);
    guest.send(hub, &bare(command::CANCEL_FUTURE, 8, 100));
    assert_eq!(guest.events(hub), ["ACK 8"]);
}

#[test]
fn a_pending_future_is_cancelled_once() {
    let (mut guest, hub) = opened(silent());
    guest.send(hub, &register(1, 7, &forever()));
    guest.send(hub, &vector("Z5"));
    guest.send(hub, &bare(command::CANCEL_FUTURE, 4, 7));
    assert_eq!(
        guest.events(hub),
        ["ACK 1", "ACK 3", "CANCELLED 7", "ACK 4"]
    );
}

#[test]
fn a_program_that_is_cancelled_before_it_is_started_is_not_started() {
    let (mut guest, hub) = opened(capabilities());
    guest.send(hub, &vector("E4"));
    guest.send(hub, &bare(command::CANCEL_FUTURE, 2, 100));
    assert_eq!(guest.events(hub), ["ACK 1", "ACK 2", "CANCELLED 100"]);
    assert_eq!(guest.host.started(), 0);
}

#[test]
fn so_many_futures_may_be_pending_and_no_more() {
    let (mut guest, hub) = opened(silent());
    for id in 1..=33 {
        guest.send(hub, &register(id, id, &forever()));
    }
    // Reading on would wait for one of them to end.
    guest.end(hub);
    let told = guest.events(hub);
    assert_eq!(told[32], "FAIL 33 t_async_overflow");
    let cancelled = told.iter().filter(|line| line.starts_with("CANCELLED"));
    assert_eq!(cancelled.count(), 32);
}

#[test]
fn a_payload_that_is_too_large_is_skipped() {
    let (mut guest, hub) = opened(capabilities());
    let large = vec![0; 1_100_000];
    let frame = Frame::command(command::REGISTER_FUTURE, 100, 5, Raw(&large));
    let bytes = [frame.to_vec().unwrap(), vector("E4")].concat();
    for piece in bytes.chunks(60_000) {
        guest.send(hub, piece);
    }
    let events = guest.events(hub);
    assert_eq!(events[..2], ["FAIL 100 t_async_payload", "ACK 1"]);
    assert!(events[2].starts_with("OK 100"), "{events:?}");
}

#[test]
fn what_is_no_frame_closes_the_hub() {
    let (mut guest, hub) = opened(silent());
    guest.send(hub, &register(1, 50, &forever()));
    let mut broken = vector("E4");
    broken[0] = b'X';
    guest.send(hub, &[broken, vector("E4")].concat());
    assert_eq!(guest.write(hub, &vector("E8")), -1);
    assert_eq!(
        guest.events(hub),
        ["ACK 1", "FAIL 1 t_async_bad_frame", "CANCELLED 50"]
    );
    assert_eq!(guest.read(hub, 10).0, 0);
    assert_eq!(guest.read(hub, 10).0, 0);
    assert_eq!(guest.write(hub, &vector("E8")), -1);
}

#[test]
fn what_is_no_frame_and_has_no_number_is_not_answered() {
    for (at, byte) in [(0, b'X'), (4, 2), (6, 2)] {
        let (mut guest, hub) = opened(capabilities());
        let mut broken = bare(1, 0, 1);
        broken[at] = byte;
        guest.send(hub, &broken);
        assert_eq!(guest.read_all(hub), (0, Vec::new()));
    }
}

#[test]
fn reading_waits_fails_or_ends() {
    let (mut guest, hub) = opened(capabilities());
    assert_eq!(guest.read(hub, 10).0, -1, "nothing can come");
    guest.send(hub, &vector("E4"));
    assert!(guest.read(hub, 10).0 > 0);
    guest.read_all(hub);
    assert_eq!(guest.read(hub, 10).0, -1);
    guest.end(hub);
    guest.end(hub);
    assert_eq!(guest.read(hub, 10).0, 0);
    assert_eq!(guest.read(hub, 10).0, 0);
    assert_eq!(guest.write(hub, b"x"), -1);
}

#[test]
fn a_timeout_cancels() {
    let (mut guest, hub) = opened(silent());
    let began = Instant::now();
    let mut frame = Frame::command(command::REGISTER_FUTURE, 1, 7, forever());
    frame.flags = 30;
    guest.send(hub, &frame.to_vec().unwrap());
    assert_eq!(guest.events(hub), ["ACK 1", "CANCELLED 7"]);
    assert!(began.elapsed() >= Duration::from_millis(30));
}

#[test]
fn a_hub_that_ends_cancels_what_it_registered_and_programs_go_on() {
    let (mut guest, hub) = opened(silent());
    let cat = guest.start(hub, 1, ("tools/cat", &["cat"]), 7);
    guest.send(hub, &register(2, 2, &forever()));
    guest.end(hub);
    assert_eq!(guest.events(hub), ["ACK 2", "CANCELLED 2"]);
    assert_eq!(guest.write(cat.stdin, b"still here"), 10);
    assert_eq!(guest.read(cat.stdout, 100).1, b"still here");
}

#[test]
fn handles_of_one_session_share_their_futures() {
    let mut guest = Native::new(silent());
    let (one, two, other) = (guest.open(b"s"), guest.open(b"s"), guest.open(b"t"));
    guest.send(one, &register(1, 7, &forever()));
    guest.send(two, &register(2, 7, &forever()));
    assert_eq!(guest.events(two), ["FAIL 2 t_async_future_exists"]);
    guest.send(other, &register(3, 7, &forever()));
    // A cancellation is told on every handle of the session, whoever asked for it.
    guest.send(two, &bare(command::CANCEL_FUTURE, 4, 7));
    assert_eq!(guest.events(two), ["ACK 4", "CANCELLED 7"]);
    assert_eq!(guest.events(one), ["ACK 1", "CANCELLED 7"]);
    guest.send(other, &bare(command::CANCEL_FUTURE, 5, 7));
    assert_eq!(guest.events(other), ["ACK 3", "ACK 5", "CANCELLED 7"]);
}

#[test]
fn handles_without_a_session_share_nothing() {
    let mut guest = Native::new(capabilities());
    let (one, two) = (guest.open(b""), guest.open(b""));
    guest.send(one, &vector("E4"));
    guest.send(two, &vector("E4"));
    assert!(guest.events(one)[1].starts_with("OK 100"));
    assert!(guest.events(two)[1].starts_with("OK 100"));
}

fn join(req_id: u64, scope_id: u64, fuel: u64, ms: u16) -> Vec<u8> {
    let mut frame = Frame::command(command::JOIN_BOUNDED, req_id, 0, Fuel(fuel));
    frame.scope_id = scope_id;
    frame.flags = ms;
    frame.to_vec().unwrap()
}

fn in_scope(id: u64, scope_id: u64, source: &impl Encode) -> Vec<u8> {
    let mut frame = Frame::command(command::REGISTER_FUTURE, 0, id, source);
    frame.scope_id = scope_id;
    frame.to_vec().unwrap()
}

fn quick() -> Capabilities {
    Capabilities {
        config: Grant::Given(Config::default().value("k", "v")),
        ..silent()
    }
}

#[test]
fn a_join_of_nothing_is_over_at_once() {
    let (mut guest, hub) = opened(capabilities());
    guest.send(hub, &vector("Z8"));
    let ack = guest.read(hub, 48).1;
    assert_eq!(ack[8], 101);
    assert_eq!(guest.read_all(hub), (-1, vector("Z9")));
    // Also without fuel.
    guest.send(hub, &join(5, 0, 0, 0));
    assert_eq!(guest.events(hub), ["ACK 5", "JOINED 5"]);
}

#[test]
fn a_join_counts_steps() {
    let get = || config::GET.call(config::KeyRequest { key: "k" });
    for (fuel, expected) in [(2, "LIMIT 9"), (3, "JOINED 9"), (0, "LIMIT 9")] {
        let (mut guest, hub) = opened(quick());
        for id in 1..=3 {
            guest.send(hub, &in_scope(id, 5, &get()));
        }
        guest.send(hub, &join(9, 5, fuel, 0));
        let events = guest.events(hub);
        assert!(events.contains(&expected.to_owned()), "{fuel}: {events:?}");
        // Nothing is cancelled.
        let done = events.iter().filter(|line| line.starts_with("OK"));
        assert_eq!(done.count(), 3);
    }
}

#[test]
fn a_join_that_meets_its_limit_says_so_as_published() {
    let (mut guest, hub) = opened(silent());
    guest.send(hub, &in_scope(1, 0, &forever()));
    guest.send(hub, &join(401, 0, 0, 0));
    let (_, bytes) = guest.read(hub, 1000);
    assert_eq!(bytes[48..], *vector("Z10"));
}

#[test]
fn a_join_waits_for_its_scope_alone_and_no_longer_than_it_says() {
    let (mut guest, hub) = opened(quick());
    guest.send(hub, &in_scope(1, 5, &forever()));
    guest.send(hub, &join(9, 6, 10, 0));
    assert_eq!(guest.read(hub, 1000).1.len(), 96);
    let began = Instant::now();
    guest.send(hub, &join(10, 5, u64::MAX, 30));
    let mut bytes = Vec::new();
    while bytes.len() < 48 + 93 {
        bytes.extend(guest.read(hub, 1000).1);
    }
    assert_eq!(bytes[48 + 8], 121);
    assert!(began.elapsed() >= Duration::from_millis(30));
}

#[test]
fn a_join_with_another_payload_is_refused() {
    let (mut guest, hub) = opened(capabilities());
    for length in [0, 7, 9] {
        let payload = vec![0; length];
        let frame = Frame::command(command::JOIN_BOUNDED, 1, 0, Raw(&payload));
        guest.send(hub, &frame.to_vec().unwrap());
        assert_eq!(guest.events(hub), ["FAIL 1 t_async_bad_params"]);
    }
}

#[test]
fn a_detached_task_has_an_owner() {
    let (mut guest, hub) = opened(capabilities());
    guest.send(hub, &vector("Z7"));
    let mut frame = Frame::command(command::DETACH_TASK, 2, 0, Owner("second"));
    frame.task_id = 8;
    guest.send(hub, &frame.to_vec().unwrap());
    assert_eq!(guest.events(hub), ["ACK 400", "ACK 2"]);
    let owners = [(0, "main".to_owned()), (8, "second".to_owned())];
    assert_eq!(guest.host.owners(), owners);
    // Also when its hub is gone, as a guest leaves it that cleans up.
    let (mut tidy, first) = opened(capabilities());
    tidy.send(first, &vector("Z7"));
    assert_eq!(tidy.events(first), ["ACK 400"]);
    tidy.end(first);
    assert_eq!(tidy.read(first, 10).0, 0);
    let second = tidy.open(b"");
    tidy.send(second, &frame.to_vec().unwrap());
    assert_eq!(tidy.host.owners(), owners);
    for payload in [
        &b"\x02\0\0\0\xff\xfe"[..],
        b"\x05\0\0\0main",
        b"\x04\0\0\0main!",
    ] {
        let frame = Frame::command(command::DETACH_TASK, 3, 0, Raw(payload));
        guest.send(hub, &frame.to_vec().unwrap());
        assert_eq!(guest.events(hub), ["FAIL 3 t_async_bad_params"]);
    }
}

#[test]
fn a_guest_that_does_not_read_is_not_listened_to() {
    let (mut guest, hub) = opened(capabilities());
    let command = bare(9, 1, 0);
    let mut taken = 0;
    loop {
        let count = guest.write(hub, &command);
        if count == 0 {
            break;
        }
        assert_eq!(usize::try_from(count), Ok(command.len()));
        taken += 1;
        assert!(taken < 10_000, "the queue has no end");
    }
    // Reading makes room, and nothing was lost.
    let events = guest.events(hub);
    assert_eq!(events.len(), taken);
    guest.send(hub, &vector("E4"));
    assert_eq!(guest.events(hub).len(), 2);
}

#[test]
fn futures_are_refused_when_there_is_no_room_for_what_comes_of_them() {
    let (mut guest, hub) = opened(Capabilities {
        hub: Grant::Given(HubLimits {
            max_queue_bytes: HubLimits::LEAST_QUEUE,
            ..HubLimits::default()
        }),
        ..silent()
    });
    let mut taken = 0;
    for id in 1..=20 {
        if guest.write(hub, &register(id, id, &forever())) > 0 {
            taken += 1;
        }
    }
    guest.end(hub);
    let events = guest.events(hub);
    let fails = events
        .iter()
        .filter(|line| line.ends_with("t_async_overflow"));
    let acks = events.iter().filter(|line| line.starts_with("ACK"));
    let cancelled = events.iter().filter(|line| line.starts_with("CANCELLED"));
    let (fails, acks, cancelled) = (fails.count(), acks.count(), cancelled.count());
    assert_eq!((fails + acks, acks), (taken, cancelled), "{events:?}");
    assert!(fails > 0);
}

#[test]
fn a_value_waits_for_room_and_one_that_never_fits_is_an_overflow() {
    let mut given = Config::default();
    given.max_val_len = 1 << 20;
    let given = given
        .value("half", vec![b'h'; 40_000])
        .value("huge", vec![b'h'; 70_000]);
    let (mut guest, hub) = opened(Capabilities {
        config: Grant::Given(given),
        ..capabilities()
    });
    let get = |key| config::GET.call(config::KeyRequest { key });
    for (id, key) in [(1, "half"), (2, "half"), (3, "huge"), (4, "half")] {
        guest.send(hub, &register(0, id, &get(key)));
    }
    let events = guest.events(hub);
    let starts: Vec<_> = events
        .iter()
        .map(|line| &line[..line.len().min(26)])
        .collect();
    assert_eq!(starts[2], "FAILED 3 t_async_overflow");
    assert_eq!(events.len(), 4);
    assert!(events[3].len() > 80_000);
}

#[test]
fn ten_thousand_futures_go_through_one_hub() {
    let (mut guest, hub) = opened(Capabilities {
        config: Grant::Given(Config::default().value("k", "v")),
        ..capabilities()
    });
    let get = config::GET.call(config::KeyRequest { key: "k" });
    let mut done = 0;
    for batch in 0..400 {
        let ids = batch * 25 + 1..=batch * 25 + 25;
        let frames: Vec<u8> = ids.clone().flat_map(|id| register(id, id, &get)).collect();
        guest.send(hub, &frames);
        let events = guest.events(hub);
        for id in ids {
            assert!(events.contains(&format!("ACK {id}")));
            assert!(events.contains(&format!("OK {id} 0100000076")));
            done += 1;
        }
    }
    assert_eq!(done, 10_000);
}

#[test]
fn exec_does_not_run_while_nobody_asks_for_its_selectors_elsewhere() {
    // A selector sent to another capability is not that selector.
    let (mut guest, hub) = opened(quick());
    let call = Selector {
        kind: "config",
        name: "default",
        selector: exec::START.selector,
    }
    .call(Raw(b""));
    assert_eq!(
        guest.call(hub, 1, &call),
        "FAILED 1 t_async_unknown_selector"
    );
}
