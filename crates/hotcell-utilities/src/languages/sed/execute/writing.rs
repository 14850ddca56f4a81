//! What is written, and when.

use std::io::{self, Read};

use bstr::BString;

use super::Sed;
use crate::languages::sed::{
    input::Lines,
    output::Out,
    script::{Sink, Substitution},
};

/// What is written at the end of the cycle.
pub(super) enum Appended {
    Text(Vec<u8>),
    File(BString),
}

impl<'p> Sed<'p> {
    pub(super) fn out(&mut self) -> &mut Out<'p> {
        match &mut self.edited {
            Some((_, out)) => out,
            None => &mut self.stdout,
        }
    }

    pub(super) fn print_pattern(&mut self) -> io::Result<()> {
        let (text, has_end) = (&self.pattern, self.has_end);
        match &mut self.edited {
            Some((_, out)) => out.line(text, has_end),
            None => self.stdout.line(text, has_end),
        }
    }

    fn sink(&mut self, sink: Sink) -> Option<&mut Out<'p>> {
        match sink {
            Sink::Stdout => Some(&mut self.stdout),
            Sink::Stderr => Some(&mut self.stderr),
            Sink::File(number) => self.sinks.get_mut(number),
        }
    }

    /// Writes what `a`, `r` and `R` have put by.
    pub(super) fn write_appended(&mut self) -> io::Result<()> {
        for appended in std::mem::take(&mut self.appended) {
            match appended {
                Appended::Text(text) => self.out().text(&text)?,
                Appended::File(name) => {
                    let Ok(mut input) = self.process.open_input(&name) else {
                        continue;
                    };
                    let mut buffer = vec![0; 32 << 10];
                    loop {
                        let Ok(count) = input.read(&mut buffer) else {
                            break;
                        };
                        if count == 0 {
                            break;
                        }
                        self.out().text(buffer.get(..count).unwrap_or_default())?;
                    }
                }
            }
        }
        Ok(())
    }

    /// What the flags of `s` ask for once something was replaced.
    pub(super) fn substituted(&mut self, substitution: &Substitution) -> io::Result<()> {
        self.check_room(0)?;
        if substitution.executes {
            if substitution.prints && substitution.prints_first {
                self.print_pattern()?;
            }
            self.execute_pattern()?;
        }
        if substitution.prints && !(substitution.executes && substitution.prints_first) {
            self.print_pattern()?;
        }
        if let Some(sink) = substitution.writes {
            self.write_pattern(sink, false)?;
        }
        Ok(())
    }

    pub(super) fn write_pattern(&mut self, sink: Sink, is_first_line: bool) -> io::Result<()> {
        let pattern = std::mem::take(&mut self.pattern);
        let first = memchr::memchr(self.setup.end, &pattern).filter(|_| is_first_line);
        let has_end = self.has_end || first.is_some();
        let length = first.unwrap_or(pattern.len());
        let written = match self.sink(sink) {
            Some(out) => {
                let written = out.line(pattern.get(..length).unwrap_or_default(), has_end);
                // Others may read it while we write.
                written.and_then(|()| out.flush())
            }
            None => Ok(()),
        };
        self.pattern = pattern;
        written
    }

    /// `R`: the next line of a file is put by.
    pub(super) fn queue_line(&mut self, name: &BString) -> io::Result<()> {
        if !self.read.contains_key(name) {
            let lines = match self.process.open_input(name) {
                Ok(input) => Some(Lines::new(self.process, input)?),
                Err(_) => None,
            };
            self.read.insert(name.clone(), lines);
        }
        if let Some(Some(lines)) = self.read.get_mut(name) {
            let mut line = Vec::new();
            if let Some(has_end) = lines.next(self.setup.end, &mut line)? {
                if has_end {
                    line.push(self.setup.end);
                }
                self.appended.push(Appended::Text(line));
            }
        }
        Ok(())
    }
}
