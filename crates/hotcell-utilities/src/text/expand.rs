//! `expand`.

use std::io::{self, Write};

use hotcell_process::{Output, Process};

use super::tabs::{Tabs, modern};
use crate::{Opt, Usage, Utility, blanks::put_blanks, lines::Lines, operands::each_input};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "expand",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Convert tabs in each FILE to spaces, writing to standard output.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::flag('i', "initial", "do not convert tabs after non blanks"),
        Opt::value(
            't',
            "tabs",
            "LIST",
            "have tabs N characters apart, not 8, or use comma\nseparated LIST of tab positions; the last position\ncan be /N (multiples of N) or +N (N apart)",
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
    let only_initial = parsed.has("initial");
    let mut out = process.stdout();
    let code = each_input(process, &parsed.operands, |_, input| {
        let mut lines = Lines::new(process, input)?;
        while let Some(line) = lines.next_line()? {
            process.spend(line.len());
            expand(line, &tabs, only_initial, &mut out)?;
        }
        Ok(())
    });
    out.flush()?;
    Ok(code)
}

fn expand(line: &[u8], tabs: &Tabs, only_initial: bool, out: &mut Output<'_>) -> io::Result<()> {
    let mut column = 0;
    let mut converts = true;
    for byte in line {
        match byte {
            b'\t' if converts => {
                let stop = tabs.next(column).unwrap_or(column + 1);
                put_blanks(out, stop - column)?;
                column = stop;
                continue;
            }
            0x08 => column = column.saturating_sub(1),
            _ => column += 1,
        }
        converts &= !only_initial || matches!(byte, b' ' | b'\t');
        out.write_all(&[*byte])?;
    }
    Ok(())
}
