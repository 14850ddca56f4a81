//! Guests that are written in Rust with `hotcell-guest`, held against the real host.

use std::{cell::RefCell, future::poll_fn};

use hotcell_exec::{Capabilities, Config, FilePolicy, Grant, Host};
use hotcell_guest::{
    Error, Hub, Lembeh, Source, StartRequest, State, WANT_STDERR, WANT_STDIN, WANT_STDOUT,
    hopper::{
        Encode as _,
        control::{HubMeta, Opened, Reply, Tag},
        event::Event,
        selector::{config, exec::Started, net::ConnectRequest},
    },
};
use hotcell_vfs::VfsPath;

use crate::harness::{Native, capabilities, files};

/// The host, as a guest calls it.
struct Called(RefCell<Host>);

impl Lembeh for Called {
    fn read(&mut self, handle: i32, buf: &mut [u8]) -> i32 {
        let host = self.0.get_mut();
        pollster::block_on(poll_fn(|context| host.poll_read(context, handle, buf))).unwrap()
    }

    fn write(&mut self, handle: i32, bytes: &[u8]) -> i32 {
        let host = self.0.get_mut();
        pollster::block_on(poll_fn(|context| host.poll_write(context, handle, bytes))).unwrap()
    }

    fn end(&mut self, handle: i32) {
        self.0.get_mut().end(handle).unwrap();
    }

    fn log(&mut self, topic: &str, msg: &str) {
        let host = self.0.get_mut();
        host.log(topic.as_bytes(), msg.as_bytes()).unwrap();
    }

    fn control(&mut self, request: &[u8], reply: &mut [u8]) -> i32 {
        let answer = self.0.get_mut().control(request, reply.len()).unwrap();
        answer.map_or(-1, |bytes| {
            reply[..bytes.len()].copy_from_slice(&bytes);
            i32::try_from(bytes.len()).unwrap()
        })
    }
}

fn host(capabilities: Capabilities) -> Called {
    let Native { host, .. } = Native::new(capabilities);
    Called(RefCell::new(host))
}

fn read_all(host: &mut Called, source: &mut Source) -> Vec<u8> {
    let mut all = Vec::new();
    let mut buf = [0; 100];
    loop {
        let read = source.read(host, &mut buf).unwrap();
        if read.is_empty() {
            return all;
        }
        all.extend_from_slice(read);
    }
}

const CAT: StartRequest<'static> = StartRequest {
    prog_id: "tools/cat",
    flags: WANT_STDIN | WANT_STDOUT | WANT_STDERR,
    args: &["cat"],
    env: &[],
};

#[test]
fn a_program_is_started_written_read_and_asked_about() {
    let host = &mut host(capabilities());
    let mut hub = Hub::<1024>::open(host).unwrap();
    assert_eq!(hub.limits().unwrap().max_futures, 32);
    let mut cat = hub.start(host, &CAT).unwrap();
    let mut stdin = cat.stdin.take().unwrap();
    stdin.write_all(host, b"hello").unwrap();
    assert_eq!(hub.status(host, cat.exec_id).unwrap().state, State::Running);
    stdin.end(host);
    assert_eq!(read_all(host, cat.stdout.as_mut().unwrap()), b"hello");
    assert_eq!(read_all(host, cat.stderr.as_mut().unwrap()), b"");
    let status = hub.status(host, cat.exec_id).unwrap();
    assert_eq!((status.state, status.code), (State::Exited, 0));
    hub.end(host);
}

#[test]
fn refusals_have_their_codes() {
    let host = &mut host(capabilities());
    let mut hub = Hub::<1024>::open(host).unwrap();
    let error = hub
        .start(
            host,
            &StartRequest {
                prog_id: "tools/rm",
                ..CAT
            },
        )
        .unwrap_err();
    let Error::Failed(failed) = error else {
        panic!("{error}");
    };
    assert_eq!(failed.trace.as_str(), "t_exec_not_allowed");
    assert_eq!(error.to_string(), "the host failed: t_exec_not_allowed");
    let error = hub.status(host, 99).unwrap_err();
    assert!(matches!(error, Error::Failed(failed) if failed.trace.as_str() == "t_exec_not_found"));
}

