//! What a cell is made with.

use std::{fmt, sync::Arc, time::Duration};

use hotcell_meter::{Account, Watch};

use crate::{snapshot::SnapshotKey, tool::ToolError, value::Text};

/// Where `Date.now()` and `new Date()` get the time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Clock {
    /// Nowhere: they throw a `TypeError` that says so.
    #[default]
    Off,
    /// The host's clock.
    Real,
    /// Always this time, in milliseconds since the epoch; with [`Timers`] it is moved on by what they wait.
    Fixed(f64),
}

/// Where `Math.random()` gets its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Random {
    /// Nowhere: it throws a `TypeError` that says so.
    #[default]
    Off,
    /// The host's entropy.
    Real,
    /// A sequence that this seed decides. A fork with the same seed goes on where its origin is; a restored cell begins it
    /// anew, because what a snapshot says decides nothing.
    Seeded(u64),
}

/// Whether code has `setTimeout`, `setInterval` and `setImmediate`.
///
/// With [`Clock::Fixed`] their time is virtual: they fire in order, without waiting, once nothing else is outstanding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Timers {
    /// It has not.
    #[default]
    Off,
    /// It has. Those that are pending when a run ends end with it.
    On,
    /// It has, and those that are pending when a run ends fire in the next, when they are due: before its code begins, if that
    /// is past.
    Persistent,
}

/// The level of a console line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the console's")]
pub enum Level {
    Log,
    Info,
    Warn,
    Error,
}

impl Level {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Log, Self::Info, Self::Warn, Self::Error];

    /// The name of the console's method.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// Something that the code prints.
#[non_exhaustive]
pub struct Line<'a> {
    /// At which level.
    pub level: Level,
    /// What, without a line end. It may hold several lines.
    pub text: &'a str,
    pub(crate) watch: &'a dyn Watch,
}

impl Line<'_> {
    /// Says when the run has to end.
    pub fn watch(&self) -> &dyn Watch {
        self.watch
    }
}

impl fmt::Debug for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line")
            .field("level", &self.level)
            .field("text", &self.text)
            .finish()
    }
}

/// A module that the code asks for.
#[non_exhaustive]
pub struct Import<'a> {
    /// Its name, as the code wrote it.
    pub name: &'a str,
    pub(crate) watch: &'a dyn Watch,
}

impl Import<'_> {
    /// Says when the run has to end.
    pub fn watch(&self) -> &dyn Watch {
        self.watch
    }
}

impl fmt::Debug for Import<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Import").field("name", &self.name).finish()
    }
}

/// What a module is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Module {
    /// The source of an ECMAScript module.
    Source(String),
    /// What [`Cell::define_module`](crate::Cell::define_module) defined under its name.
    Defined,
}

impl From<&str> for Module {
    fn from(source: &str) -> Self {
        Self::Source(source.to_owned())
    }
}

impl From<String> for Module {
    fn from(source: String) -> Self {
        Self::Source(source)
    }
}

/// Code that is made at run time, inside.
#[non_exhaustive]
pub struct Source<'a> {
    /// By what.
    pub kind: SourceKind,
    /// The parameters of a function, one text for each argument of its constructor.
    pub parameters: Vec<Text>,
    /// The code.
    pub body: &'a Text,
    pub(crate) watch: &'a dyn Watch,
}

impl Source<'_> {
    /// Says when the run has to end.
    pub fn watch(&self) -> &dyn Watch {
        self.watch
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("kind", &self.kind)
            .field("parameters", &self.parameters)
            .field("body", &self.body)
            .finish()
    }
}

/// What makes code at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are JavaScript's")]
pub enum SourceKind {
    DirectEval,
    IndirectEval,
    Function,
    GeneratorFunction,
    AsyncFunction,
    AsyncGeneratorFunction,
}

