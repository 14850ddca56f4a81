//! One VM.

mod run;

use std::{
    fmt,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Instant,
};

use wasmtime::{Store, UpdateDeadline};

pub use run::{Interrupter, Outcome, Program, Progress};

use crate::{
    engine::Engine,
    error::CellError,
    guest::{Guest, place},
    host::{Emitted, Host, Slot},
    memory::{PAGE, changed_pages},
    options::{CellOptions, Clock, Random},
    snapshot::{self, Outstanding, State},
    stats::Stats,
    tool::{Tool, ToolError},
    value::Value,
    watchdog::{GRACE, thread_time},
    wire::{put_number, put_value},
};

/// One JavaScript VM with a memory of its own.
///
/// See the [crate documentation](crate) for an example. A cell may move between threads; it is used by one at a time.
pub struct Cell {
    engine: Engine,
    options: CellOptions,
    /// `None` once the cell is gone.
    live: Option<Box<Live>>,
    run: Option<run::Run>,
    totals: Stats,
}

/// What is thrown away when a cell is killed.
struct Live {
    store: Store<Host>,
    guest: Guest,
    /// The guest was entered and has not returned. If that is still so when the cell is next used, the future that ran
    /// it was dropped in the middle, and the guest's stack with it.
    inside: bool,
}

impl Cell {
    pub(crate) fn new(
        engine: Engine,
        options: CellOptions,
        mut store: Store<Host>,
        guest: Guest,
    ) -> Self {
        store.epoch_deadline_callback(|mut context| {
            let host = context.data_mut();
            if host.interrupt.reason().is_none() {
                return Ok(UpdateDeadline::Yield(1));
            }
            // JavaScript notices the interrupt by itself, the sooner if its next poll asks. Only what goes on regardless is
            // torn out of its native code.
            let now = thread_time();
            let since = *host.overtime_since.get_or_insert(now);
            if now.saturating_sub(since) < GRACE {
                if let Some(memory) = host.memory {
                    let at = place::POLL_COUNTDOWN;
                    memory.data_mut(&mut context)[at..at + 4].fill(0);
                }
                return Ok(UpdateDeadline::Continue(1));
            }
            Err(wasmtime::format_err!("killed"))
        });
        let mut cell = Self {
            engine,
            options,
            live: Some(Box::new(Live {
                store,
                guest,
                inside: false,
            })),
            run: None,
            totals: Stats::default(),
        };
        cell.write_policy();
        cell
    }

    /// Makes `value` a global variable, in place of an earlier one of that name. It arrives frozen, through and through.
    pub fn set_variable(&mut self, name: &str, value: &Value) -> Result<(), CellError> {
        self.set_variables([(name, value)])
    }