#[test]
fn files_and_configuration_are_read() {
    let all = Capabilities {
        files: Grant::Given(FilePolicy::new(files(), VfsPath::new("/work")).unwrap()),
        config: Grant::Given(Config::default().value("app.env", "prod").secret("k", "v")),
        ..capabilities()
    };
    let host = &mut host(all);
    let mut hub = Hub::<1024>::open(host).unwrap();
    let mut id = Vec::new();
    hub.list_files(host, "", |entry| id = entry.id.to_vec())
        .unwrap();
    let mut file = hub.open_file(host, &id).unwrap();
    assert_eq!(read_all(host, &mut file), b"roses\nare red\n");
    let mut buf = [0; 4];
    assert_eq!(hub.config(host, "app.env", &mut buf), Ok(&b"prod"[..]));
    assert_eq!(
        hub.config(host, "app.env", &mut [0; 3]),
        Err(Error::TooLarge)
    );
    let mut keys = Vec::new();
    hub.list_config(host, "", |key| keys.push((key.key.to_owned(), key.flags)))
        .unwrap();
    assert_eq!(keys, [("app.env".to_owned(), 2), ("k".to_owned(), 3)]);
    let request = ConnectRequest {
        host: "x",
        port: 1,
        flags: 0,
    };
    let error = hub.connect(host, &request).unwrap_err();
    assert!(matches!(error, Error::Failed(failed) if failed.trace.as_str() == "t_cap_denied"));
}

#[test]
fn several_things_at_once() {
    let all = Capabilities {
        config: Grant::Given(Config::default().value("k", "v")),
        ..capabilities()
    };
    let host = &mut host(all);
    let mut hub = Hub::<512>::open(host).unwrap();
    let call = config::GET.call(config::KeyRequest { key: "k" });
    let ids: Vec<u64> = (0..10)
        .map(|_| hub.register(host, &call, 0).unwrap())
        .collect();
    let cancelled = hub.register(host, &call, 0).unwrap();
    let cancel = hub.cancel(host, cancelled).unwrap();
    let join = hub.join(host, 0, 1000).unwrap();
    let detach = hub.detach(host, 3, "me").unwrap();
    let (mut acks, mut done, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    let mut is_joined = false;
    while !is_joined {
        hub.next(host, |event| match event {
            Event::Ack { req_id } => acks.push(req_id),
            Event::Ok { future_id, .. } => done.push(future_id),
            Event::Cancelled { future_id } => gone.push(future_id),
            Event::JoinResult { req_id } => is_joined = req_id == join,
            other => panic!("{other:?}"),
        })
        .unwrap();
    }
    assert_eq!(done, ids);
    assert_eq!(gone, [cancelled]);
    assert_eq!(acks.len(), 14);
    assert!(acks.contains(&cancel) && acks.contains(&detach));
    assert_eq!(
        hub.next(host, |_| ()),
        Err(Error::Stream),
        "nothing is left"
    );
}

#[test]
fn what_does_not_fit_a_buffer_is_told() {
    let host = &mut host(capabilities());
    assert!(matches!(Hub::<40>::open(host), Err(Error::TooLarge)));
    let mut hub = Hub::<128>::open(host).unwrap();
    let long = "x".repeat(200);
    let args = ["cat", &*long];
    let error = hub.start(host, &StartRequest { args: &args, ..CAT });
    assert!(matches!(error, Err(Error::TooLarge)));
}

/// A host that takes a few bytes at a time, and nothing every other time.
struct Stingy {
    host: Called,
    takes: bool,
}

impl Lembeh for Stingy {
    fn read(&mut self, handle: i32, buf: &mut [u8]) -> i32 {
        let length = buf.len().min(7);
        self.host.read(handle, &mut buf[..length])
    }

    fn write(&mut self, handle: i32, bytes: &[u8]) -> i32 {
        self.takes = !self.takes;
        if !self.takes {
            return 0;
        }
        self.host.write(handle, &bytes[..bytes.len().min(11)])
    }

    fn end(&mut self, handle: i32) {
        self.host.end(handle);
    }

    fn log(&mut self, topic: &str, msg: &str) {
        self.host.log(topic, msg);
    }

    fn control(&mut self, request: &[u8], reply: &mut [u8]) -> i32 {
        self.host.control(request, reply)
    }
}

#[test]
fn a_command_that_is_taken_in_pieces_stays_one() {
    let all = Capabilities {
        config: Grant::Given(Config::default().value("k", "v")),
        ..capabilities()
    };
    let mut host = Stingy {
        host: host(all),
        takes: false,
    };
    let mut hub = Hub::<256>::open(&mut host).unwrap();
    let call = config::GET.call(config::KeyRequest { key: "k" });
    // Refused as a whole, it may be sent again; begun, it is ended before the next one.
    host.takes = true;
    assert_eq!(hub.register(&mut host, &call, 0), Err(Error::Full));
    let first = hub.register(&mut host, &call, 0).unwrap();
    let mut second = hub.register(&mut host, &call, 0);
    while second == Err(Error::Full) {
        second = hub.register(&mut host, &call, 0);
    }
    let mut done = Vec::new();
    while done.len() < 2 {
        let look = |event: Event<'_>| match event {
            Event::Ack { .. } => {}
            Event::Ok { future_id, .. } => done.push(future_id),
            other => panic!("{other:?}"),
        };
        hub.next(&mut host, look).unwrap();
    }
    assert_eq!(done, [first, second.unwrap()]);
}

