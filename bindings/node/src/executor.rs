//! Executors, as `lib/executor.cjs` uses them. Every method that takes an `operation` returns at once, with true if it is
//! up to Node's thread to begin with it ([`Host::take`]); how it ended is told by an event.

mod modules;
mod report;
mod runs;
mod tools;

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use hotcell::cell::{Reply, ToolCall, ToolError, Value};
use hotcell::{
    Approval, ApprovalRequest, Execution, Executor, ExecutorError, ExecutorOptions, Run, Sandbox,
    Store, StoreFuture,
};
use napi::{
    Env, Result,
    bindgen_prelude::{BigInt, ClassInstance, ObjectFinalize, Utf16String},
};
use napi_derive::napi;
use serde_json::{Value as Json, json};

use crate::{
    bridge::{Bridge, Lane},
    calls::First,
    event::{Event, What},
    fault::{bug, mistake},
    files::NativeFiles,
    host::Host,
    main_thread::{Affinity, Weight},
    order::{Order, is_long},
    outcome::Outcome,
    packed::{Malformed, Reader},
    sandbox::{self, NativeSandbox},
    sent::{Answer, Borrowed},
    shared::pool,
    snapshot::SnapshotBytes,
};
pub use modules::NativeModules;
use report::{normalised, report};
pub use runs::{NativeEvents, inspect_snapshot};

/// What the garbage collector is told that an executor with a cell weighs: about what a cell that has run something takes.
/// It sees only a few words, and would let thousands pile up.
const WEIGHT: i64 = 2 << 20;

/// Giving back more memory than this takes a while.
const MUCH_MEMORY: u64 = 16 << 20;

/// In more memory than this there may be many objects, and whatever is done in a cell may find that it is time to look for those
/// that nobody needs.
const LITTLE_MEMORY: u64 = 8 << 20;

/// An executor.
#[napi(custom_finalize)]
pub struct NativeExecutor {
    executor: Executor,
    bridge: Arc<Bridge>,
    /// Of its events.
    lane: Lane,
    order: Arc<Order>,
    affinity: Arc<Affinity>,
    /// How much memory it has, as far as is known. `u64::MAX` after a restore: then it may hold anything.
    memory: Arc<AtomicU64>,
    /// Whether the garbage collector knows of its cell.
    is_weighed: AtomicBool,
    /// The id of the run that was begun last.
    last_started: Mutex<String>,
}

#[napi]
impl NativeExecutor {
    /// `options` are the contract's, as JSON. `hooks` is the number under which Node has `onLog` and the like, and `wanted` says
    /// which of them there are.
    #[napi(constructor)]
    pub fn new(
        host: &Host,
        options: String,
        hooks: u32,
        wanted: u32,
        modules: Option<ClassInstance<'_, NativeModules>>,
    ) -> Result<Self> {
        let lane = Lane::new();
        let hooks = Hooks {
            bridge: Arc::clone(&host.bridge),
            lane: lane.clone(),
            number: hooks,
        };
        let mut options = hooks.add_to(read_options(&options)?, wanted);
        if let Some(modules) = modules {
            options = modules.add_to(options, &host.bridge, &lane)?;
        }
        let executor = Executor::new(options);
        Ok(Self::of(&host.bridge, lane, executor, 0))
    }

    fn of(bridge: &Arc<Bridge>, lane: Lane, executor: Executor, memory: u64) -> Self {
        Self {
            executor,
            bridge: Arc::clone(bridge),
            lane,
            order: Arc::default(),
            affinity: Arc::default(),
            memory: Arc::new(AtomicU64::new(memory)),
            is_weighed: AtomicBool::new(false),
            last_started: Mutex::default(),
        }
    }

    /// It is what came of an operation.
    fn into_outcome(self) -> Outcome {
        Outcome::Executor(Box::new(move |env, row| {
            self.weigh(env, true)?;
            row.insert(self)
        }))
    }

    /// Tells the garbage collector whether it has a cell.
    fn weigh(&self, env: &Env, has_cell: bool) -> Result<()> {
        if self.is_weighed.swap(has_cell, Ordering::Relaxed) != has_cell {
            env.adjust_external_memory(if has_cell { WEIGHT } else { -WEIGHT })?;
        }
        Ok(())
    }

