//! What a cell reaches of its executor while it runs: console, evaluators, imports, and the record of its calls.

use std::{
    collections::{HashMap, VecDeque},
    hash::{BuildHasher, RandomState},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use hotcell_cell::{
    CellOptions, Import, Line, Module, Source, SourceKind, ToolCall, ToolError, TraceParent,
};
use hotcell_meter::{Account, OverLimit};
use hotcell_prepare::{Diagnostic, DynamicKind, Location, PreparedProgram, Preparer};
use tracing::{Span, level_filters::LevelFilter};

#[cfg(target_os = "linux")]
use crate::process::CalledTool;
use crate::{
    catalog::Catalog,
    content::{Board, ContentItem},
    event::{Hub, Scene, arguments_in_words},
    ledger::{CallKey, CallOutcome, CallRecord, Ledger, SuspendReason},
    log::{LogBuffer, LogEntry},
    options::ExecutorOptions,
    scope::RunScope,
    shorten::shorten,
    sources::Sources,
};

/// What escapes from a run is one of its last refusals.
const MAX_REFUSED: usize = 64;
/// How much of a module's name an error repeats.
const MAX_NAME_BYTES: usize = 200;

/// Shared by an executor and the functions that its cell calls.
///
/// For its locks holds what is said at [`Inner::slot`](crate::executor).
pub(crate) struct Hooks {
    pub(crate) options: Arc<ExecutorOptions>,
    /// What the host keeps for the code is charged here.
    pub(crate) account: Account,
    /// The tools, for who looks for one.
    pub(crate) catalog: Catalog,
    /// The calls that end with the run under way.
    pub(crate) scope: RunScope,
    /// Who watches what happens.
    pub(crate) hub: Arc<Hub>,
    /// The run under way, as events name it.
    scene: Mutex<Option<Arc<Scene>>>,
    /// Spans of calls without an answer, while somebody listens.
    spans: Mutex<HashMap<CallKey, Arc<Span>>>,
    logs: Mutex<LogBuffer>,
    content: Mutex<Board>,
    ledger: Mutex<Ledger>,
    /// As they are now: whoever translates has them for as long as that takes.
    sources: Mutex<Arc<Sources>>,
    /// Imports that were refused in this run: the hashes of the last few names.
    refused: Mutex<VecDeque<u64>>,
    /// Whether somebody will answer calls that the run under way leaves open.
    may_suspend: AtomicBool,
    /// Keyed at random, so that no name can be made to look like another.
    hasher: RandomState,
}

impl Hooks {
    pub(crate) fn new(options: Arc<ExecutorOptions>) -> Arc<Self> {
        let account = Account::new("maxHostMemoryBytes", options.host_memory());
        Arc::new(Self {
            logs: Mutex::new(LogBuffer::new(&account, options.max_log_bytes)),
            content: Mutex::new(Board::new(&account)),
            ledger: Mutex::new(Ledger::new(&account)),
            account,
            catalog: Catalog::default(),
            scope: RunScope::default(),
            hub: Hub::new(options.on_event.clone()),
            scene: Mutex::default(),
            spans: Mutex::default(),
            options,
            sources: Mutex::default(),
            refused: Mutex::default(),
            may_suspend: AtomicBool::new(false),
            hasher: RandomState::new(),
        })
    }

    /// What a cell is made with so that it uses these.
    pub(crate) fn cell_options(self: &Arc<Self>, preparer: &Preparer) -> CellOptions {
        let (console, importer, preparer) = (Arc::clone(self), Arc::clone(self), preparer.clone());
        let modules = preparer.clone();
        self.options
            .to_cell()
            .account(self.account.clone())
            .on_console(move |line| console.print(line))
            .on_source(move |source| admit(&preparer, source))
            .on_import(move |import| importer.import(import, &modules))
    }

    /// Which run it is that begins, or goes on here. `trace` is what it is a part of.
    pub(crate) fn set_scene(
        &self,
        number: u64,
        name: &str,
        trace: Option<TraceParent>,
    ) -> Arc<Scene> {
        let scene = Arc::new(Scene::new(number, name, trace));
        let before = lock(&self.scene).replace(Arc::clone(&scene));
        drop(before);
        scene
    }

    /// A span within `parent` for this run, which nobody else has.
    pub(crate) fn span_within(&self, parent: TraceParent, number: u64) -> TraceParent {
        parent.child(self.hasher.hash_one((parent, number)))
    }

    /// The run under way, or the one before.
    pub(crate) fn scene(&self) -> Option<Arc<Scene>> {
        lock(&self.scene).clone()
    }

    /// Tells who watches of something that happens to the run under way.
    pub(crate) fn tell(&self, tell: impl FnOnce(&Scene, &Hub)) {
        if let Some(scene) = self.scene() {
            tell(&scene, &self.hub);
        }
    }

    /// Records a call, and says in it where it comes from.
    pub(crate) fn begin_call(&self, call: &mut ToolCall) -> Result<CallKey, OverLimit> {
        let key = self.ledger().begin(&call.tool, &call.arguments, call.id)?;
        let Some(scene) = self.scene() else {
            return Ok(key);
        };
        let new_span = || self.hasher.hash_one((scene.trace, key.index));
        let origin = scene.origin(key.index, new_span);
        let trace = origin.trace();
        call.origin = Some(origin);
        if is_traced() {
            // Made outside of the lock: subscribers are the host's code.
            let span = Arc::new(scene.call_span(key.index, &call.tool));
            let before = lock(&self.spans).insert(key, span);
            drop(before);
        }
        let words = || arguments_in_words(&call.arguments);
        scene.call_started(&self.hub, key.index, &call.tool, words, trace);
        Ok(key)
    }

    /// Records a call that code makes in another process.
    #[cfg(target_os = "linux")]
    pub(crate) fn called_elsewhere(&self, call: &CalledTool) -> Result<(), OverLimit> {
        let tool = Arc::from(&*call.tool);
        let key = self.ledger().begin_elsewhere(&tool)?;
        let Some(scene) = self.scene() else {
            return Ok(());
        };
        if is_traced() {
            let span = Arc::new(scene.call_span(key.index, &tool));
            let before = lock(&self.spans).insert(key, span);
            drop(before);
        }
        let words = || call.arguments.clone();
        scene.call_started(&self.hub, key.index, &tool, words, call.trace());
        Ok(())
    }

    /// What `tracing` calls a call; nothing, if nobody listens.
    pub(crate) fn call_span(&self, key: CallKey) -> Arc<Span> {
        let known = is_traced().then(|| lock(&self.spans).get(&key).cloned());
        known.flatten().unwrap_or_else(|| Arc::new(Span::none()))
    }

    /// Records what came of a call.
    pub(crate) fn end_call(&self, key: CallKey, outcome: CallOutcome) {
        let end = self.ledger().end(key, outcome);
        let span = lock(&self.spans).remove(&key);
        if let Some(end) = end {
            self.tell(|scene, hub| scene.call_ended(hub, key.index, end, span.as_deref()));
        }
    }

    /// Records that a call waits for who resumes the run.
    pub(crate) fn suspend_call(&self, key: CallKey, reason: SuspendReason) {
        let tool = self.ledger().suspend(key, reason);
        if let Some(tool) = tool {
            self.tell(|scene, hub| scene.call_suspended(hub, key.index, tool, reason));
        }
    }

    /// A new run begins, which may be suspended or not.
    pub(crate) fn reset(&self, may_suspend: bool) {
        self.may_suspend.store(may_suspend, Ordering::Relaxed);
        let spans = std::mem::take(&mut *lock(&self.spans));
        // Subscribers hear of their end.
        drop(spans);
        self.logs().take();
        let shown = lock(&self.content).take();
        drop(shown);
        self.ledger().reset();
        lock(&self.refused).clear();
    }

    pub(crate) fn may_suspend(&self) -> bool {
        self.may_suspend.load(Ordering::Relaxed)
    }

    /// What was printed so far.
    pub(crate) fn log_entries(&self) -> Vec<LogEntry> {
        self.logs().entries().to_vec()
    }

    /// Takes over what a run printed that went on elsewhere.
    pub(crate) fn load_logs(&self, entries: Vec<LogEntry>) {
        self.logs().load(entries);
    }

    pub(crate) fn take_logs(&self) -> (Vec<LogEntry>, Option<Diagnostic>) {
        self.logs().take()
    }

    /// Takes in what code shows, and tells who watches.
    pub(crate) fn show(&self, item: ContentItem) -> Result<(), ToolError> {
        let told = self.hub.is_watched().then(|| item.clone());
        let index = lock(&self.content).put(item, &self.options)?;
        if let Some(item) = told {
            self.tell(|scene, hub| scene.showed(hub, index, item));
        }
        Ok(())
    }

    /// Tells the host what code wants it to know now.
    pub(crate) fn notify(&self, text: &str) -> Result<(), ToolError> {
        lock(&self.content).notice(text.len(), &self.options)?;
        if let Some(tell) = &self.options.on_notify {
            tell(text);
        }
        self.tell(|scene, hub| scene.notified(hub, text));
        Ok(())
    }

    /// What was shown so far.
    pub(crate) fn content(&self) -> Vec<ContentItem> {
        lock(&self.content).items().to_vec()
    }

    pub(crate) fn take_content(&self) -> Vec<ContentItem> {
        lock(&self.content).take()
    }

    /// Takes over what a run showed that went on elsewhere.
    pub(crate) fn load_content(&self, items: Vec<ContentItem>) {
        lock(&self.content).load(items, &self.options);
    }

    pub(crate) fn take_calls(&self) -> Vec<CallRecord> {
        self.ledger().take()
    }

    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        lock(&self.ledger)
    }

    pub(crate) fn sources(&self) -> Arc<Sources> {
        Arc::clone(&lock(&self.sources))
    }

    /// Remembers how to translate the places of a program.
    pub(crate) fn add_source(&self, name: &str, program: &Arc<PreparedProgram>) {
        let mut sources = lock(&self.sources);
        if sources.concerns(name, program) {
            Arc::make_mut(&mut sources).add(name, program);
        }
    }

    /// Takes over what another executor knows of its programs.
    pub(crate) fn inherit(&self, from: &Self) {
        *lock(&self.sources) = from.sources();
    }

    /// Whether this run tried to import `module` and may not.
    pub(crate) fn was_refused(&self, module: &str) -> bool {
        let hash = self.hasher.hash_one(module);
        lock(&self.refused).contains(&hash)
    }

    fn logs(&self) -> MutexGuard<'_, LogBuffer> {
        lock(&self.logs)
    }

    fn print(&self, line: &Line<'_>) {
        if !self.options.collect_console_levels.contains(&line.level) {
            return;
        }
        let Some(room) = self.logs().room() else {
            return;
        };
        // Cut before anything else is done with it: the code may print as much as it likes.
        let text = &line.text[..line.text.floor_char_boundary(room)];
        let is_cut = text.len() < line.text.len();
        // If the run is over, nobody reads it.
        let Ok(message) = self.sources().translate(text, line.watch()) else {
            return;
        };
        let on_log = self.options.on_log.as_ref();
        let is_watched = on_log.is_some() || self.hub.is_watched() || is_traced();
        let mut logs = self.logs();
        let entry = logs.push(line.level, &message, is_cut);
        let told = entry.filter(|_| is_watched).cloned();
        // Not behind the lock: whoever is told may do anything.
        drop(logs);
        let Some(entry) = told else { return };
        if let Some(tell) = on_log {
            tell(&entry);
        }
        self.tell(|scene, hub| scene.printed(hub, &entry));
    }

    /// Takes in what code has printed in another process.
    #[cfg(target_os = "linux")]
    pub(crate) fn printed_elsewhere(&self, entry: &LogEntry) {
        let mut logs = self.logs();
        let taken = logs.take_in(entry).cloned();
        drop(logs);
        let Some(entry) = taken else { return };
        if let Some(tell) = &self.options.on_log {
            tell(&entry);
        }
        self.tell(|scene, hub| scene.printed(hub, &entry));
    }

    fn import(&self, import: &Import<'_>, preparer: &Preparer) -> Result<Module, ToolError> {
        let options = &self.options;
        let name = import.name;
        let shown = shorten(name, MAX_NAME_BYTES);
        if !options.authorized_imports.iter().any(|known| known == name) {
            let mut refused = lock(&self.refused);
            if refused.len() >= MAX_REFUSED {
                refused.pop_front();
            }
            refused.push_back(self.hasher.hash_one(name));
            drop(refused);
            let message = if options.authorized_imports.is_empty() {
                format!("import of {shown:?} is not allowed: no module can be imported here")
            } else {
                format!(
                    "import of {shown:?} is not allowed: only these modules can be imported: {}",
                    options.authorized_imports.join(", ")
                )
            };
            return Err(ToolError::new("Error", message)
                .with("code", "ERR_IMPORT_NOT_ALLOWED")
                .with("module", name));
        }
        // What the preparer knows of a module is shared with it, and found out once.
        let known = preparer.options().modules.get(name);
        let known = known.ok_or_else(|| {
            ToolError::from(format!(
                "cannot find module {shown:?}: it is authorised, but the host registered none of that name"
            ))
        })?;
        match known.program(preparer.options(), import.watch()) {
            Ok(None) => Ok(Module::Defined),
            Ok(Some(Ok(program))) => {
                self.add_source(name, program);
                Ok(Module::Source(program.transformed.to_string()))
            }
            Ok(Some(Err(diagnostic))) => {
                let place = diagnostic.location.map(|place| {
                    let Location { line, column } = place;
                    format!(" (line {line}, column {column})")
                });
                let place = place.unwrap_or_default();
                let message = format!("the module {shown:?}: {}{place}", diagnostic.message);
                Err(ToolError::new("SyntaxError", message))
            }
            // The code does not get to see this: it ends where it stands.
            Err(stopped) => Err(ToolError::from(stopped.to_string())),
        }
    }
}

