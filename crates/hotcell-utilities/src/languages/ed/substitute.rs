//! `s`.

use std::rc::Rc;

use hotcell_regex::Regex;

use super::{
    address::Addresses,
    editor::{Editor, Print, Result, mistake},
};

/// What `s` does, to be done again.
#[derive(Clone)]
pub(super) struct Substitution {
    regex: Rc<Regex>,
    replacement: Vec<Part>,
    is_global: bool,
    /// The first match that is replaced.
    number: usize,
    print: Print,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(Vec<u8>),
    /// 0 is the whole match.
    Group(usize),
    /// A line ends here.
    Newline,
}

impl Editor<'_> {
    pub(super) fn substitute(&mut self, addresses: Addresses) -> Result<()> {
        let substitution = match self.peek() {
            None | Some(b'0'..=b'9' | b'g' | b'p' | b'l' | b'n' | b'r') => self.again()?,
            Some(b' ' | b'\n') => return Err(mistake("Invalid pattern delimiter")),
            Some(delimiter) => self.new_substitution(delimiter)?,
        };
        self.check_lines(addresses)?;
        self.checkpoint();
        let substitution = Rc::new(substitution);
        self.last_substitution = Some(Rc::clone(&substitution));
        let mut number = addresses.first;
        let mut last = addresses.last;
        let mut any = false;
        while number <= last {
            let text = self.buffer.text(number);
            match self.replaced(&substitution, &text.bytes)? {
                Some(texts) => {
                    any = true;
                    let count = texts.len();
                    let mut lines = Vec::with_capacity(count);
                    for text in texts {
                        lines.push(self.buffer.line(text)?);
                    }
                    self.replace_line(number, lines);
                    number += count;
                    last += count - 1;
                }
                None => number += 1,
            }
        }
        if !any && !self.is_in_global() {
            return Err(mistake("No match"));
        }
        if any {
            self.print_current(substitution.print)?;
        }
        Ok(())
    }

    /// `s` alone, with flags that change what it does this time.
    fn again(&mut self) -> Result<Substitution> {
        let last = self.last_substitution.clone();
        let Some(last) = last else {
            return Err(mistake("No previous substitution"));
        };
        let mut again = (*last).clone();
        again.print = Print::default();
        while let Some(byte) = self.peek() {
            match byte {
                b'0'..=b'9' => {
                    again.number = usize::try_from(self.number()?).unwrap_or(usize::MAX).max(1);
                    again.is_global = false;
                    continue;
                }
                b'g' => again.is_global = !again.is_global,
                b'p' => again.print.is_plain = !again.print.is_plain,
                b'l' => again.print.is_listed = true,
                b'n' => again.print.is_numbered = true,
                b'r' => {
                    let pattern = self.last_pattern.clone();
                    again.regex = pattern.ok_or_else(|| mistake("No previous pattern"))?;
                }
                _ => return Err(mistake("Invalid command suffix")),
            }
            self.at += 1;
        }
        Ok(again)
    }

    fn new_substitution(&mut self, delimiter: u8) -> Result<Substitution> {
        let regex = self.pattern(delimiter)?;
        if self.peek() != Some(delimiter) {
            return Err(mistake("Missing pattern delimiter"));
        }
        self.at += 1;
        let (replacement, is_closed) = self.replacement(delimiter)?;
        let mut substitution = Substitution {
            regex,
            replacement,
            is_global: false,
            number: 1,
            print: Print::default(),
        };
        // Without the last delimiter the line is printed.
        if !is_closed {
            substitution.print.is_plain = true;
            return Ok(substitution);
        }
        while let Some(byte) = self.peek() {
            match byte {
                b'0'..=b'9' => {
                    let number = usize::try_from(self.number()?).unwrap_or(usize::MAX);
                    if number == 0 {
                        return Err(mistake("Invalid command suffix"));
                    }
                    substitution.number = number;
                    continue;
                }
                b'g' => substitution.is_global = true,
                b'p' => substitution.print.is_plain = true,
                b'l' => substitution.print.is_listed = true,
                b'n' => substitution.print.is_numbered = true,
                _ => return Err(mistake("Invalid command suffix")),
            }
            self.at += 1;
        }
        Ok(substitution)
    }

    /// The right side, and whether a delimiter ended it.
    fn replacement(&mut self, delimiter: u8) -> Result<(Vec<Part>, bool)> {
        let rest = self.rest();
        if rest == b"%" || (rest.first() == Some(&b'%') && rest.get(1) == Some(&delimiter)) {
            let last = self.last_substitution.clone();
            let last = last.ok_or_else(|| mistake("No previous substitution"))?;
            self.at += 1;
            let is_closed = self.peek() == Some(delimiter);
            self.at += usize::from(is_closed);
            return Ok((last.replacement.clone(), is_closed));
        }
        let mut parts = Vec::new();
        let mut text = Vec::new();
        let flush = |text: &mut Vec<u8>, part: Part, parts: &mut Vec<Part>| {
            if !text.is_empty() {
                parts.push(Part::Text(std::mem::take(text)));
            }
            parts.push(part);
        };
        let is_closed = loop {
            let Some(byte) = self.peek() else {
                break false;
            };
            self.at += 1;
            match byte {
                _ if byte == delimiter => break true,
                b'&' => flush(&mut text, Part::Group(0), &mut parts),
                b'\\' => match self.peek() {
                    Some(digit @ b'0'..=b'9') => {
                        self.at += 1;
                        let group = usize::from(digit - b'0');
                        flush(&mut text, Part::Group(group), &mut parts);
                    }
                    Some(next) => {
                        self.at += 1;
                        text.push(next);
                    }
                    None => {
                        // The line goes on, and so does the replacement, on a line of its own.
                        flush(&mut text, Part::Newline, &mut parts);
                        self.line = self.continuation()?;
                        self.at = 0;
                    }
                },
                byte => text.push(byte),
            }
        };
        if !text.is_empty() {
            parts.push(Part::Text(text));
        }
        Ok((parts, is_closed))
    }

    /// What becomes of a line; `None` if nothing is replaced in it.
    fn replaced(
        &mut self,
        substitution: &Substitution,
        text: &[u8],
    ) -> Result<Option<Vec<Vec<u8>>>> {
        let mut lines = Vec::new();
        let mut line = Vec::new();
        let (mut at, mut copied, mut count) = (0, 0, 0);
        let mut last_end = None;
        let mut any = false;
        while at <= text.len() {
            let captures = self.captures(&substitution.regex, text, at)?;
            let Some((captures, found)) =
                captures.and_then(|captures| captures.get(0).map(|found| (captures, found)))
            else {
                break;
            };
            if substitution.is_global && found.end == at && at < text.len() {
                return Err(mistake("Infinite substitution loop"));
            }
            let is_new = !found.is_empty() || last_end != Some(found.start);
            count += usize::from(is_new);
            last_end = Some(found.end);
            if is_new && count >= substitution.number {
                any = true;
                line.extend_from_slice(text.get(copied..found.start).unwrap_or_default());
                for part in &substitution.replacement {
                    match part {
                        Part::Text(text) => line.extend_from_slice(text),
                        Part::Newline => lines.push(std::mem::take(&mut line)),
                        Part::Group(group) => {
                            let group = captures.get(*group);
                            let matched = group.and_then(|group| text.get(group.range()));
                            line.extend_from_slice(matched.unwrap_or_default());
                        }
                    }
                }
                copied = found.end;
                // It is counted when it becomes a line; until then it must not outgrow the account.
                drop(self.process.charge(line.len())?);
                if !substitution.is_global {
                    break;
                }
            }
            at = if found.is_empty() {
                found.end + self.character_at(text, found.end).max(1)
            } else {
                found.end
            };
        }
        if !any {
            return Ok(None);
        }
        line.extend_from_slice(text.get(copied..).unwrap_or_default());
        lines.push(line);
        Ok(Some(lines))
    }
}
