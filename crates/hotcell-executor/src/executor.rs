//! The executor: a cell with a life around it.

mod background;
mod body;
mod clock;
mod fork;
mod life;
mod prepare;
mod remote;
mod run;
mod suspend;
mod turn;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use hotcell_cell::{Engine, Interrupter, ToolKind};
use hotcell_meter::{StopToken, Stopped, Watch};
use hotcell_prepare::{Diagnostic, PreparedProgram, Preparer};
use hotcell_prompt::{ModuleSpec, ToolSpec};

use crate::{
    companion::Attached,
    event::Events,
    files::Files,
    hints::unknown_name,
    hooks::Hooks,
    options::ExecutorOptions,
    process::{Canceller, Limit},
    signature::signature,
    snapshot::SavedFiles,
    state::State,
    tool::AgentTool,
};
use background::Background;
pub use background::Running;
use body::Body;
pub(crate) use life::unsendable;
pub(crate) use run::{MAX_NAMES, is_name_to_keep};
use suspend::UnderWay;
pub use suspend::{Answer, Started, SuspendedCall, Suspension};
use turn::Waiting;

/// How much prepared code is remembered, by all executors together.
const PREPARED_BYTES: usize = 32 << 20;

/// So many names that nothing defines are told of code.
const MAX_UNKNOWN: usize = 20;

/// Runs code step after step: what one run declares, the next can use.
///
/// See the [crate documentation](crate) for an example. A handle: clones are the same executor, and may be used from any
/// thread. The futures of its methods run the code wherever they are polled; code that computes gives the thread back
/// every millisecond. Dropping the future of a run cancels the run.
#[derive(Clone)]
pub struct Executor(Arc<Inner>);

struct Inner {
    /// `None` for the engine of the process.
    engine: Option<Engine>,
    options: Arc<ExecutorOptions>,
    hooks: Arc<Hooks>,
    slot: Mutex<Slot>,
    /// Runs that go on by themselves.
    background: Background,
    /// Held while a cell is made, so that whoever comes second finds it made. Nobody else waits for it.
    initializing: async_lock::Mutex<()>,
}

struct Slot {
    state: State,
    /// There while the state is `READY` and nobody works on it.
    cell: Option<Body>,
    /// The cell of a run that timed out, if it is whole and here: for `recover`. The state is `DIRTY` then.
    kept: Option<Body>,
    /// Who waits for a turn.
    line: VecDeque<Waiting>,
    /// Ends the part of the run under way that is the code, once it has begun.
    interrupter: Option<Interrupter>,
    /// The same, where the code is in another process; and what kills that if it does not end it.
    canceller: Option<Canceller>,
    limit: Option<Limit>,
    /// Ends the parts before and after it.
    stop: Option<StopToken>,
    /// Whether the run under way is to end.
    is_cancelled: bool,
    tools: BTreeMap<String, AgentTool>,
    /// What is forked and saved with it.
    companion: Option<Attached>,
    /// Names that code declared though other hosts have such globals: using them is no mistake any more.
    globals: Vec<String>,
    /// Whether `names` has all of them.
    knows_all_names: bool,
    /// Files that a snapshot brought along, until tools are sent that work on such files.
    saved_files: Vec<SavedFiles>,
    /// Names of variables and declarations, for who misspells one.
    names: BTreeSet<String>,
    preparer: Preparer,
    /// How many runs there were.
    runs: u64,
    /// Which of them uses the cell.
    under_way: Option<u64>,
    /// The run that waits for answers, while the state is `SUSPENDED`.
    suspended: Option<Box<UnderWay>>,
}

impl Executor {
    /// An executor that shares its engine with all others of the process.
    pub fn new(options: ExecutorOptions) -> Self {
        Self::build(None, options)
    }

    /// An executor on an engine of your own.
    pub fn with_engine(engine: &Engine, options: ExecutorOptions) -> Self {
        Self::build(Some(engine.clone()), options)
    }

    fn build(engine: Option<Engine>, options: ExecutorOptions) -> Self {
        let options = Arc::new(options);
        let preparer = preparer(&options);
        Self(Arc::new(Inner {
            engine,
            hooks: Hooks::new(Arc::clone(&options)),
            options,
            slot: Mutex::new(Slot {
                state: State::New,
                cell: None,
                kept: None,
                line: VecDeque::new(),
                interrupter: None,
                canceller: None,
                limit: None,
                stop: None,
                is_cancelled: false,
                tools: BTreeMap::new(),
                companion: None,
                globals: Vec::new(),
                names: BTreeSet::new(),
                knows_all_names: true,
                saved_files: Vec::new(),
                preparer,
                runs: 0,
                under_way: None,
                suspended: None,
            }),
            background: Background::default(),
            initializing: async_lock::Mutex::new(()),
        }))
    }