/// Whether anybody listens to `tracing` at all.
pub(crate) fn is_traced() -> bool {
    LevelFilter::current() != LevelFilter::OFF
}

/// Decides on code that is made at run time.
fn admit(preparer: &Preparer, source: &Source<'_>) -> Result<(), String> {
    let kind = match source.kind {
        SourceKind::DirectEval => DynamicKind::DirectEval,
        SourceKind::IndirectEval => DynamicKind::IndirectEval,
        SourceKind::Function => DynamicKind::Function,
        SourceKind::GeneratorFunction => DynamicKind::GeneratorFunction,
        SourceKind::AsyncFunction => DynamicKind::AsyncFunction,
        SourceKind::AsyncGeneratorFunction => DynamicKind::AsyncGeneratorFunction,
    };
    let parameters: Vec<_> = source
        .parameters
        .iter()
        .map(|text| text.to_str_lossy())
        .collect();
    let parameters = parameters.join(",");
    let body = source.body.to_str_lossy();
    match preparer.prepare_dynamic_watched(kind, Some(&parameters), &body, source.watch()) {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(diagnostic)) => Err(diagnostic.message),
        // The code does not get to see this: it ends where it stands.
        Err(stopped) => Err(stopped.to_string()),
    }
}

/// A panic while one of these locks is held leaves at worst a log line half written.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
