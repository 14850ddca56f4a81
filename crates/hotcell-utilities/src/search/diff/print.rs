//! The formats.

use std::io::{self, Write};

use bstr::ByteSlice;
use hotcell_meter::Pace;
use hotcell_process::{Output, Process};

use super::{
    compare::{Text, put_expanded},
    edits::Edit,
    hunks::{Hunk, hunks},
    options::{Options, Style},
};

/// One of the files, as headers name it.
pub(super) struct Header {
    pub(super) name: Vec<u8>,
    /// Its time, unless a label stands for both.
    pub(super) stamp: Option<String>,
}

pub(super) struct Printer<'d, 'p> {
    pub(super) process: &'p Process,
    pub(super) options: &'d Options,
    pub(super) texts: [&'d Text<'d>; 2],
    pub(super) out: &'d mut Output<'p>,
}

impl Printer<'_, '_> {
    /// Writes all edits in the style that was asked for.
    pub(super) fn edits(&mut self, edits: &[Edit], headers: &[Header; 2]) -> io::Result<()> {
        if let Some(formats) = &self.options.formats {
            return self.groups(formats, edits);
        }
        match self.options.style {
            Style::Normal => edits.iter().try_for_each(|edit| self.normal(edit)),
            Style::Ed => edits.iter().rev().try_for_each(|edit| self.ed(edit)),
            Style::Rcs => edits.iter().try_for_each(|edit| self.rcs(edit)),
            Style::Unified(context) => {
                self.headers(headers, ["---", "+++"])?;
                let lines = self.texts.map(|text| text.lines.len());
                hunks(edits, context, lines)
                    .iter()
                    .try_for_each(|hunk| self.unified(hunk))
            }
            Style::Context(context) => {
                self.headers(headers, ["***", "---"])?;
                let lines = self.texts.map(|text| text.lines.len());
                hunks(edits, context, lines)
                    .iter()
                    .try_for_each(|hunk| self.context(hunk))
            }
            Style::SideBySide => super::side::print(self, edits),
        }
    }

