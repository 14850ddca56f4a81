//! The other side: processes of the machine.

use std::process::{Command, Stdio};

/// What it is, version included.
pub(crate) fn name() -> String {
    let output = Command::new("bash").arg("--version").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().next().unwrap_or("bash").to_owned()
}

/// Runs a program to its end.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{program} {arguments:?}");
    output.stdout
}

/// Whether there is such a program.
pub(crate) fn has(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null());
    command.output().is_ok_and(|output| output.status.success())
}
