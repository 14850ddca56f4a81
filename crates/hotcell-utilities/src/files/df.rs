//! `df`: the one file system that there is.

use std::io::{self, Write};

use bstr::ByteSlice;
use hotcell_process::{Process, error_text};

use crate::{Opt, Parsed, Usage, Utility, number, quote::quote, size};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "df",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Show information about the file system on which each FILE resides.",
    options: &[
        Opt::flag('a', "all", "include pseudo file systems (there are none)"),
        Opt::value(
            'B',
            "block-size",
            "SIZE",
            "scale sizes by SIZE before printing them",
        ),
        Opt::flag(
            'h',
            "human-readable",
            "print sizes in powers of 1024 (e.g., 1023M)",
        ),
        Opt::flag('H', "si", "print sizes in powers of 1000 (e.g., 1.1G)"),
        Opt::flag(
            'i',
            "inodes",
            "list inode information instead of block usage",
        ),
        Opt::flag('k', "", "like --block-size=1K"),
        Opt::flag('m', "", "like --block-size=1M"),
        Opt::optional(
            '\0',
            "output",
            "FIELD_LIST",
            "use the output format defined by FIELD_LIST,\nor print all fields if FIELD_LIST is omitted",
        ),
        Opt::flag(
            'l',
            "local",
            "limit listing to local file systems (it is one)",
        ),
        Opt::value(
            't',
            "type",
            "TYPE",
            "limit listing to file systems of type TYPE",
        ),
        Opt::value(
            'x',
            "exclude-type",
            "TYPE",
            "limit listing to file systems not of type TYPE",
        ),
        Opt::flag(
            '\0',
            "sync",
            "invoke sync before getting usage info (there is nothing to write)",
        ),
        Opt::flag(
            '\0',
            "no-sync",
            "do not invoke sync before getting usage info (default)",
        ),
        Opt::flag('P', "portability", "use the POSIX output format"),
        Opt::flag('\0', "total", "produce a grand total"),
        Opt::flag('T', "print-type", "print file system type"),
    ],
    notes: "Without a limit of its own, a file system is as large as what is in it.\n\n\
            FIELD_LIST is a comma-separated list of columns to be included.  Valid field names are:\n\
            'source', 'fstype', 'itotal', 'iused', 'iavail', 'ipcent', 'size', 'used', 'avail',\n\
            'pcent', 'file' and 'target'.",
    ..Usage::DEFAULT
};

/// The type of the file system.
const TYPE: &str = "vfs";

#[derive(Debug, Clone, Copy, PartialEq)]
enum Column {
    Source,
    Type,
    Inodes,
    InodesUsed,
    InodesFree,
    InodesShare,
    Size,
    Used,
    Available,
    Share,
    File,
    Target,
}

const FIELDS: &[(&str, Column)] = &[
    ("source", Column::Source),
    ("fstype", Column::Type),
    ("itotal", Column::Inodes),
    ("iused", Column::InodesUsed),
    ("iavail", Column::InodesFree),
    ("ipcent", Column::InodesShare),
    ("size", Column::Size),
    ("used", Column::Used),
    ("avail", Column::Available),
    ("pcent", Column::Share),
    ("file", Column::File),
    ("target", Column::Target),
];

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let columns = columns(process, &parsed);
    let unit = unit(process, &parsed);
    let mut code = 0;
    let mut files = Vec::new();
    for name in &parsed.operands {
        match process.metadata(name, true) {
            Ok(_) => files.push(name.to_string()),
            Err(error) => {
                process.complain(format!("{name}: {}", error_text(&error)));
                code = 1;
            }
        }
    }
    if parsed.operands.is_empty() {
        files.push("-".to_owned());
    }
    if files.is_empty() {
        return Ok(code);
    }
    let is_type = |name: &bstr::BStr| name == TYPE;
    let is_listed = parsed.value("type").is_none() || parsed.values("type").any(is_type);
    if !is_listed || parsed.values("exclude-type").any(is_type) {
        process.complain("no file systems processed");
        return Ok(1);
    }
    let usage = process.vfs().usage();
    let space = Amount::new(usage.bytes, usage.max_bytes);
    let inodes = Amount::new(usage.files, usage.max_files);
    let cell = |column: Column, file: &str, is_total: bool| match column {
        Column::Source if is_total => "total".to_owned(),
        Column::Type | Column::File | Column::Target if is_total => "-".to_owned(),
        Column::Source => "hotcell".to_owned(),
        Column::Type => TYPE.to_owned(),
        Column::File => file.to_owned(),
        Column::Target => "/".to_owned(),
        Column::Inodes => unit.count(inodes.total),
        Column::InodesUsed => unit.count(inodes.used),
        Column::InodesFree => unit.count(inodes.total - inodes.used),
        Column::InodesShare => inodes.share(),
        Column::Size => unit.show(space.total),
        Column::Used => unit.show(space.used),
        Column::Available => unit.show(space.total - space.used),
        Column::Share => space.share(),
    };
    let mut rows = vec![titles(&parsed, &columns, unit)];
    for file in &files {
        process.spend(64);
        rows.push(
            columns
                .iter()
                .map(|column| cell(*column, file, false))
                .collect(),
        );
    }
    if parsed.has("total") {
        rows.push(
            columns
                .iter()
                .map(|column| cell(*column, "-", true))
                .collect(),
        );
    }
    print(process, &columns, &rows)?;
    Ok(code)
}

