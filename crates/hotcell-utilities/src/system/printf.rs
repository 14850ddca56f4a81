//! `printf`

mod arguments;

use std::io::{self, Write};

use bstr::BString;
use hotcell_meter::Charge;
use hotcell_process::{Process, limit_error};

use self::arguments::Arguments;
use super::echo::{Octal, escape, unescape};
use crate::{
    Usage, Utility, calendar,
    printf::{Spec, integer, number, text},
    quote,
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "printf",
    synopsis: "FORMAT [ARGUMENT]...\nOPTION",
    summary: "Print ARGUMENT(s) according to FORMAT.",
    options: &[],
    notes: "\
FORMAT controls the output as in C printf. It is used again as long as there are arguments.
  \\\" \\\\ \\a \\b \\e \\f \\n \\r \\t \\v \\NNN \\xHH \\uHHHH \\UHHHHHHHH   characters
  %%            a percent sign
  %d %i %o %u %x %X   whole numbers
  %e %f %g %a   numbers with a fraction (%E %F %G %A with upper case)
  %c %s         a character, a string
  %b            a string whose backslashes are interpreted
  %q            a string quoted for the shell
A width, a precision (both may be *) and the flags - + 0 # and space stand before the letter.",
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let mut args = process.args().get(1..).unwrap_or_default();
    if matches!(args, [only] if only == "--help" || only == "--version") {
        USAGE.parse(process);
    }
    if args.first().is_some_and(|first| first == "--") {
        args = args.get(1..).unwrap_or_default();
    }
    let Some((format, arguments)) = args.split_first() else {
        USAGE.fail(process, "missing operand");
    };
    let formatted = printf(process, &mut Plain { process }, format, arguments)?;
    let mut out = process.stdout();
    out.write_all(&formatted.bytes)?;
    out.flush()?;
    Ok(formatted.status)
}

/// Who formats: a shell and the utility say things differently, and only a shell has variables.
pub trait PrintfHost {
    /// Whether messages are bash's.
    fn is_shell(&self) -> bool;

    /// Says what is wrong.
    fn complain(&mut self, text: Vec<u8>);

    /// `%q`
    fn quoted(&self, text: &[u8]) -> Vec<u8>;

    /// `%n`: sets a variable, or says that there cannot be one of this name.
    fn set(&mut self, name: &[u8], value: BString) -> bool {
        let (_, _) = (name, value);
        false
    }

    /// When the shell began, for `%(…)T` of -2.
    fn began(&self) -> i64 {
        0
    }
}

struct Plain<'p> {
    process: &'p Process,
}

impl PrintfHost for Plain<'_> {
    fn is_shell(&self) -> bool {
        false
    }

    fn complain(&mut self, text: Vec<u8>) {
        self.process.complain(text);
    }

    fn quoted(&self, text: &[u8]) -> Vec<u8> {
        quote::for_shell_escaped(text).into()
    }
}

/// What came of formatting.
pub struct Formatted {
    /// The text.
    pub bytes: Vec<u8>,
    /// 0, or 1 if something was wrong.
    pub status: i32,
}

/// Formats arguments, using the format again as long as there are some.
pub fn printf(
    process: &Process,
    host: &mut dyn PrintfHost,
    format: &[u8],
    arguments: &[BString],
) -> io::Result<Formatted> {
    let mut printer = Printer {
        process,
        out: Vec::new(),
        charge: process.charge(0)?,
        arguments: Arguments::new(arguments, host),
    };
    loop {
        process.spend(format.len() / 16 + 1);
        let used = printer.arguments.used();
        let goes_on = printer.pass(format)?;
        if !goes_on || printer.arguments.is_empty() {
            break;
        }
        if printer.arguments.used() == used {
            printer.arguments.warn_of_excess();
            break;
        }
    }
    Ok(Formatted {
        status: printer.arguments.status(),
        bytes: printer.out,
    })
}

