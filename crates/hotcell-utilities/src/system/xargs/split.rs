//! Input, taken apart into items.

use std::io;

use bstr::BString;
use hotcell_process::{Input, Process};

use crate::lines::Lines;

/// An item, and whether the line that it was on ends with it.
pub(super) struct Item {
    pub(super) text: BString,
    pub(super) ends_line: bool,
}

pub(super) struct Splitter<'p> {
    process: &'p Process,
    lines: Lines<'p, Input<'p>>,
    delimiter: Option<u8>,
    by_line: bool,
    end: Option<BString>,
    /// Items of the line that was read last.
    pending: std::collections::VecDeque<Item>,
    is_over: bool,
}

impl<'p> Splitter<'p> {
    pub(super) fn new(
        process: &'p Process,
        input: Input<'p>,
        delimiter: Option<u8>,
        by_line: bool,
        end: Option<BString>,
    ) -> io::Result<Self> {
        Ok(Self {
            process,
            lines: Lines::ending_with(process, input, delimiter.unwrap_or(b'\n'))?,
            delimiter,
            by_line,
            end,
            pending: std::collections::VecDeque::new(),
            is_over: false,
        })
    }

    pub(super) fn next_item(&mut self) -> io::Result<Option<Item>> {
        if let Some(delimiter) = self.delimiter {
            let Some(line) = self.lines.next_line()? else {
                return Ok(None);
            };
            let text = line.strip_suffix(&[delimiter]).unwrap_or(line);
            return Ok(Some(Item {
                text: text.into(),
                ends_line: true,
            }));
        }
        loop {
            if let Some(item) = self.pending.pop_front() {
                if self.end.as_ref() == Some(&item.text) {
                    self.is_over = true;
                    self.pending.clear();
                    return Ok(None);
                }
                return Ok(Some(item));
            }
            if self.is_over || !self.line()? {
                return Ok(None);
            }
        }
    }

    /// Takes the next line apart; false at the end. A backslash before a newline, and blanks before it, go on with the next.
    fn line(&mut self) -> io::Result<bool> {
        let mut word: Option<Vec<u8>> = None;
        let mut any = false;
        loop {
            let Some(line) = self.lines.next_line()? else {
                self.finish(&mut word);
                if let Some(last) = self.pending.back_mut() {
                    last.ends_line = true;
                }
                return Ok(any);
            };
            any = true;
            let line = line.to_vec();
            self.process.spend(line.len());
            let (text, has_end) = match line.strip_suffix(b"\n") {
                Some(text) => (text, true),
                None => (line.as_slice(), false),
            };
            let text = if self.by_line {
                let start = text
                    .iter()
                    .position(|byte| !matches!(byte, b' ' | b'\t'))
                    .unwrap_or(text.len());
                text.get(start..).unwrap_or_default()
            } else {
                text
            };
            let goes_on = self.words(text, has_end, &mut word);
            if goes_on {
                continue;
            }
            self.finish(&mut word);
            // A line that ends with a blank goes on, as far as counting lines is concerned.
            let ends_with_blank = matches!(text.last(), Some(b' ' | b'\t'));
            if let Some(last) = self.pending.back_mut() {
                last.ends_line = !ends_with_blank;
            }
            return Ok(true);
        }
    }

    fn finish(&mut self, word: &mut Option<Vec<u8>>) {
        if let Some(text) = word.take() {
            self.pending.push_back(Item {
                text: text.into(),
                ends_line: false,
            });
        }
    }

    /// Adds the words of a line; true if the last one goes on in the next line.
    fn words(&mut self, text: &[u8], has_end: bool, word: &mut Option<Vec<u8>>) -> bool {
        let mut bytes = text.iter().copied();
        while let Some(byte) = bytes.next() {
            match byte {
                b' ' | b'\t' if !self.by_line => self.finish(word),
                b'\\' => match bytes.next() {
                    Some(escaped) => word.get_or_insert_default().push(escaped),
                    None if has_end => {
                        word.get_or_insert_default().push(b'\n');
                        return true;
                    }
                    None => {}
                },
                quote @ (b'\'' | b'"') => {
                    let target = word.get_or_insert_default();
                    loop {
                        match bytes.next() {
                            Some(byte) if byte == quote => break,
                            Some(byte) => target.push(byte),
                            None => {
                                let kind = if quote == b'"' { "double" } else { "single" };
                                self.process.complain(format!(
                                    "unmatched {kind} quote; by default quotes are special to xargs unless you use the -0 option"
                                ));
                                self.process.exit(1);
                            }
                        }
                    }
                }
                _ => word.get_or_insert_default().push(byte),
            }
        }
        false
    }
}
