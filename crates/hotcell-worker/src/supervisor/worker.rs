//! A worker, as its parent knows it.

use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    death::{Death, Why},
    file_thread,
    notifier::Notifier,
    reaper::{Reaper, Timer},
    shared::Shared,
};
use crate::{
    files::{Fetch, FileServer},
    inside::{CANCEL, CONTROL_BYTES, Late},
    jail::JailReport,
    message::{Message, Refusal},
    region::{Incoming, Most, Server, Violation},
    ring::Reader,
};

/// How long a task waits for a worker on its own thread before it gives that thread back: for what takes less, being woken by
/// another thread would take longer than waiting.
const PATIENCE: Duration = Duration::from_micros(50);

/// How many requests are dealt with in one go that nobody hears of. A worker that makes more is looked at again later: who polls has
/// other things to do.
const AT_ONCE: usize = 16;

/// The largest JSON a worker may send with one request. What is large goes beside it.
const MOST_METADATA: usize = 8 << 20;

/// What a worker has to say.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// It needs something: to be answered with [`Worker::answer`], [`Worker::refuse`] or [`Worker::defer`].
    Request(Message),
    /// The command is done, with this result. It waits for the next.
    Done(Message),
    /// It is dead, and nothing is done for it any more.
    Died(Death),
}

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// It has not said that it is ready.
    Starting,
    /// It waits for a command.
    Waiting,
    /// It works on a command.
    Working,
    /// It asked for something and waits for the answer.
    Asking,
}

/// A worker process. Dropping it kills the process.
pub struct Worker {
    shared: Arc<Shared>,
    id: u64,
    reaper: Reaper,
    server: Server,
    turn: Turn,
    /// How many commands it was given.
    commands: u64,
    incoming: Incoming,
    output: Reader,
    /// Answers that it has not fetched yet.
    late: VecDeque<Message>,
    report: Option<JailReport>,
    listens: bool,
    serves_files: bool,
}

#[derive(Deserialize)]
struct Op<'a> {
    op: &'a str,
}

#[derive(Deserialize)]
struct Ready {
    jail: JailReport,
}

impl Worker {
    pub(super) fn new(shared: Arc<Shared>, id: u64, reaper: Reaper) -> Self {
        let most = Most {
            metadata: MOST_METADATA,
            binary: 1 << 30,
        };
        let server = Server::new(Arc::clone(&shared.commands), most);
        Self {
            shared,
            id,
            reaper,
            server,
            turn: Turn::Starting,
            commands: 0,
            incoming: Incoming::default(),
            output: Reader::default(),
            late: VecDeque::new(),
            report: None,
            listens: false,
            serves_files: false,
        }
    }

    /// The number of the process.
    pub fn pid(&self) -> i32 {
        self.shared.pid.as_raw_nonzero().get()
    }