/// A host that answers what it is told to.
struct Lying {
    reply: Vec<u8>,
    events: Vec<u8>,
    read: i32,
}

impl Lembeh for Lying {
    fn read(&mut self, _: i32, buf: &mut [u8]) -> i32 {
        if self.read != 0 {
            return self.read;
        }
        let length = buf.len().min(self.events.len());
        buf[..length].copy_from_slice(&self.events[..length]);
        self.events.drain(..length);
        i32::try_from(length).unwrap()
    }

    fn write(&mut self, _: i32, bytes: &[u8]) -> i32 {
        i32::try_from(bytes.len()).unwrap()
    }

    fn end(&mut self, _: i32) {}

    fn log(&mut self, _: &str, _: &str) {}

    fn control(&mut self, _: &[u8], reply: &mut [u8]) -> i32 {
        reply[..self.reply.len()].copy_from_slice(&self.reply);
        i32::try_from(self.reply.len()).unwrap()
    }
}

fn lying(handle: u32, hflags: u32, rid: u32, event: &Event<'_>) -> Lying {
    let meta = HubMeta {
        max_payload_bytes: 1,
        max_futures: 1,
        max_queue_bytes: 1,
    };
    let reply = Reply {
        tag: Tag { op: 3, rid },
        outcome: Ok(Opened {
            handle,
            hflags,
            meta,
        }),
    };
    Lying {
        reply: reply.to_vec().unwrap(),
        events: event.to_vec().unwrap(),
        read: 0,
    }
}

#[test]
fn a_host_is_not_believed() {
    let ack = Event::Ack { req_id: 1 };
    for (handle, hflags, rid) in [(2, 7, 1), (u32::MAX, 7, 1), (3, 1, 1), (3, 7, 2)] {
        let mut host = lying(handle, hflags, rid, &ack);
        assert!(matches!(Hub::<512>::open(&mut host), Err(Error::Malformed)));
    }
    // Handles for other streams than were wanted, or not started, or short.
    let good = Started {
        exec_id: 1,
        status_flags: 1,
        stdin: 4,
        stdout: 5,
        stderr: 6,
    };
    let mut values = vec![
        Started { exec_id: 0, ..good }.to_vec().unwrap(),
        Started {
            status_flags: 0,
            ..good
        }
        .to_vec()
        .unwrap(),
        Started { stdin: 0, ..good }.to_vec().unwrap(),
        Started { stdin: 5, ..good }.to_vec().unwrap(),
        Started { stderr: 5, ..good }.to_vec().unwrap(),
        Started { stdout: 1, ..good }.to_vec().unwrap(),
        Started {
            stderr: u32::MAX,
            ..good
        }
        .to_vec()
        .unwrap(),
    ];
    let good = good.to_vec().unwrap();
    values.push(good[..19].to_vec());
    values.push([&good[..], b"x"].concat());
    for value in &values {
        let event = Event::Ok {
            future_id: 1,
            value: hotcell_guest::hopper::Raw(value),
        };
        let mut host = lying(3, 7, 1, &event);
        let mut hub = Hub::<512>::open(&mut host).unwrap();
        assert!(matches!(hub.start(&mut host, &CAT), Err(Error::Malformed)));
    }
    let value = hotcell_guest::hopper::Raw(&good);
    let event = Event::Ok {
        future_id: 1,
        value,
    };
    let mut host = lying(3, 7, 1, &event);
    let mut hub = Hub::<512>::open(&mut host).unwrap();
    assert!(hub.start(&mut host, &CAT).is_ok());
    // More bytes than there is room for; a hub that is at its end; one that fails.
    let mut source = Source::standard(0);
    host.read = 1000;
    assert_eq!(source.read(&mut host, &mut [0; 10]), Err(Error::Malformed));
    assert!(matches!(hub.status(&mut host, 1), Err(Error::Malformed)));
    host.read = -1;
    assert_eq!(source.read(&mut host, &mut [0; 10]), Err(Error::Stream));
    assert!(matches!(hub.status(&mut host, 1), Err(Error::Stream)));
}
