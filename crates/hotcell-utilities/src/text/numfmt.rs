//! `numfmt`.

mod fields;
mod human;

use std::io::{self, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Output, Process};

use self::{
    fields::Fields,
    human::{Converter, Round, Scale},
};
use crate::{Opt, Parsed, Usage, Utility, languages::Math, lines::Lines, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "numfmt",
    synopsis: "[OPTION]... [NUMBER]...",
    summary: "Reformat NUMBER(s), or the numbers from standard input if none are specified.",
    options: &[
        Opt::flag('\0', "debug", "print warnings about invalid input"),
        Opt::value(
            'd',
            "delimiter",
            "X",
            "use X instead of whitespace for field delimiter",
        ),
        Opt::value(
            '\0',
            "field",
            "FIELDS",
            "replace the numbers in these input fields (default=1): N, N-, N-M, -M, -",
        ),
        Opt::value(
            '\0',
            "format",
            "FORMAT",
            "use printf style floating-point FORMAT",
        ),
        Opt::value(
            '\0',
            "from",
            "UNIT",
            "auto-scale input numbers to UNITs: none, auto, si, iec, iec-i",
        ),
        Opt::value(
            '\0',
            "from-unit",
            "N",
            "specify the input unit size (instead of the default 1)",
        ),
        Opt::flag('\0', "grouping", "accepted; the locale has no grouping"),
        Opt::optional(
            '\0',
            "header",
            "N",
            "print (without converting) the first N header lines",
        ),
        Opt::value(
            '\0',
            "invalid",
            "MODE",
            "failure mode for invalid numbers: abort (default), fail, warn, ignore",
        ),
        Opt::value('\0', "padding", "N", "pad the output to N characters"),
        Opt::value(
            '\0',
            "round",
            "METHOD",
            "up, down, from-zero (default), towards-zero, nearest",
        ),
        Opt::value(
            '\0',
            "suffix",
            "SUFFIX",
            "add SUFFIX to output numbers, and accept optional SUFFIX in input",
        ),
        Opt::value(
            '\0',
            "to",
            "UNIT",
            "auto-scale output numbers to UNITs: none, si, iec, iec-i",
        ),
        Opt::value(
            '\0',
            "to-unit",
            "N",
            "the output unit size (instead of the default 1)",
        ),
        Opt::flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
    ..Usage::DEFAULT
};

/// What becomes of what is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Invalid {
    Abort,
    Fail,
    Warn,
    Ignore,
}

/// `%f` with what stands around it.
#[derive(Default)]
struct Format {
    before: Vec<u8>,
    after: Vec<u8>,
    /// Negative is to the left.
    padding: i64,
    precision: Option<usize>,
    fills_with_zeros: bool,
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let format = match parsed.value("format") {
        Some(format) => read_format(process, format),
        None => Format::default(),
    };
    let padding = match parsed.value("padding") {
        None => format.padding,
        Some(value) => {
            let padding = value.to_str().ok().and_then(|text| text.parse().ok());
            match padding {
                Some(padding) if padding != 0 => padding,
                _ => fail(process, "invalid padding value ", value),
            }
        }
    };
    if process
        .charge(usize::try_from(padding.unsigned_abs()).unwrap_or(usize::MAX))
        .is_err()
    {
        fail(
            process,
            "padding value is too large ",
            BStr::new(&padding.to_string()),
        );
    }
    let delimiter = parsed
        .value("delimiter")
        .map(|delimiter| match delimiter.as_bytes() {
            [only] => *only,
            _ => USAGE.fail(process, "the delimiter must be a single character"),
        });
    let converter = Converter {
        math: Math::new(process)?,
        from: scale(process, &parsed, "from"),
        to: scale(process, &parsed, "to"),
        from_unit: unit(process, &parsed, "from-unit"),
        to_unit: unit(process, &parsed, "to-unit"),
        round: round(process, &parsed),
        precision: format.precision,
    };
    let mut work = Work {
        process,
        out: process.stdout(),
        converter,
        fields: match parsed.value("field") {
            Some(fields) => Fields::read(process, fields),
            None => Fields::first(),
        },
        delimiter,
        suffix: parsed
            .value("suffix")
            .map_or(BString::default(), BString::from),
        padding,
        pads_as_input: padding == 0 && delimiter.is_none(),
        format,
        invalid: invalid(process, &parsed),
        end: if parsed.has("zero-terminated") {
            0
        } else {
            b'\n'
        },
        code: 0,
    };
    if parsed.operands.is_empty() {
        work.input(header(process, &parsed))?;
    } else {
        for operand in &parsed.operands {
            work.line(operand, true)?;
        }
    }
    work.out.flush()?;
    Ok(work.code)
}

fn fail(process: &Process, message: &str, value: &BStr) -> ! {
    let mut text = message.as_bytes().to_vec();
    text.extend_from_slice(&quote(value));
    process.complain(text);
    process.exit(1)
}

