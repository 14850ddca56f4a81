//! Addresses and regular expressions.

use std::rc::Rc;

use hotcell_regex::{Flavor, Options};

use super::{
    Parser, Result,
    words::{required_number, until},
};
use crate::languages::sed::{
    cursor::Cursor,
    escapes::{Kind, convert},
    script::{Address, Pattern},
};
use crate::regexes::compile;

impl Parser<'_> {
    pub(super) fn address(
        &mut self,
        cursor: &mut Cursor<'_>,
        first: u8,
    ) -> Result<Option<Address>> {
        Ok(Some(match first {
            b'/' | b'\\' => {
                let delimiter = if first == b'\\' {
                    cursor.next()
                } else {
                    Some(first)
                };
                let unterminated = "unterminated address regex";
                let Some(delimiter) = delimiter else {
                    return Err(cursor.error(unterminated));
                };
                let Some(pattern) = until(cursor, delimiter, true) else {
                    return Err(cursor.error(unterminated));
                };
                let mut options = self.options();
                loop {
                    match cursor.next_nonblank() {
                        Some(b'I') => options.icase = true,
                        Some(b'M') => options.newline = true,
                        other => {
                            cursor.put_back(other);
                            break;
                        }
                    }
                }
                Address::Regex(self.pattern(cursor, &pattern, options)?)
            }
            b'0'..=b'9' => {
                let line = cursor.number(first);
                match cursor.next_nonblank() {
                    Some(b'~') if !self.dialect.is_posix => {
                        let step = required_number(cursor)?;
                        if step > 0 {
                            Address::Step(line, step)
                        } else {
                            Address::Line(line)
                        }
                    }
                    other => {
                        cursor.put_back(other);
                        Address::Line(line)
                    }
                }
            }
            b'+' if !self.dialect.is_posix => Address::Plus(required_number(cursor)?),
            b'~' if !self.dialect.is_posix => match required_number(cursor)? {
                0 => Address::Line(0),
                multiple => Address::Multiple(multiple),
            },
            b'$' => Address::Last,
            _ => return Ok(None),
        }))
    }

    pub(super) fn options(&self) -> Options {
        Options {
            bytes: self.dialect.is_bytes,
            ..Options::default()
        }
    }

    /// Compiles a pattern; the empty one stands for the last that was used.
    pub(super) fn pattern(
        &mut self,
        cursor: &Cursor<'_>,
        source: &[u8],
        options: Options,
    ) -> Result<Pattern> {
        if source.is_empty() {
            if options.icase || options.newline {
                return Err(cursor.error("cannot specify modifiers on empty regexp"));
            }
            return Ok(None);
        }
        let flavor = if self.dialect.is_extended {
            Flavor::Extended
        } else {
            Flavor::Basic
        };
        let mut source = convert(source, Kind::Regex);
        if self.dialect.is_posix && !self.dialect.is_extended {
            source = without_gnu_operators(&source);
        }
        let regex = compile(self.process, &source, flavor, options);
        let regex = regex.map_err(|error| cursor.error(error.to_string()))?;
        Ok(Some(Rc::new(regex)))
    }
}

/// In POSIX basic expressions `\+`, `\?` and `\|` are no operators.
fn without_gnu_operators(source: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(source.len());
    let mut bytes = source.iter();
    while let Some(byte) = bytes.next() {
        match (byte, bytes.as_slice().first()) {
            (b'\\', Some(b'+' | b'?' | b'|')) => {}
            (b'\\', Some(next)) => {
                out.extend([b'\\', *next]);
                bytes.next();
            }
            (byte, _) => out.push(*byte),
        }
    }
    out
}