    fn headers(&mut self, headers: &[Header; 2], marks: [&str; 2]) -> io::Result<()> {
        for (header, mark) in headers.iter().zip(marks) {
            self.paint("1", |out| {
                write!(out, "{mark} ")?;
                out.write_all(&header.name)?;
                if let Some(stamp) = &header.stamp {
                    write!(out, "\t{stamp}")?;
                }
                Ok(())
            })?;
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }

    fn paint(
        &mut self,
        color: &str,
        write: impl FnOnce(&mut Output<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        if !self.options.color {
            return write(self.out);
        }
        write!(self.out, "\x1b[{color}m")?;
        write(self.out)?;
        self.out.write_all(b"\x1b[0m")
    }

    /// A line behind its mark.
    fn line(&mut self, mark: &str, side: usize, at: usize, color: &str) -> io::Result<()> {
        self.process.spend(8);
        let Some(text) = self.texts.get(side).copied() else {
            return Ok(());
        };
        let line = text.lines.get(at).copied().unwrap_or_default();
        let is_cut = text.is_cut && at + 1 == text.lines.len();
        let mark = if self.options.initial_tab {
            mark.replace(' ', "\t")
        } else {
            mark.to_owned()
        };
        let tab = self.options.expands_tabs.then_some(self.options.tab);
        self.paint(color, |out| {
            out.write_all(mark.as_bytes())?;
            put(out, line, tab)
        })?;
        self.out.write_all(b"\n")?;
        if is_cut {
            self.out.write_all(b"\\ No newline at end of file\n")?;
        }
        Ok(())
    }

    fn plain(&mut self, mark: &str, side: usize, at: usize) -> io::Result<()> {
        let Some(text) = self.texts.get(side).copied() else {
            return Ok(());
        };
        let line = text.lines.get(at).copied().unwrap_or_default();
        self.out.write_all(mark.as_bytes())?;
        let tab = self.options.expands_tabs.then_some(self.options.tab);
        put(self.out, line, tab)?;
        self.out.write_all(b"\n")?;
        if text.is_cut && at + 1 == text.lines.len() {
            self.out.write_all(b"\\ No newline at end of file\n")?;
        }
        Ok(())
    }

    fn normal(&mut self, edit: &Edit) -> io::Result<()> {
        let letter = letter(edit);
        let head = format!("{}{letter}{}", lines(&edit.left), lines(&edit.right));
        self.paint("36", |out| out.write_all(head.as_bytes()))?;
        self.out.write_all(b"\n")?;
        for at in edit.left.clone() {
            self.line("< ", 0, at, "31")?;
        }
        if letter == 'c' {
            self.out.write_all(b"---\n")?;
        }
        for at in edit.right.clone() {
            self.line("> ", 1, at, "32")?;
        }
        Ok(())
    }

    fn ed(&mut self, edit: &Edit) -> io::Result<()> {
        let letter = letter(edit);
        writeln!(self.out, "{}{letter}", lines(&edit.left))?;
        if letter == 'd' {
            return Ok(());
        }
        let mut inserting = true;
        for at in edit.right.clone() {
            let line = self.texts[1].lines.get(at).copied().unwrap_or_default();
            if !inserting {
                self.out.write_all(b"a\n")?;
                inserting = true;
            }
            if line == b"." {
                // A dot ends the text: it is written as two, and mended.
                self.out.write_all(b"..\n.\ns/.//\n")?;
                inserting = false;
                continue;
            }
            self.out.write_all(line)?;
            self.out.write_all(b"\n")?;
        }
        if inserting {
            self.out.write_all(b".\n")
        } else {
            Ok(())
        }
    }

    fn rcs(&mut self, edit: &Edit) -> io::Result<()> {
        if !edit.left.is_empty() {
            writeln!(self.out, "d{} {}", edit.left.start + 1, edit.left.len())?;
        }
        if !edit.right.is_empty() {
            writeln!(self.out, "a{} {}", edit.left.end, edit.right.len())?;
            for at in edit.right.clone() {
                let text = &self.texts[1];
                let line = text.lines.get(at).copied().unwrap_or_default();
                self.out.write_all(line)?;
                if !(text.is_cut && at + 1 == text.lines.len()) {
                    self.out.write_all(b"\n")?;
                }
            }
        }
        Ok(())
    }

    fn unified(&mut self, hunk: &Hunk<'_>) -> io::Result<()> {
        let range = |range: &std::ops::Range<usize>| match range.len() {
            0 => format!("{},0", range.start),
            1 => format!("{}", range.start + 1),
            length => format!("{},{length}", range.start + 1),
        };
        let function = self.function(hunk.left.start)?;
        let title = format!("@@ -{} +{} @@", range(&hunk.left), range(&hunk.right));
        self.paint("36", |out| out.write_all(title.as_bytes()))?;
        if let Some(function) = function {
            self.out.write_all(b" ")?;
            self.out.write_all(&function)?;
        }
        self.out.write_all(b"\n")?;
        let mut at = hunk.left.start;
        for edit in hunk.edits {
            for line in at..edit.left.start {
                self.common(line)?;
            }
            for line in edit.left.clone() {
                self.line("-", 0, line, "31")?;
            }
            for line in edit.right.clone() {
                self.line("+", 1, line, "32")?;
            }
            at = edit.left.end;
        }
        for line in at..hunk.left.end {
            self.common(line)?;
        }
        Ok(())
    }

    fn common(&mut self, line: usize) -> io::Result<()> {
        self.process.spend(4);
        self.plain(" ", 0, line)
    }

    fn context(&mut self, hunk: &Hunk<'_>) -> io::Result<()> {
        let function = self.function(hunk.left.start)?;
        self.out.write_all(b"***************")?;
        if let Some(function) = function {
            self.out.write_all(b" ")?;
            self.out.write_all(&function)?;
        }
        self.out.write_all(b"\n")?;
        let range = |range: &std::ops::Range<usize>| match range.len() {
            0 | 1 => format!("{}", range.end),
            _ => format!("{},{}", range.start + 1, range.end),
        };
        let title = format!("*** {} ****\n", range(&hunk.left));
        self.out.write_all(title.as_bytes())?;
        if hunk.edits.iter().any(|edit| !edit.left.is_empty()) {
            self.half(hunk, 0)?;
        }
        let title = format!("--- {} ----\n", range(&hunk.right));
        self.out.write_all(title.as_bytes())?;
        if hunk.edits.iter().any(|edit| !edit.right.is_empty()) {
            self.half(hunk, 1)?;
        }
        Ok(())
    }

    fn half(&mut self, hunk: &Hunk<'_>, side: usize) -> io::Result<()> {
        let of = |edit: &Edit| {
            if side == 0 {
                edit.left.clone()
            } else {
                edit.right.clone()
            }
        };
        let whole = if side == 0 {
            hunk.left.clone()
        } else {
            hunk.right.clone()
        };
        let mut at = whole.start;
        for edit in hunk.edits {
            let range = of(edit);
            for line in at..range.start {
                self.plain("  ", side, line)?;
            }
            let is_change = !edit.left.is_empty() && !edit.right.is_empty();
            let mark = match (is_change, side) {
                (true, _) => "! ",
                (false, 0) => "- ",
                (false, _) => "+ ",
            };
            for line in range.clone() {
                self.line(mark, side, line, if side == 0 { "31" } else { "32" })?;
            }
            at = range.end;
        }
        for line in at..whole.end {
            self.plain("  ", side, line)?;
        }
        Ok(())
    }

    /// The function that a hunk is in: the last line before it that looks like the beginning of one.
    fn function(&self, before: usize) -> io::Result<Option<Vec<u8>>> {
        let Some(regex) = &self.options.function else {
            return Ok(None);
        };
        let mut pace = Pace::new(self.process.stop_token());
        let lines = self.texts[0].lines.get(..before).unwrap_or_default();
        for line in lines.iter().rev() {
            self.process.spend(16);
            if regex.is_match(line, &mut pace).map_err(io::Error::other)? {
                let text = line.trim_ascii();
                return Ok(Some(
                    text.get(..40)
                        .unwrap_or(text)
                        .trim_end_with(|c| c == ' ')
                        .to_vec(),
                ));
            }
        }
        Ok(None)
    }
}

fn letter(edit: &Edit) -> char {
    match (edit.left.is_empty(), edit.right.is_empty()) {
        (true, _) => 'a',
        (_, true) => 'd',
        _ => 'c',
    }
}

/// Writes a line, with its tabs as spaces if they are so wide.
fn put(out: &mut Output<'_>, line: &[u8], tab: Option<usize>) -> io::Result<()> {
    match tab {
        Some(tab) => put_expanded(out, line, tab, usize::MAX).map(|_| ()),
        None => out.write_all(line),
    }
}

/// `3` or `3,5`; where nothing is, the line before it.
fn lines(range: &std::ops::Range<usize>) -> String {
    match range.len() {
        0 => range.start.to_string(),
        1 => (range.start + 1).to_string(),
        _ => format!("{},{}", range.start + 1, range.end),
    }
}
