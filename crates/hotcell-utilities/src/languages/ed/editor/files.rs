//! Reading and writing files.

use std::io::{self, Write};

use bstr::{BString, ByteSlice};
use hotcell_meter::Charge;
use hotcell_process::{Output, error_text};
use hotcell_vfs::OpenOptions;

use super::{Addresses, Editor, Fault, Flow, Result, mistake, no_address};
use crate::whole::whole;

impl Editor<'_> {
    pub(super) fn file_name(&mut self, addresses: Addresses) -> Result<()> {
        no_address(addresses)?;
        match self.name()? {
            Some(name) if name.starts_with(b"!") => return Err(mistake("Invalid redirection")),
            Some(name) => self.file = name,
            None => {}
        }
        if self.file.is_empty() {
            return Err(mistake("No current filename"));
        }
        let file = self.file.clone();
        self.out.write_all(&file)?;
        self.out.write_all(b"\n")?;
        Ok(())
    }

    /// The name of a file behind a command, or `!` and a command of the shell.
    pub(super) fn name(&mut self) -> Result<Option<BString>> {
        if !matches!(self.peek(), None | Some(b' ' | b'\t')) {
            return Err(mistake("Unexpected command suffix"));
        }
        self.skip_blanks();
        let name = BString::from(self.rest());
        self.at = self.line.len();
        if self.settings.is_restricted && (name.contains(&b'/') || name.starts_with(b"!")) {
            return Err(mistake("Shell access restricted"));
        }
        Ok((!name.is_empty()).then_some(name))
    }

    pub(super) fn edit(&mut self, is_forced: bool, addresses: Addresses) -> Result<()> {
        no_address(addresses)?;
        let name = self.name()?;
        if self.buffer.is_modified() && !is_forced {
            return Err(Fault::Modified);
        }
        let name = name.unwrap_or_else(|| self.file.clone());
        if name.is_empty() {
            return Err(mistake("No current filename"));
        }
        let last = self.buffer.last();
        if last > 0 {
            self.delete(1, last, false);
        }
        self.buffer.forget();
        self.buffer.set_modified(false);
        if !name.starts_with(b"!") {
            self.file.clone_from(&name);
        }
        self.read_into(&name, 0)?;
        self.buffer.forget();
        self.buffer.set_modified(false);
        Ok(())
    }

    pub(super) fn read(&mut self, addresses: Addresses) -> Result<()> {
        let name = self.name()?;
        let after = if addresses.count > 0 {
            addresses.last
        } else {
            self.buffer.last()
        };
        let name = name.unwrap_or_else(|| self.file.clone());
        if name.is_empty() {
            return Err(mistake("No current filename"));
        }
        if self.file.is_empty() && !name.starts_with(b"!") {
            self.file.clone_from(&name);
        }
        self.checkpoint();
        self.read_into(&name, after)?;
        Ok(())
    }

    /// Reads a file, or what a command prints, to behind a line.
    pub(super) fn read_into(&mut self, name: &[u8], after: usize) -> Result<()> {
        let (content, _held) = match name.strip_prefix(b"!") {
            Some(command) => self.output_of(command)?,
            None => self.content_of(name)?,
        };
        let mut size = content.len();
        let mut lines = Vec::new();
        for line in content.lines_with_terminator() {
            self.process.spend(line.len() / 16 + 1);
            let mut line = line.strip_suffix(b"\n").unwrap_or(line);
            if self.settings.strips_returns {
                line = line.strip_suffix(b"\r").unwrap_or(line);
            }
            lines.push(self.buffer.line(line.to_vec())?);
        }
        if !content.is_empty() && !content.ends_with(b"\n") {
            size += 1;
            if !self.settings.is_silent {
                self.out.write_all(b"Newline appended\n")?;
            }
        }
        drop(content);
        self.buffer.insert(after, lines);
        if !self.settings.is_silent {
            writeln!(self.out, "{size}")?;
        }
        Ok(())
    }

    pub(super) fn content_of(&mut self, name: &[u8]) -> Result<(Vec<u8>, Charge)> {
        let opened = self.process.open_input(name);
        let content = opened.and_then(|input| whole(self.process, input, 1));
        content.map_err(|error| self.refused(name, &error, "Cannot open input file"))
    }

    /// Says that a file cannot be used, and why.
    pub(super) fn refused(&mut self, name: &[u8], error: &io::Error, message: &str) -> Fault {
        let mut text = name.to_vec();
        text.extend_from_slice(b": ");
        text.extend_from_slice(error_text(error).as_bytes());
        text.push(b'\n');
        let _ = self.out.flush();
        let _ = self.process.stderr().write_all(&text);
        mistake(message)
    }

    pub(super) fn write(
        &mut self,
        appends: bool,
        addresses: Addresses,
        was_warned: bool,
    ) -> Result<Flow> {
        let quits = matches!(self.peek(), Some(b'q' | b'Q'));
        let is_forced = self.peek() == Some(b'Q') || was_warned;
        self.at += usize::from(quits);
        let name = self.name()?;
        let addresses = self.or_all(addresses);
        if self.buffer.last() > 0 || addresses.count > 0 {
            self.check(addresses, false)?;
        }
        let name = name.unwrap_or_else(|| self.file.clone());
        if name.is_empty() {
            return Err(mistake("No current filename"));
        }
        if self.file.is_empty() && !name.starts_with(b"!") {
            self.file.clone_from(&name);
        }
        let size = match name.strip_prefix(b"!") {
            Some(command) => self.write_to_command(command, addresses)?,
            None => {
                let options = if appends {
                    OpenOptions::append().create()
                } else {
                    OpenOptions::write().create().truncate()
                };
                let stream = match self.process.open(&name, &options) {
                    Ok(stream) => stream,
                    Err(error) => {
                        return Err(self.refused(&name, &error, "Cannot open output file"));
                    }
                };
                let mut output = self.process.output(stream);
                self.write_lines(&mut output, addresses)?
            }
        };
        if !self.settings.is_silent {
            writeln!(self.out, "{size}")?;
        }
        let is_all = addresses.first <= 1 && addresses.last == self.buffer.last();
        if is_all && !name.starts_with(b"!") {
            self.buffer.set_modified(false);
        }
        if !quits {
            return Ok(Flow::On);
        }
        if self.buffer.is_modified() && !is_forced {
            return Err(Fault::Modified);
        }
        Ok(Flow::Quit)
    }

    pub(super) fn write_lines(
        &mut self,
        output: &mut Output<'_>,
        addresses: Addresses,
    ) -> Result<usize> {
        let mut size = 0;
        if addresses.first > 0 {
            for number in addresses.first..=addresses.last {
                let text = self.buffer.text(number);
                output.write_all(&text.bytes)?;
                output.write_all(b"\n")?;
                size += text.bytes.len() + 1;
            }
        }
        output.flush()?;
        Ok(size)
    }
}
