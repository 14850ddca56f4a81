//! `df`: the one file system that there is.

use std::io::{self, Write};

use hotcell_process::{Process, error_text};

use crate::{Opt, Usage, Utility, size};

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
        Opt::flag('P', "portability", "use the POSIX output format"),
        Opt::flag('T', "print-type", "print file system type"),
    ],
    notes: "Without a limit of its own, a file system is as large as what is in it.",
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let mut code = 0;
    let mut rows = usize::from(parsed.operands.is_empty());
    for name in &parsed.operands {
        match process.metadata(name, true) {
            Ok(_) => rows += 1,
            Err(error) => {
                process.complain(format!("{name}: {}", error_text(&error)));
                code = 1;
            }
        }
    }
    if rows == 0 {
        return Ok(code);
    }
    let usage = process.vfs().usage();
    let counts_files = parsed.has("inodes");
    let (used, most) = if counts_files {
        (usage.files, usage.max_files)
    } else {
        (usage.bytes, usage.max_bytes)
    };
    let total = most.unwrap_or(used).max(used);
    let unit = match parsed.last_of(&["human-readable", "si", "k", "m"]) {
        Some("human-readable") => Unit::Human(1024),
        Some("si") => Unit::Human(1000),
        _ if counts_files => Unit::Blocks(1),
        Some("m") => Unit::Blocks(1 << 20),
        _ => Unit::Blocks(1 << 10),
    };
    let header = match unit {
        _ if counts_files => "Inodes",
        Unit::Human(_) => "Size",
        Unit::Blocks(1024) if parsed.has("portability") => "1024-blocks",
        Unit::Blocks(1024) => "1K-blocks",
        Unit::Blocks(_) => "1M-blocks",
    };
    let share = match (u128::from(used) * 100).checked_div(u128::from(total)) {
        Some(share) => format!(
            "{}%",
            share + u128::from(u128::from(used) * 100 % u128::from(total) > 0)
        ),
        None => "-".to_owned(),
    };
    let mut titles = vec![
        "Filesystem",
        header,
        "Used",
        "Available",
        "Use%",
        "Mounted on",
    ];
    let mut cells = vec![
        "hotcell".to_owned(),
        unit.show(total),
        unit.show(used),
        unit.show(total - used),
        share,
        "/".to_owned(),
    ];
    match (counts_files, parsed.has("portability"), unit) {
        (true, ..) => {
            titles.splice(2..5, ["IUsed", "IFree", "IUse%"]);
        }
        (_, true, _) => {
            titles.splice(4..5, ["Capacity"]);
        }
        (_, _, Unit::Human(_)) => {
            titles.splice(3..4, ["Avail"]);
        }
        _ => {}
    }
    if parsed.has("print-type") {
        titles.insert(1, "Type");
        cells.insert(1, "vfs".to_owned());
    }
    let mut out = process.stdout();
    writeln!(out, "{}", line(&titles, &cells, &titles))?;
    let texts: Vec<&str> = cells.iter().map(String::as_str).collect();
    for _ in 0..rows {
        writeln!(out, "{}", line(&titles, &cells, &texts))?;
    }
    out.flush()?;
    Ok(code)
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
}

/// Names to the left, numbers to the right.
fn line(titles: &[&str], cells: &[String], texts: &[&str]) -> String {
    let last = titles.len() - 1;
    let columns = titles.iter().zip(cells).zip(texts).enumerate();
    let shown = columns.map(|(at, ((title, cell), text))| {
        let width = title
            .len()
            .max(cell.len())
            .max(if at == 0 { 14 } else { 5 });
        if at == last {
            (*text).to_owned()
        } else if at == 0 || *title == "Type" {
            format!("{text:<width$}")
        } else {
            format!("{text:>width$}")
        }
    });
    shown.collect::<Vec<String>>().join(" ")
}
