//! What an executor is made with.

mod contract;

pub use contract::OptionsError;

use std::{collections::BTreeMap, fmt, future::Future, pin::Pin, sync::Arc, time::Duration};

use hotcell_cell::{CellOptions, Clock, Level, Random, SnapshotKey, Timers};
use hotcell_prepare::{PrepareOptions, Rule, Transform};

use crate::{
    approval::{Approval, ApprovalRequest},
    companion::OnCompanion,
    event::{Event, OnEvent},
    isolation::Isolation,
    log::LogEntry,
    module::Module,
    store::Store,
    tool::AgentTool,
};

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);
/// So many runs wait at most, unless the host says otherwise: each holds its code.
const DEFAULT_QUEUE: usize = 1000;
/// So much the host may keep for code, however little memory the code itself has.
const LEAST_HOST_MEMORY: usize = 16 << 20;
/// Preparing code takes at most so many times its length, with the tree, the scopes, and what there is to say about it.
const PREPARE_FACTOR: usize = 60;

/// What becomes of a run while another is under way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Concurrency {
    /// It fails with `ERR_INVALID_STATE`.
    #[default]
    Reject,
    /// It waits for its turn, first come first served.
    Queue,
}

impl Concurrency {
    /// The name that the contract gives it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reject => "reject",
            Self::Queue => "queue",
        }
    }
}

pub(crate) type OnLog = Arc<dyn Fn(&LogEntry) + Send + Sync>;
pub(crate) type OnNotify = Arc<dyn Fn(&str) + Send + Sync>;
pub(crate) type OnApproval =
    Arc<dyn Fn(ApprovalRequest) -> Pin<Box<dyn Future<Output = Approval> + Send>> + Send + Sync>;

pub(crate) type Spawner = Arc<dyn Fn(Pin<Box<dyn Future<Output = ()> + Send>>) + Send + Sync>;

/// What an executor is made with. Every limit has a default.
#[derive(Clone)]
#[must_use]
pub struct ExecutorOptions {
    // As they were given: the contract wants a wrong value to be reported by the run, under a rule of its own.
    pub(crate) max_operations: f64,
    /// `None` for no limit, which is an error unless there is the next.
    pub(crate) timeout_ms: Option<f64>,
    pub(crate) cpu_time: Option<Duration>,

    pub(crate) run_concurrency: Concurrency,
    /// `None` for [`DEFAULT_QUEUE`] if runs may wait, else none.
    pub(crate) max_queued_runs: Option<usize>,
    pub(crate) authorized_imports: Vec<String>,
    pub(crate) max_log_bytes: usize,
    pub(crate) collect_console_levels: Vec<Level>,
    pub(crate) memory_limit: u64,
    /// `None` for as much as the code itself may have.
    pub(crate) max_host_memory: Option<usize>,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    pub(crate) timers: Timers,
    pub(crate) max_code_bytes: usize,
    pub(crate) max_result_bytes: usize,
    pub(crate) max_tool_calls: usize,
    pub(crate) max_tool_calls_in_flight: usize,
    pub(crate) pause_clock_during_tools: bool,
    pub(crate) isolation: Isolation,
    pub(crate) require_jail: bool,
    pub(crate) modules: BTreeMap<String, Module>,
    pub(crate) snapshot_key: Option<SnapshotKey>,
    pub(crate) content: bool,
    pub(crate) max_content_items: usize,
    pub(crate) max_content_bytes: usize,
    pub(crate) max_notifications: usize,
    pub(crate) store: Option<Arc<dyn Store>>,
    /// What options of the host grant, in its worker.
    pub(crate) granted: Vec<(String, AgentTool)>,
    pub(crate) max_store_bytes: usize,
    pub(crate) rules: Vec<Arc<dyn Rule>>,
    pub(crate) transforms: Vec<Arc<dyn Transform>>,
    pub(crate) on_log: Option<OnLog>,
    pub(crate) on_notify: Option<OnNotify>,
    pub(crate) on_approval: Option<OnApproval>,
    pub(crate) on_companion: Option<OnCompanion>,
    pub(crate) on_event: Option<OnEvent>,
    pub(crate) spawner: Option<Spawner>,
    pub(crate) max_background_runs: usize,
    pub(crate) max_snapshot_bytes: usize,
}

