//! `cargo xtask bench`.

use std::{fmt::Write, fs};

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::Value;

use crate::{
    command::{
        cargo, cargo_output_with, node_output, node_packages, program_output, python_packages, root,
    },
    demo, image,
};

#[derive(Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Cells, beside plain native QuickJS.
    Cell(Output),
    /// The executor, beside the same contract on Node with SES.
    Executor(Output),
    /// Guests of the exec capability, beside processes of the machine.
    Exec(Output),
    /// Files in memory and the file tools, beside ripgrep.
    Vfs(Output),
    /// The shell and its utilities, beside bash with the GNU tools and other shells without an operating system.
    Shell(Output),
    /// Sandboxes, beside processes of bash and other shells without an operating system.
    Sandbox(Output),
    /// Worker processes, beside threads.
    Worker(Output),
    /// Runs that wait for their host, and events, beside pydantic-monty.
    Runs(Output),
    /// hotcell, beside what one would use instead.
    Peers {
        /// Print the figures as JSON instead of writing them to bench/RESULTS.md, bench/peers.svg and the README.
        #[arg(long)]
        json: bool,
        /// One short round, printed instead of written: whether everything runs.
        #[arg(long)]
        quick: bool,
    },
}

#[derive(Args, Clone, Copy)]
struct Output {
    /// Print the figures as JSON instead of writing them to bench/RESULTS.md.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    match options.what {
        What::Cell(output) => {
            image::build(&image::Options::default())?;
            measure("cell", output)
        }
        What::Executor(output) => {
            image::build(&image::Options::default())?;
            node_packages("bench/peers")?;
            measure("executor", output)
        }
        What::Shell(output) => {
            other_shells()?;
            measure("shell", output)
        }
        What::Sandbox(output) => {
            image::build(&image::Options::default())?;
            other_shells()?;
            measure("sandbox", output)
        }
        What::Worker(output) => {
            image::build(&image::Options::default())?;
            measure("worker", output)
        }
        What::Vfs(output) => measure("vfs", output),
        What::Runs(output) => {
            image::build(&image::Options::default())?;
            runs(output)
        }
        What::Exec(output) => measure("exec", output),
        What::Peers { json, quick } => {
            image::build(&image::Options::default())?;
            peers(json, quick)
        }
    }
}

/// Shells without an operating system that others wrote.
fn other_shells() -> Result<()> {
    node_packages("bench/shell/peers")?;
    cargo([
        "build",
        "--release",
        "--manifest-path",
        "bench/shell/peers/bashkit/Cargo.toml",
        "--target-dir",
        "target/peers",
    ])
}

/// Runs the benchmark of this name, and writes the section of this name.
fn measure(name: &str, output: Output) -> Result<()> {
    let program = format!("bench-{name}");
    // Not `--package`: it would be built with features of its own, and Cranelift with it.
    cargo(["build", "--release", "--workspace", "--bin", &program])?;
    let report = program_output(&program)?;
    if output.json {
        println!("{report}");
        return Ok(());
    }
    write_section(
        "bench/RESULTS.md",
        name,
        &table(&serde_json::from_str(&report)?)?,
    )
}

/// Measured with what is built by default, so that nothing is built for it alone. Beside it pydantic-monty, out of a folder of its own.
fn runs(output: Output) -> Result<()> {
    let folder = root().canonicalize()?.join("target/peers/monty");
    python_packages("bench/peers/requirements.txt", &folder)?;
    let folder = folder.display();
    let monty = format!(
        "PYTHONPATH='{folder}' MONTY_BIN='{folder}/bin/monty' python3 '{}'",
        root().canonicalize()?.join("bench/runs/monty.py").display()
    );
    let arguments = ["bench", "--quiet", "--bench", "runs"];
    let report = cargo_output_with(&[("HOTCELL_MONTY", &monty)], arguments)?;
    if output.json {
        println!("{report}");
        return Ok(());
    }
    write_section(
        "bench/RESULTS.md",
        "runs",
        &table(&serde_json::from_str(&report)?)?,
    )
}

