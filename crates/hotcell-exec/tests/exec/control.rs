//! `_ctl`.

use hotcell_exec::{Capabilities, Config, FilePolicy, Grant, HubLimits};
use hotcell_hopper::{
    Encode,
    control::{
        CAPS_OPEN, DescribeRequest, Description, OpenRequest, Reply, Request, read_capabilities,
    },
    trace::{self, Trace},
};
use hotcell_vfs::VfsPath;

use crate::harness::{Native, capabilities, files, vector};

const ROOM: usize = 4096;

/// Changes bytes of a vector.
fn changed(id: &str, at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut frame = vector(id);
    frame[at..at + bytes.len()].copy_from_slice(bytes);
    frame
}

#[track_caller]
fn fails(guest: &mut Native, request: &[u8], (op, rid): (u16, u32), trace: Trace) {
    let reply = guest.control(request, ROOM).expect("a reply");
    let reply = Reply::decode(&reply).unwrap();
    assert_eq!((reply.tag.op, reply.tag.rid), (op, rid));
    assert_eq!(reply.outcome.unwrap_err().trace, trace.code);
}

fn open(kind: &str, name: &str) -> Vec<u8> {
    let payload = OpenRequest {
        kind,
        name,
        mode: 1,
        params: hotcell_hopper::Raw(&[]),
    };
    Request {
        op: CAPS_OPEN,
        rid: 9,
        timeout_ms: 0,
        payload,
    }
    .to_vec()
    .unwrap()
}

#[test]
fn a_host_without_capabilities_lists_none() {
    let mut guest = Native::new(Capabilities {
        hub: Grant::Absent,
        net: Grant::Absent,
        ..Capabilities::default()
    });
    assert_eq!(guest.control(&vector("C1"), ROOM), Some(vector("C2")));
}

#[test]
fn a_host_lists_the_hub_and_programs() {
    let mut guest = Native::new(capabilities());
    assert_eq!(guest.control(&vector("C1"), ROOM), Some(vector("C3")));
}

#[test]
fn the_list_is_sorted_and_has_only_what_is_given() {
    let mut all = capabilities();
    all.files = Grant::Given(FilePolicy::new(files(), VfsPath::new("/work")).unwrap());
    all.config = Grant::Given(Config::default());
    let mut guest = Native::new(all);
    let reply = guest.control(&vector("C1"), ROOM).unwrap();
    let body = Reply::decode(&reply).unwrap().outcome.unwrap();
    let list = read_capabilities(body.0).unwrap();
    let names: Vec<_> = list
        .iter()
        .map(|one| (one.kind, one.name, one.flags))
        .collect();
    assert_eq!(
        names,
        [
            ("async", "default", 0x0d),
            ("config", "default", 0x02),
            ("exec", "default", 0x0c),
            ("file", "view", 0x0c),
        ]
    );
}

#[test]
fn another_magic_is_a_bad_frame() {
    let mut guest = Native::new(capabilities());
    fails(
        &mut guest,
        &changed("C1", 0, b"NOPE"),
        (1, 1),
        trace::CTL_BAD_FRAME,
    );
}

#[test]
fn another_version_is_refused() {
    let mut guest = Native::new(capabilities());
    fails(
        &mut guest,
        &changed("C1", 4, &[2]),
        (1, 1),
        trace::CTL_BAD_VERSION,
    );
}

#[test]
fn a_payload_that_is_not_there_is_a_bad_frame() {
    let mut guest = Native::new(capabilities());
    fails(
        &mut guest,
        &changed("C1", 20, &[4]),
        (1, 1),
        trace::CTL_BAD_FRAME,
    );
}

#[test]
fn flags_are_a_bad_frame() {
    let mut guest = Native::new(capabilities());
    fails(
        &mut guest,
        &changed("C1", 16, &[1]),
        (1, 1),
        trace::CTL_BAD_FRAME,
    );
}

