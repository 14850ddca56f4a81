//! The ids of the built-in rules.

/// The code is empty or only white space.
pub const CODE_NON_EMPTY: &str = "code_non_empty";
/// The code is larger than the limit.
pub const CODE_TOO_LARGE: &str = "code_too_large";
/// The code is nested too deeply, or too dense, to be parsed safely.
pub const CODE_TOO_DEEP: &str = "code_too_deep";
/// The code does not parse, or breaks an early rule of the language.
pub const SYNTAX_VALID: &str = "syntax_valid";
/// A dynamic import of a module that is not authorised.
pub const IMPORT_ALLOWED: &str = "import_allowed";
/// A static `import` or an `export`: code runs as a script.
pub const STATIC_IMPORT: &str = "static_import_in_script_mode";
/// An identifier that starts with `__smol_`.
pub const RESERVED_IDENTIFIER: &str = "reserved_identifier";
/// A top-level declaration of, or an assignment to, the name of a tool.
pub const TOOL_SHADOWED: &str = "tool_shadowed";
/// A global of Node, Deno, Bun or a browser that does not exist here.
pub const FORBIDDEN_GLOBAL: &str = "forbidden_global_access";
/// The promise of an asynchronous tool, or of an async function, is used as if it were the result.
pub const FLOATING_PROMISE: &str = "floating_promise";
/// A function that is given to `map`, `filter` and the like returns nothing.
pub const CALLBACK_RETURNS_NOTHING: &str = "callback_returns_nothing";
/// A locale that a cell does not have, so that `en-US` takes its place.
pub const LOCALE_AVAILABLE: &str = "locale_available";
/// A call of a tool with arguments that it does not take.
pub const TOOL_ARGUMENTS: &str = "tool_arguments";
/// A name that nothing defines.
pub const UNKNOWN_NAME: &str = "unknown_name";
/// The whole code is a function that nobody calls.
pub const FUNCTION_NOT_CALLED: &str = "function_not_called";
/// `maxOperations` is not a whole number of at least 1.
pub const MAX_OPERATIONS_VALID: &str = "max_operations_valid";
/// `timeoutMs` is not a number of at least 1.
pub const TIMEOUT_VALID: &str = "timeout_valid";
/// `runConcurrency` is neither `reject` nor `queue`.
pub const RUN_CONCURRENCY_VALID: &str = "run_concurrency_valid";
/// `maxQueuedRuns` is not a whole number of at least 0.
pub const MAX_QUEUED_RUNS_VALID: &str = "max_queued_runs_valid";
/// An authorised import is an empty string.
pub const AUTHORIZED_IMPORTS_VALID: &str = "authorized_imports_valid";
/// `maxLogBytes` is not a whole number of at least 1024.
pub const MAX_LOG_BYTES_VALID: &str = "max_log_bytes_valid";
/// `collectConsoleLevels` names a level that does not exist.
pub const CONSOLE_LEVELS_VALID: &str = "console_levels_valid";
/// `maxLogBytes` is valid, and smaller than recommended.
pub const LOG_BUDGET_TOO_SMALL: &str = "log_budget_too_small";
/// A call with type arguments in code that is valid JavaScript, where it means two comparisons.
pub const AMBIGUOUS_TYPE_ARGUMENTS: &str = "ambiguous_type_arguments";
