//! What Node is told of commands, and of what a sandbox did not do.

use hotcell::sandbox::{Denial, RunResult, SandboxError};
use serde_json::{Value as Json, json};

use crate::outcome::Outcome;

/// What came of a command.
pub(super) fn ran(result: RunResult) -> Outcome {
    let mut told = json!({
        "exitCode": result.exit_code,
        "durationMs": result.duration.as_secs_f64() * 1000.0,
        "cpuMs": result.cpu.as_secs_f64() * 1000.0,
        "peakMemoryBytes": result.peak_memory,
        "truncated": { "stdout": result.truncated.stdout, "stderr": result.truncated.stderr },
        "limits": result.limits.iter().map(|limit| limit.name()).collect::<Vec<_>>(),
        "denials": result.denials.iter().map(denial).collect::<Vec<_>>(),
    });
    if let Some(class) = result.error_class {
        told["errorClass"] = class.name().into();
    }
    if let Some(error) = result.error {
        told["error"] = error.into();
    }
    Outcome::Ran(told.to_string(), result.stdout, result.stderr)
}

fn denial(denial: &Denial) -> Json {
    json!({
        "capability": denial.capability.name(),
        "subject": denial.subject,
        "reason": denial.reason,
    })
}

/// Why a sandbox did not do it.
pub(super) fn refused(error: &SandboxError) -> Outcome {
    let mut told = json!({ "code": error.code(), "message": error.to_string() });
    if let SandboxError::File(error) = error {
        told["path"] = error.path().to_string().into();
    }
    Outcome::Refused(told.to_string())
}
