//! One VM.

mod entry;
mod run;

use std::{
    fmt,
    pin::pin,
    task::{Context, Poll, Waker},
};

use wasmtime::Store;

use entry::Chore;
pub use run::{Interrupter, Outcome, Program, Progress};

use crate::{
    deadline::Times,
    engine::Engine,
    error::CellError,
    foreign,
    guest::{Guest, SHADOWABLE, clock_number, place, policy, random_number, timers_number},
    host::{Emitted, Host, TimerTime, ToolSlot},
    memory::{PAGE, changed_pages},
    options::{CellOptions, Clock, Random, Timers},
    room::StackLease,
    snapshot::{self, Base, Outstanding, State},
    stats::Stats,
    tool::{AnswerFuture, Tool, ToolError},
    value::Value,
    wire::{put_number, put_value},
};

/// Tools are numbered with the fifteen bits that the engine has for it.
pub(crate) const MAX_TOOLS: usize = 1 << 15;

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
        store.epoch_deadline_callback(entry::on_tick);
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
        cell.write_seed();
        cell.take_up_timer_time();
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
        self.define(&variables, &[], &[])
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
            slots.push(ToolSlot::new(check_tool_name(name)?, tool));
        }
        self.define(&[], &slots, &[])
    }

    /// Makes a module of the host's: what code finds that imports `name`, if [`CellOptions::on_import`] says
    /// [`Module::Defined`](crate::Module::Defined). Functions are called as tools are; values arrive frozen. `default` is the
    /// object of all of them, unless one has that name.
    ///
    /// To tools of a module belongs the name `module#function`.
    pub fn define_module<'a>(
        &mut self,
        name: &str,
        exports: impl IntoIterator<Item = (&'a str, Export<'a>)>,
    ) -> Result<(), CellError> {
        let mut members = Vec::new();
        for (export, what) in exports {
            check_name(export)?;
            members.push((export, what));
        }
        if !is_module_name(name) {
            return Err(CellError::Name(name.to_owned()));
        }
        self.define(&[], &[], &[(name, members)])
    }

    /// The names of the tools that are defined. After a restore, [`Cell::is_connected`] says which still need a function.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.live
            .iter()
            .flat_map(|live| live.store.data().calls.tools.iter().map(|slot| &*slot.name))
    }

    /// Whether there is a tool of that name with a function behind it.
    pub fn is_connected(&self, tool: &str) -> bool {
        self.live.as_ref().is_some_and(|live| {
            live.store
                .data()
                .calls
                .tools
                .iter()
                .any(|slot| &*slot.name == tool && slot.tool.is_some())
        })
    }

    /// Where the code of the last run was when it was stopped for its time or its loops, as in `code.js:3:5`, if that is known.
    pub fn stopped_at(&self) -> Option<&str> {
        self.live.as_ref()?.store.data().stopped_at.as_deref()
    }

    /// Promises that the last run left rejected while nobody listened, printed, if it failed: those of one that went well are in
    /// its [`Outcome`].
    pub fn take_unhandled_rejections(&mut self) -> Vec<String> {
        let live = self.live.as_mut();
        live.map_or_else(Vec::new, |live| {
            std::mem::take(&mut live.store.data_mut().rejections)
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
            .pending
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
        self.waiting_for_host(call)?.keep_answer(call, answer);
        Ok(())
    }

    /// As [`Cell::answer`], with an answer to come.
    pub fn answer_with(&mut self, call: u32, answer: AnswerFuture) -> Result<(), CellError> {
        self.waiting_for_host(call)?.answer_with(call, answer);
        Ok(())
    }

    fn waiting_for_host(&mut self, call: u32) -> Result<&mut Host, CellError> {
        let host = self.live()?.store.data_mut();
        let call = host.calls.pending.get(&call);
        if call.is_some_and(|call| !call.has_future && !call.is_answered) {
            Ok(host)
        } else {
            Err(CellError::State("there is no such call to answer"))
        }
    }

    /// The whole state of the cell as bytes: variables, functions, pending promises, a run that waits for tools.
    pub fn snapshot(&mut self) -> Result<Vec<u8>, CellError> {
        self.snapshot_against(None)
    }

    /// The same, but of its memory only what is not as it was when `base` was taken, a whole snapshot of this cell or one that it
    /// comes from. Who restores it needs both, see [`Engine::restore_since`].
    pub fn snapshot_since(&mut self, base: &[u8]) -> Result<Vec<u8>, CellError> {
        let options = self.options.clone();
        let base = Base::new(base, &options)?;
        self.snapshot_against(Some(&base))
    }

    fn snapshot_against(&mut self, base: Option<&Base<'_>>) -> Result<Vec<u8>, CellError> {
        let engine = self.engine.clone();
        let baseline = engine.baseline();
        let is_running = self.run.is_some();
        let key = self.options.snapshot_key.clone();
        self.at_rest()?;
        self.write_timer_time();
        let live = self.live()?;
        let memory = live.guest.memory.data(&live.store);
        let state = State::of(live.store.data(), is_running, memory.len());
        Ok(match base {
            None => {
                let pages = changed_pages(memory, baseline, place::STACK_TOP);
                snapshot::write(&state, pages, key.as_ref(), None)
            }
            Some(base) => {
                let pages = snapshot::differing(memory, baseline, place::STACK_TOP, base)?;
                snapshot::write(&state, pages.into_iter(), key.as_ref(), Some(base))
            }
        }?)
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
        self.at_rest()?;
        self.write_timer_time();
        let live = self.live()?;
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
        to.calls.tools.clone_from(&from.calls.tools);
        to.calls.answers.clone_from(&from.calls.answers);
        to.calls.pending.clone_from(&from.calls.pending);
        to.calls
            .pending
            .values_mut()
            .for_each(|call| call.has_future = false);
        // Its policy is that of its own options. The sequence of a seed is state, like any variable: it goes on.
        let goes_on = options.random == self.options.random;
        let sequence = self.sequence();
        let mut twin = Self::new(engine, options, store, guest);
        if goes_on {
            twin.write_sequence(sequence);
        }
        if let Some(limits) = is_running {
            twin.adopt_run(limits);
        }
        Ok(twin)
    }

    pub(crate) fn restore(
        engine: &Engine,
        bytes: &[u8],
        base: Option<&[u8]>,
        options: CellOptions,
    ) -> Result<Self, CellError> {
        let account = options.account_of_cell();
        let (state, snapshot) = snapshot::read(bytes, &options, &account)?;
        let (mut store, guest) = engine.instantiate(&options)?;
        {
            let base = base.map(|base| Base::new(base, &options)).transpose()?;
            let before = base.as_ref().map_or(0, Base::memory_size);
            grow_to(&mut store, &guest, state.memory_size.max(before))?;
            snapshot.restore(guest.memory.data_mut(&mut store), base.as_ref())?;
        }
        let is_running = state.is_running;
        state.apply(store.data_mut());
        store.data_mut().account = account;
        let limits = run::Limits {
            times: Times::within(options.timeout),
            max_operations: None,
        };
        let mut cell = Self::new(engine.clone(), options, store, guest);
        // What the bytes say is left of a limit that was there does not count.
        cell.write_operations_left(limits.max_operations);
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
        // With it go the host's functions, if nobody else has them.
        foreign::discard(self.live.take());
    }

    fn define(
        &mut self,
        variables: &[(&str, &Value)],
        tools: &[ToolSlot],
        modules: &[(&str, Vec<(&str, Export<'_>)>)],
    ) -> Result<(), CellError> {
        let live = self.live()?;
        let host = live.store.data_mut();
        let mut message = Vec::new();
        put_number(&mut message, variables.len() as u64);
        for (name, value) in variables {
            put_value(&mut message, &Value::from(*name))?;
            put_value(&mut message, value)?;
        }
        put_number(&mut message, tools.len() as u64);
        for tool in tools {
            put_tool(&mut message, host, tool.clone())?;
        }
        put_number(&mut message, modules.len() as u64);
        for (module, exports) in modules {
            put_value(&mut message, &Value::from(*module))?;
            put_number(&mut message, exports.len() as u64);
            for (name, export) in exports {
                put_value(&mut message, &Value::from(*name))?;
                match export {
                    Export::Value(value) => {
                        message.push(0);
                        put_value(&mut message, value)?;
                    }
                    Export::Tool(tool) => {
                        message.push(1);
                        let slot = ToolSlot::new(&format!("{module}#{name}"), tool.clone());
                        put_tool(&mut message, host, slot)?;
                    }
                }
            }
        }
        let length = self.send(message)?;
        let failed = self.enter_chore(Chore::Define(length))?;
        if failed == 0 {
            return Ok(());
        }
        match self.live()?.store.data_mut().take_outcome() {
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
        host.send(memory, message)
            .map_err(|error| CellError::Broken(error.to_string()))
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
            Some(crate::interrupt::Reason::CpuTime) => CellError::CpuTime { killed: true },
            None => CellError::Broken(format!("{trap:#}")),
        }
    }

    /// `struct HcPolicy` of `guest/c/hooks.h`.
    fn write_policy(&mut self) {
        let time = match self.options.clock {
            Clock::Fixed(time) => time,
            Clock::Off | Clock::Real => 0.0,
        };
        let (clock, random) = (
            clock_number(self.options.clock),
            random_number(self.options.random),
        );
        let counts_loops = u64::from(self.options.count_operations);
        let timers = timers_number(self.options.timers);
        let Some(live) = &mut self.live else { return };
        let memory = live.guest.memory.data_mut(&mut live.store);
        let policy = &mut memory[place::POLICY..][..policy::SIZE];
        policy[policy::CLOCK..][..4].copy_from_slice(&clock.to_le_bytes());
        policy[policy::RANDOM..][..4].copy_from_slice(&random.to_le_bytes());
        policy[policy::FIXED_TIME..][..8].copy_from_slice(&time.to_le_bytes());
        policy[policy::COUNTS_LOOPS..][..8].copy_from_slice(&counts_loops.to_le_bytes());
        policy[policy::TIMERS..][..8].copy_from_slice(&timers.to_le_bytes());
    }

    /// A number of the policy that the guest keeps.
    fn read_policy(&self, field: usize) -> Option<[u8; 8]> {
        let at = place::POLICY + field;
        let live = self.live.as_ref()?;
        let bytes = live.guest.memory.data(&live.store).get(at..at + 8)?;
        bytes.try_into().ok()
    }

    /// The time of timers goes on where it was when the memory was copied.
    fn take_up_timer_time(&mut self) {
        let time = self.read_policy(policy::TIMER_TIME);
        let time = time.map_or(0.0, f64::from_le_bytes);
        if let Some(live) = &mut self.live {
            live.store.data_mut().timer_time = TimerTime::from(time);
        }
    }

    /// Puts the time of timers into the memory, which is about to be copied. One that is virtual is there already.
    fn write_timer_time(&mut self) {
        let is_virtual = matches!(self.options.clock, Clock::Fixed(_));
        if is_virtual || self.options.timers == Timers::Off {
            return;
        }
        let Some(live) = &mut self.live else { return };
        let time = live.store.data().timer_time.now();
        let at = place::POLICY + policy::TIMER_TIME;
        live.guest.memory.data_mut(&mut live.store)[at..at + 8]
            .copy_from_slice(&time.to_le_bytes());
    }

    /// Where the sequence of random numbers begins.
    fn write_seed(&mut self) {
        if let Random::Seeded(seed) = self.options.random {
            self.write_sequence(seed.to_le_bytes());
        }
    }

    /// How far the sequence of random numbers has come, for a twin in another process.
    pub fn random_sequence(&self) -> [u8; 8] {
        self.sequence()
    }

    /// Goes on with a sequence of random numbers where another cell was, if this one has a seed.
    pub fn continue_random(&mut self, sequence: [u8; 8]) {
        if let Random::Seeded(_) = self.options.random {
            self.write_sequence(sequence);
        }
    }

    /// How far the sequence of random numbers has come.
    fn sequence(&self) -> [u8; 8] {
        self.read_policy(policy::SEED).unwrap_or_default()
    }

    fn write_sequence(&mut self, sequence: [u8; 8]) {
        let at = place::POLICY + policy::SEED;
        if let Some(live) = &mut self.live {
            live.guest.memory.data_mut(&mut live.store)[at..at + 8].copy_from_slice(&sequence);
        }
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
        let (grown, stack) =
            StackLease::made_in(|| poll_now(guest.memory.grow_async(&mut *store, more)));
        grown.map_err(|source| CellError::Machine {
            doing: "giving the cell its memory",
            source,
        })?;
        store.data_mut().keep_stack(stack);
    }
    Ok(())
}

/// What a module of the host's exports under a name.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Export<'a> {
    /// A function.
    Tool(Tool),
    /// Anything else.
    Value(&'a Value),
}

/// Takes a tool into the table of tools, and tells the guest of it.
fn put_tool(message: &mut Vec<u8>, host: &mut Host, tool: ToolSlot) -> Result<(), CellError> {
    // A name that is known keeps its number: functions that code has stored go on working.
    let known = host
        .calls
        .tools
        .iter()
        .position(|slot| slot.name == tool.name && slot.kind == tool.kind);
    let number = known.unwrap_or(host.calls.tools.len());
    if number >= MAX_TOOLS {
        return Err(CellError::State(
            "a cell cannot have more than 32,768 tools",
        ));
    }
    let is_shadowable = tool.tool.as_ref().is_some_and(Tool::is_shadowable);
    message.push(tool.kind | if is_shadowable { SHADOWABLE } else { 0 });
    put_number(message, number as u64);
    put_value(message, &Value::from(&*tool.name))?;
    match known {
        Some(number) => host.calls.tools[number] = tool,
        None => host.calls.tools.push(tool),
    }
    Ok(())
}

fn check_name(name: &str) -> Result<&str, CellError> {
    if is_name(name) {
        Ok(name)
    } else {
        Err(CellError::Name(name.to_owned()))
    }
}

/// As [`check_name`], for tools, which may be in namespaces: `Host.readDoc`.
fn check_tool_name(name: &str) -> Result<&str, CellError> {
    if is_tool_name(name) {
        Ok(name)
    } else {
        Err(CellError::Name(name.to_owned()))
    }
}

/// Namespaces may be nested so deep.
const MAX_NAMESPACES: usize = 16;

/// Whether code can write the name of a tool, with its namespaces before it.
fn is_tool_name(name: &str) -> bool {
    name.split('.').count() <= MAX_NAMESPACES && name.split('.').all(is_name)
}

/// The longest name that a module of the host's may have, in bytes.
const MAX_MODULE_NAME: usize = 1000;

fn is_module_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_MODULE_NAME && !name.contains('\0')
}

/// Whether something in the table of tools can have this name.
pub(crate) fn is_slot_name(name: &str) -> bool {
    match name.rsplit_once('#') {
        Some((module, export)) => is_module_name(module) && is_name(export),
        None => is_tool_name(name),
    }
}

/// Whether code can write the name.
pub(crate) fn is_name(name: &str) -> bool {
    let mut characters = name.chars();
    let first = characters
        .next()
        .is_some_and(|c| c == '$' || c == '_' || c.is_alphabetic());
    let rest = characters
        .all(|c| c == '$' || c == '_' || c == '\u{200c}' || c == '\u{200d}' || c.is_alphanumeric());
    first && rest
}

/// Runs a future that never really waits, and runs no code of a guest: Wasmtime's instantiation and growth.
pub(crate) fn poll_now<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}
