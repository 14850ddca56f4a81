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

/// Runs cargo with these variables and shows what it says.
pub(crate) fn cargo_with<S: AsRef<OsStr>>(
    variables: &[(&str, &str)],
    arguments: impl IntoIterator<Item = S>,
) -> Result<()> {
    run(cargo_command(arguments).envs(variables.iter().copied()))
}

/// Runs cargo and returns what it prints.
pub(crate) fn cargo_output<S: AsRef<OsStr>>(
    arguments: impl IntoIterator<Item = S>,
) -> Result<String> {
    output(&mut cargo_command(arguments))
}

/// Runs cargo with these variables and returns what it prints.
pub(crate) fn cargo_output_with<S: AsRef<OsStr>>(
    variables: &[(&str, &str)],
    arguments: impl IntoIterator<Item = S>,
) -> Result<String> {
    output(cargo_command(arguments).envs(variables.iter().copied()))
}

/// Installs packages of Python into a folder of their own.
pub(crate) fn python_packages(requirements: &str, folder: &Path) -> Result<()> {
    run(Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--upgrade", "--target"])
        .arg(folder)
        .args(["--requirement", requirements])
        .current_dir(root()))
}

/// Runs a program that cargo built, and shows what it says.
pub(crate) fn program<const N: usize>(name: &str, arguments: [&str; N]) -> Result<()> {
    let file = root().join("target/release").join(name);
    run(Command::new(file).args(arguments))
}

/// Runs a program that cargo built and returns what it prints.
pub(crate) fn program_output(name: &str) -> Result<String> {
    output(&mut Command::new(root().join("target/release").join(name)))
}

/// Runs a script of ours with Node and shows what it says.
pub(crate) fn node<const N: usize>(script: &str, arguments: [&str; N]) -> Result<()> {
    run(Command::new("node")
        .arg(script)
        .args(arguments)
        .current_dir(root()))
}

/// Runs the tests of the package in `folder`.
pub(crate) fn node_tests(folder: &str) -> Result<()> {
    run(Command::new("npm")
        .arg("test")
        .current_dir(root().join(folder)))
}

/// Installs what the `package.json` in `folder` asks for.
pub(crate) fn node_packages(folder: &str) -> Result<()> {
    // Not `npm ci`: it wants every platform of every optional package, and not all registries keep them.
    run(Command::new("npm")
        .args([
            "install",
            "--no-save",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ])
        .current_dir(root().join(folder)))
}

/// Runs a script of ours with Node and returns what it prints.
pub(crate) fn node_output<S: AsRef<OsStr>>(
    script: &str,
    arguments: impl IntoIterator<Item = S>,
) -> Result<String> {
    output(
        Command::new("node")
            .arg(script)
            .args(arguments)
            .current_dir(root()),
    )
}

fn output(command: &mut Command) -> Result<String> {
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