/// Complains as GNU tools do of a word that is not one of those expected.
fn fail_choice(process: &Process, option: &str, value: &BStr, choices: &[&str]) -> ! {
    let mut text = b"invalid argument ".to_vec();
    text.extend_from_slice(&quote(value));
    text.extend_from_slice(format!(" for '--{option}'\nValid arguments are:").as_bytes());
    for choice in choices {
        text.extend_from_slice(format!("\n  - '{choice}'").as_bytes());
    }
    process.complain(text);
    let _ = writeln!(
        process.stderr(),
        "Try 'numfmt --help' for more information."
    );
    process.exit(1)
}

fn scale(process: &Process, parsed: &Parsed, option: &str) -> Scale {
    let Some(value) = parsed.value(option) else {
        return Scale::None;
    };
    match value.as_bytes() {
        b"none" => Scale::None,
        b"auto" if option == "from" => Scale::Auto,
        b"si" => Scale::Si,
        b"iec" => Scale::Iec,
        b"iec-i" => Scale::IecI,
        _ if option == "from" => fail_choice(
            process,
            option,
            value,
            &["none", "auto", "si", "iec", "iec-i"],
        ),
        _ => fail_choice(process, option, value, &["none", "si", "iec", "iec-i"]),
    }
}

fn round(process: &Process, parsed: &Parsed) -> Round {
    let Some(value) = parsed.value("round") else {
        return Round::FromZero;
    };
    match value.as_bytes() {
        b"up" => Round::Up,
        b"down" => Round::Down,
        b"from-zero" => Round::FromZero,
        b"towards-zero" => Round::TowardsZero,
        b"nearest" => Round::Nearest,
        _ => fail_choice(
            process,
            "round",
            value,
            &["up", "down", "from-zero", "towards-zero", "nearest"],
        ),
    }
}

fn invalid(process: &Process, parsed: &Parsed) -> Invalid {
    let Some(value) = parsed.value("invalid") else {
        return Invalid::Abort;
    };
    match value.as_bytes() {
        b"abort" => Invalid::Abort,
        b"fail" => Invalid::Fail,
        b"warn" => Invalid::Warn,
        b"ignore" => Invalid::Ignore,
        _ => fail_choice(
            process,
            "invalid",
            value,
            &["abort", "fail", "warn", "ignore"],
        ),
    }
}

/// A size such as `512`, `1K` or `1Ki`.
fn unit(process: &Process, parsed: &Parsed, option: &str) -> u64 {
    let Some(value) = parsed.value(option) else {
        return 1;
    };
    let split = value
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(value.len());
    let (digits, suffix) = value.split_at(split);
    let number: Option<u64> = if digits.is_empty() && !suffix.is_empty() {
        Some(1)
    } else {
        digits.to_str().ok().and_then(|digits| digits.parse().ok())
    };
    let (letter, base): (&[u8], u64) = match suffix {
        [letter, b'i'] => (std::slice::from_ref(letter), 1024),
        other => (other, 1000),
    };
    let power = match letter {
        [] => Some(0),
        [letter] => human::POWERS.find_byte(*letter).map(|power| power + 1),
        _ => None,
    };
    let factor = power
        .and_then(|power| u32::try_from(power).ok())
        .and_then(|power| base.checked_pow(power));
    let size = number
        .zip(factor)
        .and_then(|(number, factor)| number.checked_mul(factor));
    match size {
        Some(size) if size > 0 => size,
        _ => fail(process, "invalid unit size: ", value),
    }
}

fn header(process: &Process, parsed: &Parsed) -> u64 {
    if !parsed.has("header") {
        return 0;
    }
    let Some(value) = parsed.value("header") else {
        return 1;
    };
    let count = value.to_str().ok().and_then(|digits| digits.parse().ok());
    match count {
        Some(count) if count > 0 => count,
        _ => fail(process, "invalid header value ", value),
    }
}

fn read_format(process: &Process, text: &BStr) -> Format {
    let wrong = || -> ! {
        let mut message = b"invalid format ".to_vec();
        message.extend_from_slice(&quote(text));
        message.extend_from_slice(b", directive must be %[0]['][-][N][.][N]f");
        process.complain(message);
        process.exit(1)
    };
    let mut format = Format::default();
    let mut bytes = text.iter().copied().peekable();
    let mut is_found = false;
    while let Some(byte) = bytes.next() {
        let part = if is_found {
            &mut format.after
        } else {
            &mut format.before
        };
        if byte != b'%' {
            part.push(byte);
            continue;
        }
        if bytes.next_if_eq(&b'%').is_some() {
            part.push(b'%');
            continue;
        }
        if is_found {
            let mut message = b"format ".to_vec();
            message.extend_from_slice(&quote(text));
            message.extend_from_slice(b" has too many % directives");
            process.complain(message);
            process.exit(1);
        }
        is_found = true;
        let mut is_left = false;
        while let Some(flag) = bytes.next_if(|byte| matches!(byte, b' ' | b'0' | b'\'' | b'-')) {
            match flag {
                b'0' => format.fills_with_zeros = true,
                b'-' => is_left = true,
                _ => {}
            }
        }
        let mut width = 0i64;
        while let Some(digit) = bytes.next_if(u8::is_ascii_digit) {
            width = width
                .saturating_mul(10)
                .saturating_add(i64::from(digit - b'0'));
        }
        format.padding = if is_left { -width } else { width };
        if bytes.next_if_eq(&b'.').is_some() {
            let mut precision = 0usize;
            while let Some(digit) = bytes.next_if(u8::is_ascii_digit) {
                precision = precision
                    .saturating_mul(10)
                    .saturating_add(usize::from(digit - b'0'));
            }
            format.precision = Some(precision);
        }
        if bytes.next() != Some(b'f') {
            wrong();
        }
    }
    if !is_found {
        let mut message = b"format ".to_vec();
        message.extend_from_slice(&quote(text));
        message.extend_from_slice(b" has no % directive");
        process.complain(message);
        process.exit(1);
    }
    format
}

