//! `xxd`.

use std::io::{self, Read, Seek, SeekFrom, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Input, Output, Process, error_text};
use hotcell_vfs::OpenOptions;

use crate::{Opt, Parsed, Usage, Utility, lines::Lines};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "xxd",
    letters: b"hv",
    synopsis: "[options] [infile [outfile]]\n-r [-s [-]offset] [-c cols] [-ps] [infile [outfile]]",
    summary: "Make a hexdump or do the reverse.",
    options: &[
        Opt::flag(
            'a',
            "autoskip",
            "toggle autoskip: A single '*' replaces nul-lines",
        ),
        Opt::flag('b', "bits", "binary digit dump"),
        Opt::flag(
            'C',
            "capitalize",
            "capitalize variable names in C include file style",
        ),
        Opt::value(
            'c',
            "cols",
            "cols",
            "format <cols> octets per line. Default 16 (-i: 12, -ps: 30)",
        ),
        Opt::flag('E', "EBCDIC", "show characters in EBCDIC"),
        Opt::flag('e', "", "little-endian dump"),
        Opt::value(
            'g',
            "groupsize",
            "bytes",
            "number of octets per group in normal output. Default 2 (-e: 4)",
        ),
        Opt::flag('i', "include", "output in C include file style"),
        Opt::value('l', "len", "len", "stop after <len> octets"),
        Opt::value(
            'n',
            "name",
            "name",
            "set the variable name used in C include output",
        ),
        Opt::value('o', "", "off", "add <off> to the displayed file position"),
        Opt::flag(
            'p',
            "postscript",
            "output in postscript plain hexdump style",
        ),
        Opt::flag(
            'r',
            "revert",
            "reverse operation: convert (or patch) hexdump into binary",
        ),
        Opt::flag('d', "", "show offset in decimal instead of hex"),
        Opt::value(
            's',
            "seek",
            "[+][-]seek",
            "start at <seek> bytes abs. (or +: rel.) infile offset",
        ),
        Opt::flag('u', "uppercase", "use upper case hex letters"),
    ],
    ..Usage::DEFAULT
};

#[expect(clippy::struct_excessive_bools, reason = "each is one option")]
struct Style {
    columns: usize,
    group: usize,
    bits: bool,
    little: bool,
    upper: bool,
    decimal: bool,
    autoskip: bool,
    offset: u64,
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse_args(
        process,
        &modern(process.args().get(1..).unwrap_or_default()),
    );
    if parsed.has("EBCDIC") {
        process.complain("EBCDIC is not supported here");
        return Ok(1);
    }
    let number = |name: &str| {
        parsed.value(name).map(|text| match parse(text) {
            Some(number) => number,
            None => {
                process.complain(format!("invalid number {text}"));
                process.exit(1)
            }
        })
    };
    let name = parsed
        .operands
        .first()
        .map_or(BStr::new("-"), |name| name.as_bstr());
    let mut input = match process.open_input(name) {
        Ok(input) => input,
        Err(error) => {
            process.complain([name.as_bytes(), b": ", error_text(&error).as_bytes()].concat());
            return Ok(2);
        }
    };
    let mut out = match parsed.operands.get(1).filter(|name| *name != "-") {
        None => process.stdout(),
        Some(name) => {
            let options = OpenOptions::write().create();
            let options = if parsed.has("revert") {
                options
            } else {
                options.truncate()
            };
            match process.open(name, &options) {
                Ok(stream) => process.output(stream),
                Err(error) => {
                    process
                        .complain([name.as_slice(), b": ", error_text(&error).as_bytes()].concat());
                    return Ok(3);
                }
            }
        }
    };
    if parsed.has("revert") {
        revert(process, input, &mut out, &parsed)?;
        out.flush()?;
        return Ok(0);
    }
    let mut start = 0;
    if let Some(seek) = parsed.value("seek") {
        start = skip(process, &mut input, seek)?;
    }
    let length = number("len").unwrap_or(u64::MAX);
    let mut input = input.take(length);
    if parsed.has("postscript") {
        plain(
            process,
            &mut input,
            &mut out,
            number("cols").unwrap_or(30),
            parsed.has("uppercase"),
        )?;
    } else if parsed.has("include") {
        include(
            process,
            &mut input,
            &mut out,
            &parsed,
            name,
            number("cols").unwrap_or(12),
        )?;
    } else {
        let bits = parsed.has("bits");
        let columns =
            usize::try_from(number("cols").unwrap_or(if bits { 6 } else { 16 })).unwrap_or(0);
        let columns = if columns == 0 {
            if bits { 6 } else { 16 }
        } else {
            columns
        };
        if columns > 256 {
            process.complain("invalid number of columns (max. 256).");
            return Ok(1);
        }
        let usual = if bits {
            1
        } else if parsed.has("e") {
            4
        } else {
            2
        };
        let group = usize::try_from(number("groupsize").unwrap_or(usual)).unwrap_or(columns);
        let style = Style {
            columns,
            group: if group == 0 || group > columns {
                columns
            } else {
                group
            },
            bits,
            little: parsed.has("e"),
            upper: parsed.has("uppercase"),
            decimal: parsed.has("d"),
            autoskip: parsed.count("autoskip") % 2 == 1,
            offset: start.wrapping_add(number("o").unwrap_or(0)),
        };
        dump(process, &mut input, &mut out, &style)?;
    }
    out.flush()?;
    Ok(0)
}

