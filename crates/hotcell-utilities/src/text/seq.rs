//! `seq`.

use std::io::{self, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Output, Process};

use crate::{
    Opt, Usage, Utility,
    languages::{Decimal, Math},
    printf::{self, Spec},
    quote::quote,
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "seq",
    synopsis: "[OPTION]... LAST\n[OPTION]... FIRST LAST\n[OPTION]... FIRST INCREMENT LAST",
    summary: "Print numbers from FIRST to LAST, in steps of INCREMENT.",
    options: &[
        Opt::value(
            'f',
            "format",
            "FORMAT",
            "use printf style floating-point FORMAT",
        ),
        Opt::value(
            's',
            "separator",
            "STRING",
            "use STRING to separate numbers (default: \\n)",
        ),
        Opt::flag(
            'w',
            "equal-width",
            "equalize width by padding with leading zeroes",
        ),
    ],
    notes: "If FIRST or INCREMENT is omitted, it defaults to 1. Numbers are exact, however many digits they have.",
    stops_at_operand: true,
    ..Usage::DEFAULT
};

/// A number as it was written.
struct Operand {
    /// `None` is infinite.
    value: Option<Decimal>,
    is_negative: bool,
    /// Digits behind the point.
    precision: usize,
    width: usize,
}

fn main(process: &Process) -> io::Result<i32> {
    let arguments = with_operands_apart(process.args().get(1..).unwrap_or_default());
    let parsed = USAGE.parse_args(process, &arguments);
    let math = Math::new(process)?;
    let operand = |text: &BString| operand(process, &math, text);
    let one = BString::from("1");
    let (first, step, last) = match parsed.operands.as_slice() {
        [] => USAGE.fail(process, "missing operand"),
        [last] => (&one, &one, last),
        [first, last] => (first, &one, last),
        [first, step, last] => (first, step, last),
        [_, _, _, extra, ..] => USAGE.fail(
            process,
            [b"extra operand ", quote(extra).as_slice()].concat(),
        ),
    };
    let step_text = step;
    let (first, step, last) = (operand(first)?, operand(step)?, operand(last)?);
    if step.value.as_ref().is_some_and(Decimal::is_zero) {
        USAGE.fail(
            process,
            [
                b"invalid Zero increment value: ",
                quote(step_text).as_slice(),
            ]
            .concat(),
        );
    }
    let style = match parsed.value("format") {
        Some(format) => {
            if parsed.has("equal-width") {
                USAGE.fail(
                    process,
                    "format string may not be specified when printing equal width strings",
                );
            }
            Style::Format(Format::new(process, format))
        }
        None => Style::plain(&first, &step, &last, parsed.has("equal-width")),
    };
    let separator = parsed.value("separator").unwrap_or(BStr::new("\n"));
    let mut run = Run {
        process,
        math,
        out: process.stdout(),
        separator: separator.into(),
        style,
        line: Vec::new(),
    };
    run.all(&first, &step, &last)?;
    run.out.flush()?;
    Ok(0)
}

/// Negative numbers are no options.
fn with_operands_apart(arguments: &[BString]) -> Vec<BString> {
    let is_number = |argument: &BString| {
        matches!(argument.as_slice(), [b'-', b'0'..=b'9' | b'.', ..])
            || argument.eq_ignore_ascii_case(b"-inf")
    };
    let mut apart = Vec::with_capacity(arguments.len() + 1);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if is_number(argument) {
            apart.push("--".into());
        }
        apart.push(argument.clone());
        match argument.as_slice() {
            // Its value may look like a number.
            b"-f" | b"-s" | b"--format" | b"--separator" => apart.extend(rest.next().cloned()),
            [b'-', second, ..] if *second != b'-' && !is_number(argument) => {}
            [b'-', b'-', _, ..] => {}
            _ => break,
        }
    }
    apart.extend(rest.cloned());
    apart
}

