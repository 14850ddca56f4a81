//! Running other programs.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn cargo_command<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Runs cargo and shows what it says.
pub(crate) fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Result<()> {
    run(&mut cargo_command(arguments))
}

/// Runs cargo and returns what it prints.
pub(crate) fn cargo_output<S: AsRef<OsStr>>(
    arguments: impl IntoIterator<Item = S>,
) -> Result<String> {
    let mut command = cargo_command(arguments);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("failed to run {command:?}"))?;
    ensure!(
        output.status.success(),
        "{command:?} failed ({})",
        output.status
    );
    Ok(String::from_utf8(output.stdout)?)
}

/// Whether cargo has this subcommand.
pub(crate) fn cargo_has(subcommand: &str) -> bool {
    cargo_command([subcommand, "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("failed to run {command:?}"))?;
    ensure!(status.success(), "{command:?} failed ({status})");
    Ok(())
}