    /// How long it has computed, all in all, as the kernel counts that: in hundredths of a second. `None` if it is gone.
    pub fn cpu_time(&self) -> Option<Duration> {
        // Whoever has not waited for a process knows that its number is still its own.
        if self.shared.has_ended() {
            return None;
        }
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid())).ok()?;
        // The name in brackets may be anything. After it the state is the first, user and system time are the 12th and 13th.
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_ascii_whitespace().skip(11);
        let ticks: u64 =
            fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
        let per_second = rustix::param::clock_ticks_per_second().max(1);
        Some(Duration::from_millis(
            ticks.saturating_mul(1000) / per_second,
        ))
    }

    /// Whether it lives.
    pub fn is_alive(&self) -> bool {
        !self.shared.has_ended()
    }

    /// What of its jail is there; known once it is ready.
    pub fn jail(&self) -> Option<&JailReport> {
        self.report.as_ref()
    }

    /// How large the bytes of a request may be, all pieces together (1 GiB).
    pub fn set_most_binary(&mut self, most: usize) {
        self.server.set_most_binary(most);
    }

    /// Lets it have files, and the network as far as `fetch` lets it. `most` is the largest file that can be written in one
    /// step. Only the first time counts.
    pub fn serve_files(
        &mut self,
        vfs: Arc<dyn hotcell_vfs::Vfs>,
        fetch: Option<Arc<dyn Fetch>>,
        most: usize,
    ) -> std::io::Result<()> {
        if !std::mem::replace(&mut self.serves_files, true) {
            file_thread::start(&self.shared, FileServer::new(vfs, fetch), most)?;
        }
        Ok(())
    }

    /// Whether somebody wants its output as it comes, and not only when there is something else to tell.
    pub fn listen(&mut self, listens: bool) {
        self.listens = listens;
    }

    /// Waits until it is ready for commands.
    pub async fn ready(&mut self) -> Result<(), Death> {
        while self.turn == Turn::Starting {
            match self.next(&mut |_, _| {}).await {
                Event::Died(death) => return Err(death),
                Event::Request(_) => {
                    self.violates(Violation::OutOfTurn {
                        op: "a request before the first command".to_owned(),
                    });
                }
                Event::Done(_) => {}
            }
        }
        Ok(())
    }

    /// Gives it a command. It must be waiting for one: ready, or done with the one before.
    pub fn command(&mut self, command: &Message) {
        debug_assert_eq!(self.turn, Turn::Waiting, "it waits for a command");
        self.turn = Turn::Working;
        self.commands += 1;
        self.respond(false, command);
    }

    /// The next thing it has to say. What it printed before that goes to `print`.
    pub async fn next(&mut self, print: &mut (dyn FnMut(u8, &[u8]) + Send)) -> Event {
        poll_fn(|context| self.poll_next(context, print)).await
    }

    /// As [`Worker::next`], for who polls more than this.
    pub fn poll_next(
        &mut self,
        context: &mut Context<'_>,
        print: &mut (dyn FnMut(u8, &[u8]) + Send),
    ) -> Poll<Event> {
        let mut is_patient = true;
        let mut taken = 0;
        loop {
            if let Some(death) = self.shared.death().cloned() {
                // What it wrote before it died is in the ring, and nobody writes to it any more.
                let _ = self.output.drain(&self.shared.output, &mut *print);
                return Poll::Ready(Event::Died(death));
            }
            if self.is_asked() {
                match self.take(print) {
                    Ok(Some(event)) => return Poll::Ready(event),
                    Ok(None) => taken += 1,
                    Err(violation) => self.violates(violation),
                }
                if taken >= AT_ONCE {
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
                continue;
            }
            if self.listens && self.output.drain(&self.shared.output, &mut *print).is_err() {
                self.violates(nonsense());
                continue;
            }
            if std::mem::take(&mut is_patient) && self.shared.commands.wait_asked_for(PATIENCE) {
                continue;
            }
            self.shared.set_waker(context.waker());
            Notifier::want(&self.shared, self.listens);
            // It may have happened since.
            if self.shared.death().is_some() || self.is_asked() {
                continue;
            }
            if !self.shared.notifier.is_started() {
                // No thread to be had: ask again.
                context.waker().wake_by_ref();
            }
            return Poll::Pending;
        }
    }

    /// Whether it wants something that was not taken yet, and that it may want now.
    fn is_asked(&self) -> bool {
        !self.shared.is_stopped()
            && matches!(self.turn, Turn::Starting | Turn::Working)
            && self.shared.commands.is_asked()
    }

    /// Takes a request.
    fn take(
        &mut self,
        print: &mut (dyn FnMut(u8, &[u8]) + Send),
    ) -> Result<Option<Event>, Violation> {
        let mut incoming = std::mem::take(&mut self.incoming);
        let is_whole = self.server.take(&mut incoming);
        let message = match is_whole {
            Ok(true) if incoming.is_cut => {
                self.turn = Turn::Asking;
                self.refuse(&Refusal::new("EFBIG", "more bytes than the host takes"));
                return Ok(None);
            }
            Ok(true) => Message {
                metadata: incoming.metadata,
                binary: incoming.binary,
            },
            other => {
                self.incoming = incoming;
                return other.map(|_| None);
            }
        };
        let drained = self.output.drain(&self.shared.output, &mut *print);
        drained.map_err(|_| nonsense())?;
        let unreadable = |error: serde_json::Error| Violation::Unreadable {
            reason: error.to_string(),
        };
        let Op { op } = message.read().map_err(unreadable)?;
        let is_starting = self.turn == Turn::Starting;
        match op {
            "ready" if is_starting => {
                self.report = Some(message.read::<Ready>().map_err(unreadable)?.jail);
                self.turn = Turn::Waiting;
                Ok(Some(Event::Done(message)))
            }
            _ if is_starting => Err(Violation::OutOfTurn {
                op: op.chars().take(40).collect(),
            }),
            "done" => {
                self.turn = Turn::Waiting;
                Ok(Some(Event::Done(message)))
            }
            "output" => {
                self.respond(false, &empty());
                Ok(None)
            }
            "take" => {
                match self.late.pop_front() {
                    Some(late) => self.respond(false, &late),
                    None => self.refuse_now(&Refusal::new("EAGAIN", "there is no answer")),
                }
                Ok(None)
            }
            _ => {
                self.turn = Turn::Asking;
                Ok(Some(Event::Request(message)))
            }
        }
    }

    /// Answers what it asked for.
    pub fn answer(&mut self, answer: &Message) {
        if self.turn == Turn::Asking {
            self.turn = Turn::Working;
            self.respond(false, answer);
        }
    }

    /// Refuses what it asked for.
    pub fn refuse(&mut self, refusal: &Refusal) {
        if self.turn == Turn::Asking {
            self.turn = Turn::Working;
            self.refuse_now(refusal);
        }
    }

    /// Says that the answer comes later, see [`Worker::offer`].
    pub fn defer(&mut self) {
        self.answer(&Message {
            metadata: br#"{"pending":true}"#.to_vec(),
            binary: Vec::new(),
        });
    }

    /// The answer to a request that was deferred. `id` is the request's.
    pub fn offer(&mut self, id: u64, answer: Result<Message, Refusal>) {
        let mut late = Late {
            id,
            refused: None,
            answer: None,
        };
        let mut bytes = Vec::new();
        match answer {
            Ok(Message { metadata, binary }) => {
                let text = String::from_utf8(metadata).ok();
                late.answer = text.and_then(|text| RawValue::from_string(text).ok());
                bytes = binary;
            }
            Err(refusal) => late.refused = Some(refusal),
        }
        self.late.push_back(Message::new(&late, bytes));
        self.shared.output.offer();
    }

    fn respond(&mut self, is_error: bool, message: &Message) {
        if !self.shared.is_stopped() {
            self.server
                .respond(is_error, &message.metadata, &message.binary);
        }
    }

    fn refuse_now(&mut self, refusal: &Refusal) {
        self.respond(true, &Message::new(refusal, Vec::new()));
    }

    /// Asks it to end the command under way. One that it has ended already is not affected.
    pub fn cancel(&self) -> Canceller {
        let canceller = self.canceller();
        canceller.cancel();
        canceller
    }

    /// Ends the command under way, from any thread.
    pub fn canceller(&self) -> Canceller {
        Canceller {
            shared: Arc::clone(&self.shared),
            reaper: self.reaper.clone(),
            id: self.id,
            command: self.commands,
        }
    }

    /// Kills it at `at`, unless the limit is dropped before.
    pub fn limit(&self, at: Instant) -> Limit {
        Limit(self.reaper.kill_at(self.id, at, Why::Deadline))
    }

    /// Kills it.
    pub fn kill(&self, why: Why) {
        self.shared.kill(why);
    }

    fn violates(&mut self, violation: Violation) {
        self.shared.kill(Why::Violation(violation.to_string()));
    }
}