fn operand(process: &Process, math: &Math<'_>, text: &BString) -> io::Result<Operand> {
    let invalid = || -> ! {
        USAGE.fail(
            process,
            [b"invalid floating point argument: ", quote(text).as_slice()].concat(),
        )
    };
    let trimmed = text.trim_start();
    let (is_negative, digits) = match trimmed {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let is_one_of = |words: [&[u8]; 2]| words.iter().any(|word| digits.eq_ignore_ascii_case(word));
    if is_one_of([b"inf", b"infinity"]) {
        return Ok(Operand {
            value: None,
            is_negative,
            precision: 0,
            width: 3,
        });
    }
    if is_one_of([b"nan", b"nan()"]) {
        USAGE.fail(
            process,
            [b"invalid 'not-a-number' argument: ", quote(text).as_slice()].concat(),
        );
    }
    let Some((mantissa, exponent)) = take_apart(digits) else {
        invalid()
    };
    let (value, precision) = if let [b'0', b'x' | b'X', digits @ ..] = mantissa {
        let digits = digits.to_ascii_uppercase();
        (math.read(&digits, 16)?, 0)
    } else {
        let value = math.read(mantissa, 10)?;
        let fraction = value.scale();
        let shifted = math.shift_point(&value, exponent)?;
        let exponent_up = usize::try_from(exponent).unwrap_or(0);
        let exponent_down = usize::try_from(-exponent).unwrap_or(0);
        let precision = fraction.saturating_sub(exponent_up) + exponent_down;
        (shifted, precision)
    };
    let has_exponent = digits.iter().any(|byte| matches!(byte, b'e' | b'E'));
    let is_hexadecimal = mantissa.starts_with(b"0x") || mantissa.starts_with(b"0X");
    let width = if has_exponent || is_hexadecimal {
        put_plain(&math.show(&value, 10)?, precision).len() + usize::from(is_negative)
    } else {
        let begins_with_point = digits.starts_with(b".");
        let ends_with_point = digits.ends_with(b".");
        trimmed.len() + usize::from(begins_with_point) - usize::from(ends_with_point)
    };
    let value = if is_negative {
        math.negate(&value)
    } else {
        value
    };
    Ok(Operand {
        value: Some(value),
        is_negative,
        precision,
        width,
    })
}

/// Digits with a point, and an exponent behind them.
fn take_apart(text: &[u8]) -> Option<(&[u8], i64)> {
    if let [b'0', b'x' | b'X', digits @ ..] = text {
        let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
        return is_number.then_some((text, 0));
    }
    let end = text
        .iter()
        .position(|byte| matches!(byte, b'e' | b'E'))
        .unwrap_or(text.len());
    let (mantissa, exponent) = text.split_at(end);
    let exponent = match exponent.get(1..) {
        None => 0,
        Some(digits) => {
            let digits = digits.strip_prefix(b"+").unwrap_or(digits);
            let exponent: i64 = digits.to_str().ok()?.parse().ok()?;
            exponent
        }
    };
    let points = mantissa.iter().filter(|byte| **byte == b'.').count();
    let digits = mantissa.iter().filter(|byte| byte.is_ascii_digit()).count();
    (points <= 1 && digits > 0 && points + digits == mantissa.len()).then_some((mantissa, exponent))
}

/// How numbers are written.
enum Style {
    /// With so many digits behind the point, and zeros in front up to a width.
    Plain {
        precision: usize,
        width: usize,
    },
    Format(Format),
}

impl Style {
    fn plain(first: &Operand, step: &Operand, last: &Operand, is_equal_width: bool) -> Self {
        let precision = first.precision.max(step.precision);
        let width = |operand: &Operand| {
            let point = usize::from(precision > 0);
            let own_point = usize::from(operand.precision > 0);
            (operand.width + precision + point).saturating_sub(operand.precision + own_point)
        };
        Self::Plain {
            precision,
            width: if is_equal_width {
                width(first).max(width(last))
            } else {
                0
            },
        }
    }
}

/// A format with one conversion.
struct Format {
    before: Vec<u8>,
    after: Vec<u8>,
    spec: Spec,
    letter: u8,
}

impl Format {
    fn new(process: &Process, format: &BStr) -> Self {
        let fail = |what: &str| -> ! {
            let mut message = b"format ".to_vec();
            message.extend_from_slice(&quote(format));
            message.extend_from_slice(what.as_bytes());
            process.complain(message);
            process.exit(1)
        };
        let mut parts = [Vec::new(), Vec::new()];
        let mut found: Option<(Spec, u8)> = None;
        let mut bytes = format.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            if byte != b'%' {
                if let Some(part) = parts.get_mut(usize::from(found.is_some())) {
                    part.push(byte);
                }
                continue;
            }
            if bytes.next_if_eq(&b'%').is_some() {
                if let Some(part) = parts.get_mut(usize::from(found.is_some())) {
                    part.push(b'%');
                }
                continue;
            }
            if found.is_some() {
                fail(" has too many % directives");
            }
            let mut spec = Spec::default();
            while bytes.next_if(|flag| spec.take_flag(*flag)).is_some() {}
            let mut digits = || {
                let mut number = None;
                while let Some(digit) = bytes.next_if(u8::is_ascii_digit) {
                    let so_far = number.unwrap_or(0usize);
                    number = Some(so_far.saturating_mul(10) + usize::from(digit - b'0'));
                }
                number
            };
            spec.width = digits().unwrap_or(0);
            if bytes.next_if_eq(&b'.').is_some() {
                let mut number = 0usize;
                while let Some(digit) = bytes.next_if(u8::is_ascii_digit) {
                    number = number.saturating_mul(10) + usize::from(digit - b'0');
                }
                spec.precision = Some(number);
            }
            match bytes.next() {
                Some(letter) if b"aAeEfFgG".contains(&letter) => found = Some((spec, letter)),
                Some(letter) => fail(&format!(
                    " has unknown %{} directive",
                    char::from(letter).escape_default()
                )),
                None => fail(" ends in %"),
            }
        }
        let Some((spec, letter)) = found else {
            fail(" has no % directive")
        };
        if let Err(error) = process.charge(spec.room()) {
            process.complain(hotcell_process::error_text(&error));
            process.exit(1);
        }
        let [before, after] = parts;
        Self {
            before,
            after,
            spec,
            letter,
        }
    }
}

