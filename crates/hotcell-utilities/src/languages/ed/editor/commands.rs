//! Commands of the shell.

use std::io::Write;

use hotcell_meter::Charge;

use super::{Addresses, Editor, Result, mistake};
use crate::whole::whole;

impl Editor<'_> {
    pub(super) fn output_of(&mut self, command: &[u8]) -> Result<(Vec<u8>, Charge)> {
        self.out.flush()?;
        let (reader, writer) = self.process.pipe()?;
        let spec = self
            .process
            .spec([&b"sh"[..], b"-c", command])
            .stdout(writer);
        let pid = match self.process.execute_beside(spec) {
            Ok(pid) => pid?,
            Err(error) => return Err(mistake(format!("sh: {error}"))),
        };
        let content = whole(self.process, self.process.input(reader), 1)?;
        self.process.wait(pid);
        Ok(content)
    }

    pub(super) fn write_to_command(
        &mut self,
        command: &[u8],
        addresses: Addresses,
    ) -> Result<usize> {
        self.out.flush()?;
        let (reader, writer) = self.process.pipe()?;
        let spec = self
            .process
            .spec([&b"sh"[..], b"-c", command])
            .stdin(reader);
        let pid = match self.process.execute_beside(spec) {
            Ok(pid) => pid?,
            Err(error) => return Err(mistake(format!("sh: {error}"))),
        };
        let mut output = self.process.output(writer);
        let size = self.write_lines(&mut output, addresses)?;
        drop(output);
        self.process.wait(pid);
        Ok(size)
    }

    /// `!`: runs a command; `%` in it is the file, `!` at its beginning the last command.
    pub(super) fn shell(&mut self) -> Result<()> {
        if self.settings.is_restricted {
            return Err(mistake("Shell access restricted"));
        }
        let text = self.rest().to_vec();
        self.at = self.line.len();
        let mut command = Vec::new();
        let mut is_changed = false;
        let mut bytes = text.iter().peekable();
        if bytes.next_if_eq(&&b'!').is_some() {
            if self.last_command.is_empty() {
                return Err(mistake("No previous command"));
            }
            command.extend_from_slice(&self.last_command);
            is_changed = true;
        }
        while let Some(byte) = bytes.next() {
            match byte {
                b'\\' if bytes.next_if_eq(&&b'%').is_some() => command.push(b'%'),
                b'%' => {
                    if self.file.is_empty() {
                        return Err(mistake("No current filename"));
                    }
                    command.extend_from_slice(&self.file);
                    is_changed = true;
                }
                byte => command.push(*byte),
            }
        }
        if is_changed {
            self.out.write_all(&command)?;
            self.out.write_all(b"\n")?;
        }
        self.out.flush()?;
        self.last_command.clone_from(&command);
        let spec = self.process.spec([&b"sh"[..], b"-c", &command]);
        if let Err(error) = self.process.execute(spec) {
            return Err(mistake(format!("sh: {error}")));
        }
        if !self.settings.is_silent {
            self.out.write_all(b"!\n")?;
        }
        Ok(())
    }
}
