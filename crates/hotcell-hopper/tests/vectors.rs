//! Every published vector, both ways: the bytes are read as what they are, and written again as the same bytes.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking"
)]

use std::{collections::BTreeMap, sync::LazyLock};

use hotcell_hopper::{
    Encode, Malformed, Raw, command,
    control::{self, Capability, Description, HubMeta, HubParams, Opened, Reply, Request},
    event::Event,
    failure::{Failure, Refusal},
    frame::{self, Frame, Fuel, Owner},
    selector::{config, exec, files, net},
    source::{Call, Source},
    trace,
};

static VECTORS: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(|| {
    let text = include_str!("data/vectors.json");
    let list: Vec<serde_json::Value> = serde_json::from_str(text).unwrap();
    list.iter()
        .map(|vector| {
            let hex = vector["hex"].as_str().unwrap();
            let pairs = hex.as_bytes().chunks(2);
            let bytes = pairs
                .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap());
            (vector["id"].as_str().unwrap().into(), bytes.collect())
        })
        .collect()
});

fn vector(id: &str) -> &'static [u8] {
    &VECTORS[id]
}

/// What was read is written again as the same bytes.
#[track_caller]
fn again(id: &str, value: &impl Encode) {
    assert_eq!(value.to_vec().unwrap(), vector(id), "{id}");
    let mut small = vec![0; vector(id).len() - 1];
    assert!(value.encode_into(&mut small).is_err(), "{id}");
}

/// A request of `_ctl` with its operation and number.
fn request(id: &str) -> Request<Raw<'static>> {
    Request::decode(vector(id), 1 << 20).unwrap()
}

fn reply(id: &str) -> Reply<'static> {
    let reply = Reply::decode(vector(id)).unwrap();
    again(id, &reply);
    reply
}

fn command_of(id: &str) -> Frame<Raw<'static>> {
    let frame = Frame::decode(vector(id), frame::COMMAND).unwrap();
    again(id, &frame);
    frame
}

fn event_of(id: &str) -> Event<'static> {
    let event = Event::decode(&Frame::decode(vector(id), frame::EVENT).unwrap()).unwrap();
    again(id, &event);
    event
}

fn call_of(bytes: &'static [u8]) -> Call<'static> {
    let Source::Selector(call) = Source::decode(bytes).unwrap() else {
        panic!("not a selector");
    };
    call
}

#[test]
fn all_vectors_are_there() {
    assert_eq!(VECTORS.len(), 50);
}

#[test]
fn c1_asks_for_the_capabilities() {
    let c1 = request("C1");
    assert_eq!((c1.op, c1.rid, c1.timeout_ms), (control::CAPS_LIST, 1, 0));
    assert!(c1.payload.0.is_empty());
    again("C1", &c1);
}

#[test]
fn c2_to_c4_list_them() {
    let list = |id: &str| -> Vec<Capability<'static>> {
        let Ok(body) = reply(id).outcome else {
            panic!("{id} is a failure");
        };
        let list = control::read_capabilities(body.0).unwrap();
        list.iter().collect()
    };
    assert!(list("C2").is_empty());
    let capability = |kind, name, flags| Capability {
        kind,
        name,
        flags,
        meta: &[],
    };
    let c3 = [
        capability("async", "default", 0x0d),
        capability("exec", "default", 0x0c),
    ];
    assert_eq!(list("C3"), c3);
    assert_eq!(list("C4"), [capability("file", "default", 9)]);
    again(
        "C3",
        &Reply {
            tag: request("C1").tag(),
            outcome: Ok(control::encode_capabilities(&c3)),
        },
    );
}

#[test]
fn c5_to_c8_are_failures_in_our_words() {
    for (id, op, rid, trace) in [
        ("C5", 255, 1, trace::CTL_UNKNOWN_OP),
        ("C6", control::CAPS_OPEN, 2, trace::CTL_TIMEOUT),
        ("C7", control::CAPS_LIST, 3, trace::CTL_BAD_FRAME),
        ("C8", control::CAPS_DESCRIBE, 4, trace::CAP_MISSING),
    ] {
        let reply = reply(id);
        assert_eq!((reply.tag.op, reply.tag.rid), (op, rid), "{id}");
        assert_eq!(reply.outcome, Err(Failure::from(trace)), "{id}");
    }
}

#[test]
fn c9_asks_about_exec() {
    let c9 = request("C9");
    assert_eq!((c9.op, c9.rid), (control::CAPS_DESCRIBE, 5));
    let body = control::DescribeRequest::decode(c9.payload.0).unwrap();
    assert_eq!((body.kind, body.name), ("exec", "default"));
    again(
        "C9",
        &Request {
            op: c9.op,
            rid: c9.rid,
            timeout_ms: 0,
            payload: body,
        },
    );
}

