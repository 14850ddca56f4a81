//! The arguments of `printf`, as the conversions want them.

use bstr::{BString, ByteSlice};

use super::PrintfHost;
use crate::{long_double::LongDouble, quote};

pub(super) struct Arguments<'a> {
    rest: &'a [BString],
    used: usize,
    status: i32,
    host: &'a mut dyn PrintfHost,
}

/// What is wrong with a number.
enum Flaw {
    /// There is none at the beginning.
    Nothing,
    /// Something is left behind it.
    Rest,
    Range,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(rest: &'a [BString], host: &'a mut dyn PrintfHost) -> Self {
        Self {
            rest,
            used: 0,
            status: 0,
            host,
        }
    }

    pub(super) fn used(&self) -> usize {
        self.used
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn status(&self) -> i32 {
        self.status
    }

    pub(super) fn is_shell(&self) -> bool {
        self.host.is_shell()
    }

    pub(super) fn began(&self) -> i64 {
        self.host.began()
    }

    pub(super) fn quoted(&self, text: &[u8]) -> Vec<u8> {
        self.host.quoted(text)
    }

    /// The next argument, if there is one.
    pub(super) fn next(&mut self) -> Option<&'a BString> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        self.used += 1;
        Some(first)
    }

    /// A number with a sign; 0 if there is no argument.
    pub(super) fn integer(&mut self) -> i64 {
        self.optional_integer().unwrap_or(0)
    }

    pub(super) fn optional_integer(&mut self) -> Option<i64> {
        let argument = self.next()?;
        let value = self.whole(argument);
        Some(match i64::try_from(value) {
            Ok(value) => value,
            Err(_) => {
                self.flaw(argument, &Flaw::Range);
                if value < 0 { i64::MIN } else { i64::MAX }
            }
        })
    }

    /// A number without a sign: negative ones wrap around.
    pub(super) fn unsigned(&mut self) -> u64 {
        let Some(argument) = self.next() else {
            return 0;
        };
        let value = self.whole(argument);
        #[expect(clippy::cast_sign_loss, reason = "as strtoumax does")]
        match (u64::try_from(value), i64::try_from(value)) {
            (Ok(value), _) => value,
            (_, Ok(value)) => value as u64,
            _ => {
                self.flaw(argument, &Flaw::Range);
                u64::MAX
            }
        }
    }

    /// The whole number of an argument, in base 8, 10 or 16; as much as it has of one.
    fn whole(&mut self, argument: &BString) -> i128 {
        if let Some(code) = character(argument) {
            return i128::from(code);
        }
        let text = argument.trim_start();
        let (is_negative, digits) = match text.split_first() {
            Some((b'-', digits)) => (true, digits),
            Some((b'+', digits)) => (false, digits),
            _ => (false, text),
        };
        let (base, digits) = match digits {
            [b'0', b'x' | b'X', rest @ ..] if rest.first().is_some_and(u8::is_ascii_hexdigit) => {
                (16, rest)
            }
            [b'0', ..] => (8, digits),
            _ => (10, digits),
        };
        let mut value = 0i128;
        let mut count = 0;
        for byte in digits {
            let Some(digit) = char::from(*byte).to_digit(base) else {
                break;
            };
            // Far beyond what any conversion takes.
            value = (value * i128::from(base) + i128::from(digit)).min(1 << 100);
            count += 1;
        }
        if count == 0 && !(argument.is_empty() && self.host.is_shell()) {
            self.flaw(argument, &Flaw::Nothing);
        } else if count < digits.len() {
            self.flaw(argument, &Flaw::Rest);
        }
        if is_negative { -value } else { value }
    }

    /// A number with a fraction; 0 if there is no argument.
    pub(super) fn float(&mut self) -> LongDouble {
        let Some(argument) = self.next() else {
            return LongDouble::ZERO;
        };
        if let Some(code) = character(argument) {
            return LongDouble::from_integer(i128::from(code));
        }
        let parsed = LongDouble::parse(argument);
        if parsed.length == 0 {
            if !(argument.is_empty() && self.host.is_shell()) {
                self.flaw(argument, &Flaw::Nothing);
            }
        } else if parsed.length < argument.len() {
            self.flaw(argument, &Flaw::Rest);
        } else if parsed.is_out_of_range {
            self.flaw(argument, &Flaw::Range);
        }
        parsed.value
    }

    fn flaw(&mut self, argument: &BString, flaw: &Flaw) {
        let text = if self.host.is_shell() {
            match flaw {
                Flaw::Nothing | Flaw::Rest => format!("{argument}: invalid number"),
                Flaw::Range => format!("warning: {argument}: Numerical result out of range"),
            }
        } else {
            let quoted = quote::quote(argument);
            match flaw {
                Flaw::Nothing => format!("{quoted}: expected a numeric value"),
                Flaw::Rest => format!("{quoted}: value not completely converted"),
                Flaw::Range => format!("{quoted}: Numerical result out of range"),
            }
        };
        let is_warning = self.host.is_shell() && matches!(flaw, Flaw::Range);
        if !is_warning {
            self.status = 1;
        }
        self.host.complain(text.into_bytes());
    }

    pub(super) fn missing_letter(&mut self, shown: &[u8]) {
        let text = if self.host.is_shell() {
            [b"`", shown, b"': missing format character"].concat()
        } else {
            [shown, b": invalid conversion specification"].concat()
        };
        self.host.complain(text);
        self.status = 1;
    }

    pub(super) fn unknown_letter(&mut self, letter: u8, shown: &[u8]) {
        let text = if self.host.is_shell() {
            [b"`", &[letter][..], b"': invalid format character"].concat()
        } else {
            [b"%", shown, b": invalid conversion specification"].concat()
        };
        self.host.complain(text);
        self.status = 1;
    }

    pub(super) fn bad_time_format(&mut self, shown: &[u8]) {
        let text = [
            b"warning: `",
            shown,
            b"': invalid time format specification",
        ]
        .concat();
        self.host.complain(text);
    }

    /// `%n`; false if that ends everything.
    pub(super) fn store_count(&mut self, count: usize) -> bool {
        let Some(name) = self.next() else {
            return true;
        };
        let is_set = self.host.set(name, count.to_string().into());
        if !is_set {
            self.status = 1;
        }
        is_set
    }

    /// GNU's `printf` says so if the format takes no arguments at all.
    pub(super) fn warn_of_excess(&mut self) {
        if let Some(first) = self.rest.first()
            && !self.host.is_shell()
        {
            let text = format!(
                "warning: ignoring excess arguments, starting with {}",
                quote::quote(first)
            );
            self.host.complain(text.into_bytes());
        }
    }
}

/// The code of the character behind a quote: `'a`.
fn character(argument: &[u8]) -> Option<u32> {
    let (b'\'' | b'"', rest) = argument.split_first()? else {
        return None;
    };
    let (char, _) = bstr::decode_utf8(rest);
    Some(char.map_or_else(|| rest.first().copied().map_or(0, u32::from), u32::from))
}