struct Run<'p> {
    process: &'p Process,
    math: Math<'p>,
    out: Output<'p>,
    separator: BString,
    style: Style,
    line: Vec<u8>,
}

impl Run<'_> {
    fn all(&mut self, first: &Operand, step: &Operand, last: &Operand) -> io::Result<()> {
        if self.whole_numbers(first, step, last)? {
            return Ok(());
        }
        let is_falling = step.is_negative;
        let Some(mut value) = first.value.clone() else {
            return self.infinite(first, last);
        };
        let mut is_first = true;
        loop {
            let is_over = match &last.value {
                None => last.is_negative != is_falling,
                Some(last) => {
                    let ordering = self.math.compare(&value, last)?;
                    if is_falling {
                        ordering.is_lt()
                    } else {
                        ordering.is_gt()
                    }
                }
            };
            if is_over {
                break;
            }
            if !is_first {
                let separator = self.separator.clone();
                self.out.write_all(&separator)?;
            }
            self.put(&value, is_first && first.is_negative && value.is_zero())?;
            is_first = false;
            let Some(step) = &step.value else { break };
            value = self.math.add(&value, step)?;
        }
        if !is_first {
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }

    /// The usual case, without decimals: true if it was that.
    fn whole_numbers(
        &mut self,
        first: &Operand,
        step: &Operand,
        last: &Operand,
    ) -> io::Result<bool> {
        let Style::Plain {
            precision: 0,
            width: 0,
        } = self.style
        else {
            return Ok(false);
        };
        let whole = |operand: &Operand| {
            let value = operand.value.as_ref()?;
            (operand.precision == 0).then(|| value.to_i64()).flatten()
        };
        let (Some(first_number), Some(step), Some(last)) = (whole(first), whole(step), whole(last))
        else {
            return Ok(false);
        };
        if first.is_negative && first_number == 0 {
            return Ok(false);
        }
        let separator = self.separator.clone();
        let mut number = Some(first_number);
        let mut any = false;
        let mut piece = Vec::with_capacity(32 << 10);
        while let Some(value) = number
            && (if step > 0 {
                value <= last
            } else {
                value >= last
            })
        {
            self.process.spend(1);
            if any {
                piece.extend_from_slice(&separator);
            }
            any = true;
            printf::decimal(&mut piece, value);
            if piece.len() > 30 << 10 {
                self.out.write_all(&piece)?;
                piece.clear();
            }
            number = value.checked_add(step);
        }
        if any {
            piece.push(b'\n');
        }
        self.out.write_all(&piece)?;
        Ok(true)
    }

    fn infinite(&mut self, first: &Operand, last: &Operand) -> io::Result<()> {
        let text: &[u8] = if first.is_negative { b"-inf" } else { b"inf" };
        if last.value.is_some() || last.is_negative != first.is_negative {
            return Ok(());
        }
        self.out.write_all(text)?;
        loop {
            let separator = self.separator.clone();
            self.out.write_all(&separator)?;
            self.out.write_all(text)?;
        }
    }

    fn put(&mut self, value: &Decimal, is_negative_zero: bool) -> io::Result<()> {
        let text = self.math.show(value, 10)?;
        self.line.clear();
        match &self.style {
            Style::Plain { precision, width } => {
                let digits = text.strip_prefix(b"-").unwrap_or(&text);
                let is_negative = digits.len() < text.len() || is_negative_zero;
                let plain = put_plain(digits, *precision);
                if is_negative {
                    self.line.push(b'-');
                }
                let zeros = width.saturating_sub(plain.len() + usize::from(is_negative));
                self.line.extend(std::iter::repeat_n(b'0', zeros));
                self.line.extend_from_slice(&plain);
            }
            Style::Format(format) => {
                let number: f64 = text
                    .to_str()
                    .ok()
                    .and_then(|text| text.parse().ok())
                    .unwrap_or(0.0);
                self.line.extend_from_slice(&format.before);
                printf::float(&mut self.line, &format.spec, format.letter, number);
                self.line.extend_from_slice(&format.after);
            }
        }
        self.out.write_all(&self.line)
    }
}

/// Digits with a zero before the point, and so many behind it.
fn put_plain(digits: &[u8], precision: usize) -> Vec<u8> {
    let (whole, part) = digits.split_once_str(".").unwrap_or((digits, b""));
    let mut plain = if whole.is_empty() {
        b"0".to_vec()
    } else {
        whole.to_vec()
    };
    if precision > 0 {
        plain.push(b'.');
        plain.extend(part.iter().chain(std::iter::repeat(&b'0')).take(precision));
    }
    plain
}