#[test]
fn c10_and_c11_open_the_hub() {
    let c10 = request("C10");
    let body = control::OpenRequest::decode(c10.payload.0).unwrap();
    assert_eq!((body.kind, body.name, body.mode), ("async", "default", 1));
    let params = HubParams::decode(body.params.0).unwrap();
    assert_eq!(params, HubParams::default());
    again(
        "C10",
        &Request {
            op: control::CAPS_OPEN,
            rid: 6,
            timeout_ms: 0,
            payload: control::OpenRequest {
                kind: "async",
                name: "default",
                mode: 1,
                params,
            },
        },
    );

    let Ok(body) = reply("C11").outcome else {
        panic!("C11 is a failure");
    };
    let opened = Opened::decode(body.0).unwrap();
    assert_eq!((opened.handle, opened.hflags), (3, 7));
    let meta = HubMeta::decode(opened.meta.0).unwrap();
    let expected = HubMeta {
        max_payload_bytes: 1 << 20,
        max_futures: 32,
        max_queue_bytes: 65_536,
    };
    assert_eq!(meta, expected);
    again(
        "C11",
        &Reply {
            tag: c10.tag(),
            outcome: Ok(Opened {
                handle: 3,
                hflags: 7,
                meta,
            }),
        },
    );
}

#[test]
fn c12_opens_net_the_old_way() {
    let c12 = request("C12");
    again("C12", &c12);
    let body = control::OpenRequest::decode(c12.payload.0).unwrap();
    assert_eq!((body.kind, body.name, body.mode), ("net", "tcp", 1));
    assert_eq!(body.params.0.len(), 20);
}

#[test]
fn z1_registers_opaque_futures() {
    for (id, body) in [("Z1", &b"hi"[..]), ("Z1b", b"\x02\0\0\0hi")] {
        let frame = command_of(id);
        assert_eq!(
            (frame.op, frame.req_id, frame.future_id, frame.flags),
            (command::REGISTER_FUTURE, 1, 7, 0)
        );
        let source = Source::decode(frame.payload.0).unwrap();
        assert_eq!(source, Source::Opaque(Raw(body)));
        again(id, &Frame::command(frame.op, 1, 7, source));
    }
}

#[test]
fn z2_to_z10_are_commands_and_events() {
    assert_eq!(event_of("Z2"), Event::Ack { req_id: 1 });
    let value = Raw(b"ok\n");
    assert_eq!(
        event_of("Z3"),
        Event::Ok {
            future_id: 7,
            value
        }
    );
    let refusal = Refusal::from(trace::ASYNC_UNKNOWN_OP);
    assert_eq!(event_of("Z4"), Event::Fail { req_id: 2, refusal });
    let cancel = command_of("Z5");
    assert_eq!(
        (cancel.op, cancel.req_id, cancel.future_id),
        (command::CANCEL_FUTURE, 3, 7)
    );
    assert_eq!(event_of("Z6"), Event::Cancelled { future_id: 7 });
    let detach = command_of("Z7");
    let owner = Owner::decode(detach.payload.0).unwrap();
    assert_eq!((detach.op, owner.0), (command::DETACH_TASK, "main"));
    again("Z7", &Frame::command(detach.op, 400, 0, owner));
    let join = command_of("Z8");
    let fuel = Fuel::decode(join.payload.0).unwrap();
    assert_eq!((join.op, fuel), (command::JOIN_BOUNDED, Fuel(10)));
    again("Z8", &Frame::command(join.op, 401, 0, fuel));
    assert_eq!(event_of("Z9"), Event::JoinResult { req_id: 401 });
    let refusal = Refusal::from(trace::ASYNC_JOIN_LIMIT);
    assert_eq!(
        event_of("Z10"),
        Event::JoinLimit {
            req_id: 401,
            refusal
        }
    );
}

const ECHO: exec::StartRequest<'static> = exec::StartRequest {
    prog_id: "tools/echo",
    flags: exec::WANT_STDOUT | exec::WANT_STDERR,
    args: &["echo", "hi"],
    env: &[],
};