impl Default for ExecutorOptions {
    fn default() -> Self {
        Self {
            max_operations: 50_000.0,
            timeout_ms: Some(DEFAULT_TIMEOUT.as_secs_f64() * 1000.0),
            cpu_time: None,
            run_concurrency: Concurrency::Reject,
            max_queued_runs: None,
            authorized_imports: Vec::new(),
            max_log_bytes: 256 << 10,
            collect_console_levels: vec![Level::Log, Level::Info, Level::Warn, Level::Error],
            memory_limit: 64 << 20,
            max_host_memory: None,
            clock: Clock::Off,
            random: Random::Off,
            timers: Timers::Off,
            max_code_bytes: 1 << 20,
            max_result_bytes: 8 << 20,
            max_tool_calls: 10_000,
            max_tool_calls_in_flight: 1_000,
            pause_clock_during_tools: false,
            isolation: Isolation::Thread,
            require_jail: false,
            modules: BTreeMap::new(),
            snapshot_key: None,
            content: false,
            max_content_items: 100,
            max_content_bytes: 8 << 20,
            max_notifications: 1_000,
            store: None,
            granted: Vec::new(),
            max_store_bytes: 1 << 20,
            rules: Vec::new(),
            transforms: Vec::new(),
            on_log: None,
            on_notify: None,
            on_approval: None,
            on_companion: None,
            on_event: None,
            spawner: None,
            max_background_runs: 100,
            max_snapshot_bytes: 256 << 20,
        }
    }
}