    /// As [`Cell::set_variable`], for several at once.
    pub fn set_variables<'a>(
        &mut self,
        variables: impl IntoIterator<Item = (&'a str, &'a Value)>,
    ) -> Result<(), CellError> {
        let variables: Vec<_> = variables.into_iter().collect();
        for (name, _) in &variables {
            check_name(name)?;
        }
        self.define(&variables, &[])
    }

    /// Makes `tool` a global function, in place of an earlier one of that name. Code cannot replace it.
    pub fn define_tool(&mut self, name: &str, tool: Tool) -> Result<(), CellError> {
        self.define_tools([(name, tool)])
    }

    /// As [`Cell::define_tool`], for several at once.
    pub fn define_tools<'a>(
        &mut self,
        tools: impl IntoIterator<Item = (&'a str, Tool)>,
    ) -> Result<(), CellError> {
        let mut slots = Vec::new();
        for (name, tool) in tools {
            let kind = tool.kind_number();
            slots.push(Slot {
                name: Arc::from(check_name(name)?),
                tool: Some(tool),
                kind,
            });
        }
        self.define(&[], &slots)
    }

    /// The names of the tools that are defined. After a restore, [`Cell::is_connected`] says which still need a function.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.live
            .iter()
            .flat_map(|live| live.store.data().tools.iter().map(|slot| &*slot.name))
    }

    /// Whether there is a tool of that name with a function behind it.
    pub fn is_connected(&self, tool: &str) -> bool {
        self.live.as_ref().is_some_and(|live| {
            live.store
                .data()
                .tools
                .iter()
                .any(|slot| &*slot.name == tool && slot.tool.is_some())
        })
    }

    /// Whether the cell can still run code.
    pub fn is_alive(&self) -> bool {
        self.live.as_ref().is_some_and(|live| !live.inside)
    }

    /// What the cell has used since it was made or restored.
    pub fn stats(&self) -> Stats {
        let mut stats = self.totals;
        if let Some(live) = &self.live {
            stats.peak_memory_bytes = live.peak_memory();
        }
        stats
    }

    /// Calls that have no answer yet.
    pub fn outstanding(&self) -> Vec<Outstanding> {
        let Some(live) = &self.live else {
            return Vec::new();
        };
        let mut calls: Vec<Outstanding> = live
            .store
            .data()
            .calls
            .iter()
            .map(|(id, call)| Outstanding {
                id: *id,
                tool: call.tool.to_string(),
                arguments: call.arguments.clone(),
                is_deferred: !call.has_future,
            })
            .collect();
        calls.sort_by_key(|call| call.id);
        calls
    }

    /// Answers a call that no function of this process will answer: one of [`Tool::deferred`], or one that was
    /// outstanding when the cell was forked or restored.
    pub fn answer(&mut self, call: u32, answer: Result<Value, ToolError>) -> Result<(), CellError> {
        let host = self.live()?.store.data_mut();
        let waits = host.calls.get(&call).is_some_and(|call| !call.has_future)
            && !host.answers.iter().any(|(answered, _)| *answered == call);
        if !waits {
            return Err(CellError::State("there is no such call to answer"));
        }
        host.keep_answer(call, answer);
        Ok(())
    }

    /// The whole state of the cell as bytes: variables, functions, pending promises, a run that waits for tools.
    pub fn snapshot(&mut self) -> Result<Vec<u8>, CellError> {
        let engine = self.engine.clone();
        let baseline = engine.baseline();
        let is_running = self.run.is_some();
        let live = self.at_rest()?;
        let memory = live.guest.memory.data(&live.store);
        let state = State::of(live.store.data(), is_running, memory.len());
        let pages = changed_pages(memory, baseline, place::STACK_TOP);
        Ok(snapshot::write(&state, pages)?)
    }

    /// A second cell in the same state, tools included. Neither notices the other from then on.
    ///
    /// Calls that are outstanding are outstanding in both; in the twin they are for [`Cell::answer`] to answer.
    pub fn fork(&mut self) -> Result<Self, CellError> {
        self.fork_with(self.options.clone())
    }

    /// As [`Cell::fork`], with other options from there on, such as a console of its own.
    pub fn fork_with(&mut self, options: CellOptions) -> Result<Self, CellError> {
        let engine = self.engine.clone();
        let is_running = self.run.as_ref().map(run::Run::limits);
        let live = self.at_rest()?;
        let (mut store, guest) = engine.instantiate(&options)?;
        let memory = live.guest.memory.data(&live.store);
        grow_to(&mut store, &guest, memory.len())?;
        let target = guest.memory.data_mut(&mut store);
        for (number, page) in changed_pages(memory, engine.baseline(), place::STACK_TOP) {
            let start = number * PAGE;
            target[start..start + PAGE].copy_from_slice(page);
        }
        let from = live.store.data();
        let to = store.data_mut();
        to.tools.clone_from(&from.tools);
        to.answers.clone_from(&from.answers);
        to.calls.clone_from(&from.calls);
        to.calls
            .values_mut()
            .for_each(|call| call.has_future = false);
        let mut twin = Self::new(engine, options, store, guest);
        if let Some(limits) = is_running {
            twin.adopt_run(limits);
        }
        Ok(twin)
    }

    pub(crate) fn restore(
        engine: &Engine,
        bytes: &[u8],
        options: CellOptions,
    ) -> Result<Self, CellError> {
        let snapshot = snapshot::read(bytes, options.memory_limit)?;
        let (mut store, guest) = engine.instantiate(&options)?;
        grow_to(&mut store, &guest, snapshot.state.memory_size)?;
        let target = guest.memory.data_mut(&mut store);
        let stack_top = place::STACK_TOP;
        for (number, page) in snapshot.pages() {
            let start = number * PAGE;
            let place = target
                .get_mut(start..start + PAGE)
                .filter(|_| start >= stack_top);
            place
                .ok_or(snapshot::SnapshotError::Malformed)?
                .copy_from_slice(page);
        }
        let host = store.data_mut();
        let is_running = snapshot.state.is_running;
        snapshot.state.apply(host);
        let limits = run::Limits {
            timeout: options.timeout,
            max_operations: None,
            pauses: false,
        };
        let mut cell = Self::new(engine.clone(), options, store, guest);
        if is_running {
            cell.adopt_run(limits);
        }
        Ok(cell)
    }

    fn live(&mut self) -> Result<&mut Live, CellError> {
        if self.live.as_ref().is_some_and(|live| live.inside) {
            self.discard();
        }
        self.live.as_deref_mut().ok_or(CellError::Gone)
    }

    /// The cell while no guest frame is live.
    fn at_rest(&mut self) -> Result<&mut Live, CellError> {
        if self.run.as_ref().is_some_and(run::Run::is_unstarted) {
            return Err(CellError::State(
                "the run has not begun: step it first, or snapshot before starting it",
            ));
        }
        self.live()
    }

    /// Throws the memory away and everything that waits in it.
    fn discard(&mut self) {
        self.end_run();
        if let Some(live) = &mut self.live {
            live.store.data_mut().cancel_calls();
        }
        self.live = None;
    }

    fn define(&mut self, variables: &[(&str, &Value)], tools: &[Slot]) -> Result<(), CellError> {
        let live = self.live()?;
        let host = live.store.data_mut();
        // A name that is known keeps its number: functions that code has stored go on working.
        let mut numbers = Vec::new();
        for tool in tools {
            let known = host
                .tools
                .iter()
                .position(|slot| slot.name == tool.name && slot.kind == tool.kind);
            let number = known.unwrap_or(host.tools.len());
            match known {
                Some(number) => host.tools[number] = tool.clone(),
                None => host.tools.push(tool.clone()),
            }
            numbers.push(
                u16::try_from(number)
                    .ok()
                    .filter(|number| *number <= 0x7fff),
            );
        }
        let mut message = Vec::new();
        put_number(&mut message, variables.len() as u64);
        for (name, value) in variables {
            put_value(&mut message, &Value::from(*name))?;
            put_value(&mut message, value)?;
        }
        put_number(&mut message, tools.len() as u64);
        for (tool, number) in tools.iter().zip(numbers) {
            let number = number.ok_or(CellError::State(
                "a cell cannot have more than 32,768 tools",
            ))?;
            message.push(tool.kind);
            put_number(&mut message, u64::from(number));
            put_value(&mut message, &Value::from(&*tool.name))?;
        }
        let length = self.send(message)?;
        let define = self.live()?.guest.define.clone();
        let failed = self.enter_now(|store| poll_now(define.call_async(store, length)))?;
        if failed == 0 {
            return Ok(());
        }
        match self.live()?.store.data_mut().take_outcome().0 {
            Some(Emitted::Exception(exception)) => Err(CellError::Exception(exception)),
            _ => Err(CellError::Broken(
                "a definition failed without a reason".into(),
            )),
        }
    }

    /// Puts a message where the guest will look for it and returns its length.
    fn send(&mut self, message: Vec<u8>) -> Result<i32, CellError> {
        let live = self.live()?;
        let (memory, host) = live.guest.memory.data_and_store_mut(&mut live.store);
        host.reply(memory, |out| {
            *out = message;
            Ok(())
        })
        .map_err(|error| CellError::Broken(error.to_string()))
    }

    /// Enters the guest for something that does not wait.
    fn enter_now(
        &mut self,
        enter: impl FnOnce(&mut Store<Host>) -> wasmtime::Result<i32>,
    ) -> Result<i32, CellError> {
        let live = self.live()?;
        live.store.set_epoch_deadline(1);
        let began = Instant::now();
        let result = enter(&mut live.store);
        self.totals.cpu_time += began.elapsed();
        result.map_err(|trap| self.broken(&trap))
    }

    /// The guest trapped. The cell is gone; this says why.
    fn broken(&mut self, trap: &wasmtime::Error) -> CellError {
        let reason = self
            .live
            .as_ref()
            .and_then(|live| live.store.data().interrupt.reason());
        self.discard();
        match reason {
            Some(crate::interrupt::Reason::Deadline) => CellError::Deadline { killed: true },
            Some(crate::interrupt::Reason::Cancelled) => CellError::Cancelled { killed: true },
            None => CellError::Broken(format!("{trap:#}")),
        }
    }

    /// `struct HcPolicy` of `guest/c/hooks.h`.
    fn write_policy(&mut self) {
        let (clock, time) = match self.options.clock {
            Clock::Off => (0u32, 0.0),
            Clock::Real => (1, 0.0),
            Clock::Fixed(time) => (2, time),
        };
        let (random, seed) = match self.options.random {
            Random::Off => (0u32, None),
            Random::Real => (1, None),
            Random::Seeded(seed) => (2, Some(seed)),
        };
        let at = place::POLICY;
        let Some(live) = &mut self.live else { return };
        let memory = live.guest.memory.data_mut(&mut live.store);
        memory[at..at + 4].copy_from_slice(&clock.to_le_bytes());
        memory[at + 4..at + 8].copy_from_slice(&random.to_le_bytes());
        memory[at + 8..at + 16].copy_from_slice(&f64::to_le_bytes(time));
        if let Some(seed) = seed {
            memory[at + 16..at + 24].copy_from_slice(&seed.to_le_bytes());
        }
        let counts_loops = u64::from(self.options.count_operations);
        memory[at + 24..at + 32].copy_from_slice(&counts_loops.to_le_bytes());
    }
}

