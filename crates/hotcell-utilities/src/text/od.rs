//! `od`.

mod format;

use std::io::{self, Read, Write};

use bstr::{BStr, BString, ByteSlice};
use format::Format;
use hotcell_process::{Input, Output, Process};

use crate::{Opt, Parsed, Usage, Utility, number, operands::complain_of, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "od",
    synopsis: "[OPTION]... [FILE]...\n[-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]",
    summary: "Write an unambiguous representation, octal bytes by default,\nof FILE to standard output.\n\n\
              With no FILE, or when FILE is -, read standard input.",
    options: &[
        Opt::value(
            'A',
            "address-radix",
            "RADIX",
            "output format for file offsets; RADIX is one\nof [doxn], for Decimal, Octal, Hex or None",
        ),
        Opt::value(
            '\0',
            "endian",
            "{big|little}",
            "swap input bytes according the specified order",
        ),
        Opt::value('j', "skip-bytes", "BYTES", "skip BYTES input bytes first"),
        Opt::value(
            'N',
            "read-bytes",
            "BYTES",
            "limit dump to BYTES input bytes",
        ),
        Opt::value(
            'S',
            "strings",
            "BYTES",
            "output strings of at least BYTES graphic chars;\n3 is implied when BYTES is not specified",
        ),
        Opt::value('t', "format", "TYPE", "select output format or formats"),
        Opt::flag(
            'v',
            "output-duplicates",
            "do not use * to mark line suppression",
        ),
        Opt::optional(
            'w',
            "width",
            "BYTES",
            "output BYTES bytes per output line;\n32 is implied when BYTES is not specified",
        ),
        Opt::flag(
            'a',
            "",
            "same as -t a,  select named characters, ignoring high-order bit",
        ),
        Opt::flag('b', "", "same as -t o1, select octal bytes"),
        Opt::flag(
            'c',
            "",
            "same as -t c,  select printable characters or backslash escapes",
        ),
        Opt::flag(
            'd',
            "",
            "same as -t u2, select unsigned decimal 2-byte units",
        ),
        Opt::flag('f', "", "same as -t fF, select floats"),
        Opt::flag('i', "", "same as -t dI, select decimal ints"),
        Opt::flag('l', "", "same as -t dL, select decimal longs"),
        Opt::flag('o', "", "same as -t o2, select octal 2-byte units"),
        Opt::flag('s', "", "same as -t d2, select decimal 2-byte units"),
        Opt::flag('x', "", "same as -t x2, select hexadecimal 2-byte units"),
    ],
    notes: "TYPE is made up of one or more of these specifications: a, c, d[SIZE], f[SIZE], o[SIZE],\n\
            u[SIZE], x[SIZE]; SIZE is a number, or C, S, I, L (F, D, L for f). A z suffix adds the printable\n\
            characters at the end of each line.",
    ..Usage::DEFAULT
};

struct Dump {
    radix: u8,
    formats: Vec<Format>,
    width: usize,
    shows_all: bool,
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let bytes = |name: &str| {
        parsed.value(name).map(|text| match size(text) {
            Some(size) => size,
            None => {
                process.complain(
                    [
                        format!("invalid --{name} argument ").as_bytes(),
                        &quote(text),
                    ]
                    .concat(),
                );
                process.exit(1)
            }
        })
    };
    let radix = match parsed.value("address-radix").map(|radix| radix.as_bytes()) {
        None => b'o',
        Some([radix @ (b'd' | b'o' | b'x' | b'n')]) => *radix,
        Some(other) => {
            let shown = other
                .first()
                .map_or_else(String::new, |byte| char::from(*byte).to_string());
            process.complain(format!(
                "invalid output address radix '{shown}'; it must be one character from [doxn]"
            ));
            return Ok(1);
        }
    };
    let big = match parsed.value("endian").map(|order| order.as_bytes()) {
        None | Some(b"little") => false,
        Some(b"big") => true,
        Some(other) => USAGE.fail(
            process,
            [
                b"invalid argument ",
                quote(other).as_slice(),
                b" for '--endian'",
            ]
            .concat(),
        ),
    };
    let formats = formats(process, &parsed, big);
    let mut skip = bytes("skip-bytes").unwrap_or(0);
    let mut names = parsed.operands.clone();
    if let Some(offset) = names
        .last()
        .and_then(|last| old_offset(last, names.len(), &parsed))
    {
        names.pop();
        skip = offset;
    }
    let unit = formats
        .iter()
        .map(|format| format.size)
        .fold(1, least_common_multiple);
    let width = match (parsed.has("width"), bytes("width")) {
        (true, None) => 32,
        (true, Some(width)) => usize::try_from(width).unwrap_or(0),
        (false, _) => 16usize.next_multiple_of(unit),
    };
    let width = if width == 0 || width % unit != 0 {
        process.complain(format!(
            "warning: invalid width {width}; using {unit} instead"
        ));
        unit
    } else {
        width
    };
    let _held = process.charge(width.saturating_mul(16))?;
    let Some(mut input) = Concatenated::open(process, &names) else {
        return Ok(1);
    };
    let skipped = io::copy(&mut input.by_ref().take(skip), &mut io::sink())?;
    if skipped < skip {
        process.complain("cannot skip past end of combined input");
        return Ok(1);
    }
    let mut input = input.take(bytes("read-bytes").unwrap_or(u64::MAX));
    let mut out = process.stdout();
    if parsed.has("strings") {
        let least = usize::try_from(bytes("strings").unwrap_or(3)).unwrap_or(3);
        strings(process, &mut input, &mut out, radix, skip, least)?;
    } else {
        let dump = Dump {
            radix,
            formats,
            width,
            shows_all: parsed.has("output-duplicates"),
        };
        dump.run(process, &mut input, &mut out, skip)?;
    }
    out.flush()?;
    let failed = input.into_inner().failed;
    Ok(i32::from(failed))
}

