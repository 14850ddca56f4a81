//! The guests that are measured.
#![allow(
    clippy::needless_raw_string_hashes,
    reason = "WebAssembly text, alike in all of them"
)]

use hotcell_exec::{Engine, Module};
use hotcell_hopper::{
    Encode, command,
    control::{CAPS_OPEN, HubParams, OpenRequest, Request},
    frame::Frame,
    selector::{
        config,
        exec::{self, StartRequest, StatusRequest, WANT_STDOUT},
    },
};

use crate::{CYCLES, FUTURES};

pub(crate) struct Guests {
    pub(crate) cycle: Module,
    pub(crate) futures: Module,
    pub(crate) stream: Module,
    pub(crate) nothing: Module,
}

/// Where frames are, and where the guest puts what it reads.
const OPEN: usize = 64;
const FIRST: usize = 256;
const SECOND: usize = 1024;
const REPLY: usize = 2048;
const EVENTS: usize = 4096;
const BYTES: usize = 1 << 17;

impl Guests {
    pub(crate) fn new() -> Self {
        let engine = Engine::new().unwrap();
        let module = |text: String| engine.module(text.as_bytes()).unwrap();
        Self {
            cycle: module(cycle()),
            futures: module(futures()),
            stream: module(stream()),
            nothing: module(guest(&[], "")),
        }
    }
}

/// A guest with these frames and this body, which finds an open hub in `$hub`.
fn guest(frames: &[(usize, Vec<u8>)], body: &str) -> String {
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
    let data = |(at, bytes): &(usize, Vec<u8>)| {
        let bytes: Vec<String> = bytes.iter().map(|byte| format!("\\{byte:02x}")).collect();
        format!("(data (i32.const {at}) \"{}\")", bytes.concat())
    };
    let frames: Vec<String> = frames
        .iter()
        .chain([&(OPEN, open.clone())])
        .map(data)
        .collect();
    format!(
        r#"(module
            (import "lembeh" "_ctl" (func $ctl (param i32 i32 i32 i32) (result i32)))
            (import "lembeh" "req_read" (func $read (param i32 i32 i32) (result i32)))
            (import "lembeh" "res_write" (func $write (param i32 i32 i32) (result i32)))
            (memory (export "memory") 8)
            {}
            (func $exact (param $handle i32) (param $to i32) (param $length i32)
              (local $count i32)
              (loop $more
                (local.set $count (call $read (local.get $handle) (local.get $to) (local.get $length)))
                (if (i32.le_s (local.get $count) (i32.const 0)) (then (unreachable)))
                (local.set $to (i32.add (local.get $to) (local.get $count)))
                (local.set $length (i32.sub (local.get $length) (local.get $count)))
                (br_if $more (local.get $length))))
            (func (export "lembeh_handle") (param i32 i32)
              (local $hub i32) (local $n i32) (local $k i32) (local $id i64) (local $count i32) (local $sum i64)
              (drop (call $ctl (i32.const {OPEN}) (i32.const {}) (i32.const {REPLY}) (i32.const 100)))
              (local.set $hub (i32.load (i32.const {})))
              {body}))"#,
        frames.join("\n"),
        open.len(),
        REPLY + 24,
    )
}

fn frame(call: &impl Encode) -> Vec<u8> {
    // No acknowledgement is wanted: the numbers of commands are 0.
    let frame = Frame::command(command::REGISTER_FUTURE, 0, 1, call);
    frame.to_vec().unwrap()
}

fn start(prog_id: &str, args: &[&str]) -> Vec<u8> {
    frame(&exec::START.call(StartRequest {
        prog_id,
        flags: WANT_STDOUT,
        args,
        env: &[],
    }))
}

