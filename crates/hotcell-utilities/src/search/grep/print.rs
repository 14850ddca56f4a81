//! How lines are printed.

use std::io::{self, Write};

use bstr::BStr;

use super::options::Options;

/// Where a line is.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) number: u64,
    pub(super) offset: u64,
}

pub(super) struct Printer<'o, W> {
    out: W,
    options: &'o Options,
}

impl<'o, W: Write> Printer<'o, W> {
    pub(super) fn new(out: W, options: &'o Options) -> Self {
        Self { out, options }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn painted(&mut self, color: &str, text: &[u8]) -> io::Result<()> {
        if !self.options.color {
            return self.out.write_all(text);
        }
        write!(self.out, "\x1b[{color}m\x1b[K")?;
        self.out.write_all(text)?;
        self.out.write_all(b"\x1b[m\x1b[K")
    }

    /// Name, number and offset, with `separator` behind each.
    fn prefix(&mut self, name: &BStr, place: Place, separator: u8) -> io::Result<()> {
        let options = self.options;
        if options.names {
            self.painted("35", name)?;
            if options.null_names {
                self.out.write_all(&[0])?;
            } else {
                self.painted("36", &[separator])?;
            }
        }
        if options.numbers {
            let number = if options.initial_tab {
                format!("{:2}", place.number)
            } else {
                place.number.to_string()
            };
            self.painted("32", number.as_bytes())?;
            self.painted("36", &[separator])?;
        }
        if options.offsets {
            let offset = if options.initial_tab {
                format!("{:6}", place.offset)
            } else {
                place.offset.to_string()
            };
            self.painted("32", offset.as_bytes())?;
            self.painted("36", &[separator])?;
        }
        if options.initial_tab && (options.names || options.numbers || options.offsets) {
            self.out.write_all(b"\t")?;
        }
        Ok(())
    }

    /// A line. `matches` are where to paint it.
    pub(super) fn line(
        &mut self,
        name: &BStr,
        place: Place,
        line: &[u8],
        is_selected: bool,
        matches: &[(usize, usize)],
    ) -> io::Result<()> {
        let options = self.options;
        self.prefix(name, place, if is_selected { b':' } else { b'-' })?;
        let text = line.strip_suffix(&[options.end]).unwrap_or(line);
        if matches.is_empty() {
            self.out.write_all(text)?;
        } else {
            let mut at = 0;
            for (start, end) in matches {
                self.out
                    .write_all(text.get(at..*start).unwrap_or_default())?;
                self.painted("01;31", text.get(*start..*end).unwrap_or_default())?;
                at = *end;
            }
            self.out.write_all(text.get(at..).unwrap_or_default())?;
        }
        self.out.write_all(&[options.end])?;
        if options.line_buffered {
            self.out.flush()
        } else {
            Ok(())
        }
    }

    /// A part of a line, on a line of its own.
    pub(super) fn part(&mut self, name: &BStr, place: Place, text: &[u8]) -> io::Result<()> {
        self.prefix(name, place, b':')?;
        self.painted("01;31", text)?;
        self.out.write_all(&[self.options.end])?;
        if self.options.line_buffered {
            self.out.flush()
        } else {
            Ok(())
        }
    }

    /// What is between groups of lines.
    pub(super) fn gap(&mut self) -> io::Result<()> {
        let Some(separator) = self.options.separator.clone() else {
            return Ok(());
        };
        self.painted("36", &separator)?;
        self.out.write_all(b"\n")
    }

    pub(super) fn count(&mut self, name: &BStr, count: u64) -> io::Result<()> {
        if self.options.names {
            self.painted("35", name)?;
            if self.options.null_names {
                self.out.write_all(&[0])?;
            } else {
                self.painted("36", b":")?;
            }
        }
        writeln!(self.out, "{count}")
    }

    pub(super) fn name(&mut self, name: &BStr) -> io::Result<()> {
        self.painted("35", name)?;
        self.out.write_all(if self.options.null_names {
            b"\0"
        } else {
            b"\n"
        })
    }
}