fn least_common_multiple(one: usize, other: usize) -> usize {
    let (mut a, mut b) = (one, other);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    one / a.max(1) * other
}

/// Decimal, octal with `0`, hexadecimal with `0x`, with a multiplier.
fn size(text: &BStr) -> Option<u64> {
    if let Some(hex) = text
        .strip_prefix(b"0x")
        .or_else(|| text.strip_prefix(b"0X"))
    {
        return u64::from_str_radix(hex.to_str().ok()?, 16).ok();
    }
    if text.len() > 1 && text.starts_with(b"0") && text.iter().all(u8::is_ascii_digit) {
        return u64::from_str_radix(text.to_str().ok()?, 8).ok();
    }
    number::with_suffix(text)
}

/// `+100` or `100.` as the last operand, as it was before there was `-j`.
fn old_offset(text: &BString, operands: usize, parsed: &Parsed) -> Option<u64> {
    let is_modern = [
        "address-radix",
        "skip-bytes",
        "read-bytes",
        "format",
        "output-duplicates",
        "width",
        "strings",
    ]
    .iter()
    .any(|name| parsed.has(name));
    let digits = text.strip_prefix(b"+");
    if is_modern
        || digits.is_none() && (operands < 2 || !text.first().is_some_and(u8::is_ascii_digit))
    {
        return None;
    }
    let digits = digits.unwrap_or(text);
    let (digits, blocks) = digits
        .strip_suffix(b"b")
        .map_or((digits, 1), |digits| (digits, 512));
    let (digits, radix) = digits
        .strip_suffix(b".")
        .map_or((digits, 8), |digits| (digits, 10));
    let (digits, radix) = digits
        .strip_prefix(b"0x")
        .map_or((digits, radix), |digits| (digits, 16));
    u64::from_str_radix(digits.to_str().ok()?, radix)
        .ok()
        .map(|number| number * blocks)
}

fn formats(process: &Process, parsed: &Parsed, big: bool) -> Vec<Format> {
    let mut formats = Vec::new();
    for (name, value) in parsed.iter() {
        let text: &[u8] = match name {
            "format" => value.unwrap_or_default(),
            "a" => b"a",
            "b" => b"o1",
            "c" => b"c",
            "d" => b"u2",
            "f" => b"fF",
            "i" => b"dI",
            "l" => b"dL",
            "o" => b"o2",
            "s" => b"d2",
            "x" => b"x2",
            _ => continue,
        };
        match Format::parse(text, big) {
            Ok(more) => formats.extend(more),
            Err(message) => {
                process.complain(message);
                process.exit(1);
            }
        }
    }
    if formats.is_empty() {
        formats.extend(Format::parse(b"o2", big).unwrap_or_default());
    }
    formats
}

/// Several files as one.
struct Concatenated<'p> {
    process: &'p Process,
    names: std::vec::IntoIter<BString>,
    current: Option<Input<'p>>,
    failed: bool,
}

impl<'p> Concatenated<'p> {
    /// Nothing if none of them can be read.
    fn open(process: &'p Process, names: &[BString]) -> Option<Self> {
        let names = if names.is_empty() {
            vec![BString::from("-")]
        } else {
            names.to_vec()
        };
        let mut all = Self {
            process,
            names: names.into_iter(),
            current: None,
            failed: false,
        };
        all.next_file().then_some(all)
    }

    /// Goes on to the next file that can be read; false if there is none.
    fn next_file(&mut self) -> bool {
        for name in self.names.by_ref() {
            match self.process.open_input(&name) {
                Ok(input) => {
                    self.current = Some(input);
                    return true;
                }
                Err(error) => {
                    complain_of(self.process, &name, &error);
                    self.failed = true;
                }
            }
        }
        false
    }
}

impl Read for Concatenated<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(input) = &mut self.current {
                let count = input.read(buf)?;
                if count > 0 {
                    return Ok(count);
                }
                self.current = None;
            }
            if !self.next_file() {
                return Ok(0);
            }
        }
    }
}

