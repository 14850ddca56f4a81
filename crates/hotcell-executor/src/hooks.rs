//! What a cell reaches of its executor while it runs: console, evaluators, imports, and the record of its calls.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hotcell_cell::{CellOptions, Level, Source, SourceKind, ToolError};
use hotcell_prepare::{DynamicKind, Preparer};

use crate::{
    ledger::{CallRecord, Ledger},
    log::{LogBuffer, LogEntry},
    options::ExecutorOptions,
    sources::Sources,
};

/// Shared by an executor and the functions that its cell calls.
pub(crate) struct Hooks {
    pub(crate) options: Arc<ExecutorOptions>,
    logs: Mutex<LogBuffer>,
    ledger: Mutex<Ledger>,
    sources: Mutex<Sources>,
    /// Imports that were refused in this run.
    refused: Mutex<Vec<String>>,
}

impl Hooks {
    pub(crate) fn new(options: Arc<ExecutorOptions>) -> Arc<Self> {
        Arc::new(Self {
            options,
            logs: Mutex::default(),
            ledger: Mutex::default(),
            sources: Mutex::default(),
            refused: Mutex::default(),
        })
    }

    /// What a cell is made with so that it uses these.
    pub(crate) fn cell_options(self: &Arc<Self>, preparer: &Preparer) -> CellOptions {
        let (console, importer, preparer) = (Arc::clone(self), Arc::clone(self), preparer.clone());
        self.options
            .to_cell()
            .on_console(move |line| console.print(line.level, line.text))
            .on_source(move |source| admit(&preparer, source))
            .on_import(move |import| importer.import(import.name))
    }

    /// A new run begins.
    pub(crate) fn reset(&self) {
        self.logs().take();
        self.ledger().reset();
        lock(&self.refused).clear();
    }

    pub(crate) fn take_logs(&self) -> Vec<LogEntry> {
        self.logs().take()
    }

    pub(crate) fn take_calls(&self) -> Vec<CallRecord> {
        self.ledger().take()
    }

    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        lock(&self.ledger)
    }

    pub(crate) fn sources(&self) -> MutexGuard<'_, Sources> {
        lock(&self.sources)
    }

    /// Whether this run tried to import `module` and may not.
    pub(crate) fn was_refused(&self, module: &str) -> bool {
        lock(&self.refused).iter().any(|name| name == module)
    }

    fn logs(&self) -> MutexGuard<'_, LogBuffer> {
        lock(&self.logs)
    }

    fn print(&self, level: Level, message: &str) {
        if !self.options.collect_console_levels.contains(&level) {
            return;
        }
        let message = self.sources().translate(message).into_owned();
        let on_log = self.options.on_log.as_ref();
        let mut logs = self.logs();
        let entry = logs.push(level, &message, self.options.max_log_bytes);
        let told = entry.zip(on_log).map(|(entry, tell)| (entry.clone(), tell));
        // Not behind the lock: whoever is told may do anything.
        drop(logs);
        if let Some((entry, tell)) = told {
            tell(&entry);
        }
    }

    fn import(&self, name: &str) -> Result<String, ToolError> {
        let options = &self.options;
        if !options.authorized_imports.iter().any(|known| known == name) {
            lock(&self.refused).push(name.to_owned());
            let message = if options.authorized_imports.is_empty() {
                format!("import of {name:?} is not allowed: no module can be imported here")
            } else {
                format!(
                    "import of {name:?} is not allowed: only these modules can be imported: {}",
                    options.authorized_imports.join(", ")
                )
            };
            return Err(ToolError::new("Error", message)
                .with("code", "ERR_IMPORT_NOT_ALLOWED")
                .with("module", name));
        }
        let source = options.modules.get(name).cloned();
        source.ok_or_else(|| {
            ToolError::from(format!(
                "cannot find module {name:?}: it is authorised, but the host registered no source for it"
            ))
        })
    }
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
    preparer
        .prepare_dynamic(kind, Some(&parameters), &source.body.to_str_lossy())
        .map(|_| ())
        .map_err(|diagnostic| diagnostic.message)
}

/// A panic while one of these locks is held leaves at worst a log line half written.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
