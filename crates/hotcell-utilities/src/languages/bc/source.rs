//! The lines of all files, and then of standard input.

use std::io;

use bstr::BString;
use hotcell_process::{Input, Process};

use crate::lines::Lines;

pub(super) struct Source<'p> {
    process: &'p Process,
    names: std::vec::IntoIter<BString>,
    lines: Option<Lines<'p, Input<'p>>>,
    /// Standard input comes last.
    is_stdin: bool,
    is_over: bool,
    /// What messages call it.
    pub(super) name: String,
    pub(super) line: usize,
}

impl<'p> Source<'p> {
    pub(super) fn new(process: &'p Process, names: Vec<BString>) -> Self {
        Self {
            process,
            names: names.into_iter(),
            lines: None,
            is_stdin: false,
            is_over: false,
            name: "(standard_in)".to_owned(),
            line: 0,
        }
    }

    /// The next line, with its newline.
    pub(super) fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        while !self.is_over {
            if let Some(lines) = &mut self.lines
                && let Some(line) = lines.next_line()?
            {
                self.line += 1;
                let mut line = line.to_vec();
                if !line.ends_with(b"\n") {
                    line.push(b'\n');
                }
                return Ok(Some(line));
            }
            self.open_next()?;
        }
        Ok(None)
    }

    fn open_next(&mut self) -> io::Result<()> {
        self.line = 0;
        if let Some(name) = self.names.next() {
            match self.process.open_input(&name) {
                Ok(input) => {
                    self.lines = Some(Lines::new(self.process, input)?);
                    self.name = name.to_string();
                }
                Err(_) => {
                    use std::io::Write;
                    let text = format!("File {name} is unavailable.\n");
                    let _ = self.process.stderr().write_all(text.as_bytes());
                    self.process.exit(1);
                }
            }
        } else if self.is_stdin {
            self.is_over = true;
        } else {
            self.is_stdin = true;
            self.name = "(standard_in)".to_owned();
            self.lines = Some(Lines::new(self.process, self.process.stdin())?);
        }
        Ok(())
    }
}
