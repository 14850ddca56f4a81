//! `cmp`.

use std::io::{self, Read, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Input, Process, error_text};

use crate::{Opt, Usage, Utility, number, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "cmp",
    letters: b"v",
    synopsis: "[OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]",
    summary: "Compare two files byte by byte.\n\n\
              The optional SKIP1 and SKIP2 specify the number of bytes to skip\n\
              at the beginning of each file (zero by default).",
    options: &[
        Opt::flag('b', "print-bytes", "print differing bytes"),
        Opt::value(
            'i',
            "ignore-initial",
            "SKIP1[:SKIP2]",
            "skip first SKIP1 bytes of FILE1 and SKIP2 of FILE2",
        ),
        Opt::flag(
            'l',
            "verbose",
            "output byte numbers and differing byte values",
        ),
        Opt::value('n', "bytes", "LIMIT", "compare at most LIMIT bytes"),
        Opt::flag('s', "quiet", "suppress all normal output"),
        Opt::flag('\0', "silent", "same as --quiet"),
    ],
    notes: "If a FILE is '-' or missing, read standard input.\n\
            Exit status is 0 if inputs are the same, 1 if different, 2 if trouble.",
    error_code: 2,
    hint: "NAME: Try 'NAME --help' for more information.",
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let operands = &parsed.operands;
    let Some(first) = operands.first() else {
        USAGE.fail(
            process,
            format!("missing operand after '{}'", process.name()),
        );
    };
    if let Some(extra) = operands.get(4) {
        USAGE.fail(
            process,
            [b"extra operand ", quote(extra).as_slice()].concat(),
        );
    }
    let second = operands.get(1).cloned().unwrap_or_else(|| "-".into());
    let skip = |text: &[u8]| {
        number::with_suffix(text).unwrap_or_else(|| {
            USAGE.fail(
                process,
                [b"invalid --ignore-initial value ", quote(text).as_slice()].concat(),
            )
        })
    };
    let mut skips =
        [operands.get(2), operands.get(3)].map(|text| text.map_or(0, |text| skip(text)));
    if let Some(text) = parsed.value("ignore-initial") {
        skips = match text.split_once_str(":") {
            Some((one, other)) => [skip(one), skip(other)],
            None => [skip(text); 2],
        };
    }
    let limit = parsed.value("bytes").map_or(u64::MAX, |text| {
        number::with_suffix(text).unwrap_or_else(|| {
            USAGE.fail(
                process,
                [b"invalid --bytes value ", quote(text).as_slice()].concat(),
            )
        })
    });
    let quiet = parsed.has("quiet") || parsed.has("silent");
    let open = |name: &BString, skip: u64| -> Option<io::BufReader<Input<'_>>> {
        let opened = process.open_input(name).and_then(|mut input| {
            io::copy(&mut input.by_ref().take(skip), &mut io::sink())?;
            Ok(io::BufReader::with_capacity(32 << 10, input))
        });
        match opened {
            Ok(input) => Some(input),
            Err(error) => {
                process.complain([name.as_slice(), b": ", error_text(&error).as_bytes()].concat());
                None
            }
        }
    };
    // A directory can be opened, and is one only when it is read: by then the other file is looked at, too.
    if let (Ok(one), other) = (
        process.metadata(first, true),
        process.metadata(&second, true),
    ) && one.is_dir()
    {
        match other {
            Err(_) => drop(open(&second, 0)),
            Ok(other) if (one.dev, one.ino) == (other.dev, other.ino) => return Ok(0),
            Ok(_) => drop(open(first, 0)),
        }
        return Ok(2);
    }
    let Some(mut one) = open(first, skips[0]) else {
        return Ok(2);
    };
    let Some(mut other) = open(&second, skips[1]) else {
        return Ok(2);
    };
    let style = Style {
        bytes: parsed.has("print-bytes"),
        all: parsed.has("verbose"),
        quiet,
    };
    // Columns are as wide as the last place that both can have.
    let mut last = limit.min(i64::MAX as u64);
    for (name, skip) in [first, &second].into_iter().zip(skips) {
        if let Ok(meta) = process.metadata(name, true)
            && meta.is_file()
        {
            last = last.min(meta.size.saturating_sub(skip));
        }
    }
    compare(
        process,
        [first.as_bstr(), second.as_bstr()],
        [&mut one, &mut other],
        limit,
        last.to_string().len(),
        style,
    )
}

#[derive(Clone, Copy)]
struct Style {
    bytes: bool,
    all: bool,
    quiet: bool,
}

fn compare(
    process: &Process,
    names: [&BStr; 2],
    inputs: [&mut dyn io::BufRead; 2],
    limit: u64,
    width: usize,
    style: Style,
) -> io::Result<i32> {
    let [first, second] = inputs;
    let mut out = process.stdout();
    let (mut at, mut line, mut code) = (0u64, 1u64, 0);
    while at < limit {
        let (one, other) = (first.fill_buf()?, second.fill_buf()?);
        let length = one
            .len()
            .min(other.len())
            .min(usize::try_from(limit - at).unwrap_or(usize::MAX));
        if length == 0 {
            if one.len() != other.len() {
                out.flush()?;
                if !style.quiet {
                    end_of(
                        process,
                        if one.is_empty() { names[0] } else { names[1] },
                        at,
                        line,
                        style.all,
                    );
                }
                return Ok(1);
            }
            break;
        }
        process.spend(length / 8 + 1);
        let (one, other) = (
            one.get(..length).unwrap_or_default(),
            other.get(..length).unwrap_or_default(),
        );
        if one != other {
            for (index, (a, b)) in one.iter().zip(other).enumerate() {
                if a == b {
                    continue;
                }
                code = 1;
                if style.quiet {
                    return Ok(1);
                }
                let place = at + index as u64 + 1;
                if style.all {
                    if style.bytes {
                        writeln!(
                            out,
                            "{place:width$} {a:3o} {:<4} {b:3o} {}",
                            shown(*a),
                            shown(*b)
                        )?;
                    } else {
                        writeln!(out, "{place:width$} {a:3o} {b:3o}")?;
                    }
                    process.spend(16);
                    continue;
                }
                let before = one.get(..index).unwrap_or_default();
                line += memchr::memchr_iter(b'\n', before).count() as u64;
                let word = if style.bytes { "byte" } else { "char" };
                let bytes = if style.bytes {
                    format!(" is {a:3o} {} {b:3o} {}", shown(*a), shown(*b))
                } else {
                    String::new()
                };
                writeln!(
                    out,
                    "{} {} differ: {word} {place}, line {line}{bytes}",
                    names[0], names[1]
                )?;
                out.flush()?;
                return Ok(1);
            }
        }
        line += memchr::memchr_iter(b'\n', one).count() as u64;
        at += length as u64;
        first.consume(length);
        second.consume(length);
    }
    out.flush()?;
    Ok(code)
}

fn end_of(process: &Process, name: &BStr, at: u64, line: u64, all: bool) {
    let text = match (at, all) {
        (0, _) => format!("EOF on {name} which is empty"),
        (_, true) => format!("EOF on {name} after byte {at}"),
        (_, false) => format!("EOF on {name} after byte {at}, in line {line}"),
    };
    process.complain(text);
}

/// A byte as `cat -v` shows it.
fn shown(byte: u8) -> String {
    let meta = if byte >= 0x80 { "M-" } else { "" };
    match byte & 0x7f {
        0x7f => format!("{meta}^?"),
        low @ 0..0x20 => format!("{meta}^{}", char::from(low + 0x40)),
        low => format!("{meta}{}", char::from(low)),
    }
}