struct Printer<'a> {
    process: &'a Process,
    out: Vec<u8>,
    /// Pays for `out`, which a width can make long.
    charge: Charge,
    arguments: Arguments<'a>,
}

impl Printer<'_> {
    /// Goes through the format once; false if all output ends here.
    fn pass(&mut self, format: &[u8]) -> io::Result<bool> {
        let mut rest = format;
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            match byte {
                // A shell has no `\c` in a format.
                b'\\' if after.first() == Some(&b'c') && !self.arguments.is_shell() => {
                    return Ok(false);
                }
                b'\\' => match escape(after, &mut self.out, Octal::Plain) {
                    Some(after) => rest = after,
                    None => return Ok(false),
                },
                b'%' if after.first() == Some(&b'%') => {
                    self.out.push(b'%');
                    rest = after.get(1..).unwrap_or_default();
                }
                b'%' => match self.conversion(after)? {
                    Some(after) => rest = after,
                    None => return Ok(false),
                },
                _ => self.out.push(*byte),
            }
        }
        self.pay(0)?;
        Ok(true)
    }

    /// Makes sure that there is memory for what is there and `more`.
    fn pay(&mut self, more: usize) -> io::Result<()> {
        let wanted = self.out.len().saturating_add(more);
        if wanted > self.charge.bytes() {
            self.charge.resize(wanted).map_err(limit_error)?;
        }
        Ok(())
    }

    /// What stands behind `%`; `None` if all output ends here.
    fn conversion<'f>(&mut self, format: &'f [u8]) -> io::Result<Option<&'f [u8]>> {
        let mut spec = Spec::default();
        let mut rest = format;
        while let Some((flag, after)) = rest.split_first()
            && spec.take_flag(*flag)
        {
            rest = after;
        }
        if let Some(after) = rest.strip_prefix(b"*") {
            let width = self.arguments.integer();
            spec.left |= width < 0;
            spec.width = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
            rest = after;
        } else {
            (spec.width, rest) = digits(rest);
        }
        if let Some(after) = rest.strip_prefix(b".") {
            if let Some(after) = after.strip_prefix(b"*") {
                let precision = self.arguments.integer();
                spec.precision = usize::try_from(precision).ok();
                rest = after;
            } else {
                let (precision, after) = digits(after);
                spec.precision = Some(precision);
                rest = after;
            }
        }
        while let Some((b'h' | b'j' | b'l' | b'L' | b't' | b'z', after)) = rest.split_first() {
            rest = after;
        }
        self.pay(spec.room())?;
        if let Some(after) = rest.strip_prefix(b"(")
            && self.arguments.is_shell()
        {
            return self.time(&spec, format, after).map(Some);
        }
        let Some((letter, after)) = rest.split_first() else {
            let shown = [b"%", format].concat();
            self.arguments.missing_letter(&shown);
            return Ok(None);
        };
        let shown = format.get(..format.len() - after.len()).unwrap_or(format);
        let goes_on = self.convert(&spec, *letter, shown)?;
        Ok(goes_on.then_some(after))
    }

    fn convert(&mut self, spec: &Spec, letter: u8, shown: &[u8]) -> io::Result<bool> {
        match letter {
            b'd' | b'i' => {
                let value = self.arguments.integer();
                let digits = value.unsigned_abs().to_string();
                integer(&mut self.out, spec, value < 0, b"", digits.as_bytes());
            }
            b'u' => {
                let digits = self.arguments.unsigned().to_string();
                let plain = Spec {
                    plus: false,
                    space: false,
                    ..*spec
                };
                integer(&mut self.out, &plain, false, b"", digits.as_bytes());
            }
            b'o' | b'x' | b'X' => self.in_base(spec, letter),
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {
                let value = self.arguments.float();
                number(&mut self.out, spec, letter, &value);
            }
            b'c' => {
                let argument = self.arguments.next();
                let byte = argument.and_then(|argument| argument.first().copied());
                text(&mut self.out, spec, &[byte.unwrap_or(0)], 1);
            }
            b's' => {
                let argument = self.arguments.next().cloned().unwrap_or_default();
                self.string(spec, &argument)?;
            }
            b'b' => {
                let argument = self.arguments.next().cloned().unwrap_or_default();
                let mut bytes = Vec::new();
                let goes_on = unescape(&argument, &mut bytes, Octal::Any).is_some();
                self.string(spec, &bytes)?;
                return Ok(goes_on);
            }
            b'q' => {
                let argument = self.arguments.next().cloned().unwrap_or_default();
                let quoted = self.arguments.quoted(&argument);
                self.string(spec, &quoted)?;
            }
            // The precision counts what is quoted, not the quotes.
            b'Q' if self.arguments.is_shell() => {
                let argument = self.arguments.next().cloned().unwrap_or_default();
                let most = spec.precision.unwrap_or(usize::MAX).min(argument.len());
                let kept = argument.get(..most).unwrap_or_default();
                let quoted = self.arguments.quoted(kept);
                let unlimited = Spec {
                    precision: None,
                    ..*spec
                };
                self.string(&unlimited, &quoted)?;
            }
            b'n' if self.arguments.is_shell() => {
                let count = self.out.len();
                return Ok(self.arguments.store_count(count));
            }
            letter => {
                self.arguments.unknown_letter(letter, shown);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn in_base(&mut self, spec: &Spec, letter: u8) {
        let value = self.arguments.unsigned();
        let (digits, prefix): (String, &[u8]) = match letter {
            b'o' => (format!("{value:o}"), b"0"),
            b'x' => (format!("{value:x}"), b"0x"),
            _ => (format!("{value:X}"), b"0X"),
        };
        let prefix = if spec.alternate && value != 0 {
            prefix
        } else {
            b""
        };
        let plain = Spec {
            plus: false,
            space: false,
            ..*spec
        };
        integer(&mut self.out, &plain, false, prefix, digits.as_bytes());
    }

    fn string(&mut self, spec: &Spec, bytes: &[u8]) -> io::Result<()> {
        let most = spec.precision.unwrap_or(usize::MAX).min(bytes.len());
        let bytes = bytes.get(..most).unwrap_or_default();
        self.pay(bytes.len().saturating_add(spec.width))?;
        text(&mut self.out, spec, bytes, bytes.len());
        Ok(())
    }

    /// `%(format)T`
    fn time<'f>(&mut self, spec: &Spec, whole: &'f [u8], after: &'f [u8]) -> io::Result<&'f [u8]> {
        let end = after.windows(2).position(|pair| pair == b")T");
        let Some(end) = end else {
            self.arguments.bad_time_format(whole);
            return Ok(whole);
        };
        let format = after.get(..end).unwrap_or_default();
        let seconds = match self.arguments.optional_integer() {
            None | Some(-1) => self.process.now().seconds(),
            Some(-2) => self.arguments.began(),
            Some(seconds) => seconds,
        };
        let format = if format.is_empty() { b"%X" } else { format };
        let zone = calendar::zone_of(self.process);
        let mut bytes = Vec::new();
        if let Some(time) = calendar::at(seconds, 0, &zone) {
            calendar::format(&mut bytes, format, &time, LONGEST_TIME);
        }
        self.string(spec, &bytes)?;
        Ok(after.get(end + 2..).unwrap_or_default())
    }
}

/// How long a formatted time may be.
const LONGEST_TIME: usize = 4096;

/// A number at the beginning of a format; too large is the largest.
fn digits(text: &[u8]) -> (usize, &[u8]) {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(count);
    let value = digits.iter().fold(0usize, |value, digit| {
        value
            .saturating_mul(10)
            .saturating_add(usize::from(digit - b'0'))
    });
    (value, rest)
}
