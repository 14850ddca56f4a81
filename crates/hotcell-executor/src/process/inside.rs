//! The worker's side: an executor, and around it what carries its calls to the parent.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use hotcell_meter::Unwatched;
use hotcell_vfs::{Vfs, VfsPath};
use hotcell_worker::{MakeService, Message, Parent, Program, Service};
use serde_json::json;

use super::{
    forward::Line,
    happening::Happening,
    pack::{Malformed, Packer, Unpacker},
    told::{put_entry, put_error, put_started, put_suspension},
    wire::{Order, WireOptions, WireTool, take_answers, take_granted, take_modules},
};
use crate::{
    engine::shared_engine,
    error::ExecutorError,
    executor::{Executor, Started},
    file_tools::file_tools,
    files::Files,
    options::ExecutorOptions,
    output::Run,
    state::State,
};

/// The name of the service among those of a program.
pub(super) const SERVICE: &str = "executor";

/// Is a worker of an executor, if this process was started to be one: call it first thing in `main`. A program that does has its own
/// workers, and needs no other program for them.
pub fn worker() {
    if hotcell_worker::is_worker() {
        hotcell_worker::run(&Program {
            build: &super::worker_build(),
            services: &[worker_service()],
        });
    }
    hotcell_worker::this_program_can_be_a_worker();
}

/// What a program offers that can be the worker of an executor, for [`hotcell_worker::run`].
pub fn worker_service() -> (&'static str, MakeService) {
    (SERVICE, make)
}

/// The image that cells begin with is a part of this program's file, which cannot be opened later.
fn make() -> Result<Box<dyn Service>, String> {
    shared_engine().map_err(|error| error.to_string())?;
    Ok(Box::new(Inside::default()))
}

#[derive(Default)]
struct Inside {
    executor: Option<Executor>,
    /// The executor while it runs code.
    running: Arc<Mutex<Option<Executor>>>,
    line: Option<Line>,
    files: Option<Files>,
    /// What the parent knows of the names that code has declared.
    told: BTreeSet<String>,
}

/// Why an order could not be carried out.
enum Failed {
    /// The parent is of the same build, and says nothing that cannot be read: it hears of this as of any crash.
    Unreadable(String),
    Refused(ExecutorError),
}

impl From<Malformed> for Failed {
    fn from(malformed: Malformed) -> Self {
        Self::Unreadable(malformed.to_string())
    }
}

impl From<hotcell_cell::WireError> for Failed {
    fn from(error: hotcell_cell::WireError) -> Self {
        Self::Unreadable(error.to_string())
    }
}

impl From<ExecutorError> for Failed {
    fn from(error: ExecutorError) -> Self {
        Self::Refused(error)
    }
}

impl Service for Inside {
    fn handle(&mut self, command: Message, parent: &Parent) -> Message {
        let mut out = Packer::default();
        let done = self.carry_out(command, parent, &mut out);
        let is_done = done.is_ok();
        match done {
            Ok(()) => {}
            Err(Failed::Refused(error)) => {
                out = Packer::default();
                put_error(&mut out, &error);
            }
            Err(Failed::Unreadable(problem)) => {
                eprintln!("an order that cannot be read: {problem}");
                std::process::exit(1)
            }
        }
        let state = self.executor.as_ref().map_or(State::Dead, Executor::state);
        let about = json!({ "op": "done", "ok": is_done, "state": state.as_str() });
        Message::new(&about, out.finish())
    }

    fn canceller(&self) -> Box<dyn Fn() -> bool + Send + Sync> {
        let running = Arc::clone(&self.running);
        Box::new(move || {
            let running = running.lock().unwrap_or_else(PoisonError::into_inner);
            running.as_ref().is_some_and(Executor::cancel)
        })
    }
}

