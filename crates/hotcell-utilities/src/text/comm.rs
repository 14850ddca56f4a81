//! `comm`.

use std::{
    cmp::Ordering,
    io::{self, Write},
};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Input, Process};

use crate::{Opt, Usage, Utility, lines::Lines, operands::complain_of, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "comm",
    synopsis: "[OPTION]... FILE1 FILE2",
    summary: "Compare sorted files FILE1 and FILE2 line by line.\n\n\
              With no options, produce three-column output.  Column one contains\n\
              lines unique to FILE1, column two contains lines unique to FILE2,\n\
              and column three contains lines common to both files.",
    options: &[
        Opt::flag('1', "", "suppress column 1 (lines unique to FILE1)"),
        Opt::flag('2', "", "suppress column 2 (lines unique to FILE2)"),
        Opt::flag(
            '3',
            "",
            "suppress column 3 (lines that appear in both files)",
        ),
        Opt::flag(
            '\0',
            "check-order",
            "check that the input is correctly sorted, even\nif all input lines are pairable",
        ),
        Opt::flag(
            '\0',
            "nocheck-order",
            "do not check that the input is correctly sorted",
        ),
        Opt::value('\0', "output-delimiter", "STR", "separate columns with STR"),
        Opt::flag('\0', "total", "output a summary"),
        Opt::flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
    ..Usage::DEFAULT
};

/// One of the two files.
struct Side<'p> {
    lines: Lines<'p, Input<'p>>,
    line: Option<Vec<u8>>,
    number: u8,
    end: u8,
    was_reported: bool,
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let names = match parsed.operands.as_slice() {
        [] => USAGE.fail(process, "missing operand"),
        [one] => USAGE.fail(
            process,
            [b"missing operand after ", quote(one).as_slice()].concat(),
        ),
        [_, _] => &parsed.operands,
        [_, _, extra, ..] => USAGE.fail(
            process,
            [b"extra operand ", quote(extra).as_slice()].concat(),
        ),
    };
    let end = if parsed.has("zero-terminated") {
        0
    } else {
        b'\n'
    };
    let open = |number: u8, name: &BString| -> io::Result<Side<'_>> {
        let input = process.open_input(name).inspect_err(|error| {
            complain_of(process, name, error);
            process.exit(1);
        })?;
        let mut side = Side {
            lines: Lines::ending_with(process, input, end)?,
            line: None,
            number,
            end,
            was_reported: false,
        };
        side.line = side.read()?;
        Ok(side)
    };
    let (mut left, mut right) = match names.as_slice() {
        [one, other] => (open(1, one)?, open(2, other)?),
        _ => return Ok(1),
    };
    let check = parsed.last_of(&["check-order", "nocheck-order"]);
    let delimiter = match parsed.value("output-delimiter").map(|text| text.as_bytes()) {
        None => &b"\t"[..],
        Some(b"") => b"\0",
        Some(text) => text,
    };
    let shown = [!parsed.has("1"), !parsed.has("2"), !parsed.has("3")];
    let mut totals = [0u64; 3];
    let mut has_unpaired = false;
    let mut out = process.stdout();
    loop {
        let ordering = match (&left.line, &right.line) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => one.cmp(other),
        };
        process.spend(8);
        let (column, line) = match ordering {
            Ordering::Less => (0, &left.line),
            Ordering::Greater => (1, &right.line),
            Ordering::Equal => (2, &left.line),
        };
        if let Some(total) = totals.get_mut(column) {
            *total += 1;
        }
        if shown.get(column) == Some(&true) {
            for before in shown.iter().take(column).filter(|shown| **shown) {
                let _ = before;
                out.write_all(delimiter)?;
            }
            out.write_all(line.as_deref().unwrap_or_default())?;
            out.write_all(&[end])?;
        }
        has_unpaired |= ordering != Ordering::Equal;
        let checks = match check {
            Some("check-order") => Some(true),
            Some(_) => None,
            None => has_unpaired.then_some(false),
        };
        if ordering != Ordering::Greater {
            left.advance(process, checks, &mut out)?;
        }
        if ordering != Ordering::Less {
            right.advance(process, checks, &mut out)?;
        }
    }
    if parsed.has("total") {
        let [one, two, both] = totals;
        let delimiter = BStr::new(delimiter);
        write!(
            out,
            "{one}{delimiter}{two}{delimiter}{both}{delimiter}total"
        )?;
        out.write_all(&[end])?;
    }
    out.flush()?;
    if left.was_reported || right.was_reported {
        process.complain("input is not in sorted order");
        return Ok(1);
    }
    Ok(0)
}

impl Side<'_> {
    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let end = self.end;
        let line = self.lines.next_line()?;
        Ok(line.map(|line| line.strip_suffix(&[end]).unwrap_or(line).to_vec()))
    }

    /// Goes on to the next line; `checks` says whether a wrong order is looked for, and whether it ends the program.
    fn advance(
        &mut self,
        process: &Process,
        checks: Option<bool>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let next = self.read()?;
        if let Some(is_fatal) = checks
            && !self.was_reported
            && let (Some(last), Some(next)) = (&self.line, &next)
            && next < last
        {
            self.was_reported = true;
            out.flush()?;
            process.complain(format!("file {} is not in sorted order", self.number));
            if is_fatal {
                process.exit(1);
            }
        }
        self.line = next;
        Ok(())
    }
}