pub(crate) type Console = Arc<dyn Fn(&Line<'_>) + Send + Sync>;
pub(crate) type Gate = Arc<dyn Fn(&Source<'_>) -> Result<(), String> + Send + Sync>;
pub(crate) type Modules = Arc<dyn Fn(&Import<'_>) -> Result<Module, ToolError> + Send + Sync>;

/// What a cell is made with. The defaults are safe: no clock, no chance, no modules, 64 MiB, ten seconds per run.
#[must_use]
#[derive(Clone)]
pub struct CellOptions {
    pub(crate) memory_limit: u64,
    pub(crate) timeout: Duration,
    pub(crate) timers: Timers,
    pub(crate) max_value_bytes: usize,
    pub(crate) max_calls_in_flight: usize,
    account: Option<Account>,
    pub(crate) snapshot_key: Option<SnapshotKey>,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    pub(crate) count_operations: bool,
    pub(crate) console: Option<Console>,
    pub(crate) gate: Option<Gate>,
    pub(crate) modules: Option<Modules>,
}

impl Default for CellOptions {
    fn default() -> Self {
        Self {
            memory_limit: 64 << 20,
            timeout: Duration::from_secs(10),
            timers: Timers::default(),
            max_value_bytes: 64 << 20,
            max_calls_in_flight: 10_000,
            account: None,
            snapshot_key: None,
            clock: Clock::default(),
            random: Random::default(),
            count_operations: true,
            console: None,
            gate: None,
            modules: None,
        }
    }
}

impl CellOptions {
    /// How much memory the cell may have, in bytes (64 MiB). Code that wants more gets an error that it can catch.
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = bytes;
        self
    }

    /// How long a run may take that does not say itself (ten seconds).
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How much memory of the host a value that leaves the cell may take (64 MiB).
    pub fn max_value_bytes(mut self, bytes: usize) -> Self {
        self.max_value_bytes = bytes;
        self
    }

    /// How many calls of asynchronous tools may be outstanding (10,000). One more fails.
    pub fn max_calls_in_flight(mut self, calls: usize) -> Self {
        self.max_calls_in_flight = calls;
        self
    }

    /// What the host keeps for the cell is charged to this account: arguments of calls that have no answer, answers that
    /// the code has not taken, messages on their way, the outcome until it is fetched. If there is no room left, the code
    /// gets a `RangeError` that says so, and the cell lives on.
    ///
    /// Without this each cell has an account of its own, as large as its memory may be.
    pub fn account(mut self, account: Account) -> Self {
        self.account = Some(account);
        self
    }

    /// Snapshots of the cell are sealed with this key, and only such a snapshot is restored (none): one that is not sealed, or
    /// not with this key, or was changed since, is refused before any of it is unpacked.
    pub fn snapshot_key(mut self, key: SnapshotKey) -> Self {
        self.snapshot_key = Some(key);
        self
    }

    /// The account of a cell that is made with these options.
    pub(crate) fn account_of_cell(&self) -> Account {
        self.account.clone().unwrap_or_else(|| {
            Account::new(
                "host memory",
                usize::try_from(self.memory_limit).unwrap_or(usize::MAX),
            )
        })
    }

    /// The time inside (off).
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Timers inside (off).
    pub fn timers(mut self, timers: Timers) -> Self {
        self.timers = timers;
        self
    }

    /// Chance inside (off).
    pub fn random(mut self, random: Random) -> Self {
        self.random = random;
        self
    }

    /// Whether iterations of loops are counted (they are). If not, loops are a little faster and
    /// [`Program::max_operations`](crate::Program::max_operations) does nothing; the deadline still ends them.
    pub fn count_operations(mut self, count: bool) -> Self {
        self.count_operations = count;
        self
    }

    /// Receives what the code prints, line by line (nobody). Called on the thread that runs the cell, in the time of the
    /// run: whoever does more than a little here asks [`Line::watch`] as it goes, and gives up when told to.
    pub fn on_console(mut self, console: impl Fn(&Line<'_>) + Send + Sync + 'static) -> Self {
        self.console = Some(Arc::new(console));
        self
    }

    /// Decides on code that is made at run time (all is allowed): an `Err` becomes a `SyntaxError` with that message. In the
    /// time of the run, as for [`CellOptions::on_console`].
    pub fn on_source(
        mut self,
        gate: impl Fn(&Source<'_>) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.gate = Some(Arc::new(gate));
        self
    }

    /// Gives the module that `import(name)` asks for (none are there): its source, or [`Module::Defined`]. In the time of the
    /// run, as for [`CellOptions::on_console`].
    pub fn on_import(
        mut self,
        modules: impl Fn(&Import<'_>) -> Result<Module, ToolError> + Send + Sync + 'static,
    ) -> Self {
        self.modules = Some(Arc::new(modules));
        self
    }
}

impl fmt::Debug for CellOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CellOptions")
            .field("memory_limit", &self.memory_limit)
            .field("timeout", &self.timeout)
            .field("max_value_bytes", &self.max_value_bytes)
            .field("max_calls_in_flight", &self.max_calls_in_flight)
            .field("clock", &self.clock)
            .field("random", &self.random)
            .field("timers", &self.timers)
            .finish_non_exhaustive()
    }
}
