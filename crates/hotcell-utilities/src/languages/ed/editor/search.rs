//! Regular expressions, and lines that match them.

use std::rc::Rc;

use hotcell_regex::{Flavor, Options, Regex, SearchError};

use super::{Editor, Fault, Result, mistake};
use crate::{characters, regexes::compile};

impl Editor<'_> {
    /// A pattern between delimiters; the empty one is the last that was used. The closing delimiter is not taken.
    pub(in crate::languages::ed) fn pattern(&mut self, delimiter: u8) -> Result<Rc<Regex>> {
        self.at += 1;
        let mut source = Vec::new();
        let mut bracket: Option<usize> = None;
        while let Some(byte) = self.peek() {
            match byte {
                _ if byte == delimiter && bracket.is_none() => break,
                b'\\' => {
                    self.at += 1;
                    let next = self
                        .peek()
                        .ok_or_else(|| mistake("Trailing backslash (\\)"))?;
                    if next != delimiter {
                        source.push(b'\\');
                    }
                    source.push(next);
                    self.at += 1;
                    continue;
                }
                b'[' if bracket.is_none() => bracket = Some(source.len()),
                b']' if bracket.is_some_and(|start| source.len() > start + 1) => bracket = None,
                _ => {}
            }
            source.push(byte);
            self.at += 1;
        }
        if source.is_empty() {
            let last = self.last_pattern.clone();
            return last.ok_or_else(|| mistake("No previous pattern"));
        }
        let flavor = if self.settings.is_extended {
            Flavor::Extended
        } else {
            Flavor::Basic
        };
        let options = Options {
            bytes: self.is_bytes,
            ..Options::default()
        };
        let regex = compile(self.process, &source, flavor, options);
        let regex = Rc::new(regex.map_err(|error| mistake(error.to_string()))?);
        self.last_pattern = Some(Rc::clone(&regex));
        Ok(regex)
    }

    pub(in crate::languages::ed) fn is_match(
        &mut self,
        regex: &Regex,
        text: &[u8],
    ) -> Result<bool> {
        self.process.spend(text.len() / 16 + 1);
        let found = regex.is_match(text, &mut self.pace);
        found.map_err(|error| self.search_failed(error))
    }

    pub(in crate::languages::ed) fn captures(
        &mut self,
        regex: &Regex,
        text: &[u8],
        start: usize,
    ) -> Result<Option<hotcell_regex::Captures>> {
        self.process
            .spend(text.len().saturating_sub(start) / 16 + 1);
        let found = regex.captures_at(text, start, &mut self.pace);
        found.map_err(|error| self.search_failed(error))
    }

    pub(super) fn search_failed(&self, error: SearchError) -> Fault {
        if let SearchError::Stopped(_) = error {
            // The process ends here.
            self.process.spend(usize::MAX);
        }
        mistake(error.to_string())
    }

    /// The next line that matches, from the current one on and around.
    pub(in crate::languages::ed) fn search(
        &mut self,
        regex: &Regex,
        is_forward: bool,
    ) -> Result<usize> {
        let last = self.buffer.last();
        let mut number = self.buffer.current();
        for _ in 0..last {
            number = match (is_forward, number) {
                (true, number) if number >= last => 1,
                (true, number) => number + 1,
                (false, number) if number <= 1 => last,
                (false, number) => number - 1,
            };
            let text = self.buffer.text(number);
            if self.is_match(regex, &text.bytes)? {
                return Ok(number);
            }
        }
        Err(mistake("No match"))
    }

    pub(in crate::languages::ed) fn character_at(&self, text: &[u8], at: usize) -> usize {
        if self.is_bytes {
            return 1;
        }
        characters::first(text.get(at..).unwrap_or_default())
    }
}