#[test]
fn a_reply_without_room_is_none() {
    let mut guest = Native::new(Capabilities {
        hub: Grant::Absent,
        ..Capabilities::default()
    });
    for room in [0, 8, 27] {
        assert_eq!(guest.control(&vector("C1"), room), None);
    }
    assert_eq!(guest.control(&vector("C1"), 28), Some(vector("C2")));
    // A failure needs its room, too.
    assert_eq!(
        guest.control(&changed("C1", 6, &[255]), vector("C5").len() - 1),
        None
    );
}

#[test]
fn a_request_too_short_to_answer_has_no_reply() {
    let mut guest = Native::new(capabilities());
    for length in 0..12 {
        assert_eq!(guest.control(&vector("C1")[..length], ROOM), None);
    }
    for length in 12..24 {
        fails(
            &mut guest,
            &vector("C1")[..length],
            (1, 1),
            trace::CTL_BAD_FRAME,
        );
    }
}

#[test]
fn an_unknown_operation_is_told() {
    let mut guest = Native::new(capabilities());
    let request = changed("C1", 6, &[255]);
    assert_eq!(guest.control(&request, ROOM), Some(vector("C5")));
    // Those of other documents are unknown here.
    for op in [10, 11, 20, 30, 40, 41, 52] {
        fails(
            &mut guest,
            &changed("C1", 6, &[op]),
            (u16::from(op), 1),
            trace::CTL_UNKNOWN_OP,
        );
    }
}

#[test]
fn a_request_that_is_too_large_is_an_overflow() {
    let mut guest = Native::new(capabilities());
    let mut request = changed("C1", 20, &70_000_u32.to_le_bytes());
    request.extend(vec![0; 70_000]);
    fails(&mut guest, &request, (1, 1), trace::CTL_OVERFLOW);
}

#[test]
fn malformed_payloads_are_bad_params() {
    let mut guest = Native::new(capabilities());
    let mut list = changed("C1", 20, &[1]);
    list.push(0);
    fails(&mut guest, &list, (1, 1), trace::CTL_BAD_PARAMS);
    for id in ["C9", "C10"] {
        let mut longer = vector(id);
        longer.push(0);
        longer[20] += 1;
        let tag = (u16::from(longer[6]), u32::from(longer[8]));
        fails(&mut guest, &longer, tag, trace::CTL_BAD_PARAMS);
        let mut shorter = vector(id);
        shorter.pop();
        shorter[20] -= 1;
        fails(&mut guest, &shorter, tag, trace::CTL_BAD_PARAMS);
    }
}

#[test]
fn capabilities_are_missing_or_denied() {
    let mut guest = Native::new(capabilities());
    fails(&mut guest, &open("foo", "bar"), (3, 9), trace::CAP_MISSING);
    fails(
        &mut guest,
        &open("exec", "other"),
        (3, 9),
        trace::CAP_MISSING,
    );
    fails(
        &mut guest,
        &open("file", "view"),
        (3, 9),
        trace::CAP_MISSING,
    );
    // Reached through the hub alone.
    fails(
        &mut guest,
        &open("exec", "default"),
        (3, 9),
        trace::CAP_DENIED,
    );
    // The network is denied unless somebody gives one.
    fails(&mut guest, &vector("C12"), (3, 1), trace::CAP_DENIED);
}

#[test]
fn the_hub_is_opened_and_tells_its_limits() {
    let mut guest = Native::new(capabilities());
    assert_eq!(guest.control(&vector("C10"), ROOM), Some(vector("C11")));
    // The next one has the next number.
    let second = guest.control(&vector("C10"), ROOM).unwrap();
    assert_eq!(second[24], 4);
}

#[test]
fn the_hub_is_opened_as_published_guests_do() {
    for (mode, is_fine) in [(0, true), (1, true), (2, false)] {
        let mut request = open("async", "default");
        let at = request.len() - 8;
        request[at] = mode;
        let mut guest = Native::new(capabilities());
        let reply = guest.control(&request, ROOM).unwrap();
        assert_eq!(
            Reply::decode(&reply).unwrap().outcome.is_ok(),
            is_fine,
            "mode {mode}"
        );
    }
}

