//! Workers for tests.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use hotcell_vfs::{Clock, Limits, MemVfs};
use hotcell_worker::{
    Death, Event, JailOptions, Message, Refusal, Supervisor, Worker, WorkerOptions,
};
use serde_json::{Value as Json, json};

use crate::service::{BUILD, Do};

/// Long enough for a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(60);

pub(crate) fn options() -> WorkerOptions {
    WorkerOptions::new("test", BUILD)
        .spares(0)
        .jail(JailOptions {
            require_jail: true,
            ..JailOptions::default()
        })
}

pub(crate) fn supervisor() -> Supervisor {
    Supervisor::shared().unwrap()
}

/// A worker that is ready.
pub(crate) fn worker() -> Worker {
    worker_with(&options())
}

pub(crate) fn worker_with(options: &WorkerOptions) -> Worker {
    pollster::block_on(async {
        let mut worker = supervisor().worker(options).await.unwrap();
        worker.ready().await.unwrap();
        worker
    })
}

/// A worker with files.
pub(crate) fn worker_with_files() -> (Worker, Arc<MemVfs>) {
    let limits = Limits {
        bytes: 1 << 30,
        ..Limits::default()
    };
    let vfs = Arc::new(MemVfs::with(limits, Clock::None));
    let mut worker = worker();
    worker.serve_files(vfs.clone(), None, 256 << 20).unwrap();
    (worker, vfs)
}

/// What came of a command.
pub(crate) struct Ran {
    pub(crate) end: Result<(Json, Vec<u8>), Death>,
    pub(crate) printed: Vec<u8>,
    pub(crate) took: Duration,
}

impl Ran {
    pub(crate) fn answer(self) -> Json {
        self.end.unwrap().0
    }

    pub(crate) fn death(self) -> Death {
        self.end.unwrap_err()
    }
}

/// Runs a command to its end, for not longer than `timeout`.
pub(crate) fn run_for(worker: &mut Worker, what: &Do, binary: Vec<u8>, timeout: Duration) -> Ran {
    let began = Instant::now();
    let _limit = worker.limit(began + timeout);
    worker.command(&Message::new(what, binary));
    let mut printed = Vec::new();
    let end = pollster::block_on(async {
        let mut deferred = Vec::new();
        loop {
            let event = worker
                .next(&mut |_, bytes| printed.extend_from_slice(bytes))
                .await;
            match event {
                Event::Died(death) => return Err(death),
                Event::Done(message) => {
                    let answer: Json = message.read().unwrap();
                    return Ok((answer["answer"].clone(), message.binary));
                }
                Event::Request(message) => {
                    let request: Json = message.read().unwrap();
                    match request["number"].as_u64() {
                        None => worker.refuse(&Refusal::new("ENOSYS", "no such thing")),
                        // Odd ones come later, in the wrong order.
                        Some(number) if number % 2 == 1 => {
                            worker.defer();
                            deferred.push((request["id"].as_u64().unwrap(), number));
                        }
                        Some(number) => worker.answer(&answer(number)),
                    }
                    if deferred.len() > 2 || request["number"] == json!(1) {
                        for (id, number) in deferred.drain(..).rev() {
                            worker.offer(id, Ok(answer(number)));
                        }
                    }
                }
                _ => unreachable!(),
            }
        }
    });
    Ran {
        end,
        printed,
        took: began.elapsed(),
    }
}

fn answer(number: u64) -> Message {
    Message::new(&json!(number), vec![0; usize::try_from(number).unwrap()])
}

pub(crate) fn run(worker: &mut Worker, what: &Do) -> Ran {
    run_for(worker, what, Vec::new(), LONG)
}

/// Whether a process is there, as a zombie at least.
pub(crate) fn exists(pid: i32) -> bool {
    std::path::Path::new(&format!("/proc/{pid}")).exists()
}

/// Waits until something is so.
pub(crate) fn eventually(what: impl Fn() -> bool) -> bool {
    let began = Instant::now();
    while began.elapsed() < LONG {
        if what() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}
