//! The worker's side: a shell, and everything that it runs.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use hotcell_meter::{Account, StopToken, Stopped};
use hotcell_process::{Kernel, KernelOptions, LimitKind, Notice, Observer as _, Programs, Stream};
use hotcell_shell::{SavedShell, Shell, Streams};
use hotcell_vfs::{Clock, Timestamp};
use hotcell_wasi::{CompileIn, WasiEngine, WasiEngineOptions};
use hotcell_worker::{MakeService, Message, Parent, Program, Service};
use serde_json::json;

use super::{
    code,
    packed::unpack,
    programs::Outside,
    proxies::{Given, Input, Kept},
    teller::Teller,
    wire::{Done, Kind, Order, Outcome, SERVICE, Settings, Stop, nanos},
};
use crate::{limits::Limits, options::SandboxOptions, programs::compose, sandbox::new_account};

/// Is a worker of a sandbox or of an executor, if this process was started to be one: call it first thing in `main`. A program that does has its own workers, and
/// needs no other program for them.
pub fn worker() {
    if hotcell_worker::is_worker() {
        hotcell_worker::run(&Program {
            build: &hotcell_executor::worker_build(),
            services: &[worker_service(), hotcell_executor::worker_service()],
        });
    }
    hotcell_worker::this_program_can_be_a_worker();
}

/// What a program offers that can be the worker of a sandbox, for [`hotcell_worker::run`].
pub fn worker_service() -> (&'static str, MakeService) {
    (SERVICE, make)
}

/// The image that `js` begins with is a part of this program's file, which cannot be opened later.
fn make() -> Result<Box<dyn Service>, String> {
    hotcell_executor::shared_engine().map_err(|error| error.to_string())?;
    Ok(Box::new(Inside::default()))
}

#[derive(Default)]
struct Inside {
    /// The command under way.
    kernel: Arc<Mutex<Option<Kernel>>>,
    ground: Option<Ground>,
}

/// What stays from one command to the next.
struct Ground {
    limits: Limits,
    clock: Clock,
    programs: Arc<dyn Programs>,
    account: Account,
    /// As the last command has left it.
    shell: Option<Shell>,
}

impl Ground {
    fn new(settings: &Settings, names: &[u8], parent: &Parent) -> Self {
        let (allowed, outside) = names.split_at(settings.allowed_bytes.min(names.len()));
        let asking = parent.clone();
        let mut options = SandboxOptions::default()
            .limits(settings.limits())
            .clock(settings.clock(move || ask_time(&asking)))
            .random(settings.random())
            .network(Arc::new(Outside::new(
                parent,
                unpack(outside),
                settings.has_network,
            )));
        if settings.allowed.is_some() {
            options = options.allow_only(unpack(allowed));
        }
        // This process cannot fork, and is killed as a whole: nobody else waits for its compiler.
        let wasi = WasiEngineOptions::default()
            .compile_in(CompileIn::Thread)
            .seal_key(settings.seal)
            // What it was given it is not given again.
            .memory_bytes(usize::MAX);
        let installed = code::programs(&settings.programs, parent);
        options = options
            .programs(&WasiEngine::with_options(wasi), installed)
            .missing_program(&settings.advice);
        Self {
            account: new_account(&options.limits),
            limits: options.limits,
            programs: compose(&options),
            clock: options.clock,
            shell: None,
        }
    }
}

fn ask_time(parent: &Parent) -> Timestamp {
    let asked = parent.ask(&Message::new(&json!({ "op": "now" }), Vec::new()));
    let nanos = asked.ok().and_then(|answer| answer.read().ok());
    nanos.map_or(Timestamp::EPOCH, Timestamp::from_nanos)
}

impl Service for Inside {
    fn handle(&mut self, command: Message, parent: &Parent) -> Message {
        self.run(&command, parent).unwrap_or_else(|problem| {
            // The host is of the same build, and says nothing that cannot be read. It hears of this as of any crash.
            eprintln!("a command that cannot be read: {problem}");
            std::process::exit(1)
        })
    }

    fn canceller(&self) -> Box<dyn Fn() -> bool + Send + Sync> {
        let kernel = Arc::clone(&self.kernel);
        Box::new(move || {
            let kernel = kernel.lock().unwrap_or_else(PoisonError::into_inner);
            kernel.as_ref().inspect(|kernel| kernel.cancel()).is_some()
        })
    }
}