#[test]
fn a_hub_whose_reply_has_no_room_is_not_opened() {
    let mut guest = Native::new(capabilities());
    let length = vector("C11").len();
    assert_eq!(guest.control(&vector("C10"), length - 1), None);
    assert_eq!(guest.read(3, 10).0, -1);
    assert_eq!(guest.control(&vector("C10"), length), Some(vector("C11")));
}

#[test]
fn more_handles_than_allowed_are_an_overflow() {
    let mut guest = Native::new(Capabilities {
        max_handles: 2,
        ..capabilities()
    });
    guest.open(b"");
    guest.open(b"");
    fails(
        &mut guest,
        &open("async", "default"),
        (3, 9),
        trace::CTL_OVERFLOW,
    );
}

fn described(guest: &mut Native, kind: &str, name: &str) -> serde_json::Value {
    let request = Request {
        op: hotcell_hopper::control::CAPS_DESCRIBE,
        rid: 5,
        timeout_ms: 0,
        payload: DescribeRequest { kind, name },
    };
    let reply = guest.control(&request.to_vec().unwrap(), 1 << 16).unwrap();
    let body = Reply::decode(&reply).unwrap().outcome.unwrap();
    let description = Description::decode(body.0).unwrap();
    serde_json::from_slice(description.schema).unwrap()
}

#[test]
fn exec_describes_every_limit_in_force() {
    let mut policy = crate::harness::policy();
    policy.allow = ["tools/cat", "tools/echo"].map(String::from).into();
    let mut guest = Native::new(crate::harness::with_policy(policy));
    let told = described(&mut guest, "exec", "default");
    let expected = serde_json::json!({
        "allowlist": ["tools/cat", "tools/echo"],
        "backpressure": "block",
        "cpu_time_ms": 0,
        "cwd_default": "/",
        "exit_map": { "killed": 137, "limits": 125, "timeout": 124 },
        "flags": 1,
        "max_args": 64,
        "max_argv_bytes": 65_536,
        "max_env": 64,
        "max_env_bytes": 65_536,
        "max_handles": 64,
        "max_running": 16,
        "max_starts": 1_000_000,
        "max_stdin_bytes": 16 << 20,
        "max_stdout_bytes": 16 << 20,
        "mem_limit_bytes": 64 << 20,
        "prog_id_syntax": "[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*",
        "selectors": ["exec.start.v1", "exec.status.v1"],
        "status_grace_ms": 500,
        "status_patience_ms": 50,
        "stream_buffer_bytes": 65_536,
        "time_limit_ms": 10_000,
    });
    assert_eq!(told, expected);
    let keys: Vec<_> = told.as_object().unwrap().keys().cloned().collect();
    assert!(keys.is_sorted(), "{keys:?}");
}

#[test]
fn the_hub_and_files_and_configuration_describe_themselves() {
    let mut all = capabilities();
    all.hub = Grant::Given(HubLimits {
        max_queue_bytes: 1,
        ..HubLimits::default()
    });
    all.files = Grant::Given(FilePolicy::new(files(), VfsPath::new("/work")).unwrap());
    all.config = Grant::Given(Config::default());
    let mut guest = Native::new(all);
    let hub = described(&mut guest, "async", "default");
    assert_eq!(hub["cancel_on_join"], false);
    // What is told is what holds: a queue has a least size.
    assert_eq!(hub["max_event_queue_bytes"], HubLimits::LEAST_QUEUE);
    assert_eq!(hub["host_memory_bytes"], 32 << 20);
    assert_eq!(hub["max_handles"], 64);
    assert_eq!(hub["max_joins_per_handle"], 32);
    let keys: Vec<_> = hub.as_object().unwrap().keys().cloned().collect();
    assert!(keys.is_sorted(), "{keys:?}");
    assert_eq!(described(&mut guest, "file", "view")["flags"], 3);
    assert_eq!(described(&mut guest, "config", "default")["flags"], 1);
}

#[test]
fn describing_what_is_not_there_fails_as_published() {
    let mut guest = Native::new(Capabilities::default());
    let mut request = vector("C9");
    request[8] = 4;
    assert_eq!(guest.control(&request, ROOM), Some(vector("C8")));
}
