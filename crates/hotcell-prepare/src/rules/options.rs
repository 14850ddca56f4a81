//! Options that no run can work with.

use crate::diagnostic::{Diagnostic, Severity};
use crate::options::{CONSOLE_LEVELS, PrepareOptions, RECOMMENDED_LOG_BYTES};
use crate::rule;

/// The largest whole number that a JavaScript host can mean exactly.
const LARGEST: f64 = 9_007_199_254_740_991.0;

pub(crate) fn check(options: &PrepareOptions) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut refuse = |rule: &'static str, message: String, fix: &str| {
        found.push(Diagnostic::error(rule, message).with_fix(fix));
    };

    if !is_whole(options.max_operations, 1.0) {
        let value = options.max_operations;
        let message =
            format!("`maxOperations` is {value}, it must be a whole number of at least 1");
        refuse(
            rule::MAX_OPERATIONS_VALID,
            message,
            "leave it out for 50000",
        );
    }
    if !(options.timeout_ms >= 1.0 && options.timeout_ms <= LARGEST) {
        let value = options.timeout_ms;
        let message = format!("`timeoutMs` is {value}, it must be a number of at least 1");
        refuse(rule::TIMEOUT_VALID, message, "leave it out for 10000");
    }
    if !matches!(options.run_concurrency.as_str(), "reject" | "queue") {
        let value = &options.run_concurrency;
        let message = format!("`runConcurrency` is {value:?}, it must be \"reject\" or \"queue\"");
        refuse(
            rule::RUN_CONCURRENCY_VALID,
            message,
            "leave it out for \"reject\"",
        );
    }
    if !is_whole(options.max_queued_runs, 0.0) {
        let value = options.max_queued_runs;
        let message =
            format!("`maxQueuedRuns` is {value}, it must be a whole number of at least 0");
        refuse(rule::MAX_QUEUED_RUNS_VALID, message, "leave it out for 0");
    }
    if options
        .authorized_imports
        .iter()
        .any(|name| name.trim().is_empty())
    {
        let message = "`authorizedImports` contains an empty name".into();
        refuse(
            rule::AUTHORIZED_IMPORTS_VALID,
            message,
            "remove the empty name",
        );
    }
    for level in &options.collect_console_levels {
        if !CONSOLE_LEVELS.contains(&level.as_str()) {
            let message = format!(
                "`collectConsoleLevels` contains {level:?}, it may contain log, info, warn and error"
            );
            refuse(
                rule::CONSOLE_LEVELS_VALID,
                message,
                "leave it out for all four",
            );
        }
    }
    if !is_whole(options.max_log_bytes, 1024.0) {
        let value = options.max_log_bytes;
        let message =
            format!("`maxLogBytes` is {value}, it must be a whole number of at least 1024");
        refuse(
            rule::MAX_LOG_BYTES_VALID,
            message,
            "leave it out for 262144",
        );
    } else if options.max_log_bytes < RECOMMENDED_LOG_BYTES {
        let value = options.max_log_bytes;
        let message = format!(
            "`maxLogBytes` is {value}, less than the recommended {RECOMMENDED_LOG_BYTES}: logs may be truncated early"
        );
        found.push(Diagnostic::new(
            rule::LOG_BUDGET_TOO_SMALL,
            Severity::Info,
            message,
        ));
    }
    found
}

fn is_whole(value: f64, least: f64) -> bool {
    value >= least && value <= LARGEST && value.fract() == 0.0
}