    /// An executor from a snapshot. What comes behind `modules` is for the sandbox that was attached to it, if there was one: as
    /// `NativeSandbox` takes it.
    #[napi]
    #[allow(
        clippy::too_many_arguments,
        reason = "Node-API passes them one by one, which is cheaper than an object"
    )]
    pub fn restore(
        host: &Host,
        operation: u32,
        snapshot: &mut SnapshotBytes,
        base: Option<ClassInstance<'_, SnapshotBytes>>,
        options: Option<String>,
        hooks: u32,
        wanted: u32,
        modules: Option<ClassInstance<'_, NativeModules>>,
        sandbox: String,
        set: u32,
        commands: Vec<String>,
        auditor: u32,
    ) -> Result<bool> {
        let bridge = Arc::clone(&host.bridge);
        let lane = Lane::new();
        let sandbox = sandbox::options_of(&bridge, &lane, &sandbox, set, commands, auditor)?;
        let hooks = Hooks {
            bridge: Arc::clone(&bridge),
            lane: lane.clone(),
            number: hooks,
        };
        let options = options.map(|options| read_options(&options)).transpose()?;
        let options = options.unwrap_or_default();
        let mut options = hooks.add_to(options, wanted);
        if let Some(modules) = modules {
            options = modules.add_to(options, &bridge, &lane)?;
        }
        let options = options.on_companion(Sandbox::restorer(sandbox));
        let snapshot = snapshot.take();
        let base = base.map(|mut base| base.take());
        let restoring = async move {
            let number = lane.number;
            let restored = match base {
                None => Executor::restore(&snapshot, Some(options)),
                Some(base) => Executor::restore_since(&snapshot, &base, Some(options)),
            };
            let outcome = match restored {
                Ok(executor) => Self::of(&bridge, lane, executor, u64::MAX).into_outcome(),
                Err(error) => failed(&error),
            };
            bridge.done(number, operation, outcome);
        };
        let affinity = Arc::default();
        Ok(host
            .bridge
            .spawn(operation, Weight::Heavy, &affinity, restoring))
    }

    /// Its state, by name.
    #[napi(getter)]
    pub fn state(&self) -> &'static str {
        self.executor.state().as_str()
    }

    /// How many runs wait.
    #[napi(getter)]
    pub fn queued(&self) -> u32 {
        u32::try_from(self.executor.queued()).unwrap_or(u32::MAX)
    }

    /// The tools it was told of, as JSON.
    #[napi(getter)]
    pub fn tools(&self) -> Result<String> {
        serde_json::to_string(&self.executor.tools()).map_err(bug)
    }

    /// The modules that it has, as JSON.
    #[napi(getter)]
    pub fn modules(&self) -> Result<String> {
        serde_json::to_string(&self.executor.modules()).map_err(bug)
    }

    /// Its options, as JSON.
    #[napi(getter)]
    pub fn options(&self) -> String {
        self.executor.options().to_json().to_string()
    }

    /// What there is to say about code, as JSON, while Node waits.
    #[napi]
    pub fn validate(&self, code: String) -> Result<String> {
        serde_json::to_string(&self.executor.validate(&code)).map_err(bug)
    }

    /// What there is to say about code.
    #[napi]
    pub fn validate_async(&self, operation: u32, code: String) -> bool {
        let executor = self.executor.clone();
        self.start(operation, Weight::of_code(&code), async move {
            Outcome::data(&executor.validate(&code))
        })
    }

    /// Makes it ready.
    #[napi]
    pub fn init(&self, env: &Env, operation: u32) -> Result<bool> {
        self.weigh(env, true)?;
        let executor = self.executor.clone();
        Ok(self.start(operation, Weight::Light, async move {
            nothing(executor.init().await)
        }))
    }

    /// Releases what it holds.
    #[napi]
    pub fn cleanup(&self, env: &Env, operation: u32) -> Result<bool> {
        self.weigh(env, false)?;
        let executor = self.executor.clone();
        let weight = if self.memory.swap(0, Ordering::Relaxed) <= MUCH_MEMORY {
            Weight::Light
        } else {
            Weight::Heavy
        };
        Ok(self.start(operation, weight, async move {
            nothing(executor.cleanup().await)
        }))
    }

    /// Sends variables: as many packed values as names.
    #[napi]
    pub fn send_variables(
        &self,
        operation: u32,
        names: Vec<String>,
        row: &[f64],
        text: Utf16String,
        bytes: &[u8],
        bigints: Option<Vec<BigInt>>,
    ) -> Result<bool> {
        let pieces = Borrowed {
            row,
            text,
            bytes,
            bigints,
        };
        let weight = self.chore(pieces.weight());
        let executor = self.executor.clone();
        if weight == Weight::Light {
            let read = |reader: Reader<'_>| variables(names, reader);
            let variables = pieces.read(read).map_err(bug)?;
            return Ok(self.start(operation, weight, async move {
                nothing(executor.send_variables(variables).await)
            }));
        }
        let pieces = pieces.into_owned();
        Ok(self.start(operation, weight, async move {
            match pieces.read(|reader| variables(names, reader)) {
                Ok(variables) => nothing(executor.send_variables(variables).await),
                Err(error) => Outcome::Threw(error.to_string()),
            }
        }))
    }

    /// Sends tools: see `lib/tools.cjs` for the JSON.
    #[napi]
    pub fn send_tools(
        &self,
        operation: u32,
        set: u32,
        specs: String,
        builtins: Vec<ClassInstance<'_, NativeFiles>>,
    ) -> Result<bool> {
        let builtins: Vec<_> = builtins.iter().map(|builtin| builtin.files()).collect();
        let tools =
            tools::read(&self.bridge, &self.lane, set, &specs, &builtins).map_err(mistake)?;
        let executor = self.executor.clone();
        let weight = self.chore(Weight::of_bytes(specs.len()));
        Ok(self.start(operation, weight, async move {
            nothing(executor.send_tools(tools).await)
        }))
    }

    /// The tools of a sandbox, which forks and snapshots take along.
    #[napi]
    pub fn attach(&self, operation: u32, sandbox: &NativeSandbox) -> bool {
        let executor = self.executor.clone();
        let sandbox = Arc::new(sandbox.sandbox().clone());
        self.start(operation, Weight::Heavy, async move {
            nothing(executor.attach(sandbox).await)
        })
    }

    /// Runs code. `times` are its timeout and its computing time: a number, or none for what the options say; infinity for no
    /// timeout at all.
    #[napi]
    pub fn run(
        &self,
        operation: u32,
        code: String,
        name: Option<String>,
        times: &[f64],
        calls_function: bool,
    ) -> Result<bool> {
        let weight = Weight::of_bytes(code.len());
        let mut run = Run::new(code);
        if calls_function {
            run = run.calls_function();
        }
        if let Some(name) = name {
            run = run.name(name);
        }
        run = timed(run, times)?;
        let (bridge, memory) = (Arc::clone(&self.bridge), Arc::clone(&self.memory));
        let lane = self.lane.number;
        let tell = move |execution: Option<Execution>| {
            if let Some(Execution { stats, .. }) = &execution {
                memory.fetch_max(stats.peak_memory_bytes, Ordering::Relaxed);
            }
            let outcome = execution.map_or_else(cancelled, report);
            bridge.done(lane, operation, outcome);
        };
        let executor = self.executor.clone();
        let run = async move { executor.execute(run).await };
        let run = self
            .order
            .run(&self.executor, operation, run, is_long, tell);
        Ok(self.spawn(operation, weight, run))
    }

    /// Calls a run off, wherever it is.
    #[napi]
    pub fn abort(&self, operation: u32) {
        self.order.abort(operation);
    }

    /// Makes it ready again after a run that timed out.
    #[napi]
    pub fn recover(&self, operation: u32) -> bool {
        let executor = self.executor.clone();
        self.start(operation, Weight::Light, async move {
            nothing(executor.recover().await)
        })
    }

    /// Everything it holds, as bytes.
    #[napi]
    pub fn snapshot(&self, operation: u32, base: Option<ClassInstance<'_, SnapshotBytes>>) -> bool {
        let executor = self.executor.clone();
        let base = base.map(|mut base| base.take());
        self.start(operation, Weight::Heavy, async move {
            let snapshot = match base {
                None => executor.snapshot().await,
                Some(base) => executor.snapshot_since(&base).await,
            };
            match snapshot {
                Ok(bytes) => Outcome::Bytes(bytes),
                Err(error) => failed(&error),
            }
        })
    }

    /// A twin, with modules of its own if it has such.
    #[napi]
    pub fn fork(
        &self,
        operation: u32,
        hooks: u32,
        wanted: u32,
        modules: Option<ClassInstance<'_, NativeModules>>,
    ) -> Result<bool> {
        let executor = self.executor.clone();
        let (bridge, memory) = (Arc::clone(&self.bridge), Arc::clone(&self.memory));
        let lane = Lane::new();
        let hooks = Hooks {
            bridge: Arc::clone(&bridge),
            lane: lane.clone(),
            number: hooks,
        };
        let options = executor.options().clone();
        let mut options = hooks.add_to(options, wanted);
        if let Some(modules) = modules {
            options = modules.add_to(options, &bridge, &lane)?;
        }
        Ok(self.start(operation, Weight::Heavy, async move {
            let memory = memory.load(Ordering::Relaxed);
            match executor.fork_with(options).await {
                Ok(twin) => Self::of(&bridge, lane, twin, memory).into_outcome(),
                Err(error) => failed(&error),
            }
        }))
    }

    /// How much work something is that is done in the cell between runs. It is done in one go, unlike a run, which makes way.
    fn chore(&self, weight: Weight) -> Weight {
        if self.memory.load(Ordering::Relaxed) <= LITTLE_MEMORY {
            weight
        } else {
            Weight::Heavy
        }
    }

    fn start(
        &self,
        operation: u32,
        weight: Weight,
        future: impl Future<Output = Outcome> + Send + 'static,
    ) -> bool {
        let (bridge, lane) = (Arc::clone(&self.bridge), self.lane.number);
        self.spawn(operation, weight, async move {
            let outcome = future.await;
            bridge.done(lane, operation, outcome);
        })
    }

    fn spawn(
        &self,
        operation: u32,
        weight: Weight,
        future: impl Future<Output = ()> + Send + 'static,
    ) -> bool {
        // What is under way may hold locks that Node's thread is not to wait for.
        let weight = if self.order.is_idle() {
            weight
        } else {
            Weight::Heavy
        };
        let future = self.order.queue(future);
        self.bridge.spawn(operation, weight, &self.affinity, future)
    }
}

