//! Sandboxes for tests, behind the boundary that the test program is about.

use std::time::Duration;

use hotcell_sandbox::{Command, RunResult, Sandbox, SandboxOptions};

/// Long enough for everything that ends by itself, on a machine with much to do.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// What every sandbox of these tests begins with.
pub(crate) fn options() -> SandboxOptions {
    SandboxOptions::default().isolation(crate::ISOLATION)
}

pub(crate) fn sandbox() -> Sandbox {
    with(options())
}

pub(crate) fn with(options: SandboxOptions) -> Sandbox {
    Sandbox::create(options).unwrap()
}

pub(crate) fn run(sandbox: &Sandbox, command: impl Into<Command>) -> RunResult {
    pollster::block_on(sandbox.run(command)).unwrap()
}

/// What a command prints that succeeds.
#[track_caller]
pub(crate) fn text(sandbox: &Sandbox, command: &str) -> String {
    let result = run(sandbox, Command::new(command).timeout(PATIENCE));
    assert_eq!(
        (result.exit_code, result.error_class),
        (0, None),
        "{command}: {:?} {}",
        result.error,
        result.stderr_text()
    );
    result.stdout_text().into_owned()
}
