//! `paste`.

use std::io::{self, Write};

use bstr::{BString, ByteSlice};
use hotcell_process::{Input, Process};

use crate::{Opt, Usage, Utility, lines::Lines, list::List, operands::complain_of};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "paste",
    synopsis: "[OPTION]... [FILE]...",
    summary: "Write lines consisting of the sequentially corresponding lines from\n\
              each FILE, separated by TABs, to standard output.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::value(
            'd',
            "delimiters",
            "LIST",
            "reuse characters from LIST instead of TABs",
        ),
        Opt::flag(
            's',
            "serial",
            "paste one file at a time instead of in parallel",
        ),
        Opt::flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let delimiters = match delimiters(
        process,
        parsed
            .value("delimiters")
            .map_or(b"\t", |list| list.as_bytes()),
    )? {
        Some(delimiters) => delimiters,
        None => {
            let list = parsed.value("delimiters").unwrap_or_default();
            process.complain(format!(
                "delimiter list ends with an unescaped backslash: {list}"
            ));
            return Ok(1);
        }
    };
    let end = if parsed.has("zero-terminated") {
        0
    } else {
        b'\n'
    };
    let stdin = [BString::from("-")];
    let names = if parsed.operands.is_empty() {
        &stdin
    } else {
        parsed.operands.as_slice()
    };
    if parsed.has("serial") {
        serial(process, names, &delimiters, end)
    } else {
        parallel(process, names, &delimiters, end)
    }
}

/// The list with its escapes resolved; an empty piece is no delimiter at all.
fn delimiters<'l>(process: &Process, list: &'l [u8]) -> io::Result<Option<List<&'l [u8]>>> {
    let mut result = List::new(process)?;
    let mut characters = list
        .char_indices()
        .map(|(start, end, _)| list.get(start..end).unwrap_or_default());
    while let Some(character) = characters.next() {
        if character != b"\\" {
            result.push(character)?;
            continue;
        }
        let Some(escaped) = characters.next() else {
            return Ok(None);
        };
        result.push(match escaped {
            b"0" => b"",
            b"b" => b"\x08",
            b"f" => b"\x0c",
            b"n" => b"\n",
            b"r" => b"\r",
            b"t" => b"\t",
            b"v" => b"\x0b",
            other => other,
        })?;
    }
    if result.is_empty() {
        result.push(b"")?;
    }
    Ok(Some(result))
}

fn serial(process: &Process, names: &[BString], delimiters: &[&[u8]], end: u8) -> io::Result<i32> {
    let mut out = process.stdout();
    let mut code = 0;
    for name in names {
        let input = match process.open_input(name) {
            Ok(input) => input,
            Err(error) => {
                complain_of(process, name, &error);
                code = 1;
                continue;
            }
        };
        let mut lines = Lines::ending_with(process, input, end)?;
        let mut cycle = delimiters.iter().cycle();
        let mut is_first = true;
        while let Some(line) = lines.next_line()? {
            if !std::mem::take(&mut is_first) {
                out.write_all(cycle.next().copied().unwrap_or_default())?;
            }
            out.write_all(line.strip_suffix(&[end]).unwrap_or(line))?;
        }
        out.write_all(&[end])?;
    }
    out.flush()?;
    Ok(code)
}

fn parallel(
    process: &Process,
    names: &[BString],
    delimiters: &[&[u8]],
    end: u8,
) -> io::Result<i32> {
    let mut out = process.stdout();
    // Standard input is one source, however often it is named.
    let mut sources: Vec<Lines<'_, Input<'_>>> = Vec::new();
    let mut order = Vec::new();
    let mut stdin = None;
    for name in names {
        if let Some(index) = stdin.filter(|_| name == "-") {
            order.push(index);
            continue;
        }
        match process.open_input(name) {
            Ok(input) => {
                if name == "-" {
                    stdin = Some(sources.len());
                }
                order.push(sources.len());
                sources.push(Lines::ending_with(process, input, end)?);
            }
            Err(error) => {
                complain_of(process, name, &error);
                return Ok(1);
            }
        }
    }
    let mut row = Vec::new();
    loop {
        row.clear();
        let mut any = false;
        let mut cycle = delimiters.iter().cycle();
        for (column, index) in order.iter().enumerate() {
            if column > 0 {
                row.extend_from_slice(cycle.next().copied().unwrap_or_default());
            }
            if let Some(source) = sources.get_mut(*index)
                && let Some(line) = source.next_line()?
            {
                any = true;
                row.extend_from_slice(line.strip_suffix(&[end]).unwrap_or(line));
            }
            // That there is a row is known now; it may be many lines long.
            if any {
                out.write_all(&row)?;
                row.clear();
            }
        }
        if !any {
            break;
        }
        row.push(end);
        out.write_all(&row)?;
    }
    out.flush()?;
    Ok(0)
}
