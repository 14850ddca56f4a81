//! The executor: a cell with a life around it.

mod clock;
mod fork;
mod life;
mod run;
mod turn;

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use hotcell_cell::{Cell, Engine, Interrupter};
use hotcell_meter::StopToken;
use hotcell_prepare::{Diagnostic, PreparedProgram, Preparer};
use hotcell_prompt::ToolSpec;

use crate::{hooks::Hooks, options::ExecutorOptions, state::State, tool::AgentTool};
use turn::Waiting;

/// How much prepared code is remembered, by all executors together.
const PREPARED_BYTES: usize = 32 << 20;

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
    /// Held while a cell is made, so that whoever comes second finds it made. Nobody else waits for it.
    initializing: Mutex<()>,
}

struct Slot {
    state: State,
    /// There while the state is `READY` and nobody works on it.
    cell: Option<Cell>,
    /// Who waits for a turn.
    line: VecDeque<Waiting>,
    /// Ends the part of the run under way that is the code, once it has begun.
    interrupter: Option<Interrupter>,
    /// Ends the parts before and after it.
    stop: Option<StopToken>,
    /// Whether the run under way is to end.
    is_cancelled: bool,
    tools: BTreeMap<String, AgentTool>,
    /// Names that code declared though other hosts have such globals: using them is no mistake any more.
    globals: Vec<String>,
    preparer: Preparer,
    /// How many runs there were.
    runs: u64,
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
                line: VecDeque::new(),
                interrupter: None,
                stop: None,
                is_cancelled: false,
                tools: BTreeMap::new(),
                globals: Vec::new(),
                preparer,
                runs: 0,
            }),
            initializing: Mutex::new(()),
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
        let slot = self.0.slot();
        let shown = slot.tools.values().filter(|tool| !tool.is_hidden);
        shown.map(|tool| tool.spec.clone()).collect()
    }

    /// What there is to say about code before it runs here.
    pub fn validate(&self, code: &str) -> Vec<Diagnostic> {
        self.prepare(code).diagnostics.clone()
    }

    /// What would run of this code here.
    pub fn prepare(&self, code: &str) -> Arc<PreparedProgram> {
        let preparer = self.0.slot().preparer.clone();
        preparer.prepare(code)
    }

    /// Ends the run under way; it fails with `ERR_CANCELLED`. False if there is none.
    pub fn cancel(&self) -> bool {
        let (stop, interrupter) = {
            let mut slot = self.0.slot();
            if slot.state != State::Running {
                return false;
            }
            slot.is_cancelled = true;
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
    /// Takes the tools and globals of now into account.
    fn renew_preparer(&mut self, options: &ExecutorOptions) {
        let mut prepare = options.to_prepare();
        prepare.tools = self.tools.keys().cloned().collect();
        let is_async = |tool: &&AgentTool| tool.tool.kind() == hotcell_cell::ToolKind::Async;
        prepare.async_tools = self
            .tools
            .values()
            .filter(is_async)
            .map(|tool| tool.spec.name.clone())
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