impl ObjectFinalize for NativeExecutor {
    fn finalize(self, env: Env) -> Result<()> {
        self.weigh(&env, false)?;
        // Releasing a cell takes a while, and this is Node's thread.
        pool().spawn(async move { drop(self) }).detach();
        Ok(())
    }
}

/// A run with its times, see [`NativeExecutor::run`].
fn timed(mut run: Run, times: &[f64]) -> Result<Run> {
    let given = |at: usize| times.get(at).copied().filter(|ms| !ms.is_nan());
    let time = |ms: f64| Duration::try_from_secs_f64(ms / 1000.0).map_err(mistake);
    match given(0) {
        Some(f64::INFINITY) => run = run.timeout(None),
        Some(ms) => run = run.timeout(time(ms)?),
        None => {}
    }
    if let Some(ms) = given(1) {
        run = run.cpu_time(time(ms)?);
    }
    Ok(run)
}

/// As many values as names.
fn variables(
    names: Vec<String>,
    mut reader: Reader<'_>,
) -> std::result::Result<Vec<(String, Value)>, Malformed> {
    let mut variables = Vec::with_capacity(names.len());
    for name in names {
        variables.push((name, reader.value()?));
    }
    reader.finish()?;
    Ok(variables)
}

/// Which hooks Node has. The same numbers are in `lib/executor.cjs`.
const ON_LOG: u32 = 1;
const ON_APPROVAL: u32 = 2;
const ON_NOTIFY: u32 = 4;
const STORE: u32 = 8;
const ON_EVENT: u32 = 16;

