//! `printf` and `sprintf`.

use std::io::Write;

use super::{
    super::{number, syntax::Expr, value::Value},
    Interpreter, Result,
};
use crate::{
    characters,
    printf::{self, Spec},
};

/// Goes through a format, and through the values for it.
struct Format<'f> {
    format: &'f [u8],
    at: usize,
    values: &'f [Value],
    next: usize,
    /// Whether values are asked for by number: `%2$s`.
    is_numbered: Option<bool>,
}

impl<'a> Interpreter<'a> {
    /// Puts what a format makes of the values behind it.
    pub(super) fn format(
        &mut self,
        arguments: impl Iterator<Item = &'a Expr>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let mut arguments = arguments;
        let Some(format) = arguments.next() else {
            return Ok(());
        };
        let format = self.string(format)?;
        let values: Vec<Value> = arguments
            .map(|argument| self.evaluate(argument))
            .collect::<Result<_>>()?;
        self.format_values(&format, &values, out)?;
        self.give_scratch(format);
        Ok(())
    }

    pub(super) fn format_values(
        &mut self,
        format: &[u8],
        values: &[Value],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let mut format = Format {
            format,
            at: 0,
            values,
            next: 0,
            is_numbered: None,
        };
        loop {
            let rest = format.format.get(format.at..).unwrap_or_default();
            let Some(percent) = memchr::memchr(b'%', rest) else {
                out.extend_from_slice(rest);
                return Ok(());
            };
            out.extend_from_slice(rest.get(..percent).unwrap_or_default());
            let start = format.at + percent;
            format.at = start + 1;
            self.process.spend(4);
            if !self.convert(&mut format, out)? {
                // It is no conversion, and stays as it is.
                let text = format.format.get(start..format.at).unwrap_or_default();
                out.extend_from_slice(text);
            }
        }
    }

    fn convert(&mut self, format: &mut Format<'_>, out: &mut Vec<u8>) -> Result<bool> {
        let mut spec = Spec::default();
        let mut chosen = format.take_number_of_value()?;
        while let Some(flag) = format.peek()
            && spec.take_flag(flag)
        {
            format.at += 1;
        }
        if format.take_if(b'*') {
            let width = format.star()?;
            spec.left |= width < 0;
            spec.width = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
        } else {
            spec.width = format.take_digits().unwrap_or(0);
            if chosen.is_none() && format.take_if(b'$') {
                chosen = Some(spec.width);
                spec.width = 0;
            }
        }
        if format.take_if(b'.') {
            spec.precision = if format.take_if(b'*') {
                usize::try_from(format.star()?).ok()
            } else {
                Some(format.take_digits().unwrap_or(0))
            };
        }
        while matches!(
            format.peek(),
            Some(b'h' | b'l' | b'L' | b'q' | b'j' | b't' | b'z')
        ) {
            format.at += 1;
        }
        let Some(letter) = format.peek() else {
            return Ok(false);
        };
        format.at += 1;
        if letter == b'%' {
            out.push(b'%');
            return Ok(true);
        }
        if !b"diouxXcseEfFgGaA".contains(&letter) {
            return Ok(false);
        }
        if spec.room() > 4096 {
            self.check_room(spec.room())?;
            self.process.spend(spec.room() / 16);
        }
        let value = format.value(chosen)?;
        self.put_converted(letter, &spec, &value, out)?;
        Ok(true)
    }

    fn put_converted(
        &mut self,
        letter: u8,
        spec: &Spec,
        value: &Value,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match letter {
            b's' => {
                let mut text = self.take_scratch();
                self.put_value(value, &mut text, false)?;
                self.put_text(spec, &text, out);
                self.give_scratch(text);
            }
            b'c' => self.put_character(spec, value, out)?,
            _ => put_number(letter, spec, value.number(), out),
        }
        Ok(())
    }

    fn put_text(&self, spec: &Spec, text: &[u8], out: &mut Vec<u8>) {
        let cut = match spec.precision {
            Some(most) if self.is_bytes => most.min(text.len()),
            Some(most) => characters::offset(text, most),
            None => text.len(),
        };
        let text = text.get(..cut).unwrap_or(text);
        let length = if self.is_bytes || spec.width == 0 {
            text.len()
        } else {
            characters::count(text)
        };
        printf::text(out, spec, text, length);
    }

    fn put_character(&mut self, spec: &Spec, value: &Value, out: &mut Vec<u8>) -> Result<()> {
        let spec = Spec {
            precision: None,
            ..*spec
        };
        let code = match value {
            Value::Number(number) => Some(*number),
            Value::Nothing => Some(0.0),
            Value::Input(text) => number::whole(text.as_bytes()),
            Value::Text(_) | Value::Array(_) => None,
        };
        let Some(code) = code else {
            let mut text = self.take_scratch();
            self.put_value(value, &mut text, false)?;
            let length = if self.is_bytes {
                text.len().min(1)
            } else {
                characters::first(&text)
            };
            match length {
                0 => printf::text(out, &spec, b"\0", 1),
                _ => printf::text(out, &spec, text.get(..length).unwrap_or(&text), 1),
            }
            self.give_scratch(text);
            return Ok(());
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "what is no character is cut to a byte"
        )]
        let code = code as i64 as u32;
        let mut place = [0; 4];
        let character = char::from_u32(code).filter(|_| !self.is_bytes);
        let bytes = match character {
            Some(character) => character.encode_utf8(&mut place).as_bytes(),
            None => {
                place[0] = u8::try_from(code & 0xff).unwrap_or_default();
                &place[..1]
            }
        };
        printf::text(out, &spec, bytes, 1);
        Ok(())
    }
}