/// Starts, reads to the end and asks, again and again.
fn cycle() -> String {
    let start = start("tools/true", &["true"]);
    let status = frame(&exec::STATUS.call(StatusRequest { exec_id: 0 }));
    let exec_id = SECOND + status.len() - 4;
    let body = format!(
        r#"(loop $again
             (local.set $id (i64.add (local.get $id) (i64.const 1)))
             (i64.store (i32.const {FIRST_ID}) (local.get $id))
             (drop (call $write (local.get $hub) (i32.const {FIRST}) (i32.const {start_len})))
             ;; FUTURE_OK: 48 bytes, a length of 4, and 20 of value.
             (call $exact (local.get $hub) (i32.const {EVENTS}) (i32.const 72))
             (if (i32.ne (i32.load16_u (i32.const {op})) (i32.const 110)) (then (unreachable)))
             (loop $more
               (br_if $more (i32.gt_s
                 (call $read (i32.load (i32.const {stdout})) (i32.const {BYTES}) (i32.const 4096))
                 (i32.const 0))))
             (i32.store (i32.const {exec_id}) (i32.load (i32.const {started})))
             (local.set $id (i64.add (local.get $id) (i64.const 1)))
             (i64.store (i32.const {SECOND_ID}) (local.get $id))
             (drop (call $write (local.get $hub) (i32.const {SECOND}) (i32.const {status_len})))
             (call $exact (local.get $hub) (i32.const {EVENTS}) (i32.const 60))
             ;; Exited, with code 0.
             (if (i64.ne (i64.load (i32.const {state})) (i64.const 1)) (then (unreachable)))
             (local.set $n (i32.add (local.get $n) (i32.const 1)))
             (br_if $again (i32.lt_u (local.get $n) (i32.const {CYCLES}))))
           (i32.store (i32.const 0) (i32.const 0x6b6f))
           (drop (call $write (i32.const 1) (i32.const 0) (i32.const 2)))"#,
        FIRST_ID = FIRST + 36,
        SECOND_ID = SECOND + 36,
        start_len = start.len(),
        status_len = status.len(),
        op = EVENTS + 8,
        started = EVENTS + 52,
        stdout = EVENTS + 52 + 12,
        state = EVENTS + 52,
    );
    guest(&[(FIRST, start), (SECOND, status)], &body)
}

/// Registers 25 futures, reads what comes of all of them, and again.
fn futures() -> String {
    let get = frame(&config::GET.call(config::KeyRequest { key: "k" }));
    let body = format!(
        r#"(loop $again
             (local.set $k (i32.const 25))
             (loop $register
               (local.set $id (i64.add (local.get $id) (i64.const 1)))
               (i64.store (i32.const {id}) (local.get $id))
               (if (i32.ne (call $write (local.get $hub) (i32.const {FIRST}) (i32.const {length})) (i32.const {length}))
                 (then (unreachable)))
               (local.set $k (i32.sub (local.get $k) (i32.const 1)))
               (br_if $register (local.get $k)))
             ;; FUTURE_OK: 48 bytes, a length of 4, and 5 of value; in the order in which they were registered.
             (local.set $k (i32.const 25))
             (loop $result
               (call $exact (local.get $hub) (i32.const {EVENTS}) (i32.const 57))
               (local.set $sum (i64.add (local.get $sum) (i64.const 1)))
               (if (i64.ne (i64.load (i32.const {event_id})) (local.get $sum)) (then (unreachable)))
               (local.set $k (i32.sub (local.get $k) (i32.const 1)))
               (br_if $result (local.get $k)))
             (br_if $again (i64.lt_u (local.get $sum) (i64.const {FUTURES}))))
           (i32.store (i32.const 0) (i32.const 0x6b6f))
           (drop (call $write (i32.const 1) (i32.const 0) (i32.const 2)))"#,
        id = FIRST + 36,
        length = get.len(),
        event_id = EVENTS + 36,
    );
    guest(&[(FIRST, get)], &body)
}

/// Starts a program, counts its bytes, and writes the sum.
fn stream() -> String {
    let start = start("bench/bytes", &["bytes"]);
    let body = format!(
        r#"(drop (call $write (local.get $hub) (i32.const {FIRST}) (i32.const {length})))
           (call $exact (local.get $hub) (i32.const {EVENTS}) (i32.const 72))
           (block $done
             (loop $more
               (local.set $count (call $read (i32.load (i32.const {stdout})) (i32.const {BYTES}) (i32.const 65536)))
               (br_if $done (i32.le_s (local.get $count) (i32.const 0)))
               (local.set $sum (i64.add (local.get $sum) (i64.extend_i32_u (local.get $count))))
               (br $more)))
           (i64.store (i32.const 0) (local.get $sum))
           (drop (call $write (i32.const 1) (i32.const 0) (i32.const 8)))"#,
        length = start.len(),
        stdout = EVENTS + 52 + 12,
    );
    guest(&[(FIRST, start)], &body)
}