/// What an executor calls of Node's while it runs.
#[derive(Clone)]
struct Hooks {
    bridge: Arc<Bridge>,
    lane: Lane,
    number: u32,
}

impl Hooks {
    /// The options with these hooks.
    fn add_to(self, mut options: ExecutorOptions, wanted: u32) -> ExecutorOptions {
        let has = |hook: u32| wanted & hook != 0;
        if has(ON_EVENT) {
            let hooks = self.clone();
            options = options.on_event(move |event| {
                if let Ok(event) = serde_json::to_string(event) {
                    hooks
                        .bridge
                        .happened(hooks.lane.number, hooks.number, &event);
                }
            });
        }
        if has(ON_NOTIFY) {
            let hooks = self.clone();
            options = options.on_notify(move |text| {
                let what = What::Notice {
                    hooks: hooks.number,
                    text: text.to_owned(),
                };
                let lane = hooks.lane.number;
                hooks.bridge.send(Event { lane, what });
            });
        }
        if has(STORE) {
            options = options.store(self.clone());
        }
        if has(ON_LOG) {
            let hooks = self.clone();
            options = options.on_log(move |entry| {
                if let Ok(entry) = serde_json::to_string(entry) {
                    hooks.bridge.log(hooks.lane.number, hooks.number, &entry);
                }
            });
        }
        if has(ON_APPROVAL) {
            options = options.on_approval(move |request| {
                let hooks = self.clone();
                async move { hooks.approval(request).await }
            });
        }
        options
    }

