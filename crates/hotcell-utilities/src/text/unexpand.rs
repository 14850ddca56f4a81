//! `unexpand`.

use std::io::{self, Write};

use hotcell_process::{Output, Process};

use super::tabs::{Tabs, modern};
use crate::{Opt, Usage, Utility, lines::Lines, operands::each_input};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "unexpand",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Convert blanks in each FILE to tabs, writing to standard output.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::flag(
            'a',
            "all",
            "convert all blanks, instead of just initial blanks",
        ),
        Opt::flag(
            '\0',
            "first-only",
            "convert only leading sequences of blanks (overrides -a)",
        ),
        Opt::value(
            't',
            "tabs",
            "LIST",
            "have tabs N characters apart instead of 8, or use\ncomma separated LIST of tab positions (enables -a)",
        ),
    ],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse_args(
        process,
        &modern(process.args().get(1..).unwrap_or_default()),
    );
    let tabs = if parsed.has("tabs") {
        Tabs::parse(parsed.values("tabs"))
    } else {
        Ok(Tabs::usual())
    };
    let tabs = match tabs {
        Ok(tabs) => tabs,
        Err(message) => {
            process.complain(message);
            return Ok(1);
        }
    };
    let all = (parsed.has("all") || parsed.has("tabs")) && !parsed.has("first-only");
    let mut out = process.stdout();
    let code = each_input(process, &parsed.operands, |_, input| {
        let mut lines = Lines::new(process, input)?;
        while let Some(line) = lines.next_line()? {
            process.spend(line.len());
            unexpand(line, &tabs, all, &mut out)?;
        }
        Ok(())
    });
    out.flush()?;
    Ok(code)
}

fn unexpand(line: &[u8], tabs: &Tabs, all: bool, out: &mut Output<'_>) -> io::Result<()> {
    let mut column = 0;
    let mut converts = true;
    // Blanks that were read and not written, as columns and as they were.
    let mut from = 0;
    let mut pending: Vec<u8> = Vec::new();
    let flush = |out: &mut Output<'_>, pending: &mut Vec<u8>| {
        let written = out.write_all(pending);
        pending.clear();
        written
    };
    for byte in line {
        if converts && matches!(byte, b' ' | b'\t') {
            if pending.is_empty() {
                from = column;
            }
            let Some(stop) = tabs.next(column) else {
                converts = false;
                flush(out, &mut pending)?;
                out.write_all(&[*byte])?;
                continue;
            };
            column = if *byte == b'\t' { stop } else { column + 1 };
            pending.push(*byte);
            if column == stop {
                // A single blank before a stop stays one, unless more blanks follow it.
                if column - from == 1 && *byte == b' ' && pending.len() == 1 {
                    continue;
                }
                pending.clear();
                out.write_all(b"\t")?;
                from = column;
            }
            continue;
        }
        flush(out, &mut pending)?;
        match byte {
            0x08 => column = column.saturating_sub(1),
            _ => column += 1,
        }
        converts &= all;
        out.write_all(&[*byte])?;
    }
    flush(out, &mut pending)
}
