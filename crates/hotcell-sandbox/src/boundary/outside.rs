//! The host's side: a command that runs in a worker.
//!
//! The worker may say anything. Its files are behind a server that checks each request, what it asks for is checked by the
//! [desk](super::desk), and what it leaves of the shell is read as any saved shell that comes from somewhere.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use hotcell_executor::worker_build;
use hotcell_meter::StopToken;
use hotcell_process::{Alarm, Programs, Stream};
use hotcell_shell::{SavedShell, Shell};
use hotcell_vfs::{FileType, Vfs};
use hotcell_worker::{
    Canceller, Death, End, Event, JailOptions, Limit, Message, Supervisor, Why, Worker,
    WorkerError, WorkerOptions,
};

use super::{
    code::Handed,
    desk::{Desk, Waiting},
    packed::pack,
    wire::{Kind, Order, Outcome, SERVICE, Settings, Stop, nanos},
};
use crate::{
    audit::KillReason,
    command::Command,
    error::{Result, SandboxError},
    line::Control,
    notes::Notes,
    options::SandboxOptions,
    run::{Crash, Kept, Over, Place},
    sandbox::Inner,
    world::World,
};

/// How long a worker has to end a command by itself once it is told to, before it is killed.
const GRACE: Duration = Duration::from_millis(5);

/// How long it may take to be ready.
const READY: Duration = Duration::from_secs(30);

/// A worker between two commands.
pub(crate) struct Held {
    worker: Worker,
    /// The shell that it has.
    shell: Option<SavedShell>,
    handed: Handed,
}

/// A command in a worker. Dropping it kills the worker.
pub(crate) struct Distant(Pin<Box<dyn Future<Output = Result<Over>> + Send>>);

/// What a command needs to run elsewhere.
pub(crate) struct Errand {
    pub(crate) command: Command,
    pub(crate) kept: Kept,
    pub(crate) shell: Shell,
    /// How long it may take, from when the worker is ready.
    pub(crate) timeout: Duration,
    pub(crate) world: World,
    pub(crate) notes: Arc<Notes>,
}

impl Distant {
    pub(crate) fn begin(place: &Place, errand: Errand) -> Self {
        let (inner, control) = (Arc::clone(&place.inner), Arc::clone(&place.control));
        Self(Box::pin(conduct(inner, control, errand)))
    }

    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<Over>> {
        self.0.as_mut().poll(context)
    }
}

/// A worker that is ready: the one of the command before, or a new one.
async fn worker(inner: &Inner, world: &World) -> Result<Held> {
    let held = inner.worker.lock().take();
    if let Some(held) = held.filter(|held| held.worker.is_alive()) {
        return Ok(held);
    }
    let unusable = |error: WorkerError| SandboxError::Worker(error.to_string());
    let options = worker_options(&inner.options);
    let mut worker = Supervisor::shared()
        .map_err(unusable)?
        .worker(&options)
        .await
        .map_err(unusable)?;
    let limit = worker.limit(Instant::now() + READY);
    let ready = worker.ready().await;
    ready.map_err(|death| unusable(WorkerError::Died(death)))?;
    drop(limit);
    let files = Arc::clone(&world.tree) as Arc<dyn Vfs>;
    let most = usize::try_from(inner.options.limits.file_bytes).unwrap_or(usize::MAX);
    // What is too much for the files they refuse themselves, so that it is known which limit it was.
    let most = most.max(LEAST_ROOM);
    worker
        .serve_files(files, None, most)
        .map_err(|error| unusable(WorkerError::System(error)))?;
    // The shell comes back beside its news, and no request is larger than what a program can hold.
    worker.set_most_binary(inner.options.limits.memory.max(LEAST_ROOM));
    Ok(Held {
        worker,
        shell: None,
        handed: Handed::new().map_err(|error| unusable(WorkerError::System(error)))?,
    })
}

/// What a worker may send at once, however little memory it may have.
const LEAST_ROOM: usize = 1 << 20;

fn worker_options(options: &SandboxOptions) -> WorkerOptions {
    let jail = JailOptions {
        require_jail: options.require_jail,
        // Modules that commands make are compiled where they run.
        may_compile: true,
        ..JailOptions::with_memory(options.limits.memory as u64)
    };
    WorkerOptions::new(SERVICE, worker_build()).jail(jail)
}