fn peers(json: bool, quick: bool) -> Result<()> {
    demo::build()?;
    // On its own: together they would share the features of their dependencies.
    cargo(["build", "--release", "--package", "bench-peers"])?;
    let mut arguments = Vec::new();
    arguments.extend(json.then_some("--json"));
    arguments.extend(quick.then_some("--quick"));
    if json || quick {
        print!("{}", node_output("bench/peers/main.mjs", arguments)?);
        return Ok(());
    }
    arguments.extend(["--chart", "bench/peers.svg"]);
    let section = node_output("bench/peers/main.mjs", arguments)?;
    write_section("bench/RESULTS.md", "peers", section.trim_end())?;
    let summary = node_output("bench/peers/main.mjs", ["--summary"])?;
    write_section("README.md", "peers", summary.trim_end())
}

fn table(report: &Value) -> Result<String> {
    let empty = Vec::new();
    let list = |value: &Value| value.as_array().unwrap_or(&empty).clone();
    let peers = list(&report["peers"]);
    let cells = |cells: Vec<String>| match cells.as_slice() {
        [] => String::new(),
        cells => format!(" {} |", cells.join(" | ")),
    };
    let names = cells(
        peers
            .iter()
            .map(|name| name.as_str().unwrap_or_default().to_owned())
            .collect(),
    );
    let mut table = format!(
        "Machine: {}.\n\n| | hotcell | {} | ratio | bar |{names}\n|---|---:|---:|---:|---:|{}\n",
        report["machine"].as_str().unwrap_or("unknown"),
        report["beside"].as_str().unwrap_or("beside"),
        "---:|".repeat(peers.len()),
    );
    for row in report["rows"]
        .as_array()
        .context("the benchmark printed no rows")?
    {
        let unit = row["unit"].as_str().unwrap_or_default();
        let hotcell = row["hotcell"].as_f64().unwrap_or(f64::NAN);
        let number = |value: &Value| {
            value
                .as_f64()
                .map_or_else(|| "–".into(), |n| format!("{} {unit}", short(n)))
        };
        let ratio = row["beside"].as_f64().map_or_else(
            || "–".into(),
            |beside| format!("{}×", short(hotcell / beside)),
        );
        let bar = match row["bar"].as_f64() {
            Some(bar) if hotcell > bar => format!("**missed**: {} {unit}", short(bar)),
            Some(bar) => format!("{} {unit}", short(bar)),
            None => "–".into(),
        };
        let beside = match row["note"].as_str() {
            Some(note) => note.into(),
            None => number(&row["beside"]),
        };
        // A bar would be the end of the cell.
        let name = row["name"].as_str().unwrap_or_default().replace('|', "\\|");
        let others = cells(
            list(&row["peers"])
                .iter()
                .map(|peer| match peer["Err"].as_str() {
                    Some(why) => why.to_owned(),
                    None => number(&peer["Ok"]),
                })
                .collect(),
        );
        let hotcell = number(&row["hotcell"]);
        writeln!(
            table,
            "| {name} | {hotcell} | {beside} | {ratio} | {bar} |{others}"
        )?;
    }
    Ok(table)
}

/// Three significant digits, as far as four decimals have them.
fn short(n: f64) -> String {
    match n.abs() {
        size if size >= 100.0 => format!("{n:.0}"),
        size if size >= 10.0 => format!("{n:.1}"),
        size if size >= 0.01 || size == 0.0 => format!("{n:.2}"),
        _ => format!("{n:.4}"),
    }
}

/// Replaces what stands between the markers of `section` in a file of the repository.
fn write_section(name: &str, section: &str, content: &str) -> Result<()> {
    let file = root().join(name);
    let text = fs::read_to_string(&file).with_context(|| format!("failed to read {name}"))?;
    let (begin, end) = (
        format!("<!-- {section} -->"),
        format!("<!-- /{section} -->"),
    );
    let (before, rest) = text
        .split_once(&begin)
        .with_context(|| format!("{name} has no {begin}"))?;
    let (_, after) = rest
        .split_once(&end)
        .with_context(|| format!("{name} has no {end}"))?;
    fs::write(&file, format!("{before}{begin}\n\n{content}\n{end}{after}"))?;
    eprintln!("wrote {name}");
    Ok(())
}