impl Inside {
    fn run(&mut self, command: &Message, parent: &Parent) -> Result<Message, String> {
        let began = Instant::now();
        let order: Order = command.read().map_err(|error| error.to_string())?;
        let binary = &*command.binary;
        let short = || "it is too short".to_owned();
        let (text, rest) = binary.split_at_checked(order.text).ok_or_else(short)?;
        let (shell, names) = rest
            .split_at_checked(order.shell.unwrap_or(0))
            .ok_or_else(short)?;
        if let Some(settings) = &order.settings {
            self.ground = Some(Ground::new(settings, names, parent));
        }
        let ground = self.ground.as_mut().ok_or("there are no settings")?;
        if order.shell.is_some() {
            ground.shell = Some(load(shell, ground)?);
        }
        let kernel = ground.kernel(&order, began, parent);
        let streams = streams(&order, ground.limits.output_bytes, parent);
        let state = ground.shell.as_mut().ok_or("there is no shell")?;
        ground.account.reset_peak();
        let refusals = ground.account.refusals();
        let mut started = state.start(&kernel, order.kind, text, streams);
        let (most, mut is_over) = (ground.limits.cpu_time, false);
        self.set_current(Some(kernel.clone()));
        let (ended, left) = parent.block_on(std::future::poll_fn(|context| {
            loop {
                let polled = Pin::new(&mut started).poll(context);
                if polled.is_ready() || is_over || kernel.busy() < most {
                    return polled;
                }
                is_over = true;
                kernel.cancel();
            }
        }));
        drop(started);
        self.set_current(None);
        let ground = self.ground.as_mut().ok_or("there are no settings")?;
        let mut outcome = Outcome {
            op: Done::Done,
            code: ended.status.code(),
            stop: ended.stopped.map(|stopped| match stopped {
                Stopped::Deadline => Stop::Deadline,
                Stopped::Cancelled if is_over => Stop::CpuTime,
                Stopped::Cancelled => Stop::Cancelled,
            }),
            cpu_nanos: nanos(kernel.busy()),
            peak: ground.account.peak(),
            has_shell: false,
        };
        if ground.account.refusals() > refusals {
            // Whoever met it could not tell.
            Teller(parent.clone()).notice(Notice::Limit(LimitKind::Memory));
        }
        let mut shell = Vec::new();
        if let (Some(left), Some(state)) = (left, ground.shell.as_mut()) {
            drop(state.succeed(left));
            shell = serde_json::to_vec(&state.save()).map_err(|error| error.to_string())?;
            outcome.has_shell = true;
        }
        Ok(Message::new(&outcome, shell))
    }

    fn set_current(&self, kernel: Option<Kernel>) {
        let mut current = self.kernel.lock().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *current, kernel);
        drop(current);
        drop(old);
    }
}

impl Ground {
    fn kernel(&self, order: &Order, began: Instant, parent: &Parent) -> Kernel {
        let deadline = order
            .time_left
            .and_then(|left| began.checked_add(Duration::from_nanos(left)));
        Kernel::new(KernelOptions {
            vfs: Arc::new(parent.files().clone()),
            programs: Arc::clone(&self.programs),
            stop: deadline.map_or_else(StopToken::new, StopToken::until),
            account: self.account.clone(),
            limits: self.limits.of_processes(),
            clock: self.clock.clone(),
            observer: Some(Arc::new(Teller(parent.clone()))),
        })
    }
}

/// The shell that the host has sent.
fn load(shell: &[u8], ground: &Ground) -> Result<Shell, String> {
    let saved: SavedShell = serde_json::from_slice(shell).map_err(|error| error.to_string())?;
    let shell = Shell::load_within(&saved, ground.limits.memory);
    let shell = shell.map_err(|error| error.to_string())?;
    // What does not fit is found out by the first command that wants more.
    Ok(shell.fork(&ground.account).unwrap_or(shell))
}

fn streams(order: &Order, most: usize, parent: &Parent) -> Streams {
    let output = |stream: u8, given: Option<Kind>| -> Arc<dyn Stream> {
        match given {
            Some(kind) => Arc::new(Given::new(parent, stream, kind)),
            None => Arc::new(Kept::new(parent, stream, most)),
        }
    };
    let [stdout, stderr] = order.given;
    Streams {
        stdin: Arc::new(Input::new(parent, order.stdin)),
        stdout: output(1, stdout),
        stderr: output(2, stderr),
    }
}