impl Live {
    fn peak_memory(&self) -> u64 {
        self.store
            .data()
            .limit
            .peak
            .max(self.guest.memory.data_size(&self.store) as u64)
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        self.discard();
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cell")
            .field("alive", &self.is_alive())
            .field("running", &self.run.is_some())
            .finish_non_exhaustive()
    }
}

fn grow_to(store: &mut Store<Host>, guest: &Guest, size: usize) -> Result<(), CellError> {
    const WASM_PAGE: usize = 65536;
    let now = guest.memory.data_size(&*store);
    let more = size.saturating_sub(now).div_ceil(WASM_PAGE) as u64;
    if more > 0 {
        poll_now(guest.memory.grow_async(store, more)).map_err(|source| CellError::Machine {
            doing: "giving the cell its memory",
            source,
        })?;
    }
    Ok(())
}

/// Code must be able to write the name.
fn check_name(name: &str) -> Result<&str, CellError> {
    let mut characters = name.chars();
    let first = characters
        .next()
        .is_some_and(|c| c == '$' || c == '_' || c.is_alphabetic());
    let rest = characters
        .all(|c| c == '$' || c == '_' || c == '\u{200c}' || c == '\u{200d}' || c.is_alphanumeric());
    if first && rest {
        Ok(name)
    } else {
        Err(CellError::Name(name.to_owned()))
    }
}

/// Runs a future that never really waits: Wasmtime's instantiation, growth, and guest calls that only yield at a tick.
pub(crate) fn poll_now<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}
