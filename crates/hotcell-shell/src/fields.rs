//! Splitting a line at the characters of `IFS`, as `read` does.

use bstr::BString;
use hotcell_process::Process;

use crate::shell::Shell;

/// The characters of `IFS`.
pub(crate) struct Separators {
    blanks: Vec<u8>,
    others: Vec<u8>,
}

impl Separators {
    /// Those of a shell.
    pub(crate) fn of(shell: &mut Shell, process: &Process) -> Self {
        let ifs = shell.variable(process, b"IFS");
        let ifs = ifs.unwrap_or_else(|| " \t\n".into());
        let (blanks, others) = ifs
            .iter()
            .partition(|byte| matches!(byte, b' ' | b'\t' | b'\n'));
        Self { blanks, others }
    }

    fn is_blank(&self, byte: u8) -> bool {
        self.blanks.contains(&byte)
    }

    fn is_separator(&self, byte: u8) -> bool {
        self.is_blank(byte) || self.others.contains(&byte)
    }
}

/// Text in which some bytes are not what they seem, because a backslash stood before them.
#[derive(Debug, Default)]
pub(crate) struct Escaped {
    text: Vec<u8>,
    /// Where those bytes are, in order.
    escaped: Vec<usize>,
}

impl Escaped {
    pub(crate) fn push(&mut self, byte: u8) {
        self.text.push(byte);
    }

    pub(crate) fn push_escaped(&mut self, byte: u8) {
        self.escaped.push(self.text.len());
        self.text.push(byte);
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// How many bytes it takes.
    pub(crate) fn held(&self) -> usize {
        self.text.len() + size_of_val(self.escaped.as_slice())
    }

    /// Whether the last bytes are a whole character.
    pub(crate) fn ends_with_character(&self) -> bool {
        let tail = self.text.len().saturating_sub(4);
        let tail = self.text.get(tail..).unwrap_or_default();
        let start = tail.iter().rposition(|byte| byte & 0xc0 != 0x80);
        let Some((first, length)) = start.and_then(|start| {
            let first = tail.get(start)?;
            Some((*first, tail.len() - start))
        }) else {
            return true;
        };
        let wanted = match first {
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf7 => 4,
            _ => 1,
        };
        length >= wanted
    }

    /// The fields, one after the other.
    pub(crate) fn split<'a>(
        &'a self,
        separators: &'a Separators,
        process: &'a Process,
    ) -> Split<'a> {
        let mut split = Split {
            line: self,
            separators,
            process,
            position: 0,
        };
        split.skip_blanks();
        split
    }

    fn is_escaped(&self, index: usize) -> bool {
        !self.escaped.is_empty() && self.escaped.binary_search(&index).is_ok()
    }
}

/// What is left of a line.
pub(crate) struct Split<'a> {
    line: &'a Escaped,
    separators: &'a Separators,
    /// Pays for every byte that is looked at.
    process: &'a Process,
    position: usize,
}

impl Split<'_> {
    fn byte(&self, index: usize) -> Option<u8> {
        self.line.text.get(index).copied()
    }

    fn is_separator(&self, index: usize) -> bool {
        self.process.spend(1);
        self.byte(index)
            .is_some_and(|byte| self.separators.is_separator(byte))
            && !self.line.is_escaped(index)
    }

    fn is_blank(&self, index: usize) -> bool {
        self.process.spend(1);
        self.byte(index)
            .is_some_and(|byte| self.separators.is_blank(byte))
            && !self.line.is_escaped(index)
    }

    fn skip_blanks(&mut self) {
        while self.is_blank(self.position) {
            self.position += 1;
        }
    }

    /// Everything that is left: one field without what separates it from nothing, or several as they stand.
    pub(crate) fn take_last(&mut self) -> BString {
        let start = self.position;
        let Some(field) = self.next() else {
            return BString::default();
        };
        if self.position >= self.line.text.len() {
            return field;
        }
        let mut end = self.line.text.len();
        while end > start && self.is_blank(end - 1) {
            end -= 1;
        }
        self.position = self.line.text.len();
        self.line.text.get(start..end).unwrap_or_default().into()
    }
}

impl Iterator for Split<'_> {
    type Item = BString;

    fn next(&mut self) -> Option<BString> {
        let start = self.position;
        if start >= self.line.text.len() {
            return None;
        }
        let mut end = start;
        while end < self.line.text.len() && !self.is_separator(end) {
            end += 1;
        }
        self.position = end;
        self.skip_blanks();
        // One separator that is no blank, with blanks around it, ends the field as well.
        if self.is_separator(self.position) {
            self.position += 1;
            self.skip_blanks();
        }
        Some(self.line.text.get(start..end).unwrap_or_default().into())
    }
}
