//! The names of the pieces.

use bstr::{BString, ByteSlice, ByteVec};

use crate::{
    Parsed,
    printf::{Spec, integer},
    quote::quote,
};

/// The longest number that a name may have: no file system has longer names.
const LONGEST: usize = 4096;

pub(super) struct Names {
    prefix: BString,
    before: BString,
    spec: Spec,
    letter: u8,
    after: BString,
}

impl Names {
    /// An error is GNU's message.
    pub(super) fn from_options(parsed: &Parsed) -> Result<Self, BString> {
        let digits = match parsed.value("digits") {
            None => 2,
            Some(text) => {
                let number = text.to_str().ok().and_then(|text| text.parse::<u32>().ok());
                let number = number.filter(|number| i32::try_from(*number).is_ok());
                match number {
                    Some(number) => number as usize,
                    None => return Err(format!("invalid number: {}", quote(text)).into()),
                }
            }
        };
        let prefix = parsed.value("prefix").map_or("xx".into(), BString::from);
        let mut names = Self {
            prefix,
            before: BString::default(),
            spec: Spec {
                zero: true,
                width: digits.min(LONGEST),
                ..Spec::default()
            },
            letter: b'd',
            after: BString::default(),
        };
        if let Some(format) = parsed.value("suffix-format") {
            names.take_format(format)?;
        }
        Ok(names)
    }

    fn take_format(&mut self, format: &[u8]) -> Result<(), BString> {
        let mut is_before = true;
        let mut rest = format;
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            let text = if is_before {
                &mut self.before
            } else {
                &mut self.after
            };
            match (byte, after.first()) {
                (b'%', Some(b'%')) => {
                    text.push_byte(b'%');
                    rest = after.get(1..).unwrap_or_default();
                }
                (b'%', _) if !is_before => {
                    return Err("too many % conversion specifications in suffix".into());
                }
                (b'%', _) => {
                    is_before = false;
                    rest = self.take_conversion(after)?;
                }
                _ => text.push_byte(*byte),
            }
        }
        if is_before {
            return Err("missing % conversion specification in suffix".into());
        }
        Ok(())
    }

    fn take_conversion<'f>(&mut self, format: &'f [u8]) -> Result<&'f [u8], BString> {
        let mut spec = Spec::default();
        let mut rest = format;
        while let Some((flag @ (b'-' | b'0' | b'\'' | b'#'), after)) = rest.split_first() {
            spec.take_flag(*flag);
            rest = after;
        }
        (spec.width, rest) = digits(rest);
        if let Some(after) = rest.strip_prefix(b".") {
            let (precision, after) = digits(after);
            spec.precision = Some(precision);
            rest = after;
        }
        let Some((letter, after)) = rest.split_first() else {
            return Err("missing conversion specifier in suffix".into());
        };
        match letter {
            b'd' | b'i' | b'u' if spec.alternate => {
                return Err(format!(
                    "invalid flags in conversion specification: %#{}",
                    char::from(*letter)
                )
                .into());
            }
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {}
            letter if letter.is_ascii_graphic() || *letter == b' ' => {
                let letter = char::from(*letter);
                return Err(format!("invalid conversion specifier in suffix: {letter}").into());
            }
            letter => {
                return Err(
                    format!("invalid conversion specifier in suffix: \\{letter:03o}").into(),
                );
            }
        }
        (self.spec, self.letter) = (spec, *letter);
        Ok(after)
    }

    pub(super) fn name(&self, number: u64) -> BString {
        let mut name = Vec::from(self.prefix.clone());
        name.push_str(&self.before);
        let (digits, prefix): (String, &[u8]) = match self.letter {
            b'o' => (format!("{number:o}"), b"0"),
            b'x' => (format!("{number:x}"), b"0x"),
            b'X' => (format!("{number:X}"), b"0X"),
            _ => (number.to_string(), b""),
        };
        let prefix = if self.spec.alternate && number != 0 {
            prefix
        } else {
            b""
        };
        integer(&mut name, &self.spec, false, prefix, digits.as_bytes());
        name.push_str(&self.after);
        name.into()
    }
}

/// A number at the beginning; one that no name can have is the longest.
fn digits(text: &[u8]) -> (usize, &[u8]) {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(count);
    let value = digits.iter().fold(0usize, |value, digit| {
        value
            .saturating_mul(10)
            .saturating_add(usize::from(digit - b'0'))
    });
    (value.min(LONGEST), rest)
}
