//! Output in lines that are not too long.

use std::io::{self, Write};

use hotcell_process::{Output, Process};

/// How wide lines are if nobody says otherwise, the backslash at their end included.
const WIDTH: usize = 70;

pub(crate) struct Printer<'p> {
    output: Output<'p>,
    /// How many characters fit before the backslash; `None` is any number.
    room: Option<usize>,
    column: usize,
}

impl<'p> Printer<'p> {
    /// Prints to standard output. `variable` names what in the environment says how wide.
    pub(crate) fn new(process: &'p Process, variable: &str) -> Self {
        let asked = process.env(variable).and_then(|value| {
            let value = std::str::from_utf8(&value).ok()?;
            value.trim().parse::<usize>().ok()
        });
        Self {
            output: process.stdout(),
            room: match asked {
                Some(0 | 1) => None,
                Some(width) if width >= 3 => Some(width - 2),
                _ => Some(WIDTH - 2),
            },
            column: 0,
        }
    }

    /// Lines one character longer: `dc` counts otherwise than `bc`.
    pub(crate) fn one_wider(mut self) -> Self {
        self.room = self.room.map(|room| room + 1);
        self
    }

    /// Text as it is, broken where the line is full.
    pub(crate) fn text(&mut self, mut text: &[u8]) -> io::Result<()> {
        let Some(most) = self.room else {
            return self.output.write_all(text);
        };
        while !text.is_empty() {
            let room = most.saturating_sub(self.column);
            // No further than that: a number is one line of millions of digits.
            let window = text.get(..=room).unwrap_or(text);
            let newline = memchr::memchr(b'\n', window);
            let end = newline.unwrap_or(window.len());
            if end > room {
                let (line, rest) = text.split_at(room);
                self.output.write_all(line)?;
                self.output.write_all(b"\\\n")?;
                self.column = 0;
                text = rest;
                continue;
            }
            let (line, rest) = text.split_at(end);
            self.output.write_all(line)?;
            self.column += line.len();
            text = rest;
            if let Some(rest) = text.strip_prefix(b"\n") {
                self.output.write_all(b"\n")?;
                self.column = 0;
                text = rest;
            }
        }
        Ok(())
    }

    /// Text with the escapes of `print`.
    pub(in crate::languages) fn escaped(&mut self, text: &[u8]) -> io::Result<()> {
        let mut out = Vec::with_capacity(text.len());
        let mut bytes = text.iter();
        while let Some(byte) = bytes.next() {
            if *byte != b'\\' {
                out.push(*byte);
                continue;
            }
            match bytes.next() {
                Some(b'a') => out.push(7),
                Some(b'b') => out.push(8),
                Some(b'f') => out.push(12),
                Some(b'n') => out.push(b'\n'),
                Some(b'q') => out.push(b'"'),
                Some(b'r') => out.push(b'\r'),
                Some(b't') => out.push(b'\t'),
                Some(b'\\') => out.push(b'\\'),
                Some(other) => out.extend([b'\\', *other]),
                None => out.push(b'\\'),
            }
        }
        self.text(&out)
    }

    pub(crate) fn newline(&mut self) -> io::Result<()> {
        self.column = 0;
        self.output.write_all(b"\n")
    }

    /// Bytes that are not counted.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.write_all(bytes)
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
