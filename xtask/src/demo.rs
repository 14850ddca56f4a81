//! `cargo xtask demo`: builds everything, and shows each front door at work.

use anyhow::Result;

use crate::{
    command::{cargo, node, program},
    image,
};

pub(crate) fn run() -> Result<()> {
    eprintln!("── 1 of 3: the image that every cell starts from");
    image::build(&image::Options::default())?;
    eprintln!("── 2 of 3: libraries, command, Node package");
    build()?;
    eprintln!("── 3 of 3: the demo");
    // No `--package`: it would be built with features of its own, and Cranelift with it.
    cargo(["run", "--release", "--example", "demo"])?;
    eprintln!("\n── The command: hotcell eval '[1, 2, 3].map((n: number) => n * 2)'");
    program("hotcell", ["eval", "[1, 2, 3].map((n: number) => n * 2)"])?;
    eprintln!("\n── The Node package: node bindings/node/demo.mjs");
    node("bindings/node/demo.mjs", [])
}

/// Builds what users get: libraries, the command, the Node package. All at once, so that nothing is built twice.
pub(crate) fn build() -> Result<()> {
    // Not the tool that runs just now.
    cargo([
        "build",
        "--release",
        "--lib",
        "--bin",
        "hotcell",
        "--bin",
        "hotcell-worker",
    ])?;
    node("bindings/node/build.mjs", ["--copy"])
}