fn columns(process: &Process, parsed: &Parsed) -> Vec<Column> {
    if parsed.has("output") {
        for other in ["inodes", "portability", "print-type"] {
            if parsed.has(other) {
                let letter = match other {
                    "inodes" => "-i",
                    "portability" => "-P",
                    _ => "-T",
                };
                USAGE.fail(
                    process,
                    format!("options {letter} and --output are mutually exclusive"),
                );
            }
        }
        let lists: Vec<String> = parsed.values("output").map(ToString::to_string).collect();
        if lists.is_empty() {
            return FIELDS.iter().map(|(_, column)| *column).collect();
        }
        let names = lists.iter().flat_map(|list| list.split(','));
        return names
            .map(
                |name| match FIELDS.iter().find(|(known, _)| *known == name) {
                    Some((_, column)) => *column,
                    None => USAGE.fail(
                        process,
                        format!("option --output: field {} unknown", quote(name.as_bytes())),
                    ),
                },
            )
            .collect();
    }
    let mut columns = vec![Column::Source];
    if parsed.has("print-type") {
        columns.push(Column::Type);
    }
    columns.extend(if parsed.has("inodes") {
        [
            Column::Inodes,
            Column::InodesUsed,
            Column::InodesFree,
            Column::InodesShare,
        ]
    } else {
        [Column::Size, Column::Used, Column::Available, Column::Share]
    });
    columns.push(Column::Target);
    columns
}

fn unit(process: &Process, parsed: &Parsed) -> Unit {
    match parsed.last_of(&["human-readable", "si", "k", "m", "block-size"]) {
        Some("human-readable") => Unit::Human(1024),
        Some("si") => Unit::Human(1000),
        Some("m") => Unit::Blocks(1 << 20),
        Some("block-size") => {
            let text = parsed.value("block-size").unwrap_or_default();
            // A unit without a number is one of it.
            let size = number::with_suffix(text)
                .or_else(|| number::with_suffix(&[&b"1"[..], text.as_bytes()].concat()));
            match size.filter(|size| *size > 0) {
                Some(size) => Unit::Blocks(size),
                None => {
                    process.complain(format!("invalid --block-size argument {}", quote(text)));
                    process.exit(1)
                }
            }
        }
        _ => Unit::Blocks(1 << 10),
    }
}

fn titles(parsed: &Parsed, columns: &[Column], unit: Unit) -> Vec<String> {
    let is_chosen = parsed.has("output");
    let is_portable = parsed.has("portability");
    let is_human = matches!(unit, Unit::Human(_));
    let title = |column: &Column| match column {
        Column::Source => "Filesystem".to_owned(),
        Column::Type => "Type".to_owned(),
        Column::Inodes => "Inodes".to_owned(),
        Column::InodesUsed => "IUsed".to_owned(),
        Column::InodesFree => "IFree".to_owned(),
        Column::InodesShare => "IUse%".to_owned(),
        Column::Size => unit.title(is_portable),
        Column::Used => "Used".to_owned(),
        Column::Available if is_chosen || is_human => "Avail".to_owned(),
        Column::Available => "Available".to_owned(),
        Column::Share if is_portable => "Capacity".to_owned(),
        Column::Share => "Use%".to_owned(),
        Column::File => "File".to_owned(),
        Column::Target => "Mounted on".to_owned(),
    };
    columns.iter().map(title).collect()
}

/// How much there is of something, and how much of it is used.
struct Amount {
    used: u64,
    total: u64,
}

impl Amount {
    fn new(used: u64, most: Option<u64>) -> Self {
        Self {
            used,
            total: most.unwrap_or(used).max(used),
        }
    }

    fn share(&self) -> String {
        let (used, total) = (u128::from(self.used) * 100, u128::from(self.total));
        if total == 0 {
            return "-".to_owned();
        }
        format!("{}%", used.div_ceil(total))
    }
}

#[derive(Debug, Clone, Copy)]
enum Unit {
    Human(u64),
    Blocks(u64),
}

impl Unit {
    fn show(self, number: u64) -> String {
        match self {
            Self::Human(base) => size::human(number, base),
            Self::Blocks(size) => number.div_ceil(size).to_string(),
        }
    }

    /// Files are not measured in blocks.
    fn count(self, number: u64) -> String {
        match self {
            Self::Human(base) => size::human(number, base),
            Self::Blocks(_) => number.to_string(),
        }
    }

    fn title(self, is_portable: bool) -> String {
        let Self::Blocks(size) = self else {
            return "Size".to_owned();
        };
        if is_portable {
            return format!("{size}-blocks");
        }
        let units = [(1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];
        let large = units.iter().find(|(unit, _)| size % unit == 0);
        match large {
            Some((unit, letter)) => format!("{}{letter}-blocks", size / unit),
            None => format!("{size}B-blocks"),
        }
    }
}

/// Names to the left, numbers to the right.
fn print(process: &Process, columns: &[Column], rows: &[Vec<String>]) -> io::Result<()> {
    let least = |column: Column| match column {
        Column::Source => 14,
        Column::Type | Column::Share | Column::InodesShare => 4,
        Column::File | Column::Target => 0,
        _ => 5,
    };
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let cells = rows.iter().filter_map(|row| row.get(at));
            let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
            widest.max(least(*column))
        })
        .collect();
    let mut out = process.stdout();
    for row in rows {
        process.spend(64);
        let mut line = String::new();
        let cells = row.iter().zip(columns).zip(&widths);
        for (at, ((cell, column), width)) in cells.enumerate() {
            if at > 0 {
                line.push(' ');
            }
            let is_last = at + 1 == columns.len();
            match column {
                Column::Source | Column::Type | Column::File | Column::Target => {
                    let width = if is_last { 0 } else { *width };
                    line.push_str(&format!("{cell:<width$}"));
                }
                _ => line.push_str(&format!("{cell:>width$}")),
            }
        }
        writeln!(out, "{line}")?;
    }
    out.flush()
}