    /// Asks Node. `true` allows; a text denies, with that reason; whatever else it gives, or throws, denies too.
    async fn approval(&self, request: ApprovalRequest) -> Approval {
        let answer = match self.bridge.ask(&self.lane, self.number, request).await {
            Ok(First::Now(answer)) => Some(answer),
            Ok(First::Later(answer)) => answer.await.ok(),
            Err(_) => None,
        };
        Approval::Deny(match answer.map(Answer::read) {
            Some(Ok(Value::Bool(true))) => return Approval::Allow,
            Some(Ok(Value::String(reason))) => reason.to_string(),
            Some(Ok(_)) => "it was not approved".into(),
            Some(Err(error)) if error.is_suspension() => return Approval::Later,
            Some(Err(error)) => format!("asking for approval failed: {error}"),
            None => "nobody was there to approve it".into(),
        })
    }
}

/// The contract's options.
fn read_options(options: &str) -> Result<ExecutorOptions> {
    let json: Json = serde_json::from_str(options).map_err(bug)?;
    ExecutorOptions::from_json(&json).map_err(mistake)
}

/// The store that is an object of Node's: `Hooks` in `lib/executor.cjs` calls it.
impl Store for Hooks {
    fn load<'s>(&'s self, key: &'s str) -> StoreFuture<'s, Option<Value>> {
        let call = ToolCall::new("load", vec![Value::from(key)]);
        Box::pin(async move { self.stored(call).await.map(Some) })
    }

    fn store<'s>(&'s self, key: &'s str, value: Option<Value>) -> StoreFuture<'s, ()> {
        let value = value.unwrap_or(Value::Undefined);
        let call = ToolCall::new("store", vec![Value::from(key), value]);
        Box::pin(async move { self.stored(call).await.map(drop) })
    }
}

impl Hooks {
    async fn stored(&self, call: ToolCall) -> std::result::Result<Value, ToolError> {
        match self.bridge.call(&self.lane, self.number, call).await? {
            Reply::Value(value) => Ok(value),
            Reply::Later(answer) => answer.await,
            _ => Err(ToolError::from("the store gave no answer")),
        }
    }
}

fn nothing(result: std::result::Result<(), ExecutorError>) -> Outcome {
    match result {
        Ok(()) => Outcome::Nothing,
        Err(error) => failed(&error),
    }
}

fn failed(error: &ExecutorError) -> Outcome {
    Outcome::failed(&normalised(error))
}

/// A run that did not begin.
fn cancelled() -> Outcome {
    let error = json!({
        "code": "ERR_CANCELLED",
        "severity": "ERROR",
        "message": "Execution cancelled",
        "retryable": true,
        "logs": "",
    });
    Outcome::failed(&error)
}