/// Runs a command.
async fn conduct(inner: Arc<Inner>, control: Arc<Control>, errand: Errand) -> Result<Over> {
    let Errand {
        command,
        kept,
        shell,
        timeout,
        world,
        notes,
    } = errand;
    let held = worker(&inner, &world).await?;
    let deadline = Instant::now().checked_add(timeout);
    // A time that no clock can show is none.
    let stop = deadline.map_or_else(StopToken::new, StopToken::until);
    let Held {
        mut worker,
        shell: known,
        handed,
    } = held;
    let outside = Arc::new(outside(&inner.options).into_iter().collect());
    let saved = shell.save();
    let order = order(
        &inner.options,
        &command,
        &stop,
        &saved,
        known.as_ref(),
        handed.seal,
    )?;
    let mut desk = Desk {
        files: Arc::clone(&world.tree) as Arc<dyn Vfs>,
        stop: stop.clone(),
        stdin: command.stdin,
        given: [command.stdout, command.stderr],
        waiting: Waiting::default(),
        outside,
        notes,
        inner: Arc::clone(&inner),
        handed,
    };
    worker.listen(command.listener.is_some());
    worker.command(&order);
    let killed_at = deadline.and_then(|at| at.checked_add(GRACE));
    let limit = killed_at.map(|at| worker.limit(at));
    let event = attend(&mut worker, &mut desk, &control, &kept).await;
    drop(limit);
    let message = match event {
        Ok(message) => message,
        Err(death) => return Ok(died(&death, &control)),
    };
    let Ok(outcome) = message.read::<Outcome>() else {
        return Ok(crashed(
            "the worker process says what none of ours does",
            false,
        ));
    };
    let mut alarm = None;
    poll_fn(|context| {
        control.register(context.waker());
        if stop.stopped().is_some() || control.reason().is_some() {
            return Poll::Ready(());
        }
        alarm = stop
            .deadline()
            .map(|at| Alarm::set(at, context.waker().clone()));
        desk.poll_written(context.waker())
    })
    .await;
    drop(alarm);
    let mut over = Over {
        code: outcome.code & 0xff,
        killed: outcome.stop.map(|stop| reason(stop, &control)),
        shell: None,
        cpu: Duration::from_nanos(outcome.cpu_nanos),
        peak: outcome.peak,
        crash: None,
    };
    let mut now = Some(saved);
    if outcome.has_shell && over.killed.is_none() {
        let Some((shell, saved)) = take_shell(&message.binary, &inner) else {
            return Ok(crashed(
                "the worker process left no shell that can be read",
                false,
            ));
        };
        over.shell = Some(shell);
        now = Some(saved);
    }
    let handed = desk.handed;
    let held = Held {
        worker,
        shell: now,
        handed,
    };
    keep(&inner, held);
    Ok(over)
}

/// Leaves the worker for the next command, unless there will be none.
fn keep(inner: &Inner, held: Held) {
    let old = inner.worker.lock().replace(held);
    drop(old);
    let is_over = inner.lock().live.is_none();
    if is_over {
        inner.worker.clear();
    }
}

/// The names of what stays here: functions of the host's, and what reaches its network.
fn outside(options: &SandboxOptions) -> Vec<bstr::BString> {
    let mut names: Vec<_> = options.commands.keys().cloned().collect();
    if let Some(network) = &options.network {
        let none: Arc<dyn Programs> = Arc::new(hotcell_process::NoPrograms);
        names.extend(network.programs(none).names());
    }
    names
}

