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
    let mut is_after_blank = true;
    // Blanks that were read and may yet become a tab; a single one right before a stop becomes one if more follow.
    let mut pending: Vec<u8> = Vec::new();
    let mut begins_at_stop = false;
    for byte in line {
        let mut byte = *byte;
        if converts {
            let is_blank = matches!(byte, b' ' | b'\t');
            match tabs.next(column).filter(|_| is_blank) {
                None if is_blank => converts = false,
                Some(stop) if byte == b'\t' => {
                    column = stop;
                    if let Some(first) = pending.first_mut() {
                        *first = b'\t';
                    }
                    pending.truncate(usize::from(begins_at_stop));
                }
                Some(stop) => {
                    column += 1;
                    if !(is_after_blank && column == stop) {
                        begins_at_stop |= column == stop;
                        pending.push(byte);
                        is_after_blank = true;
                        continue;
                    }
                    byte = b'\t';
                    if let Some(first) = pending.first_mut() {
                        *first = byte;
                    }
                    pending.truncate(usize::from(begins_at_stop));
                }
                None if byte == 0x08 => column = column.saturating_sub(1),
                None => column += 1,
            }
            if pending.len() > 1
                && begins_at_stop
                && let Some(first) = pending.first_mut()
            {
                *first = b'\t';
            }
            if !pending.is_empty() {
                out.write_all(&pending)?;
                pending.clear();
                begins_at_stop = false;
            }
            is_after_blank = is_blank;
            converts &= all || is_blank;
        }
        out.write_all(&[byte])?;
    }
    out.write_all(&pending)
}
