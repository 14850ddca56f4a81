//! `strings`.

use std::io::{self, Read, Write};

use bstr::{BString, ByteSlice};
use hotcell_process::{Input, Output, Process, error_text, limit_error};

use crate::{Opt, Usage, Utility, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "strings",
    letters: b"hvV",
    synopsis: "[option(s)] [file(s)]",
    summary: "Display printable strings in [file(s)] (stdin by default).",
    options: &[
        Opt::flag(
            'a',
            "all",
            "scan the entire file, not just the data section [default]",
        ),
        Opt::flag(
            'd',
            "data",
            "only scan the data sections in the file (here: all of it)",
        ),
        Opt::flag(
            'f',
            "print-file-name",
            "print the name of the file before each string",
        ),
        Opt::value(
            'n',
            "bytes",
            "number",
            "print any sequence of at least <number>\ndisplayable characters (the default is 4)",
        ),
        Opt::value(
            't',
            "radix",
            "{o,d,x}",
            "print the location of the string in base 8, 10 or 16",
        ),
        Opt::flag('o', "", "an alias for --radix=o"),
        Opt::flag(
            'w',
            "include-all-whitespace",
            "include all whitespace as valid string characters",
        ),
        Opt::value(
            'e',
            "encoding",
            "{s,S}",
            "select character size: s = 7-bit, S = 8-bit",
        ),
        Opt::value(
            's',
            "output-separator",
            "string",
            "string used to separate strings in output",
        ),
    ],
    ..Usage::DEFAULT
};

struct Style {
    least: usize,
    radix: Option<u8>,
    whitespace: bool,
    is_wide: bool,
    names: bool,
    separator: Vec<u8>,
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse_args(
        process,
        &modern(process.args().get(1..).unwrap_or_default()),
    );
    let least = parsed
        .value("bytes")
        .map_or(Some(4), |text| text.to_str().ok()?.parse::<usize>().ok());
    let Some(least) = least.filter(|least| *least > 0) else {
        let text = parsed.value("bytes").unwrap_or_default();
        process.complain([b"invalid minimum string length ", text.as_bytes()].concat());
        return Ok(1);
    };
    let radix = match parsed.value("radix").map(|text| text.as_bytes()) {
        Some([radix @ (b'o' | b'd' | b'x')]) => Some(*radix),
        Some(other) => USAGE.fail(
            process,
            [b"invalid radix ", quote(other).as_slice()].concat(),
        ),
        None => parsed.has("o").then_some(b'o'),
    };
    let is_wide = match parsed.value("encoding").map(|text| text.as_bytes()) {
        None | Some(b"s") => false,
        Some(b"S") => true,
        Some(other) => USAGE.fail(
            process,
            [b"invalid encoding ", quote(other).as_slice()].concat(),
        ),
    };
    let style = Style {
        least,
        radix,
        whitespace: parsed.has("include-all-whitespace"),
        is_wide,
        names: parsed.has("print-file-name"),
        separator: parsed
            .value("output-separator")
            .map_or_else(|| b"\n".to_vec(), |text| text.to_vec()),
    };
    let mut out = process.stdout();
    // `-` asks for all of the file to be looked at, which is what is done.
    let names: Vec<&BString> = parsed.operands.iter().filter(|name| *name != "-").collect();
    if names.is_empty() {
        scan(
            process,
            process.stdin(),
            b"{standard input}",
            &mut out,
            &style,
        )?;
    }
    let mut code = 0;
    for name in names {
        let input = process.open(name, &hotcell_vfs::OpenOptions::read());
        let done =
            input.and_then(|input| scan(process, process.input(input), name, &mut out, &style));
        if let Err(error) = done {
            let text = match error.raw_os_error() {
                Some(2) => [quote(name).as_slice(), b": No such file"].concat(),
                Some(21) => [b"Warning: ", quote(name).as_slice(), b" is a directory"].concat(),
                _ => [name.as_slice(), b": ", error_text(&error).as_bytes()].concat(),
            };
            process.complain(text);
            code = 1;
        }
    }
    out.flush()?;
    Ok(code)
}

/// `-8` is `-n 8`.
fn modern(args: &[BString]) -> Vec<BString> {
    let is_old = |arg: &BString| {
        arg.len() > 1 && arg.starts_with(b"-") && arg.iter().skip(1).all(u8::is_ascii_digit)
    };
    let change = |arg: &BString| {
        if is_old(arg) {
            [b"-n", arg.get(1..).unwrap_or_default()].concat().into()
        } else {
            arg.clone()
        }
    };
    args.iter().map(change).collect()
}

fn scan(
    process: &Process,
    mut input: Input<'_>,
    name: &[u8],
    out: &mut Output<'_>,
    style: &Style,
) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    let mut found = Vec::new();
    let mut charge = process.charge(0)?;
    let mut offset = 0u64;
    loop {
        let read = input.read(&mut buffer)?;
        let piece = buffer.get(..read).unwrap_or_default();
        charge.resize(found.len() + read).map_err(limit_error)?;
        process.spend(read / 4);
        for byte in piece {
            let is_text = byte.is_ascii_graphic()
                || matches!(byte, b' ' | b'\t')
                || style.whitespace && (byte.is_ascii_whitespace() || *byte == 0x0b)
                || style.is_wide && *byte >= 0x80;
            if is_text {
                found.push(*byte);
            } else {
                put(&mut found, offset, name, out, style)?;
            }
            offset += 1;
        }
        if read == 0 {
            return put(&mut found, offset, name, out, style);
        }
    }
}

fn put(
    found: &mut Vec<u8>,
    end: u64,
    name: &[u8],
    out: &mut Output<'_>,
    style: &Style,
) -> io::Result<()> {
    if found.len() >= style.least {
        let start = end - found.len() as u64;
        if style.names {
            out.write_all(name)?;
            out.write_all(b": ")?;
        }
        match style.radix {
            Some(b'o') => write!(out, "{start:7o} ")?,
            Some(b'd') => write!(out, "{start:7} ")?,
            Some(_) => write!(out, "{start:7x} ")?,
            None => {}
        }
        out.write_all(found)?;
        out.write_all(&style.separator)?;
    }
    found.clear();
    Ok(())
}