    /// What it was made with.
    pub fn options(&self) -> &ExecutorOptions {
        &self.0.options
    }

    /// Where it is in its life. Never waits, whatever goes on.
    pub fn state(&self) -> State {
        self.0.slot().state
    }

    /// The tools that it has, as they were described; for the prompt.
    pub fn tools(&self) -> Vec<ToolSpec> {
        self.0.slot().specs()
    }

    /// The modules that code can import here, with what they export; for the prompt.
    pub fn modules(&self) -> Vec<ModuleSpec> {
        let options = &self.0.options;
        let modules = options.modules.iter();
        let authorised = modules.filter(|(name, _)| options.authorized_imports.contains(name));
        authorised.map(|(name, module)| module.spec(name)).collect()
    }

    /// The files that its tools work on, those of each [`Files`] once.
    pub fn files(&self) -> Vec<Files> {
        self.0.slot().files()
    }

    /// Keeps another companion; what it had before is to be dropped.
    pub(crate) fn set_companion(&self, companion: Option<Attached>) -> Option<Attached> {
        std::mem::replace(&mut self.0.slot().companion, companion)
    }

    /// What there is to say about code before it runs here: also which names in it nothing defines.
    pub fn validate(&self, code: &str) -> Vec<Diagnostic> {
        self.unknown_names(&self.prepare(code))
    }

    /// As [`Executor::validate`], for as long as `watch` lets it.
    pub fn validate_watched(
        &self,
        code: &str,
        watch: &dyn Watch,
    ) -> Result<Vec<Diagnostic>, Stopped> {
        let preparer = self.0.slot().preparer.clone();
        Ok(self.unknown_names(&*preparer.prepare_watched(code, watch)?))
    }

    /// What is said of a program, and which names in it nothing defines.
    fn unknown_names(&self, program: &PreparedProgram) -> Vec<Diagnostic> {
        let mut diagnostics = program.diagnostics.clone();
        let slot = self.0.slot();
        if program.has_errors() || !slot.knows_all_names || program.makes_unknown_globals {
            return diagnostics;
        }
        let (known, names) = (slot.known(), slot.defined());
        drop(slot);
        let unknown = program.globals_used.iter();
        let unknown = unknown.filter(|used| !names.contains(&used.name));
        // Nobody reads on and on, and what a name is like takes its time.
        let unknown = unknown.take(MAX_UNKNOWN);
        diagnostics.extend(unknown.map(|used| unknown_name(used, &known)));
        diagnostics.sort_by_key(|one| (one.location.is_some(), one.location));
        diagnostics
    }

    /// What would run of this code here.
    pub fn prepare(&self, code: &str) -> Arc<PreparedProgram> {
        let preparer = self.0.slot().preparer.clone();
        preparer.prepare(code)
    }

    /// What happens from here on: runs, calls of tools, what is printed, in order, with ids. Each caller has a stream of its own,
    /// which ends with the executor.
    ///
    /// ```
    /// use hotcell_executor::{Executor, ExecutorOptions};
    ///
    /// # pollster::block_on(async {
    /// let executor = Executor::new(ExecutorOptions::default());
    /// executor.init().await?;
    /// let mut events = executor.events();
    /// executor.run("console.log('here')").await?;
    /// let names: Vec<_> = std::iter::from_fn(|| events.next_now()).map(|event| event.kind.name()).collect();
    /// assert_eq!(names, ["runStarted", "log", "ended"]);
    /// # Ok::<(), hotcell_executor::ExecutorError>(()) }).unwrap();
    /// ```
    pub fn events(&self) -> Events {
        self.0.hooks.hub.events()
    }

    /// The id of the run under way, as in events. `None` if there is none, and for one that has not begun.
    pub fn run_under_way(&self) -> Option<String> {
        let number = self.0.slot().under_way;
        number.map(|number| number.to_string())
    }

    /// Ends the run under way; it fails with `ERR_CANCELLED`. False if there is none.
    pub fn cancel(&self) -> bool {
        self.cancel_if(|_| true)
    }

