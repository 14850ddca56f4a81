//! A guest that is not WebAssembly: it makes the same calls, one after the other.

use std::{
    collections::BTreeMap,
    future::poll_fn,
    io::Write as _,
    sync::{Arc, LazyLock},
    time::Duration,
};

use hotcell_exec::{Capabilities, ExecPolicy, Grant, Host, HostError, Registry, Standard};
use hotcell_hopper::{
    Encode, Raw, command,
    control::{CAPS_OPEN, HubParams, OpenRequest, Opened, Reply, Request},
    event::Event,
    frame::{self, Frame, FrameBuffer, Step},
    selector::exec::{self, StartRequest, Started, Status, StatusRequest},
};
use hotcell_process::{Capture, Given, Process, Program};
use hotcell_utilities::Utilities;
use hotcell_vfs::{MemVfs, Vfs, VfsPath};

pub(crate) static VECTORS: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(|| {
    let text = include_str!("../../../hotcell-hopper/tests/data/vectors.json");
    let list: Vec<serde_json::Value> = serde_json::from_str(text).unwrap();
    list.iter()
        .map(|vector| {
            let pairs = vector["hex"].as_str().unwrap().as_bytes().chunks(2);
            let pairs = pairs.map(|pair| std::str::from_utf8(pair).unwrap());
            let bytes = pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap());
            (vector["id"].as_str().unwrap().into(), bytes.collect())
        })
        .collect()
});

pub(crate) fn vector(id: &str) -> Vec<u8> {
    VECTORS[id].clone()
}

/// The utilities, and programs that do what tests need.
pub(crate) fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.programs("tools", &Utilities);
    let mut add = |id: &str, program: Arc<dyn Program>| {
        registry.program(id, program).unwrap();
    };
    // Writes to both outputs in turns.
    add(
        "t/both",
        Arc::new(|process: &Process| {
            for n in 0..100 {
                writeln!(process.stdout(), "out {n}")?;
                writeln!(process.stderr(), "err {n}")?;
            }
            Ok(3)
        }),
    );
    add(
        "t/spin",
        Arc::new(|process: &Process| {
            loop {
                process.spend(1);
            }
        }),
    );
    // What it was given, one to a line.
    add(
        "t/told",
        Arc::new(|process: &Process| {
            let mut out = process.stdout();
            for arg in process.args() {
                writeln!(out, "arg {arg}")?;
            }
            for (name, value) in process.environ().iter() {
                writeln!(out, "env {name}={value}")?;
            }
            writeln!(out, "cwd {:?}", process.cwd().as_bytes())?;
            Ok(0)
        }),
    );
    add(
        "t/crash",
        Arc::new(|process: &Process| -> std::io::Result<i32> {
            process.die(hotcell_process::Signal::SEGV)
        }),
    );
    add(
        "t/greedy",
        Arc::new(|process: &Process| {
            let mut held = Vec::new();
            loop {
                held.push(process.charge(1 << 20)?);
            }
        }),
    );
    // Fills one output while the other is read.
    add(
        "t/stderr-first",
        Arc::new(|process: &Process| {
            process.stderr().write_all(&vec![b'e'; 200_000])?;
            process.stdout().write_all(b"done\n")?;
            Ok(0)
        }),
    );
    registry
}

pub(crate) fn files() -> Arc<dyn Vfs> {
    let files = MemVfs::new();
    files.mkdir(VfsPath::new("/work"), 0o755).unwrap();
    let file = VfsPath::new("/work/poem.txt");
    files.write_file(file, b"roses\nare red\n").unwrap();
    Arc::new(files)
}

pub(crate) fn policy() -> ExecPolicy {
    let mut policy = ExecPolicy::all(registry(), files());
    policy.allow.remove("tools/rm");
    policy
}

/// A hub and programs.
pub(crate) fn capabilities() -> Capabilities {
    with_policy(policy())
}

pub(crate) fn with_policy(policy: ExecPolicy) -> Capabilities {
    Capabilities {
        exec: Grant::Given(policy),
        ..Capabilities::default()
    }
}