fn order(
    options: &SandboxOptions,
    command: &Command,
    stop: &StopToken,
    shell: &SavedShell,
    known: Option<&SavedShell>,
    seal: [u8; 32],
) -> Result<Message> {
    let kind = |stream: &Arc<dyn Stream>| Kind {
        is_device: stream
            .metadata()
            .is_ok_and(|metadata| metadata.kind == FileType::CharDevice),
        is_terminal: stream.is_terminal(),
    };
    let mut binary = command.text.to_vec();
    let mut sent = None;
    if known != Some(shell) {
        let json = serde_json::to_vec(shell)
            .map_err(|error| SandboxError::Worker(format!("the shell cannot be sent: {error}")))?;
        binary.extend(&json);
        sent = Some(json.len());
    }
    let mut settings = None;
    if known.is_none() {
        let allowed = options.allowed.as_deref();
        let allowed = pack(allowed.into_iter().flatten());
        binary.extend(&allowed);
        binary.extend(pack(outside(options)));
        settings = Some(Settings::of(options, allowed.len(), seal));
    }
    let left = stop
        .deadline()
        .map(|at| nanos(at.saturating_duration_since(Instant::now())));
    let order = Order {
        text: command.text.len(),
        kind: command.kind,
        shell: sent,
        settings,
        time_left: left,
        stdin: kind(&command.stdin),
        given: [&command.stdout, &command.stderr].map(|given| given.as_ref().map(kind)),
    };
    Ok(Message::new(&order, binary))
}

/// Does what the worker needs until the command is over.
async fn attend(
    worker: &mut Worker,
    desk: &mut Desk,
    control: &Control,
    kept: &Kept,
) -> Result<Message, Death> {
    let mut told: Option<(Canceller, Limit)> = None;
    let mut print = |stream: u8, bytes: &[u8]| kept.keep(stream, bytes);
    loop {
        let event = poll_fn(|context| {
            control.register(context.waker());
            if told.is_none() && control.reason().is_some() {
                desk.stop.cancel();
                let canceller = worker.cancel();
                let limit = canceller.limit(Instant::now() + GRACE);
                told = Some((canceller, limit));
            }
            desk.settle(context, worker);
            worker.poll_next(context, &mut print)
        });
        let event = event.await;
        match event {
            Event::Done(message) => return Ok(message),
            Event::Died(death) => return Err(death),
            Event::Request(request) => {
                let is_ours = desk.take(request, worker);
                if !is_ours {
                    worker.kill(Why::Violation(
                        "a request that nobody of ours makes".to_owned(),
                    ));
                }
            }
            _ => {}
        }
    }
}

impl Kept {
    /// Keeps what the worker printed.
    fn keep(&self, stream: u8, bytes: &[u8]) {
        let capture = match stream {
            1 => &self.stdout,
            2 => &self.stderr,
            _ => return,
        };
        if let Some(capture) = capture {
            // It takes everything, at once.
            let _ = capture.poll_write(bytes, Waker::noop());
        }
    }
}

fn reason(stop: Stop, control: &Control) -> KillReason {
    match stop {
        Stop::Deadline => KillReason::Timeout,
        Stop::CpuTime => KillReason::CpuTime,
        Stop::Cancelled => control.reason().unwrap_or(KillReason::Cancelled),
    }
}

/// The shell that a command has left.
fn take_shell(json: &[u8], inner: &Inner) -> Option<(Shell, SavedShell)> {
    let saved: SavedShell = serde_json::from_slice(json).ok()?;
    let shell = Shell::load_within(&saved, inner.options.limits.memory).ok()?;
    // Where it does not fit beside the one before, the next command pays for it.
    let shell = shell.fork(&inner.account).unwrap_or(shell);
    Some((shell, saved))
}

fn died(death: &Death, control: &Control) -> Over {
    let killed = match death.end {
        End::Killed(Why::Deadline) => Some(KillReason::Timeout),
        End::Killed(Why::Cancelled) => Some(control.reason().unwrap_or(KillReason::Cancelled)),
        _ => None,
    };
    match killed {
        Some(reason) => Over {
            code: 0,
            killed: Some(reason),
            shell: None,
            cpu: Duration::ZERO,
            peak: 0,
            crash: None,
        },
        None => crashed(&death.to_string(), death.is_out_of_memory()),
    }
}

fn crashed(text: &str, is_out_of_memory: bool) -> Over {
    Over {
        code: CRASHED,
        killed: None,
        shell: None,
        cpu: Duration::ZERO,
        peak: 0,
        crash: Some(Crash {
            text: text.to_owned(),
            is_out_of_memory,
        }),
    }
}

/// The exit code of a command whose worker has crashed: that of a program that aborts.
const CRASHED: i32 = 134;