    /// Ends the run under way if it is the one that is meant.
    fn cancel_if(&self, is_meant: impl FnOnce(Option<u64>) -> bool) -> bool {
        let (stop, interrupter) = {
            let mut slot = self.0.slot();
            if slot.state != State::Running || !is_meant(slot.under_way) {
                return false;
            }
            slot.is_cancelled = true;
            slot.cancel_elsewhere();
            (slot.stop.clone(), slot.interrupter.clone())
        };
        if let Some(stop) = stop {
            stop.cancel();
        }
        // Wakes the task that polls the run, which is the host's code.
        if let Some(interrupter) = interrupter {
            interrupter.cancel();
        }
        true
    }
}

impl Inner {
    /// The one lock of an executor that others wait for.
    ///
    /// Invariant: it is held for a few moves of memory, and so are the locks in [`Hooks`]. Behind them no guest is entered, no
    /// memory copied, nothing translated that is not cut to size; and nothing of the host's is called, woken or dropped: wakers,
    /// tools, rules, hooks. What has to be dropped is taken out and dropped afterwards. So nobody waits here for long,
    /// nothing that the host does there can lead back here, and nothing behind it can panic.
    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    /// What a model may be told of the tools.
    fn specs(&self) -> Vec<ToolSpec> {
        let shown = self.tools.values().filter(|tool| !tool.is_hidden);
        shown.map(|tool| tool.spec.clone()).collect()
    }

    fn files(&self) -> Vec<Files> {
        let mut files: Vec<Files> = Vec::new();
        for on_files in self
            .tools
            .values()
            .filter_map(|tool| tool.on_files.as_ref())
        {
            if !files.iter().any(|known| known.is_same(&on_files.files)) {
                files.push(on_files.files.clone());
            }
        }
        files
    }

    /// Every name that code finds, beside those that every cell has.
    fn defined(&self) -> BTreeSet<String> {
        let roots = self.tools.keys().map(|name| match name.split_once('.') {
            Some((root, _)) => root,
            None => name,
        });
        let roots = roots.map(str::to_owned);
        roots.chain(self.names.iter().cloned()).collect()
    }

    /// Takes the tools and globals of now into account.
    fn renew_preparer(&mut self, options: &ExecutorOptions) {
        let mut prepare = options.to_prepare();
        // Namespaces are names of the host's as well.
        let roots = self.tools.keys().filter_map(|name| name.split_once('.'));
        prepare.tools = roots.map(|(root, _)| root.to_owned()).collect();
        prepare.tools.extend(self.tools.keys().cloned());
        let is_async = |tool: &&AgentTool| {
            let kind = tool.tool.kind();
            let is_deferred = kind == ToolKind::Deferred && !tool.is_unconnected;
            tool.is_promising || is_deferred || matches!(kind, ToolKind::Async | ToolKind::Json)
        };
        let is_shadowable = |tool: &&AgentTool| tool.tool.is_shadowable();
        let shadowable = self.tools.values().filter(is_shadowable);
        prepare.shadowable_tools = shadowable.map(|tool| tool.spec.name.clone()).collect();
        // A name that code has taken is no tool any more.
        let is_taken =
            |tool: &&AgentTool| is_shadowable(tool) && self.names.contains(&tool.spec.name);
        prepare.async_tools = self
            .tools
            .values()
            .filter(is_async)
            .filter(|tool| !is_taken(tool))
            .map(|tool| tool.spec.name.clone())
            .collect();
        // Those of ours that take a value take several as well, which no schema says.
        let has_signature = |tool: &&AgentTool| !is_taken(tool) && !tool.is_own;
        let signatures = self.tools.values().filter(has_signature);
        prepare.signatures = signatures
            .filter_map(|tool| Some((tool.spec.name.clone(), signature(&tool.spec)?)))
            .collect();
        prepare.globals = self.globals.iter().cloned().collect();
        self.preparer = self.preparer.with_options(prepare);
    }
}

/// A preparer on the cache of the process.
fn preparer(options: &ExecutorOptions) -> Preparer {
    static SHARED: std::sync::OnceLock<Preparer> = std::sync::OnceLock::new();
    SHARED
        .get_or_init(|| Preparer::new(ExecutorOptions::default().to_prepare(), PREPARED_BYTES))
        .with_options(options.to_prepare())
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor")
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}