/// xxd has long options with one dash: `-ps`, `-cols 8`.
fn modern(args: &[BString]) -> Vec<BString> {
    let change = |arg: &BString| -> BString {
        let long = match arg.as_slice() {
            b"-ps" | b"-plain" => "-p",
            b"-autoskip" | b"-bits" | b"-capitalize" | b"-cols" | b"-groupsize" | b"-include"
            | b"-len" | b"-name" | b"-postscript" | b"-revert" | b"-seek" | b"-uppercase" => {
                return [b"-", arg.as_slice()].concat().into();
            }
            _ => return arg.clone(),
        };
        long.into()
    };
    args.iter().map(change).collect()
}

/// Decimal, `0x` hexadecimal or `0` octal.
fn parse(text: &[u8]) -> Option<u64> {
    let text = text.to_str().ok()?;
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u64::from_str_radix(hex, 16).ok();
    }
    if text.len() > 1 && text.starts_with('0') {
        return u64::from_str_radix(text, 8).ok();
    }
    text.parse().ok()
}

fn skip(process: &Process, input: &mut Input<'_>, seek: &BStr) -> io::Result<u64> {
    let digits = seek.trim_start_with(|c| matches!(c, '+' | '-'));
    let Some(number) = parse(digits) else {
        process.complain(format!("invalid number {seek}"));
        process.exit(1);
    };
    if seek.starts_with(b"-") {
        let size = input.stream().metadata()?.size;
        if input.stream().file().is_none() || size < number {
            process.complain("Sorry, cannot seek.");
            process.exit(4);
        }
        return input.seek(SeekFrom::Start(size - number));
    }
    if input.stream().file().is_some() {
        return input.seek(SeekFrom::Start(number));
    }
    io::copy(&mut input.by_ref().take(number), &mut io::sink())
}

/// Fills as much of the buffer as there is.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        let read = input.read(rest)?;
        if read == 0 {
            break;
        }
        filled += read;
    }
    Ok(filled)
}

fn dump(
    process: &Process,
    input: &mut impl Read,
    out: &mut Output<'_>,
    style: &Style,
) -> io::Result<()> {
    let mut input = io::BufReader::with_capacity(64 << 10, input);
    let mut buffer = vec![0; style.columns];
    let mut offset = style.offset;
    let mut zeros: Vec<Vec<u8>> = Vec::new();
    let mut skipped = 0u64;
    loop {
        let count = fill(&mut input, &mut buffer)?;
        let row = buffer.get(..count).unwrap_or_default();
        process.spend(count * 4 + 16);
        if row.is_empty() {
            break;
        }
        let line = line(row, offset, style);
        offset = offset.wrapping_add(count as u64);
        if style.autoskip && row.iter().all(|byte| *byte == 0) && count == style.columns {
            // The first one is shown, and the last one if nothing comes behind it. More than one between are a star.
            match skipped {
                0 => out.write_all(&line)?,
                1 | 2 => zeros.push(line),
                _ => {
                    if skipped == 3 {
                        out.write_all(b"*\n")?;
                    }
                    zeros = vec![line];
                }
            }
            skipped += 1;
            continue;
        }
        match skipped {
            3 => out.write_all(b"*\n")?,
            0..3 => zeros.iter().try_for_each(|line| out.write_all(line))?,
            _ => {}
        }
        zeros.clear();
        skipped = 0;
        out.write_all(&line)?;
    }
    zeros.iter().try_for_each(|line| out.write_all(line))
}

fn line(row: &[u8], offset: u64, style: &Style) -> Vec<u8> {
    let mut line = if style.decimal {
        format!("{offset:08}: ")
    } else {
        format!("{offset:08x}: ")
    };
    let per_byte = if style.bits { 8 } else { 2 };
    let groups = style.columns.div_ceil(style.group);
    let width = style.columns * per_byte + groups;
    let start = line.len();
    for group in row.chunks(style.group) {
        if style.little {
            let missing = style.group - group.len();
            line.push_str(&"  ".repeat(missing));
            group
                .iter()
                .rev()
                .for_each(|byte| line.push_str(&hex(*byte, style.upper)));
        } else {
            for byte in group {
                line.push_str(&if style.bits {
                    format!("{byte:08b}")
                } else {
                    hex(*byte, style.upper)
                });
            }
        }
        line.push(' ');
    }
    let used = line.len() - start;
    line.push_str(&" ".repeat(width.saturating_sub(used) + 1));
    let mut line = line.into_bytes();
    line.extend(row.iter().map(|byte| {
        if byte.is_ascii_graphic() || *byte == b' ' {
            *byte
        } else {
            b'.'
        }
    }));
    line.push(b'\n');
    line
}