/// Kills a worker at its time, unless it is dropped before.
pub struct Limit(#[expect(dead_code, reason = "it is for being dropped")] Timer);

/// Ends one command of a worker. Cheap to clone.
#[derive(Clone)]
pub struct Canceller {
    shared: Arc<Shared>,
    reaper: Reaper,
    id: u64,
    command: u64,
}

impl Canceller {
    /// Asks the worker to end the command.
    pub fn cancel(&self) {
        let mut said = [CANCEL; CONTROL_BYTES];
        said[1..].copy_from_slice(&self.command.to_ne_bytes());
        // Whoever does not read has 200 KiB of these waiting, and will be killed for something else.
        let flags = rustix::net::SendFlags::DONTWAIT | rustix::net::SendFlags::NOSIGNAL;
        let _ = rustix::net::send(&self.shared.socket, &said, flags);
    }

    /// Kills the worker at `at`, unless the limit is dropped before.
    pub fn limit(&self, at: Instant) -> Limit {
        Limit(self.reaper.kill_at(self.id, at, Why::Cancelled))
    }
}

fn empty() -> Message {
    Message {
        metadata: b"{}".to_vec(),
        binary: Vec::new(),
    }
}

fn nonsense() -> Violation {
    Violation::Unreadable {
        reason: "output that cannot be".to_owned(),
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.shared.kill(Why::Disposed);
    }
}