struct Work<'p> {
    process: &'p Process,
    out: Output<'p>,
    converter: Converter<'p>,
    fields: Fields,
    delimiter: Option<u8>,
    suffix: BString,
    padding: i64,
    /// A number is as wide as it was.
    pads_as_input: bool,
    format: Format,
    invalid: Invalid,
    end: u8,
    code: i32,
}

impl Work<'_> {
    fn input(&mut self, mut header: u64) -> io::Result<()> {
        let mut lines = Lines::ending_with(self.process, self.process.stdin(), self.end)?;
        while let Some(line) = lines.next_line()? {
            if header > 0 {
                header -= 1;
                self.out.write_all(line)?;
                continue;
            }
            let (text, has_end) = match line.split_last() {
                Some((last, text)) if *last == self.end => (text, true),
                _ => (line, false),
            };
            let text = text.to_vec();
            self.line(&text, has_end)?;
        }
        Ok(())
    }

    fn line(&mut self, line: &[u8], has_end: bool) -> io::Result<()> {
        let mut rest = Some(line);
        let mut number = 0;
        while let Some(text) = rest {
            number += 1;
            let (field, behind) = self.next_field(text);
            if self.fields.contains(number) {
                self.field(field, number)?;
            } else {
                self.out.write_all(field)?;
            }
            if behind.is_some() {
                self.out.write_all(&[self.delimiter.unwrap_or(b' ')])?;
            }
            rest = behind;
        }
        if has_end {
            self.out.write_all(&[self.end])?;
        }
        Ok(())
    }

    /// A field, and what is behind the delimiter after it.
    fn next_field<'t>(&self, text: &'t [u8]) -> (&'t [u8], Option<&'t [u8]>) {
        let end = match self.delimiter {
            Some(delimiter) => memchr::memchr(delimiter, text).unwrap_or(text.len()),
            None => {
                let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n');
                // Blanks before a field are its own.
                let start = text.iter().position(|byte| !is_blank(byte));
                let start = start.unwrap_or(text.len());
                let behind = text.get(start..).unwrap_or_default();
                start + behind.iter().position(is_blank).unwrap_or(behind.len())
            }
        };
        let (field, behind) = text.split_at(end);
        (field, behind.get(1..))
    }

    fn field(&mut self, field: &[u8], number: u64) -> io::Result<()> {
        let text = field.trim_start();
        let blanks = field.len() - text.len();
        match self.converter.convert(text, &self.suffix)? {
            Ok(mut shown) => {
                shown.extend_from_slice(&self.suffix);
                let padding = if self.pads_as_input && (blanks > 0 || number > 1) {
                    i64::try_from(field.len()).unwrap_or(0)
                } else {
                    self.padding
                };
                let padded = self.pad(&shown, padding);
                self.out.write_all(&self.format.before)?;
                self.out.write_all(&padded)?;
                self.out.write_all(&self.format.after)
            }
            Err(message) => {
                if self.invalid != Invalid::Ignore {
                    self.out.flush()?;
                    self.process.complain(message);
                }
                match self.invalid {
                    Invalid::Abort => self.process.exit(2),
                    Invalid::Fail => self.code = 2,
                    Invalid::Warn | Invalid::Ignore => {}
                }
                self.out.write_all(field)
            }
        }
    }

    fn pad(&self, text: &[u8], padding: i64) -> Vec<u8> {
        let width = usize::try_from(padding.unsigned_abs()).unwrap_or(0);
        let missing = width.saturating_sub(text.len());
        let mut padded = text.to_vec();
        if padding < 0 {
            padded.extend(std::iter::repeat_n(b' ', missing));
        } else if self.format.fills_with_zeros {
            let sign = usize::from(text.starts_with(b"-"));
            padded.splice(sign..sign, std::iter::repeat_n(b'0', missing));
        } else {
            padded.splice(0..0, std::iter::repeat_n(b' ', missing));
        }
        padded
    }
}
