//! `cargo xtask test`: every check, the cheapest first.

use anyhow::Result;

use crate::{
    command::{cargo, cargo_has, cargo_with, node_packages, node_tests},
    demo, deny, image, layers, twice,
};

pub(crate) fn run(filter: Option<&str>) -> Result<()> {
    if filter.is_some() {
        step("image", || image::build(&image::Options::default()))?;
        return step("tests", || tests(filter));
    }
    step("format", || cargo(["fmt", "--all", "--check"]))?;
    step("dependencies", dependencies)?;
    step("image", || image::build(&image::Options::default()))?;
    // The fuzz targets are among them.
    step("lints", || {
        let what = ["clippy", "--release", "--workspace", "--all-targets"];
        cargo(what.into_iter().chain(["--", "--deny", "warnings"]))
    })?;
    step("build", demo::build)?;
    step("tests", || tests(None))?;
    step("tests of the Node package", || {
        node_packages("bindings/node")?;
        node_tests("bindings/node")
    })?;
    step("examples in the documentation", || {
        cargo(["test", "--release", "--doc"])
    })?;
    step("documentation", || {
        let what = ["doc", "--release", "--no-deps"];
        cargo_with(&[("RUSTDOCFLAGS", "--deny warnings")], what)
    })
}

/// What is built in, how often, and what uses what.
pub(crate) fn dependencies() -> Result<()> {
    deny::check()?;
    layers::check()?;
    twice::check()
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
