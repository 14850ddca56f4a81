//! Failures and findings, for a person.

use std::error::Error;
use std::fmt::Write as _;

use hotcell::inspect::visible;
use hotcell::prepare::{Diagnostic, Location, Severity, code_frame};
use hotcell::{ErrorCode, ExecutorError};

use crate::exit::CliError;
use crate::paint::{Ink, Paint};
use crate::print;

/// Shows why the command could not do its work.
pub(crate) fn failure(error: &CliError) {
    let paint = Paint::stderr();
    let mut text = format!("{} {error}", paint.ink(Ink::Red, "error:"));
    let mut source = error.source();
    while let Some(error) = source {
        let _ = write!(text, ": {error}");
        source = error.source();
    }
    print::error_line(text);
}

/// The same for a program: one object, as those of runs are.
pub(crate) fn failure_as_json(error: &CliError) {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let _ = write!(message, ": {error}");
        source = error.source();
    }
    print::line(serde_json::json!({
        "version": 1,
        "ok": false,
        "exitCode": crate::exit::Exit::Usage.code(),
        "error": { "code": "ERR_USAGE", "severity": "ERROR", "message": message, "retryable": false },
    }));
}

/// Shows why a run failed, and where in its code.
pub(crate) fn run_failure(error: &ExecutorError, name: &str, code: &str) {
    let paint = Paint::stderr();
    let mut text = format!(
        "{} {}",
        paint.ink(Ink::Red, format_args!("error[{}]:", error.code)),
        print::for_stderr(headline(error))
    );
    let findings = error.diagnostics();
    let is_refused = findings.iter().any(|one| one["severity"] == "ERROR");
    if !is_refused {
        if let Some(location) = error.location {
            text.push_str(&place(name, code, location, paint));
        }
        if let Some(hint) = error.hint() {
            let hint = print::for_stderr(hint);
            let _ = write!(text, "\n{} {hint}", paint.ink(Ink::Cyan, "hint:"));
        }
    }
    for finding in findings {
        // What the hint has said already is not said again.
        let fix = finding["fix"].as_str();
        if !is_refused
            && fix
                .zip(error.hint())
                .is_some_and(|(fix, hint)| hint.contains(fix))
        {
            continue;
        }
        let text_of = |key: &str| {
            finding
                .get(key)
                .and_then(|value| value.as_str())
                .unwrap_or_default()
        };
        let number = |key: &str| {
            let number = finding.get("location")?.get(key)?.as_u64()?;
            u32::try_from(number).ok()
        };
        let location = number("line").zip(number("column"));
        text.push('\n');
        text.push_str(&one_finding(
            text_of("severity"),
            text_of("rule"),
            text_of("message"),
            location.map(|(line, column)| Location { line, column }),
            Some(text_of("fix")).filter(|fix| !fix.is_empty()),
            name,
            code,
            paint,
        ));
    }
    print::error_line(text);
}

/// The message without what follows it anyway: the findings of a rule, the hint.
fn headline(error: &ExecutorError) -> &str {
    let message = &*error.message;
    if error.code == ErrorCode::ValidationFailed && error.location.is_some() {
        return "Code validation failed";
    }
    let hint = error.hint().and_then(|hint| message.strip_suffix(hint));
    hint.and_then(|rest| rest.strip_suffix("; hint: "))
        .unwrap_or(message)
}

/// Shows what a rule found.
pub(crate) fn finding(diagnostic: &Diagnostic, name: &str, code: &str, paint: Paint) -> String {
    one_finding(
        &diagnostic.severity.to_string(),
        &diagnostic.rule,
        &diagnostic.message,
        diagnostic.location,
        diagnostic.fix.as_deref(),
        name,
        code,
        paint,
    )
}

#[expect(
    clippy::too_many_arguments,
    reason = "the parts of a finding, which come as a struct or as JSON"
)]
fn one_finding(
    severity: &str,
    rule: &str,
    message: &str,
    location: Option<Location>,
    fix: Option<&str>,
    name: &str,
    code: &str,
    paint: Paint,
) -> String {
    let ink = match severity {
        "ERROR" => Ink::Red,
        "WARNING" => Ink::Yellow,
        _ => Ink::Cyan,
    };
    let severity = severity.to_lowercase();
    let message = visible(message);
    let mut text = format!(
        "{} {message}",
        paint.ink(ink, format_args!("{severity}[{rule}]:"))
    );
    if let Some(location) = location {
        text.push_str(&place(name, code, location, paint));
    }
    if let Some(fix) = fix {
        let fix = visible(fix);
        let _ = write!(text, "\n{} {fix}", paint.ink(Ink::Cyan, "hint:"));
    }
    text
}

fn place(name: &str, code: &str, location: Location, paint: Paint) -> String {
    let arrow = paint.ink(Ink::Dim, "-->");
    let Location { line, column } = location;
    format!(
        "\n  {arrow} {name}:{line}:{column}\n{}",
        visible(&code_frame(code, location))
    )
}

/// How many findings there are of each kind: `2 errors, 1 warning`.
pub(crate) fn summary(diagnostics: &[Diagnostic]) -> String {
    let count = |severity| {
        diagnostics
            .iter()
            .filter(|one| one.severity == severity)
            .count()
    };
    [
        (count(Severity::Error), "error"),
        (count(Severity::Warning), "warning"),
        (count(Severity::Info), "remark"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}{}", if count == 1 { "" } else { "s" }))
    .collect::<Vec<_>>()
    .join(", ")
}