impl Inside {
    fn carry_out(
        &mut self,
        command: Message,
        parent: &Parent,
        out: &mut Packer,
    ) -> Result<(), Failed> {
        let order = command.read::<Order>();
        let order = order.map_err(|error| Failed::Unreadable(error.to_string()))?;
        let mut beside = Unpacker::new(&command.binary, usize::MAX, &Unwatched);
        match order {
            Order::Begin {
                options,
                approves,
                restores,
                since,
                sequence,
            } => {
                let options = self.options(options, approves, &mut beside, parent)?;
                let executor = if restores {
                    let snapshot = beside.bytes()?;
                    if since {
                        Executor::restore_since(snapshot, beside.bytes()?, Some(options))?
                    } else {
                        Executor::restore(snapshot, Some(options))?
                    }
                } else {
                    let executor = Executor::new(options);
                    parent.block_on(executor.init())?;
                    executor
                };
                if let Some(sequence) = sequence {
                    executor.continue_random(sequence);
                }
                self.executor = Some(executor);
            }
            Order::Variables => {
                let variables =
                    beside.several(|from| Ok((from.text()?.to_owned(), from.value()?)))?;
                parent.block_on(self.executor()?.send_variables(variables))?;
            }
            Order::Tools => self.take_tools(&mut beside, parent)?,
            Order::Run {
                may_suspend,
                calls_function,
                name,
                number,
                trace,
                timeout_nanos,
                cpu_nanos,
            } => {
                let code = String::from_utf8(command.binary);
                let code = code.map_err(|error| Failed::Unreadable(error.to_string()))?;
                let mut run = Run::new(code).timeout(timeout_nanos.map(Duration::from_nanos));
                run.cpu_time = cpu_nanos.map(Duration::from_nanos);
                run.calls_function = calls_function;
                run.name = name;
                run.number = Some(number);
                run.trace = trace.and_then(|trace| trace.parse().ok());
                let executor = self.executor()?.clone();
                let started = self.running(parent, async {
                    if may_suspend {
                        executor.start(run).await
                    } else {
                        Started::Complete(executor.execute(run).await)
                    }
                })?;
                put_started(out, &started)?;
                self.put_names(out)?;
            }
            Order::Resume => {
                let answers = take_answers(&mut beside)?;
                let executor = self.executor()?.clone();
                let started = self.running(parent, executor.resume(answers))??;
                put_started(out, &started)?;
                self.put_names(out)?;
            }
            Order::Suspension => {
                let suspension = parent.block_on(self.executor()?.suspension());
                out.flag(suspension.is_some());
                if let Some(suspension) = suspension {
                    put_suspension(out, &suspension)?;
                }
            }
            Order::Abandon => parent.block_on(self.executor()?.abandon())?,
            Order::Recover => parent.block_on(self.executor()?.recover())?,
            Order::Snapshot { since } => {
                let executor = self.executor()?;
                let snapshot = if since {
                    parent.block_on(executor.snapshot_since(beside.bytes()?))?
                } else {
                    parent.block_on(executor.snapshot())?
                };
                out.bytes(&snapshot);
                for byte in parent.block_on(executor.random_sequence())? {
                    out.byte(byte);
                }
            }
        }
        Ok(())
    }

    /// The options of the parent, with what only it has reached from here.
    fn options(
        &mut self,
        options: WireOptions,
        approves: bool,
        beside: &mut Unpacker<'_>,
        parent: &Parent,
    ) -> Result<ExecutorOptions, Failed> {
        let line = self.line.get_or_insert_with(|| Line::new(parent)).clone();
        let mut options = options.into_options();
        take_modules(beside, &mut options, |kind| line.function(kind))?;
        take_granted(beside, &mut options, |kind| line.function(kind))?;
        let printing = parent.clone();
        options = options.on_log(move |entry| {
            let (mut record, mut frame) = (Packer::default(), Packer::default());
            put_entry(&mut record, entry);
            frame.bytes(&record.finish());
            printing.print(super::LOG, &frame.finish());
        });
        let telling = parent.clone();
        options = options.on_event(move |event| {
            if let Some(happening) = Happening::of(event) {
                telling.print(super::HAPPENED, &happening.frame());
            }
        });
        if approves {
            options = options.on_approval(move |request| line.clone().approve(request));
        }
        Ok(options)
    }

    fn executor(&self) -> Result<&Executor, Failed> {
        let none = || Failed::Unreadable("there is no executor".to_owned());
        self.executor.as_ref().ok_or_else(none)
    }

    /// Runs code, and lets the parent end it meanwhile.
    fn running<F: Future>(&self, parent: &Parent, run: F) -> Result<F::Output, Failed> {
        let set = |executor: Option<Executor>| {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            let old = std::mem::replace(&mut *running, executor);
            drop(running);
            drop(old);
        };
        set(Some(self.executor()?.clone()));
        let output = parent.block_on(run);
        set(None);
        Ok(output)
    }

    fn take_tools(&mut self, from: &mut Unpacker<'_>, parent: &Parent) -> Result<(), Failed> {
        let line = self.line.get_or_insert_with(|| Line::new(parent)).clone();
        if from.flag()? {
            let directory = VfsPath::new(from.bytes()?);
            let files = Arc::new(parent.files().clone()) as Arc<dyn Vfs>;
            self.files = Some(Files::of(files, directory));
        }
        let mut known = Vec::new();
        let mut tools = Vec::new();
        for _ in 0..from.count()? {
            let wire: WireTool = from.json()?;
            let made = match &wire.file_tool {
                None => line.function(wire.kind),
                Some(name) => {
                    if known.is_empty() {
                        known = self.files.as_ref().map(file_tools).unwrap_or_default();
                    }
                    let found = known.iter().find(|(known, _)| known == name);
                    let none = || Failed::Unreadable(format!("there is no file tool {name}"));
                    found.ok_or_else(none)?.1.tool.clone()
                }
            };
            tools.push(wire.into_tool(made));
        }
        parent.block_on(self.executor()?.send_tools(tools))?;
        Ok(())
    }

    /// The names that code has declared since the parent was last told.
    fn put_names(&mut self, out: &mut Packer) -> Result<(), Failed> {
        let (names, globals, knows_all) = self.executor()?.declared(self.told.len());
        let new: Vec<&String> = names
            .iter()
            .filter(|name| !self.told.contains(*name))
            .collect();
        out.json(&new);
        out.json(&globals);
        out.flag(knows_all);
        self.told.extend(names);
        Ok(())
    }
}
