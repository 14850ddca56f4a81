//! `cargo xtask demo`: builds everything, and shows each front door at work.

use anyhow::Result;

use crate::{
    command::{cargo, node, program},
    image,
};

pub(crate) fn run() -> Result<()> {
    image::build(&image::Options::default())?;
    build()?;
    cargo([
        "run",
        "--release",
        "--quiet",
        "--package",
        "hotcell",
        "--example",
        "demo",
    ])?;
    eprintln!("\n── The command: hotcell eval '[1, 2, 3].map((n: number) => n * 2)'");
    program("hotcell", ["eval", "[1, 2, 3].map((n: number) => n * 2)"])?;
    eprintln!("\n── The Node package: node bindings/node/demo.mjs");
    node("bindings/node/demo.mjs", [])
}

/// Builds what users get: libraries, the command, the Node package. All at once, so that nothing is built twice.
pub(crate) fn build() -> Result<()> {
    cargo(["build", "--release"])?;
    node("bindings/node/build.mjs", ["--copy"])
}