#[test]
fn e1_to_e4_start_echo() {
    again("E1", &ECHO);
    again("E3", &exec::START.call(ECHO));
    let frame = Frame::command(command::REGISTER_FUTURE, 1, 100, exec::START.call(ECHO));
    again("E4", &frame);

    let frame = command_of("E4");
    assert_eq!(frame.payload.0, vector("E3"));
    assert_eq!(vector("E3")[5..], *vector("E2"));
    let call = call_of(frame.payload.0);
    assert_eq!(call, Call::decode(vector("E2")).unwrap());
    assert_eq!(
        (call.kind, call.name, call.selector),
        (&b"exec"[..], &b"default"[..], &b"exec.start.v1"[..])
    );
    assert_eq!(call.params.0, vector("E1"));
    let start = exec::Start::decode(call.params.0).unwrap();
    assert_eq!((start.prog_id, start.flags), (&b"tools/echo"[..], 6));
    let args: Vec<_> = start.args.iter().collect();
    assert_eq!(args, [&b"echo"[..], b"hi"]);
    assert!(start.env.is_empty() && start.is_text());
}

#[test]
fn e5_and_e6_say_that_it_started() {
    let started = exec::Started::decode(vector("E5")).unwrap();
    let expected = exec::Started {
        exec_id: 7,
        status_flags: 1,
        stdin: 0,
        stdout: 11,
        stderr: 12,
    };
    assert_eq!(started, expected);
    assert!(started.answers(ECHO.flags) && !started.answers(7) && !started.answers(2));
    again("E5", &started);
    let value = Raw(vector("E5"));
    assert_eq!(
        event_of("E6"),
        Event::Ok {
            future_id: 100,
            value
        }
    );
}

#[test]
fn e7_to_e11_are_status() {
    let request = exec::StatusRequest::decode(vector("E7")).unwrap();
    assert_eq!(request.exec_id, 42);
    again("E7", &request);

    let call = call_of(command_of("E8").payload.0);
    assert_eq!(call.selector, b"exec.status.v1");
    let request = exec::StatusRequest::decode(call.params.0).unwrap();
    assert_eq!(request.exec_id, 7);
    let call = exec::STATUS.call(request);
    again(
        "E8",
        &Frame::command(command::REGISTER_FUTURE, 2, 101, call),
    );

    for (id, state, code) in [
        ("E9", exec::State::Running, 0),
        ("E10", exec::State::Timeout, 124),
    ] {
        let status = exec::Status::decode(vector(id)).unwrap();
        assert_eq!(status, exec::Status { state, code });
        again(id, &status);
    }
    let Event::Ok { future_id, value } = event_of("E11") else {
        panic!("E11 is not FUTURE_OK");
    };
    let status = exec::Status::decode(value.0).unwrap();
    assert_eq!(
        (future_id, status.state, status.code),
        (101, exec::State::Exited, 0)
    );
}

#[test]
fn e12_to_e14_are_a_refusal_in_both_forms() {
    let failure = Failure::from(trace::EXEC_NOT_ALLOWED);
    assert_eq!(Failure::decode(vector("E12")), Ok(failure));
    again("E12", &failure);
    let event = Event::Failed {
        future_id: 100,
        failure,
    };
    assert_eq!(event_of("E13"), event);
    // The older form is understood, never written.
    let frame = Frame::decode(vector("E14"), frame::EVENT).unwrap();
    assert_eq!(Failure::decode(frame.payload.0), Err(Malformed::Value));
    assert_eq!(Event::decode(&frame), Ok(event));
    again("E14", &frame);
}

#[test]
fn e15_has_an_environment() {
    let start = exec::Start::decode(vector("E15")).unwrap();
    assert_eq!((start.prog_id, start.flags), (&b"tools/cat"[..], 7));
    let env: Vec<_> = start.env.iter().collect();
    assert_eq!(env, [(&b"LANG"[..], &b"C"[..])]);
    again(
        "E15",
        &exec::StartRequest {
            prog_id: "tools/cat",
            flags: exec::WANT_ALL,
            args: &["cat"],
            env: &[("LANG", "C")],
        },
    );
}

#[test]
fn s1_to_s6_are_files() {
    let failure = Failure::from(trace::FILE_NOT_FOUND);
    assert_eq!(Failure::decode(vector("S1")), Ok(failure));
    again("S1", &failure);

    let entry = files::Entry {
        id: b"main.zing",
        display: "main.zing",
        flags: files::entry_flags::READABLE,
    };
    let list = files::read_entries(vector("S2")).unwrap();
    assert_eq!(list.iter().collect::<Vec<_>>(), [entry]);
    again("S2", &files::Entries(&[entry]));

    let call = call_of(vector("S3"));
    let request = files::ListRequest::decode(call.params.0).unwrap();
    assert_eq!(request.scope, "");
    again("S3", &files::LIST.call(request));

    let request = files::OpenFileRequest::decode(vector("S4")).unwrap();
    assert_eq!((request.id, request.mode), (&b"main.zing"[..], 1));
    again("S4", &request);
    assert_eq!(call_of(vector("S5")).params.0, vector("S4"));
    again("S5", &files::OPEN.call(request));

    let opened = Opened::decode(vector("S6")).unwrap();
    assert_eq!(
        (opened.handle, opened.hflags, opened.meta.0),
        (11, 1, &b""[..])
    );
    again("S6", &opened);
}

