//! `cargo xtask bench`.

use std::{fmt::Write, fs};

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::Value;

use crate::{
    command::{cargo, cargo_output, node, node_output, root},
    image,
};

#[derive(Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Cells, beside plain native QuickJS.
    Cell {
        /// Print the figures as JSON instead of writing them to bench/RESULTS.md.
        #[arg(long)]
        json: bool,
    },
    /// hotcell, beside what one would use instead.
    Peers {
        /// Print the figures as JSON instead of writing them to bench/RESULTS.md and bench/peers.svg.
        #[arg(long)]
        json: bool,
        /// One short round, printed instead of written: whether everything runs.
        #[arg(long)]
        quick: bool,
    },
}

pub(crate) fn run(options: &Options) -> Result<()> {
    image::build(&image::Options::default())?;
    match options.what {
        What::Cell { json } => {
            let report = cargo_output(["run", "--release", "--quiet", "--package", "bench-cell"])?;
            if json {
                println!("{report}");
                return Ok(());
            }
            write_section("cell", &cell_table(&serde_json::from_str(&report)?)?)
        }
        What::Peers { json, quick } => peers(json, quick),
    }
}

fn peers(json: bool, quick: bool) -> Result<()> {
    // Each on its own: together they would share the features of their dependencies.
    for package in ["bench-peers", "hotcell-cli"] {
        cargo(["build", "--release", "--package", package])?;
    }
    node("bindings/node/build.mjs")?;
    let mut arguments = Vec::new();
    arguments.extend(json.then_some("--json"));
    arguments.extend(quick.then_some("--quick"));
    if json || quick {
        print!("{}", node_output("bench/peers/main.mjs", arguments)?);
        return Ok(());
    }
    arguments.extend(["--chart", "bench/peers.svg"]);
    let section = node_output("bench/peers/main.mjs", arguments)?;
    write_section("peers", section.trim_end())
}

fn cell_table(report: &Value) -> Result<String> {
    let mut table = format!(
        "Machine: {}.\n\n| | hotcell | native rquickjs | ratio | bar |\n|---|---:|---:|---:|---:|\n",
        report["machine"].as_str().unwrap_or("unknown")
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
        let ratio = row["native"].as_f64().map_or_else(
            || "–".into(),
            |native| format!("{}×", short(hotcell / native)),
        );
        let bar = match row["bar"].as_f64() {
            Some(bar) if hotcell > bar => format!("**missed**: {} {unit}", short(bar)),
            Some(bar) => format!("{} {unit}", short(bar)),
            None => "–".into(),
        };
        let name = row["name"].as_str().unwrap_or_default();
        writeln!(
            table,
            "| {name} | {} | {} | {ratio} | {bar} |",
            number(&row["hotcell"]),
            number(&row["native"])
        )?;
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

/// Replaces what stands between the markers of `section` in bench/RESULTS.md.
fn write_section(section: &str, content: &str) -> Result<()> {
    let file = root().join("bench/RESULTS.md");
    let text = fs::read_to_string(&file).context("failed to read bench/RESULTS.md")?;
    let (begin, end) = (
        format!("<!-- {section} -->"),
        format!("<!-- /{section} -->"),
    );
    let (before, rest) = text
        .split_once(&begin)
        .with_context(|| format!("bench/RESULTS.md has no {begin}"))?;
    let (_, after) = rest
        .split_once(&end)
        .with_context(|| format!("bench/RESULTS.md has no {end}"))?;
    fs::write(&file, format!("{before}{begin}\n\n{content}\n{end}{after}"))?;
    eprintln!("wrote bench/RESULTS.md");
    Ok(())
}
