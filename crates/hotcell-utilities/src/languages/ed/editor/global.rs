//! `g`, `v`, `G` and `V`.

use std::{collections::VecDeque, io::Write as _};

use super::{Addresses, Editor, Print, Result, mistake};

impl Editor<'_> {
    /// `g` and `v`, and `G` and `V`, which ask for each line.
    pub(super) fn global(&mut self, command: u8, addresses: Addresses) -> Result<()> {
        if self.is_global {
            return Err(mistake("Cannot nest global commands"));
        }
        let addresses = self.or_all(addresses);
        self.check(addresses, false)?;
        let delimiter = self.peek();
        let delimiter = delimiter.filter(|delimiter| !matches!(delimiter, b' ' | b'\n'));
        let Some(delimiter) = delimiter else {
            return Err(mistake("Invalid pattern delimiter"));
        };
        let pattern = self.pattern(delimiter)?;
        if self.peek() == Some(delimiter) {
            self.at += 1;
        }
        let wants_match = matches!(command, b'g' | b'G');
        for number in addresses.first..=addresses.last {
            let text = self.buffer.text(number);
            if self.is_match(&pattern, &text.bytes)? == wants_match {
                self.buffer.select(number);
            }
        }
        let is_interactive = matches!(command, b'G' | b'V');
        let commands = if is_interactive {
            self.suffix()?;
            Vec::new()
        } else {
            self.command_list()?
        };
        self.checkpoint();
        self.is_global = true;
        let done = self.each_selected(&commands, is_interactive);
        self.is_global = false;
        self.commands = None;
        self.buffer.unselect_all();
        done
    }

    /// The commands of `g`: the rest of the line, and more lines as long as they end with a backslash.
    pub(super) fn command_list(&mut self) -> Result<Vec<Vec<u8>>> {
        let mut commands = Vec::new();
        let mut line = self.rest().to_vec();
        self.at = self.line.len();
        while line.ends_with(b"\\") {
            line.pop();
            commands.push(std::mem::take(&mut line));
            line = self.continuation()?;
        }
        commands.push(line);
        if commands.iter().all(Vec::is_empty) {
            commands = vec![b"p".to_vec()];
        }
        Ok(commands)
    }

    pub(super) fn each_selected(
        &mut self,
        commands: &[Vec<u8>],
        is_interactive: bool,
    ) -> Result<()> {
        let mut from = 0;
        let mut last: Option<Vec<u8>> = None;
        while let Some(number) = self.buffer.take_selected(from) {
            self.process.spend(16 + number.abs_diff(from));
            // The line may be gone after the command, and the next one in its place.
            from = number - 1;
            self.buffer.set_current(number);
            if !is_interactive {
                self.run_commands(commands.to_vec())?;
                continue;
            }
            self.print(number, number, Print::default())?;
            self.out.flush()?;
            let Some(mut line) = self.next_line()? else {
                return Err(mistake("Unexpected end-of-file"));
            };
            if line.is_empty() {
                continue;
            }
            if line == b"&" {
                line = last.clone().ok_or_else(|| mistake("No previous command"))?;
            }
            last = Some(line.clone());
            self.run_commands(vec![line])?;
        }
        Ok(())
    }

    pub(super) fn run_commands(&mut self, commands: Vec<Vec<u8>>) -> Result<()> {
        self.commands = Some(commands.into());
        while let Some(line) = self.next_line()? {
            self.line = line;
            self.at = 0;
            self.command(false)?;
            if self.commands.as_ref().is_none_or(VecDeque::is_empty) {
                break;
            }
        }
        self.commands = None;
        Ok(())
    }
}
