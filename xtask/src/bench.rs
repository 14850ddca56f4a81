//! `cargo xtask bench`.

use std::{fmt::Write, fs};

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::Value;

use crate::{
    command::{cargo, cargo_output, node_output, node_packages, root},
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
    /// Files in memory and the file tools, beside ripgrep.
    Vfs(Output),
    /// The shell and its utilities, beside bash and the GNU tools.
    Shell(Output),
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
        What::Shell(output) => measure("shell", output),
        What::Vfs(output) => measure("vfs", output),
        What::Peers { json, quick } => {
            image::build(&image::Options::default())?;
            peers(json, quick)
        }
    }
}

/// Runs the benchmark of this name, and writes the section of this name.
fn measure(name: &str, output: Output) -> Result<()> {
    let package = format!("bench-{name}");
    let report = cargo_output(["run", "--release", "--quiet", "--package", &package])?;
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
    let mut table = format!(
        "Machine: {}.\n\n| | hotcell | {} | ratio | bar |\n|---|---:|---:|---:|---:|\n",
        report["machine"].as_str().unwrap_or("unknown"),
        report["beside"].as_str().unwrap_or("beside"),
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
        let name = row["name"].as_str().unwrap_or_default();
        let hotcell = number(&row["hotcell"]);
        writeln!(table, "| {name} | {hotcell} | {beside} | {ratio} | {bar} |")?;
    }
    Ok(table)
}

/// Three significant digits.
fn short(n: f64) -> String {
    match n.abs() {
        size if size >= 100.0 => format!("{n:.0}"),
        size if size >= 10.0 => format!("{n:.1}"),
        _ => format!("{n:.2}"),
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