#[test]
fn s7_to_s9_are_connections() {
    let request = net::ConnectRequest::decode(vector("S7")).unwrap();
    assert_eq!(
        (request.host, request.port, request.flags),
        ("127.0.0.1", 80, 0)
    );
    again("S7", &request);
    assert_eq!(call_of(vector("S8")).params.0, vector("S7"));
    again("S8", &net::CONNECT.call(request));
    let opened = Opened::decode(vector("S9")).unwrap();
    assert_eq!((opened.handle, opened.hflags), (11, 7));
    again("S9", &opened);
}

#[test]
fn s10_to_s12_are_configuration() {
    let call = call_of(vector("S10"));
    assert_eq!(call.selector, config::GET.selector.as_bytes());
    let request = config::KeyRequest::decode(call.params.0).unwrap();
    assert_eq!(request.key, "app.env");
    again("S10", &config::GET.call(request));

    let value = config::ConfigValue::decode(vector("S11")).unwrap();
    assert_eq!(value.0, b"prod");
    again("S11", &value);

    let keys = [("db.pass", 3), ("db.user", 2)].map(|(key, flags)| config::Key { key, flags });
    let list = config::read_keys(vector("S12")).unwrap();
    assert_eq!(list.iter().collect::<Vec<_>>(), keys);
    again("S12", &config::Keys(&keys));
}

/// Every reader of a whole payload, and the vector that is good for it.
type Case = (&'static str, fn(&[u8]) -> Result<(), Malformed>);

const READERS: &[Case] = &[
    ("E1", |b| exec::Start::decode(b).map(drop)),
    ("E2", |b| Call::decode(b).map(drop)),
    ("E3", |b| Source::decode(b).map(drop)),
    ("E4", |b| Frame::decode(b, frame::COMMAND).map(drop)),
    ("E5", |b| exec::Started::decode(b).map(drop)),
    ("E7", |b| exec::StatusRequest::decode(b).map(drop)),
    ("E9", |b| exec::Status::decode(b).map(drop)),
    ("E12", |b| Failure::decode(b).map(drop)),
    ("E15", |b| exec::Start::decode(b).map(drop)),
    ("C3", |b| Reply::decode(b).map(drop)),
    ("C11", |b| Reply::decode(b).map(drop)),
    ("S2", |b| files::read_entries(b).map(drop)),
    ("S4", |b| files::OpenFileRequest::decode(b).map(drop)),
    ("S6", |b| Opened::decode(b).map(drop)),
    ("S7", |b| net::ConnectRequest::decode(b).map(drop)),
    ("S11", |b| config::ConfigValue::decode(b).map(drop)),
    ("S12", |b| config::read_keys(b).map(drop)),
];

#[test]
fn one_byte_less_or_more_is_malformed() {
    for (id, read) in READERS {
        let good = vector(id);
        assert_eq!(read(good), Ok(()), "{id}");
        for length in 0..good.len() {
            assert!(read(&good[..length]).is_err(), "{id} cut to {length}");
        }
        let more = [good, &[0]].concat();
        assert!(read(&more).is_err(), "{id} with a byte more");
    }
}

#[test]
fn a_description_is_read_as_it_is_written() {
    let description = Description {
        flags: 0x0c,
        schema: b"{}",
    };
    let bytes = description.to_vec().unwrap();
    assert_eq!(Description::decode(&bytes), Ok(description));
}

#[test]
fn debug_tells_no_content() {
    let secret = exec::StartRequest {
        prog_id: "p",
        flags: 0,
        args: &["hunter2"],
        env: &[("K", "hunter2")],
    };
    let call = exec::START.call(secret);
    let bytes = Frame::command(1, 1, 1, call).to_vec().unwrap();
    let frame = Frame::decode(&bytes, frame::COMMAND).unwrap();
    let source = Source::decode(frame.payload.0).unwrap();
    let Source::Selector(read) = source else {
        panic!("not a selector");
    };
    let start = exec::Start::decode(read.params.0).unwrap();
    let told = format!("{secret:?} {call:?} {frame:?} {source:?} {read:?} {start:?}");
    // As text, and as a list of numbers.
    assert!(
        !told.contains("hunter2") && !told.contains("104, 117"),
        "{told}"
    );
}
