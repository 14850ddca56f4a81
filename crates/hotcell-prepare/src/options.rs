//! What a program is checked against.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::extend::{Rule, Transform};
use crate::module::KnownModule;
use crate::rules::TIMER_GLOBALS;
use crate::signature::Signature;

/// The options of an executor as far as validation looks at them.
///
/// Numbers that a host may get wrong arrive as they were given (`f64`, `String`): a bad value is a diagnostic of
/// the run, under a rule of its own, not a failure to build the options.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PrepareOptions {
    /// Loop iterations a run may make; a whole number of at least 1.
    pub max_operations: f64,
    /// Milliseconds a run may take; at least 1.
    pub timeout_ms: f64,
    /// `reject` or `queue`.
    pub run_concurrency: String,
    /// How many runs may wait in `queue` mode; a whole number of at least 0.
    pub max_queued_runs: f64,
    /// Bytes of logs a run may keep; a whole number of at least 1024.
    pub max_log_bytes: f64,
    /// Which of `log`, `info`, `warn` and `error` are collected.
    pub collect_console_levels: Vec<String>,
    /// Module names that `import()` may load; matched exactly.
    pub authorized_imports: Vec<String>,
    /// The modules that are there, by name. Code can import those that are authorised, also by an `import` declaration.
    pub modules: BTreeMap<String, KnownModule>,
    /// Whether code that is nothing but a function is called.
    pub call_function: bool,
    /// Whether `setTimeout` and its like are there.
    pub timers: bool,
    /// Names of the tools. `final_answer` counts as one even if it is not listed.
    pub tools: BTreeSet<String>,
    /// Those of the tools that return promises.
    pub async_tools: BTreeSet<String>,
    /// Those of the tools whose names code may declare.
    pub shadowable_tools: BTreeSet<String>,
    /// What is known of the parameters of tools. Calls whose text shows that they do not fit are warned of.
    pub signatures: BTreeMap<String, Signature>,
    /// Further names that exist at the top level: variables sent by the host, declarations of earlier runs.
    pub globals: BTreeSet<String>,
    /// The largest code that is looked at, in bytes.
    pub max_code_bytes: usize,
    /// How deeply brackets may be nested.
    pub max_nesting: u32,
    /// Rules of the host, run after the built-in ones on code that parses.
    pub rules: Vec<Arc<dyn Rule>>,
    /// Transforms of the host, run in this order on code without errors.
    pub transforms: Vec<Arc<dyn Transform>>,
}

impl Default for PrepareOptions {
    fn default() -> Self {
        Self {
            max_operations: 50_000.0,
            timeout_ms: 10_000.0,
            run_concurrency: "reject".into(),
            max_queued_runs: 0.0,
            max_log_bytes: RECOMMENDED_LOG_BYTES,
            collect_console_levels: CONSOLE_LEVELS.map(String::from).to_vec(),
            authorized_imports: Vec::new(),
            modules: BTreeMap::new(),
            call_function: false,
            timers: false,
            tools: BTreeSet::new(),
            async_tools: BTreeSet::new(),
            shadowable_tools: BTreeSet::new(),
            signatures: BTreeMap::new(),
            globals: BTreeSet::new(),
            max_code_bytes: 1 << 20,
            max_nesting: 500,
            rules: Vec::new(),
            transforms: Vec::new(),
        }
    }
}

/// The default log budget; a smaller one is worth a remark.
pub(crate) const RECOMMENDED_LOG_BYTES: f64 = 262_144.0;

pub(crate) const CONSOLE_LEVELS: [&str; 4] = ["log", "info", "warn", "error"];

impl PrepareOptions {
    pub(crate) fn is_tool(&self, name: &str) -> bool {
        name == "final_answer" || self.tools.contains(name) || self.async_tools.contains(name)
    }

    /// Whether code must not declare this name.
    pub(crate) fn is_fixed_tool(&self, name: &str) -> bool {
        self.is_tool(name) && !self.shadowable_tools.contains(name)
    }

    pub(crate) fn is_known_global(&self, name: &str) -> bool {
        let is_timer = self.timers && TIMER_GLOBALS.contains(&name);
        is_timer || self.is_tool(name) || self.globals.contains(name)
    }

    /// The module of that name, if it is there and code may import it.
    pub(crate) fn importable(&self, module: &str) -> Option<&KnownModule> {
        self.modules
            .get(module)
            .filter(|_| self.is_import_authorized(module))
    }

    pub(crate) fn is_import_authorized(&self, module: &str) -> bool {
        self.authorized_imports.iter().any(|name| name == module)
    }

    /// Feeds everything that decides the outcome of a preparation, extensions excepted: they are code.
    pub(crate) fn hash_data(&self, state: &mut impl Hasher) {
        for number in [
            self.max_operations,
            self.timeout_ms,
            self.max_queued_runs,
            self.max_log_bytes,
        ] {
            number.to_bits().hash(state);
        }
        self.run_concurrency.hash(state);
        self.collect_console_levels.hash(state);
        self.authorized_imports.hash(state);
        self.modules.hash(state);
        self.call_function.hash(state);
        self.timers.hash(state);
        self.tools.hash(state);
        self.async_tools.hash(state);
        self.shadowable_tools.hash(state);
        self.signatures.hash(state);
        self.globals.hash(state);
        self.max_code_bytes.hash(state);
        self.max_nesting.hash(state);
    }
}