pub(crate) struct Native {
    pub(crate) host: Host,
    pub(crate) output: Capture,
    events: FrameBuffer<Vec<u8>>,
}

/// Handles 0, 1 and 2, and what handle 1 gets.
pub(crate) fn standard(input: &[u8]) -> (Standard, Capture) {
    let output = Capture::new(&hotcell_meter::Account::unlimited(), usize::MAX);
    let standard = Standard {
        input: Arc::new(Given::new(input)),
        output: Arc::new(output.clone()),
        log: Arc::new(hotcell_process::Null),
    };
    (standard, output)
}

impl Native {
    pub(crate) fn new(capabilities: Capabilities) -> Self {
        let (standard, output) = standard(b"");
        Self::with(Host::new(capabilities, standard), output)
    }

    pub(crate) fn with(host: Host, output: Capture) -> Self {
        Self {
            host,
            output,
            events: FrameBuffer::new(frame::EVENT, 1 << 20, Vec::new()),
        }
    }

    pub(crate) fn try_read(
        &mut self,
        handle: i32,
        cap: usize,
    ) -> Result<(i32, Vec<u8>), HostError> {
        let mut buf = vec![0; cap];
        let count = pollster::block_on(poll_fn(|context| {
            self.host.poll_read(context, handle, &mut buf)
        }))?;
        buf.truncate(usize::try_from(count).unwrap_or(0));
        Ok((count, buf))
    }

    pub(crate) fn read(&mut self, handle: i32, cap: usize) -> (i32, Vec<u8>) {
        self.try_read(handle, cap).unwrap()
    }

    /// Everything up to the end, or to a −1.
    pub(crate) fn read_all(&mut self, handle: i32) -> (i32, Vec<u8>) {
        let mut all = Vec::new();
        loop {
            let (count, bytes) = self.read(handle, 4096);
            all.extend(bytes);
            if count <= 0 {
                return (count, all);
            }
        }
    }

    pub(crate) fn try_write(&mut self, handle: i32, bytes: &[u8]) -> Result<i32, HostError> {
        pollster::block_on(poll_fn(|context| {
            self.host.poll_write(context, handle, bytes)
        }))
    }

    pub(crate) fn write(&mut self, handle: i32, bytes: &[u8]) -> i32 {
        self.try_write(handle, bytes).unwrap()
    }

    pub(crate) fn end(&mut self, handle: i32) {
        self.host.end(handle).unwrap();
    }

    pub(crate) fn control(&mut self, request: &[u8], room: usize) -> Option<Vec<u8>> {
        self.host.control(request, room).unwrap()
    }

    /// Opens a hub of a session.
    pub(crate) fn open(&mut self, session_id: &[u8]) -> i32 {
        let request = Request {
            op: CAPS_OPEN,
            rid: 1,
            timeout_ms: 0,
            payload: OpenRequest {
                kind: "async",
                name: "default",
                mode: 1,
                params: HubParams {
                    session_id,
                    flags: 0,
                },
            },
        };
        let reply = self.control(&request.to_vec().unwrap(), 1024).unwrap();
        let body = Reply::decode(&reply).unwrap().outcome.unwrap();
        i32::try_from(Opened::decode(body.0).unwrap().handle).unwrap()
    }

    /// Sends bytes to a hub, all of them.
    #[track_caller]
    pub(crate) fn send(&mut self, hub: i32, bytes: &[u8]) {
        assert_eq!(usize::try_from(self.write(hub, bytes)), Ok(bytes.len()));
    }

    /// What a hub has to say until it has nothing more, one event to a line.
    pub(crate) fn events(&mut self, hub: i32) -> Vec<String> {
        let (_, bytes) = self.read_all(hub);
        self.tell(&bytes)
    }

    /// What bytes of events say.
    pub(crate) fn tell(&mut self, mut bytes: &[u8]) -> Vec<String> {
        let mut told = Vec::new();
        loop {
            match self.events.step(&mut bytes) {
                Step::More => return told,
                Step::Frame(frame) => told.push(tell(&Event::decode(&frame).unwrap())),
                step => panic!("{step:?}"),
            }
        }
    }

