//! What a worker asks for while a command runs, and the answers that come later.
//!
//! Requests come from a process that may be anybody's by now. Each is answered, refused, or kept until it can be answered; of what is
//! kept there is a fixed number, and what is not a request ends the worker.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use bstr::BString;
use hotcell_meter::StopToken;
use hotcell_process::{Kernel, KernelOptions, Observer, Spec, Stream};
use hotcell_vfs::{Errno, Vfs, VfsPath, VfsPathBuf};
use hotcell_worker::{Message, Refusal, Worker};
use serde::Serialize;
use serde_json::json;

use super::{
    code::Handed,
    packed::unpack,
    shares::{Ends, Share},
    wire::Request,
};
use crate::{notes::Notes, sandbox::Inner};

/// The most that one request reads.
const MOST_READ: usize = 256 << 10;

/// What a command has of its host.
pub(super) struct Desk {
    pub(super) inner: Arc<Inner>,
    pub(super) notes: Arc<Notes>,
    pub(super) files: Arc<dyn Vfs>,
    pub(super) stop: StopToken,
    pub(super) stdin: Arc<dyn Stream>,
    pub(super) given: [Option<Arc<dyn Stream>>; 2],
    /// Programs that may be run here, by name.
    pub(super) outside: Arc<BTreeSet<BString>>,
    pub(super) waiting: Waiting,
    /// Outlives the command.
    pub(super) handed: Handed,
}

/// What could not be answered yet.
#[derive(Default)]
pub(super) struct Waiting {
    reading: Option<(u64, usize, Option<u8>)>,
    looking: Option<u64>,
    writing: [Option<(u64, Vec<u8>)>; 2],
    shares: BTreeMap<u64, Share>,
    last_share: u64,
}

/// How a request is answered.
enum Reply {
    Now(Message),
    No(Refusal),
    /// It was kept.
    Later,
    /// Nobody of ours asks that.
    Nonsense,
}

fn told(answer: &impl Serialize) -> Reply {
    Reply::Now(Message::new(answer, Vec::new()))
}

fn done() -> Reply {
    told(&json!({}))
}

fn refuse(code: &str, text: &str) -> Reply {
    Reply::No(Refusal::new(code, text))
}

/// An error of a stream of the host's, for who called it.
fn failed(error: &io::Error) -> Refusal {
    let errno = match (error.raw_os_error(), error.kind()) {
        (Some(code), _) => Errno::from_code(code),
        (None, io::ErrorKind::BrokenPipe) => Errno::EPIPE,
        _ => Errno::EIO,
    };
    Refusal::new(errno.name(), error.to_string())
}

impl Desk {
    /// Deals with a request. False if it is none.
    pub(super) fn take(&mut self, request: Message, worker: &mut Worker) -> bool {
        match self.reply(request) {
            Reply::Now(answer) => worker.answer(&answer),
            Reply::No(refusal) => worker.refuse(&refusal),
            Reply::Later => worker.defer(),
            Reply::Nonsense => return false,
        }
        true
    }

    fn reply(&mut self, message: Message) -> Reply {
        let Ok(request) = message.read::<Request>() else {
            return Reply::Nonsense;
        };
        let waiting = &mut self.waiting;
        match request {
            Request::Now => told(&self.inner.options.clock.now().as_nanos()),
            Request::IsReady => told(&self.stdin.is_ready()),
            Request::Read { id, most, until } => {
                let is_first = waiting.reading.replace((id, most, until)).is_none();
                if is_first {
                    Reply::Later
                } else {
                    Reply::Nonsense
                }
            }
            Request::Readable { id } => {
                let is_first = waiting.looking.replace(id).is_none();
                if is_first {
                    Reply::Later
                } else {
                    Reply::Nonsense
                }
            }
            Request::Write { id, stream } => {
                let index = stream.wrapping_sub(1);
                let is_given = self.given.get(index).is_some_and(Option::is_some);
                match waiting.writing.get_mut(index) {
                    Some(slot) if is_given && slot.is_none() => {
                        *slot = Some((id, message.binary));
                        Reply::Later
                    }
                    _ => Reply::Nonsense,
                }
            }
            Request::Program { args, umask } => self.begin(args, umask, &message.binary),
            Request::Step { id, program, eof } => match waiting.shares.get_mut(&program) {
                Some(share) => {
                    let is_first = share.ask(id, &message.binary, eof);
                    if is_first {
                        Reply::Later
                    } else {
                        Reply::Nonsense
                    }
                }
                None => refuse("ESRCH", "there is no such program"),
            },
            Request::End { program } => {
                drop(waiting.shares.remove(&program));
                done()
            }
            Request::Module { id, program } => {
                let is_one = self.handed.ask(id, program, &self.inner.options);
                if is_one {
                    Reply::Later
                } else {
                    Reply::Nonsense
                }
            }
            Request::Notice { notice } => match notice.into_notice() {
                Some(notice) => {
                    self.notes.notice(notice);
                    done()
                }
                None => Reply::Nonsense,
            },
        }
    }

