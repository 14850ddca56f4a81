//! `cargo xtask test`: every check, the cheapest first.

use anyhow::Result;

use crate::{
    command::{cargo, cargo_has, node_packages, node_tests},
    demo, image,
};

pub(crate) fn run(filter: Option<&str>) -> Result<()> {
    image::build(&image::Options::default())?;
    if filter.is_none() {
        step("format", || cargo(["fmt", "--all", "--check"]))?;
    }
    step("build", demo::build)?;
    step("tests", || tests(filter))?;
    if filter.is_none() {
        step("tests of the Node package", || {
            node_packages("bindings/node")?;
            node_tests("bindings/node")
        })?;
        step("examples in the documentation", || {
            cargo(["test", "--release", "--doc", "--quiet"])
        })?;
        step("lints", || {
            cargo([
                "clippy",
                "--release",
                "--workspace",
                "--all-targets",
                "--quiet",
                "--",
                "--deny",
                "warnings",
            ])
        })?;
    }
    Ok(())
}

/// nextest gives each test its own process; without it cargo's own runner does.
fn tests(filter: Option<&str>) -> Result<()> {
    if cargo_has("nextest") {
        let runner = [
            "nextest",
            "run",
            "--release",
            "--no-fail-fast",
            "--status-level",
            "slow",
        ];
        cargo(runner.into_iter().chain(filter))
    } else {
        let runner = [
            "test",
            "--release",
            "--no-fail-fast",
            "--lib",
            "--bins",
            "--tests",
        ];
        cargo(runner.into_iter().chain(filter))
    }
}

fn step(name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    let began = std::time::Instant::now();
    eprintln!("── {name}");
    work()?;
    eprintln!("── {name}: done in {:.0} s", began.elapsed().as_secs_f64());
    Ok(())
}
