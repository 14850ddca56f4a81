//! What the workers of these tests do.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use hotcell_vfs::{OpenOptions, Vfs, VfsPath};
use hotcell_worker::{Called, Message, Parent, Program, Service};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

pub(crate) const BUILD: &str = "tests";

/// Is a worker, or something that pretends to be one.
pub(crate) fn main() {
    hotcell_worker::run(&Program {
        build: BUILD,
        services: &[
            ("test", || Ok(Box::new(Test::default()))),
            ("broken", || Err("it cannot be made".to_owned())),
            ("liar", crate::hostile::be_a_liar),
        ],
    })
}

/// What a command is to do.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Do {
    Echo,
    /// Says so much, on so many lines.
    Print(usize),
    PrintThenSpin(String),
    Spin,
    /// Until it is cancelled.
    SpinSoftly,
    Sleep,
    Segv,
    Abort,
    Panic,
    /// Takes memory until there is none.
    Fill,
    Exit(i32),
    /// Writes one file again and again, whole: every byte of it is the same.
    WriteFiles {
        path: String,
        size: usize,
    },
    /// Calls something of the host's: how often, and whether all at once.
    Call {
        count: usize,
        together: bool,
    },
    /// One operation on files.
    File(File),
    /// A system call, with its arguments.
    SystemCall(i64, [i64; 6]),
    /// Opens files and never closes them.
    OpenFiles(usize),
    ReadTimes {
        path: String,
        times: usize,
    },
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum File {
    Read(String),
    Write(String),
    ReadRange(String, u64, usize),
}

#[derive(Default)]
struct Test {
    is_listening: Arc<AtomicBool>,
    is_cancelled: Arc<AtomicBool>,
}

impl Service for Test {
    fn handle(&mut self, command: Message, parent: &Parent) -> Message {
        let what: Do = command.read().unwrap();
        self.is_listening.store(true, Ordering::Relaxed);
        let (answer, binary) = self.perform(what, command.binary, parent);
        self.is_listening.store(false, Ordering::Relaxed);
        self.is_cancelled.store(false, Ordering::Relaxed);
        Message::new(&json!({ "op": "done", "answer": answer }), binary)
    }

    fn canceller(&self) -> Box<dyn Fn() -> bool + Send + Sync> {
        let is_cancelled = Arc::clone(&self.is_cancelled);
        let is_listening = Arc::clone(&self.is_listening);
        Box::new(move || {
            let listens = is_listening.load(Ordering::Relaxed);
            is_cancelled.fetch_or(listens, Ordering::Relaxed);
            listens
        })
    }
}

impl Test {
    #[expect(clippy::empty_loop, clippy::panic, reason = "what is tested")]
    fn perform(&self, what: Do, binary: Vec<u8>, parent: &Parent) -> (Json, Vec<u8>) {
        let nothing = |answer| (answer, Vec::new());
        match what {
            Do::Echo => (json!("echo"), binary),
            Do::Print(count) => {
                for number in 0..count {
                    parent.print(1, format!("line {number}\n").as_bytes());
                }
                nothing(json!(count))
            }
            Do::PrintThenSpin(text) => {
                parent.print(1, text.as_bytes());
                loop {}
            }
            Do::Spin => loop {},
            Do::SpinSoftly => {
                while !self.is_cancelled.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
                nothing(json!("cancelled"))
            }
            Do::Sleep => loop {
                std::thread::sleep(Duration::from_secs(1));
            },
            Do::Segv => {
                // SAFETY: there is none: it is to crash.
                unsafe { std::ptr::without_provenance_mut::<u8>(8).write_volatile(1) };
                nothing(json!("still here"))
            }
            Do::Abort => std::process::abort(),
            Do::Panic => panic!("on purpose"),
            Do::Fill => {
                let mut kept = Vec::new();
                loop {
                    kept.push(vec![1_u8; 16 << 20]);
                }
            }
            Do::Exit(code) => std::process::exit(code),
            Do::WriteFiles { path, size } => {
                let path = VfsPath::new(&path);
                let mut letter = b'a';
                loop {
                    parent
                        .files()
                        .write_file(path, &vec![letter; size])
                        .unwrap();
                    letter = if letter == b'z' { b'a' } else { letter + 1 };
                }
            }
            Do::Call { count, together } => nothing(json!(calls(parent, count, together))),
            Do::File(file) => on_file(parent, file, &binary),
            Do::SystemCall(number, [a, b, c, d, e, f]) => {
                // SAFETY: the jail is what keeps it from doing anything.
                let returned = unsafe { libc::syscall(number, a, b, c, d, e, f) };
                let error = std::io::Error::last_os_error().raw_os_error();
                nothing(json!({ "returned": returned, "error": error }))
            }
            Do::OpenFiles(count) => {
                let options = OpenOptions::write().create();
                let open = || parent.files().open(VfsPath::new("/open"), &options);
                let opened: Vec<_> = (0..count).map(|_| open()).collect();
                let failed = opened.iter().find_map(|one| one.as_ref().err());
                nothing(json!(failed.map(ToString::to_string)))
            }
            Do::ReadTimes { path, times } => {
                let path = VfsPath::new(&path);
                let file = parent.files().open(path, &OpenOptions::read()).unwrap();
                let mut buffer = vec![0; 4096];
                for _ in 0..times {
                    file.read_at(0, &mut buffer).unwrap();
                }
                nothing(json!(times))
            }
        }
    }
}

fn calls(parent: &Parent, count: usize, together: bool) -> Vec<String> {
    let call = |number: usize| parent.call("tool", &json!({ "number": number }), vec![7]);
    let said = |answer: Result<Message, hotcell_worker::Refusal>| match answer {
        Ok(message) => {
            let number: Json = message.read().unwrap();
            format!("{number} and {} bytes", message.binary.len())
        }
        Err(refusal) => refusal.to_string(),
    };
    let wait = |called| match called {
        Called::Now(answer) => said(answer),
        Called::Later(pending) => said(parent.block_on(pending)),
    };
    if together {
        let called: Vec<_> = (0..count).map(call).collect();
        called.into_iter().map(wait).collect()
    } else {
        (0..count).map(|number| wait(call(number))).collect()
    }
}

fn on_file(parent: &Parent, file: File, binary: &[u8]) -> (Json, Vec<u8>) {
    let files = parent.files();
    let done = match file {
        File::Read(path) => files.read_file(VfsPath::new(&path)),
        File::Write(path) => files
            .write_file(VfsPath::new(&path), binary)
            .map(|()| Vec::new()),
        File::ReadRange(path, offset, length) => {
            let file = files.open(VfsPath::new(&path), &OpenOptions::read());
            file.and_then(|file| {
                let mut buffer = vec![0; length];
                let count = file.read_at(offset, &mut buffer)?;
                buffer.truncate(count);
                Ok(buffer)
            })
        }
    };
    match done {
        Ok(bytes) => (json!("ok"), bytes),
        Err(error) => (json!(error.to_string()), Vec::new()),
    }
}