    /// Registers a call and says what came of it, without the acknowledgement.
    pub(crate) fn call(&mut self, hub: i32, future_id: u64, source: &impl Encode) -> String {
        let frame = Frame::command(command::REGISTER_FUTURE, future_id, future_id, source);
        self.send(hub, &frame.to_vec().unwrap());
        let mut events = self.events(hub);
        assert_eq!(events.remove(0), format!("ACK {future_id}"));
        assert_eq!(events.len(), 1, "{events:?}");
        events.remove(0)
    }

    /// As [`Native::call`], and the value.
    pub(crate) fn value(&mut self, hub: i32, future_id: u64, source: &impl Encode) -> Vec<u8> {
        let told = self.call(hub, future_id, source);
        let hex = told.strip_prefix(&format!("OK {future_id} "));
        let hex = hex.unwrap_or_else(|| panic!("{told}"));
        let pairs = hex.as_bytes().chunks(2);
        let pairs = pairs.map(|pair| std::str::from_utf8(pair).unwrap());
        pairs
            .map(|pair| u8::from_str_radix(pair, 16).unwrap())
            .collect()
    }

    /// Starts a program.
    #[track_caller]
    pub(crate) fn start(
        &mut self,
        hub: i32,
        future_id: u64,
        (prog_id, args): (&str, &[&str]),
        flags: u32,
    ) -> Ran {
        let request = StartRequest {
            prog_id,
            flags,
            args,
            env: &[],
        };
        let value = self.value(hub, future_id, &exec::START.call(request));
        let started = Started::decode(&value).unwrap();
        assert!(started.answers(flags), "{started:?}");
        let handle = |handle: u32| i32::try_from(handle).unwrap();
        Ran {
            exec_id: started.exec_id,
            stdin: handle(started.stdin),
            stdout: handle(started.stdout),
            stderr: handle(started.stderr),
        }
    }

    pub(crate) fn status(&mut self, hub: i32, future_id: u64, exec_id: u32) -> (exec::State, u32) {
        let call = exec::STATUS.call(StatusRequest { exec_id });
        let value = self.value(hub, future_id, &call);
        let Status { state, code } = Status::decode(&value).unwrap();
        (state, code)
    }
}

/// A program that was started.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ran {
    pub(crate) exec_id: u32,
    pub(crate) stdin: i32,
    pub(crate) stdout: i32,
    pub(crate) stderr: i32,
}

fn tell(event: &Event<'_>) -> String {
    match event {
        Event::Ack { req_id } => format!("ACK {req_id}"),
        Event::Fail { req_id, refusal } => format!("FAIL {req_id} {}", refusal.code),
        Event::Ok { future_id, value } => {
            let hex: String = value.0.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("OK {future_id} {hex}")
        }
        Event::Failed { future_id, failure } => {
            assert!(failure.cause.is_empty());
            format!("FAILED {future_id} {}", failure.trace)
        }
        Event::Cancelled { future_id } => format!("CANCELLED {future_id}"),
        Event::JoinResult { req_id } => format!("JOINED {req_id}"),
        Event::JoinLimit { req_id, .. } => format!("LIMIT {req_id}"),
        Event::Other { op } => panic!("unknown event {op}"),
    }
}

/// A command with nothing in it.
pub(crate) fn bare(op: u16, req_id: u64, future_id: u64) -> Vec<u8> {
    Frame::command(op, req_id, future_id, Raw(&[]))
        .to_vec()
        .unwrap()
}

/// A `REGISTER_FUTURE` of any source.
pub(crate) fn register(req_id: u64, future_id: u64, source: &impl Encode) -> Vec<u8> {
    let frame = Frame::command(command::REGISTER_FUTURE, req_id, future_id, source);
    frame.to_vec().unwrap()
}

/// Short limits, so that tests do not take long.
pub(crate) const SHORT: Duration = Duration::from_millis(100);