    /// Begins a program.
    fn begin(&mut self, args: usize, umask: u32, packed: &[u8]) -> Reply {
        let most = self.inner.options.limits.processes;
        if self.waiting.shares.len() >= most {
            return refuse("EAGAIN", "too many programs of the host's run at once");
        }
        let mut parts = unpack(packed);
        let name = parts.next().filter(|name| self.outside.contains(name));
        let args: Vec<BString> = parts.by_ref().take(args).collect();
        let cwd = parts.next().unwrap_or_else(|| "/".into());
        let cwd = VfsPath::ROOT.join(cwd.as_slice());
        let variables = parts.filter_map(|text| {
            let at = text.iter().position(|byte| *byte == b'=')?;
            Some((BString::from(&text[..at]), BString::from(&text[at + 1..])))
        });
        let variables: Vec<(BString, BString)> = variables.collect();
        // What the list of allowed programs does not have is refused by what is found here.
        let program = name.and_then(|name| self.inner.programs.find(&name));
        let Some(program) = program else {
            return refuse("ENOENT", "no program of the host's has that name");
        };
        let ends = Ends::default();
        let spec = self.spec(args, cwd, umask, &ends).environ(variables);
        let run = self.kernel().run(spec, move |process| program.run(process));
        let waiting = &mut self.waiting;
        waiting.last_share += 1;
        let number = waiting.last_share;
        waiting.shares.insert(number, ends.of(run));
        told(&json!({ "program": number }))
    }

    fn spec(&self, args: Vec<BString>, cwd: VfsPathBuf, umask: u32, ends: &Ends) -> Spec {
        let mut spec = Spec::new(args)
            .cwd(cwd)
            .stdin(Arc::clone(&ends.stdin) as Arc<dyn Stream>)
            .stdout(Arc::clone(&ends.stdout) as Arc<dyn Stream>)
            .stderr(Arc::clone(&ends.stderr) as Arc<dyn Stream>);
        spec.umask = umask & 0o777;
        spec
    }

    /// A kernel for one program: it ends with the command, and is unwound alone when its twin is.
    fn kernel(&self) -> Kernel {
        let Inner {
            options,
            programs,
            account,
            ..
        } = &*self.inner;
        Kernel::new(KernelOptions {
            vfs: Arc::clone(&self.files),
            programs: Arc::clone(programs),
            stop: self.stop.clone(),
            account: account.clone(),
            limits: options.limits.of_processes(),
            clock: options.clock.clone(),
            observer: Some(Arc::clone(&self.notes) as Arc<dyn Observer>),
        })
    }

    /// Offers what can be answered by now.
    pub(super) fn settle(&mut self, context: &mut Context<'_>, worker: &mut Worker) {
        self.settle_input(context.waker(), worker);
        self.settle_output(context.waker(), worker);
        self.handed.settle(context, worker);
        for share in self.waiting.shares.values_mut() {
            if let Some((id, step, printed)) = share.poll(context) {
                worker.offer(id, Ok(Message::new(&step, printed)));
            }
        }
    }

    fn settle_input(&mut self, waker: &Waker, worker: &mut Worker) {
        if let Some((id, most, until)) = self.waiting.reading {
            let mut buffer = vec![0; most.min(MOST_READ)];
            let read = match until {
                None => self.stdin.poll_read(&mut buffer, waker),
                Some(end) => self.stdin.poll_read_until(end, &mut buffer, waker),
            };
            if let Poll::Ready(read) = read {
                self.waiting.reading = None;
                let answer = read.map_err(|error| failed(&error)).map(|count| {
                    buffer.truncate(count);
                    Message::new(&json!({}), buffer)
                });
                worker.offer(id, answer);
            }
        }
        if let Some(id) = self.waiting.looking
            && self.stdin.poll_readable(waker).is_ready()
        {
            self.waiting.looking = None;
            worker.offer(id, Ok(Message::new(&json!({}), Vec::new())));
        }
    }

    fn settle_output(&mut self, waker: &Waker, worker: &mut Worker) {
        for index in 0..2 {
            if let Poll::Ready(Some((id, written))) = self.poll_write(index, waker) {
                let done = written.map(|()| Message::new(&json!({}), Vec::new()));
                worker.offer(id, done.map_err(|error| failed(&error)));
            }
        }
    }

    /// Writes what waits for a stream of the host's, all of it.
    fn poll_write(&mut self, index: usize, waker: &Waker) -> Poll<Option<(u64, io::Result<()>)>> {
        let (Some(Some(stream)), Some(slot)) =
            (self.given.get(index), self.waiting.writing.get_mut(index))
        else {
            return Poll::Ready(None);
        };
        let Some((id, data)) = slot else {
            return Poll::Ready(None);
        };
        let id = *id;
        while !data.is_empty() {
            match stream.poll_write(data, waker) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(count)) if count > 0 => drop(data.drain(..count.min(data.len()))),
                Poll::Ready(written) => {
                    *slot = None;
                    let error = written.err();
                    let error = error.unwrap_or_else(|| io::ErrorKind::WriteZero.into());
                    return Poll::Ready(Some((id, Err(error))));
                }
            }
        }
        *slot = None;
        Poll::Ready(Some((id, Ok(()))))
    }

    /// Whether all that the command has written is where it belongs.
    pub(super) fn poll_written(&mut self, waker: &Waker) -> Poll<()> {
        let polled = [0, 1].map(|index| self.poll_write(index, waker).is_pending());
        if polled.contains(&true) {
            return Poll::Pending;
        }
        Poll::Ready(())
    }
}