fn put_number(letter: u8, spec: &Spec, value: f64, out: &mut Vec<u8>) {
    if !value.is_finite() {
        let mut text = Vec::new();
        number::put_whole(&mut text, value);
        printf::text(out, spec, &text, text.len());
        return;
    }
    match letter {
        b'd' | b'i' => {
            let mut digits = Vec::new();
            let whole = value.trunc();
            #[expect(clippy::cast_possible_truncation, reason = "checked to fit")]
            if whole.abs() < 9.2e18 {
                printf::decimal(&mut digits, (whole as i64).saturating_abs());
            } else {
                let _ = write!(digits, "{:.0}", whole.abs());
            }
            printf::integer(out, spec, whole < 0.0, b"", &digits);
        }
        b'o' | b'u' | b'x' | b'X' => put_unsigned(letter, spec, value.trunc(), out),
        _ => printf::float(out, spec, letter, value),
    }
}

fn put_unsigned(letter: u8, spec: &Spec, whole: f64, out: &mut Vec<u8>) {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "negative numbers are shown as they are kept, in 64 bits"
    )]
    let bits = if whole < 0.0 {
        whole as i64 as u64
    } else {
        whole as u64
    };
    if !(-9.2e18..1.8e19).contains(&whole) {
        let digits = format!("{:.0}", whole.abs());
        printf::integer(out, spec, whole < 0.0, b"", digits.as_bytes());
        return;
    }
    let spec = Spec {
        plus: false,
        space: false,
        ..*spec
    };
    let (prefix, digits): (&[u8], String) = match letter {
        b'o' if spec.alternate && bits != 0 => (b"", format!("0{bits:o}")),
        b'o' => (b"", format!("{bits:o}")),
        b'x' if spec.alternate && bits != 0 => (b"0x", format!("{bits:x}")),
        b'x' => (b"", format!("{bits:x}")),
        b'X' if spec.alternate && bits != 0 => (b"0X", format!("{bits:X}")),
        b'X' => (b"", format!("{bits:X}")),
        _ => (b"", bits.to_string()),
    };
    printf::integer(out, &spec, false, prefix, digits.as_bytes());
}

impl Format<'_> {
    fn peek(&self) -> Option<u8> {
        self.format.get(self.at).copied()
    }

    fn take_if(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn take_digits(&mut self) -> Option<usize> {
        let start = self.at;
        let mut number = 0usize;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            number = number
                .saturating_mul(10)
                .saturating_add(usize::from(digit - b'0'));
            self.at += 1;
        }
        (self.at > start).then_some(number)
    }

    /// `2$` right behind the percent sign.
    fn take_number_of_value(&mut self) -> Result<Option<usize>> {
        let start = self.at;
        let number = self.take_digits();
        let is_numbered = number.is_some() && self.take_if(b'$');
        if !is_numbered {
            self.at = start;
            return Ok(None);
        }
        match number {
            Some(0) => Err("argument index with `$' must be > 0".to_owned().into()),
            number => Ok(number),
        }
    }

    /// The value of a `*`.
    fn star(&mut self) -> Result<i64> {
        let start = self.at;
        let number = self.take_digits();
        let chosen = number.filter(|_| self.take_if(b'$'));
        if chosen.is_none() {
            self.at = start;
        }
        let value = self.value(chosen)?.number();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "what is too large is refused for lack of room"
        )]
        Ok(value as i64)
    }

    fn value(&mut self, chosen: Option<usize>) -> Result<Value> {
        if self
            .is_numbered
            .is_some_and(|before| before != chosen.is_some())
        {
            return Err("must use `count$' on all formats or none".to_owned().into());
        }
        self.is_numbered = Some(chosen.is_some());
        let number = match chosen {
            Some(number) => number.wrapping_sub(1),
            None => {
                self.next += 1;
                self.next - 1
            }
        };
        match self.values.get(number) {
            Some(value) => Ok(value.clone()),
            None => Err(self.ran_out()),
        }
    }

    #[cold]
    fn ran_out(&self) -> Box<super::Halt> {
        let format = String::from_utf8_lossy(self.format);
        let column = self.at.saturating_sub(1);
        let spaces = " ".repeat(column.min(200));
        format!(
            "not enough arguments to satisfy format string\n\t`{format}'\n\t{spaces}^ ran out for this one"
        )
        .into()
    }
}
