//! Any bytes in any pieces are commands or the end of a hub; whatever it says, a guest can read.

use std::{future::poll_fn, io::Write as _, sync::Arc};

use hotcell_exec::{Capabilities, Config, ExecPolicy, FilePolicy, Grant, Host, Registry, Standard};
use hotcell_hopper::{
    Encode as _,
    control::{CAPS_OPEN, HubParams, OpenRequest, Request},
    event::Event,
    frame::{self, FrameBuffer, Step},
};
use hotcell_process::{Null, Process};
use hotcell_vfs::{MemVfs, VfsPath};

/// Tries one input.
pub(crate) fn run(data: &[u8]) {
    let Some((&size, data)) = data.split_first() else {
        return;
    };
    let mut host = host();
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
    let open = open.to_vec().expect("it has a length");
    host.control(&open, 100)
        .expect("nothing is recorded")
        .expect("there is a hub");
    let mut told = Vec::new();
    for piece in data.chunks(usize::from(size).max(1)) {
        let mut rest = piece;
        while !rest.is_empty() {
            let write = poll_fn(|context| host.poll_write(context, 3, rest));
            let count = pollster::block_on(write).expect("nothing is recorded");
            assert!(count >= -1 && count as i64 <= rest.len() as i64);
            if count < 0 {
                break;
            }
            rest = &rest[count as usize..];
            if count == 0 {
                read(&mut host, &mut told);
            }
        }
    }
    host.end(3).expect("nothing is recorded");
    assert_eq!(read(&mut host, &mut told), 0);
    let mut events = FrameBuffer::new(frame::EVENT, 1 << 20, Vec::new());
    let mut told = told.as_slice();
    loop {
        match events.step(&mut told) {
            Step::More => break,
            Step::Frame(frame) => drop(Event::decode(&frame).expect("events have their form")),
            step => panic!("{step:?}"),
        }
    }
    assert_eq!(events.waiting(), 0);
}

/// Reads what the hub has to say; 0 at the end, −1 if it has nothing.
fn read(host: &mut Host, told: &mut Vec<u8>) -> i32 {
    let mut buf = [0; 512];
    loop {
        let read = poll_fn(|context| host.poll_read(context, 3, &mut buf));
        let count = pollster::block_on(read).expect("nothing is recorded");
        if count <= 0 {
            return count;
        }
        told.extend_from_slice(&buf[..count as usize]);
    }
}

fn host() -> Host {
    let files = Arc::new(MemVfs::new());
    let mut registry = Registry::new();
    let echo = Arc::new(|process: &Process| process.stdout().write_all(b"hi\n").map(|()| 0));
    registry.program("tools/echo", echo).expect("it is an id");
    let capabilities = Capabilities {
        exec: Grant::Given(ExecPolicy::all(registry, files.clone())),
        files: Grant::Given(FilePolicy::new(files, VfsPath::new("/")).expect("there is a root")),
        config: Grant::Given(Config::default().value("app.env", "prod")),
        ..Capabilities::default()
    };
    let standard = Standard {
        input: Arc::new(Null),
        output: Arc::new(Null),
        log: Arc::new(Null),
    };
    Host::new(capabilities, standard)
}
