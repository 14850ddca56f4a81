//! `fold`.

use std::io::{self, Write};

use bstr::{BString, ByteSlice};
use hotcell_process::{Output, Process};

use crate::{Opt, Usage, Utility, lines::Lines, operands::each_input, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "fold",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Wrap input lines in each FILE, writing to standard output.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::flag('b', "bytes", "count bytes rather than columns"),
        Opt::flag('s', "spaces", "break at spaces"),
        Opt::value('w', "width", "WIDTH", "use WIDTH columns instead of 80"),
    ],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse_args(
        process,
        &modern(process.args().get(1..).unwrap_or_default()),
    );
    let width = match parsed.value("width") {
        None => 80,
        Some(text) => match text
            .to_str()
            .ok()
            .and_then(|text| text.parse::<usize>().ok())
            .filter(|width| *width > 0)
        {
            Some(width) => width,
            None => {
                let is_number = text.iter().all(u8::is_ascii_digit) && !text.is_empty();
                let range: &[u8] = if is_number {
                    b": Numerical result out of range"
                } else {
                    b""
                };
                let shown = quote(text);
                process
                    .complain([b"invalid number of columns: ", shown.as_slice(), range].concat());
                return Ok(1);
            }
        },
    };
    let (bytes, spaces) = (parsed.has("bytes"), parsed.has("spaces"));
    let mut out = process.stdout();
    let code = each_input(process, &parsed.operands, |_, input| {
        let mut lines = Lines::new(process, input)?;
        while let Some(line) = lines.next_line()? {
            process.spend(line.len());
            fold(line, width, bytes, spaces, &mut out)?;
        }
        Ok(())
    });
    out.flush()?;
    Ok(code)
}

/// `-20` is `-w20`.
fn modern(args: &[BString]) -> Vec<BString> {
    let is_old = |arg: &BString| {
        arg.len() > 1 && arg.starts_with(b"-") && arg.iter().skip(1).all(u8::is_ascii_digit)
    };
    let change = |arg: &BString| {
        if is_old(arg) {
            [b"-w", arg.get(1..).unwrap_or_default()].concat().into()
        } else {
            arg.clone()
        }
    };
    args.iter().map(change).collect()
}

fn advance(column: usize, byte: u8, bytes: bool) -> usize {
    match byte {
        _ if bytes => column + 1,
        0x08 => column.saturating_sub(1),
        b'\r' => 0,
        b'\t' => column + 8 - column % 8,
        _ => column + 1,
    }
}

fn fold(
    line: &[u8],
    width: usize,
    bytes: bool,
    spaces: bool,
    out: &mut Output<'_>,
) -> io::Result<()> {
    let mut start = 0;
    let mut at = 0;
    let mut column = 0;
    // Behind the last blank of the piece.
    let mut blank = None;
    while let Some(byte) = line.get(at).copied().filter(|byte| *byte != b'\n') {
        let next = advance(column, byte, bytes);
        if next > width && at > start {
            let cut = blank.filter(|_| spaces).unwrap_or(at);
            out.write_all(line.get(start..cut).unwrap_or_default())?;
            out.write_all(b"\n")?;
            start = cut;
            blank = None;
            let left = line.get(cut..at).unwrap_or_default();
            column = left
                .iter()
                .fold(0, |column, byte| advance(column, *byte, bytes));
            continue;
        }
        column = next;
        at += 1;
        if matches!(byte, b' ' | b'\t') {
            blank = Some(at);
        }
    }
    out.write_all(line.get(start..).unwrap_or_default())
}