impl ExecutorOptions {
    /// How many loop iterations a run may make (50,000).
    #[expect(
        clippy::cast_precision_loss,
        reason = "a number of more than 2^53 is as good as its neighbour"
    )]
    pub fn max_operations(mut self, operations: u64) -> Self {
        self.max_operations = operations as f64;
        self
    }

    /// How long a run may take (ten seconds), waiting for tools included. `None` for as long as it likes, where there is
    /// [`ExecutorOptions::cpu_time`].
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        let timeout = timeout.into();
        self.timeout_ms = timeout.map(|timeout| timeout.as_secs_f64() * 1000.0);
        self
    }

    /// How long a run may compute, beside [`ExecutorOptions::timeout`] (any time): the time in which it holds a thread, what the
    /// host does for it there included, such as synchronous tools. Waiting for tools and timers is free.
    pub fn cpu_time(mut self, time: Duration) -> Self {
        self.cpu_time = Some(time);
        self
    }

    /// What becomes of a run while another is under way (it is rejected).
    pub fn run_concurrency(mut self, concurrency: Concurrency) -> Self {
        self.run_concurrency = concurrency;
        self
    }

    /// How many runs may wait for their turn with [`Concurrency::Queue`] (1,000). One more fails with `ERR_INVALID_STATE`.
    pub fn max_queued_runs(mut self, runs: usize) -> Self {
        self.max_queued_runs = Some(runs);
        self
    }

    /// How many runs may wait for their turn.
    pub(crate) fn queue_length(&self) -> usize {
        match self.run_concurrency {
            Concurrency::Queue => self.max_queued_runs.unwrap_or(DEFAULT_QUEUE),
            Concurrency::Reject => self.max_queued_runs.unwrap_or(0),
        }
    }

    /// Modules that code may import, matched exactly (none). Each also has to be registered, see
    /// [`ExecutorOptions::module`].
    pub fn authorized_imports<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        self.authorized_imports = names.into_iter().map(Into::into).collect();
        self
    }

    /// Registers a module: the source of an ECMAScript module, or functions and values. Code may import it if it is authorised,
    /// by `import()` or by an `import` declaration.
    pub fn module(mut self, name: impl Into<String>, module: impl Into<Module>) -> Self {
        self.modules.insert(name.into(), module.into());
        self
    }

    /// How many bytes of logs a run keeps (256 KiB, at least 1 KiB), and for every 8 of them one entry. What is printed beyond
    /// that is dropped: the last entry ends in `...[TRUNCATED]`, and a diagnostic names this limit.
    pub fn max_log_bytes(mut self, bytes: usize) -> Self {
        self.max_log_bytes = bytes;
        self
    }

    /// Which levels of the console are kept (all).
    pub fn collect_console_levels(mut self, levels: impl IntoIterator<Item = Level>) -> Self {
        self.collect_console_levels = levels.into_iter().collect();
        self
    }

    /// How much memory the code may have, in bytes (64 MiB).
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = bytes;
        self
    }

    /// How much the host may keep for the code beside what the code has itself, in bytes (as much as
    /// [`ExecutorOptions::memory_limit`], and at least 16 MiB): arguments of calls, answers that the code has not taken,
    /// records of calls, logs, errors and results while they are made. Code that wants more gets a `RangeError` that names
    /// this limit, or the run fails with `ERR_MEMORY_LIMIT`.
    pub fn max_host_memory(mut self, bytes: usize) -> Self {
        self.max_host_memory = Some(bytes);
        self
    }

    /// The time inside (off: `Date.now()` throws).
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Timers inside (off: there is no `setTimeout`).
    pub fn timers(mut self, timers: Timers) -> Self {
        self.timers = timers;
        self
    }

    /// Chance inside (off: `Math.random()` throws).
    pub fn random(mut self, random: Random) -> Self {
        self.random = random;
        self
    }

    /// The largest code that is looked at, in bytes (1 MiB; in any case a sixtieth of [`Self::max_host_memory`], as much as
    /// looking at it takes).
    pub fn max_code_bytes(mut self, bytes: usize) -> Self {
        self.max_code_bytes = bytes;
        self
    }

    /// How much a result, or the arguments of a tool, may take of the host's memory, in bytes (8 MiB).
    pub fn max_result_bytes(mut self, bytes: usize) -> Self {
        self.max_result_bytes = bytes;
        self
    }

    /// How many calls of tools a run may make (10,000).
    pub fn max_tool_calls(mut self, calls: usize) -> Self {
        self.max_tool_calls = calls;
        self
    }

    /// How many calls of asynchronous tools may be outstanding (1,000).
    pub fn max_tool_calls_in_flight(mut self, calls: usize) -> Self {
        self.max_tool_calls_in_flight = calls;
        self
    }

    /// Whether time spent waiting for tools, or for their approval, is free (it counts against the timeout).
    pub fn pause_clock_during_tools(mut self, pause: bool) -> Self {
        self.pause_clock_during_tools = pause;
        self
    }

    /// Where the code runs (on threads of this program). In a process it is behind a second wall, for hosts that run code of many
    /// tenants. Rules and transforms of your own are code of this process, and cannot go along, nor can
    /// content and a store; and there has to be a timeout. Else `init` fails. Nothing can be recovered from there.
    pub fn isolation(mut self, isolation: Isolation) -> Self {
        self.isolation = isolation;
        self
    }

    /// Whether a worker process must not run if its jail lacks a part here (false: what is missing is told by `hotcell doctor`).
    pub fn require_jail(mut self, require: bool) -> Self {
        self.require_jail = require;
        self
    }

    /// Why code cannot run in another process with these options, if it cannot.
    pub(crate) fn what_keeps_it_here(&self) -> Option<&'static str> {
        if !self.rules.is_empty() || !self.transforms.is_empty() {
            return Some(
                "rules and transforms of the host are code of its own process, and a worker has none of that: leave them out, or use the isolation \"thread\"",
            );
        }
        None
    }

    /// Snapshots are sealed with this key, and only those that are can be restored (none): whoever has not got it can neither
    /// make nor change one unnoticed.
    pub fn snapshot_key(mut self, key: SnapshotKey) -> Self {
        self.snapshot_key = Some(key);
        self
    }

    /// Whether code may show things (it may not): it has `display`, `image`, `audio` and `text`, whose items are the `content` of
    /// its run, and `notify`, which [`ExecutorOptions::on_notify`] hears of. A tool or variable of yours that has one of these names
    /// takes its place.
    pub fn content(mut self, allowed: bool) -> Self {
        self.content = allowed;
        self
    }

    /// How many items a run may show (100). One more is a `RangeError`.
    pub fn max_content_items(mut self, items: usize) -> Self {
        self.max_content_items = items;
        self
    }

    /// How many bytes those items may have together (8 MiB); in any case a quarter of [`Self::max_host_memory`].
    pub fn max_content_bytes(mut self, bytes: usize) -> Self {
        self.max_content_bytes = bytes;
        self
    }

    /// How often a run may call `notify` (1,000).
    pub fn max_notifications(mut self, notifications: usize) -> Self {
        self.max_notifications = notifications;
        self
    }

    /// Gives code `store(key, value)` and `load(key)`, which keep small values there (nowhere). They outlive cells: whoever has the
    /// store has them. A fork has the same store.
    pub fn store(mut self, store: impl Store + 'static) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// Whether code has a store.
    pub fn has_store(&self) -> bool {
        self.store.is_some()
    }

    /// How many bytes one value may have that code stores, with its key (1 MiB); and how many all of them, where the store is one
    /// that `"store": true` made.
    pub fn max_store_bytes(mut self, bytes: usize) -> Self {
        self.max_store_bytes = bytes;
        self
    }

    /// How large a snapshot may be, in bytes (256 MiB): one that is larger is neither taken nor looked at.
    pub fn max_snapshot_bytes(mut self, bytes: usize) -> Self {
        self.max_snapshot_bytes = bytes;
        self
    }

    /// How many runs may go on by themselves, or wait with their results to be fetched (100): see
    /// [`Run::yield_after`](crate::Run::yield_after). One more fails with `ERR_INVALID_STATE`.
    pub fn max_background_runs(mut self, runs: usize) -> Self {
        self.max_background_runs = runs;
        self
    }

    /// What polls runs that go on by themselves (a pool of threads for all executors of the process). For tools that need a
    /// runtime around them, say that of tokio:
    ///
    /// ```ignore
    /// options.spawner(|run| { tokio::spawn(run); })
    /// ```
    ///
    /// Dropping the future calls the run off.
    pub fn spawner(
        mut self,
        spawn: impl Fn(Pin<Box<dyn Future<Output = ()> + Send>>) + Send + Sync + 'static,
    ) -> Self {
        self.spawner = Some(Arc::new(spawn));
        self
    }

    /// Receives what happens as it happens (nobody does), in order: see [`Executor::events`](crate::Executor::events), which
    /// does not wait for whoever listens. Called on the thread that runs the code; keep it short.
    pub fn on_event(mut self, receive: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        self.on_event = Some(Arc::new(receive));
        self
    }

    /// Adds a rule that all code has to pass.
    pub fn rule(mut self, rule: Arc<dyn Rule>) -> Self {
        self.rules.push(rule);
        self
    }

    /// Adds a transform that all code goes through, after those before it.
    pub fn transform(mut self, transform: Arc<dyn Transform>) -> Self {
        self.transforms.push(transform);
        self
    }

    /// Receives what code prints as it is printed (nobody does). Called on the thread that runs the code; keep it short.
    pub fn on_log(mut self, receive: impl Fn(&LogEntry) + Send + Sync + 'static) -> Self {
        self.on_log = Some(Arc::new(receive));
        self
    }

    /// Receives what code tells with `notify`, at once (nobody does). Called on the thread that runs the code; keep it short.
    pub fn on_notify(mut self, receive: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_notify = Some(Arc::new(receive));
        self
    }

    /// Decides on calls of tools with [`Permission::Ask`](crate::Permission::Ask) (without it they are refused).
    pub fn on_approval<F>(
        mut self,
        decide: impl Fn(ApprovalRequest) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Approval> + Send + 'static,
    {
        self.on_approval = Some(Arc::new(move |request| Box::pin(decide(request))));
        self
    }

    /// How much the host may keep for the code.
    pub(crate) fn host_memory(&self) -> usize {
        let of_code = || usize::try_from(self.memory_limit).unwrap_or(usize::MAX);
        self.max_host_memory
            .unwrap_or_else(|| of_code().max(LEAST_HOST_MEMORY))
    }

    /// The timeout; `None` if there is none. One that is wrong is reported by the run, and until then as if it had not been
    /// given.
    pub(crate) fn timeout_duration(&self) -> Option<Duration> {
        if self.timeout_ms.is_none() && self.cpu_time.is_some() {
            return None;
        }
        let given = self.timeout_ms.filter(|ms| *ms >= 1.0);
        let valid = given.and_then(|ms| Duration::try_from_secs_f64(ms / 1000.0).ok());
        Some(valid.unwrap_or(DEFAULT_TIMEOUT))
    }

    /// How many operations a run may make, if the option is valid.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a run that gets here has passed the rule"
    )]
    pub(crate) fn operations(&self) -> u64 {
        self.max_operations as u64
    }

    #[expect(clippy::cast_precision_loss, reason = "only compared")]
    pub(crate) fn to_prepare(&self) -> PrepareOptions {
        let mut options = PrepareOptions::default();
        options.max_operations = self.max_operations;
        match (self.timeout_ms, self.cpu_time) {
            (Some(timeout), _) => options.timeout_ms = timeout,
            (None, Some(_)) => {}
            (None, None) => options.timeout_ms = f64::INFINITY,
        }
        options.timers = self.timers != Timers::Off;
        options.run_concurrency = self.run_concurrency.as_str().into();
        options.max_queued_runs = self.queue_length() as f64;
        options.max_log_bytes = self.max_log_bytes as f64;
        options
            .authorized_imports
            .clone_from(&self.authorized_imports);
        let modules = self.modules.iter();
        options.modules = modules
            .map(|(name, module)| (name.clone(), module.known()))
            .collect();
        options.max_code_bytes = self.max_code_bytes.min(self.host_memory() / PREPARE_FACTOR);
        options.rules.clone_from(&self.rules);
        options.transforms.clone_from(&self.transforms);
        options
    }

    /// What there is to say about code under these options, without an executor: no tools, no variables.
    pub fn validate_code(&self, code: &str) -> Vec<hotcell_prepare::Diagnostic> {
        hotcell_prepare::validate_code(code, &self.to_prepare())
    }

    /// As [`ExecutorOptions::validate_code`], for as long as `watch` lets it.
    pub fn validate_code_watched(
        &self,
        code: &str,
        watch: &dyn hotcell_meter::Watch,
    ) -> Result<Vec<hotcell_prepare::Diagnostic>, hotcell_meter::Stopped> {
        let program = hotcell_prepare::prepare_program_watched(code, &self.to_prepare(), watch)?;
        Ok(program.diagnostics)
    }

    /// What would run of this code under these options.
    pub fn prepare_program(&self, code: &str) -> hotcell_prepare::PreparedProgram {
        hotcell_prepare::prepare_program(code, &self.to_prepare())
    }

    pub(crate) fn to_cell(&self) -> CellOptions {
        CellOptions::default()
            .memory_limit(self.memory_limit)
            .timeout(self.timeout_duration().unwrap_or(DEFAULT_TIMEOUT))
            .timers(self.timers)
            .max_value_bytes(self.max_result_bytes)
            .max_calls_in_flight(self.max_tool_calls_in_flight)
            .clock(self.clock)
            .random(self.random)
    }
}

impl fmt::Debug for ExecutorOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExecutorOptions {}", self.to_json())
    }
}