fn hex(byte: u8, upper: bool) -> String {
    if upper {
        format!("{byte:02X}")
    } else {
        format!("{byte:02x}")
    }
}

fn plain(
    process: &Process,
    input: &mut impl Read,
    out: &mut Output<'_>,
    columns: u64,
    upper: bool,
) -> io::Result<()> {
    let columns = usize::try_from(columns).unwrap_or(0);
    let mut buffer = vec![
        0;
        if columns == 0 {
            4096
        } else {
            columns.min(1 << 16)
        }
    ];
    let mut any = false;
    loop {
        let count = fill(input, &mut buffer)?;
        if count == 0 {
            break;
        }
        any = true;
        process.spend(count * 4);
        let row: String = buffer
            .iter()
            .take(count)
            .map(|byte| hex(*byte, upper))
            .collect();
        out.write_all(row.as_bytes())?;
        if columns > 0 {
            out.write_all(b"\n")?;
        }
    }
    if columns == 0 && any {
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn include(
    process: &Process,
    input: &mut impl Read,
    out: &mut Output<'_>,
    parsed: &Parsed,
    name: &BStr,
    columns: u64,
) -> io::Result<()> {
    let given = parsed
        .value("name")
        .or_else(|| (name != "-").then_some(name));
    let variable = given.map(|name| {
        let mut text: String = name
            .iter()
            .map(|byte| {
                if byte.is_ascii_alphanumeric() {
                    char::from(*byte)
                } else {
                    '_'
                }
            })
            .collect();
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            text = format!("__{text}");
        }
        if parsed.has("capitalize") {
            text.to_ascii_uppercase()
        } else {
            text
        }
    });
    if let Some(variable) = &variable {
        writeln!(out, "unsigned char {variable}[] = {{")?;
    }
    let columns = usize::try_from(columns).unwrap_or(12).clamp(1, 1 << 16);
    let mut buffer = vec![0; columns];
    let mut total = 0u64;
    loop {
        let count = fill(input, &mut buffer)?;
        if count == 0 {
            break;
        }
        process.spend(count * 4);
        if total > 0 {
            out.write_all(b",\n")?;
        }
        total += count as u64;
        let row: Vec<String> = buffer
            .iter()
            .take(count)
            .map(|byte| {
                if parsed.has("uppercase") {
                    format!("0X{byte:02X}")
                } else {
                    format!("0x{byte:02x}")
                }
            })
            .collect();
        write!(out, "  {}", row.join(", "))?;
    }
    if total > 0 {
        out.write_all(b"\n")?;
    }
    if let Some(variable) = &variable {
        let suffix = if parsed.has("capitalize") {
            "_LEN"
        } else {
            "_len"
        };
        writeln!(out, "}};\nunsigned int {variable}{suffix} = {total};")?;
    }
    Ok(())
}

fn revert(
    process: &Process,
    input: Input<'_>,
    out: &mut Output<'_>,
    parsed: &Parsed,
) -> io::Result<()> {
    let mut lines = Lines::new(process, input)?;
    let is_plain = parsed.has("postscript");
    let columns = parsed
        .value("cols")
        .and_then(|text| parse(text))
        .unwrap_or(16);
    let mut position = 0u64;
    while let Some(line) = lines.next_line()? {
        process.spend(line.len());
        if is_plain {
            let digits: Vec<u8> = line.iter().copied().filter(u8::is_ascii_hexdigit).collect();
            let bytes: Vec<u8> = digits.chunks_exact(2).map(byte).collect();
            out.write_all(&bytes)?;
            continue;
        }
        let Some((offset, rest)) = line.split_once_str(":") else {
            continue;
        };
        let offset = offset
            .trim_ascii()
            .to_str()
            .ok()
            .and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let Some(offset) = offset else { continue };
        let mut bytes = Vec::new();
        let mut rest = rest.strip_prefix(b" ").unwrap_or(rest);
        // Hexadecimal digits, with single spaces between groups; two spaces end them.
        while (bytes.len() as u64) < columns {
            match rest {
                [high, low, after @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                    bytes.push(byte(&[*high, *low]));
                    rest = after;
                }
                [b' ', b' ', ..] => break,
                [b' ', after @ ..] => rest = after,
                _ => break,
            }
        }
        if offset != position {
            out.flush()?;
            let stream = out.stream().clone();
            if stream.seek(SeekFrom::Start(offset)).is_err() {
                if offset < position {
                    process.complain("Sorry, cannot seek backwards.");
                    process.exit(5);
                }
                let gap = offset - position;
                let limit = process.account().limit() as u64;
                if gap > limit {
                    process.complain("Sorry, cannot seek that far in a pipe.");
                    process.exit(5);
                }
                io::copy(&mut io::repeat(0).take(gap), out)?;
            }
        }
        out.write_all(&bytes)?;
        position = offset + bytes.len() as u64;
    }
    Ok(())
}

fn byte(digits: &[u8]) -> u8 {
    digits.iter().fold(0, |sum, digit| {
        sum * 16 + u8::try_from(char::from(*digit).to_digit(16).unwrap_or(0)).unwrap_or(0)
    })
}