fn address(out: &mut Output<'_>, radix: u8, offset: u64) -> io::Result<()> {
    match radix {
        b'd' => write!(out, "{offset:07}"),
        b'x' => write!(out, "{offset:06x}"),
        b'n' => Ok(()),
        _ => write!(out, "{offset:07o}"),
    }
}

impl Dump {
    fn run(
        &self,
        process: &Process,
        input: &mut impl Read,
        out: &mut Output<'_>,
        start: u64,
    ) -> io::Result<()> {
        let mut input = io::BufReader::with_capacity(64 << 10, input);
        let mut block = vec![0; self.width];
        let mut last: Option<Vec<u8>> = None;
        let mut starred = false;
        let mut offset = start;
        loop {
            let mut filled = 0;
            while let Some(rest) = block.get_mut(filled..).filter(|rest| !rest.is_empty()) {
                let read = input.read(rest)?;
                if read == 0 {
                    break;
                }
                filled += read;
            }
            if filled == 0 {
                break;
            }
            process.spend(filled * 8 + 32);
            let row = block.get(..filled).unwrap_or_default();
            let is_repeated =
                !self.shows_all && filled == self.width && last.as_deref() == Some(row);
            if is_repeated {
                if !std::mem::replace(&mut starred, true) {
                    out.write_all(b"*\n")?;
                }
            } else {
                starred = false;
                self.row(row, offset, out)?;
                last = Some(row.to_vec());
            }
            offset += filled as u64;
            if filled < self.width {
                break;
            }
        }
        address(out, self.radix, offset)?;
        if self.radix == b'n' {
            Ok(())
        } else {
            out.write_all(b"\n")
        }
    }

    fn row(&self, row: &[u8], offset: u64, out: &mut Output<'_>) -> io::Result<()> {
        // Columns of all formats stand below each other: the widest per byte counts.
        let per_block = self
            .formats
            .iter()
            .map(|format| (format.width + 1) * (self.width / format.size))
            .max()
            .unwrap_or(0);
        for (at, format) in self.formats.iter().enumerate() {
            if at == 0 {
                address(out, self.radix, offset)?;
            } else if self.radix != b'n' {
                let width = if self.radix == b'x' { 6 } else { 7 };
                write!(out, "{:width$}", "")?;
            }
            let units = self.width / format.size;
            let padding = per_block - (format.width + 1) * units;
            let mut used = 0;
            let mut line = String::new();
            for (number, unit) in row.chunks(format.size).enumerate() {
                let mut padded = unit.to_vec();
                padded.resize(format.size, 0);
                // What is left over is spread over the fields, from the left.
                let target = padding * (number + 1) / units;
                let field = format.width + 1 + target - used;
                used = target;
                line.push_str(&format!("{:>field$}", format.show(&padded)));
            }
            if format.shows_text {
                let missing = (self.width - row.len()) / format.size * (format.width + 1);
                line.push_str(&" ".repeat(missing));
                let text: String = row
                    .iter()
                    .map(|byte| {
                        if byte.is_ascii_graphic() || *byte == b' ' {
                            char::from(*byte)
                        } else {
                            '.'
                        }
                    })
                    .collect();
                line.push_str(&format!("  >{text}<"));
            }
            out.write_all(line.as_bytes())?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}

fn strings(
    process: &Process,
    input: &mut impl Read,
    out: &mut Output<'_>,
    radix: u8,
    start: u64,
    least: usize,
) -> io::Result<()> {
    let mut input = io::BufReader::with_capacity(64 << 10, input).bytes();
    let mut found = Vec::new();
    let mut charge = process.charge(0)?;
    let mut offset = start;
    loop {
        process.spend(1);
        let byte = input.next().transpose()?;
        offset += 1;
        match byte {
            Some(byte)
                if byte.is_ascii_graphic() || byte == b' ' || (0x07..=0x0d).contains(&byte) =>
            {
                charge.grow(1).map_err(hotcell_process::limit_error)?;
                found.push(byte);
            }
            byte => {
                // Only what a NUL ends is a string.
                if byte == Some(0) && found.len() >= least {
                    address(out, radix, offset - 1 - found.len() as u64)?;
                    if radix != b'n' {
                        out.write_all(b" ")?;
                    }
                    for byte in &found {
                        match byte {
                            b'\n' => out.write_all(b"\\n")?,
                            b'\t' => out.write_all(b"\\t")?,
                            b'\r' => out.write_all(b"\\r")?,
                            0x07 => out.write_all(b"\\a")?,
                            0x08 => out.write_all(b"\\b")?,
                            0x0b => out.write_all(b"\\v")?,
                            0x0c => out.write_all(b"\\f")?,
                            _ => out.write_all(&[*byte])?,
                        }
                    }
                    out.write_all(b"\n")?;
                }
                found.clear();
                charge = process.charge(0)?;
                if byte.is_none() {
                    return Ok(());
                }
            }
        }
    }
}
