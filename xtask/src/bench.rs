//! `cargo xtask bench`.

use std::{fmt::Write, fs};

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::Value;

use crate::{
    command::{cargo_output, root},
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
    }
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
