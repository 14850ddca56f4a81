//! Finding a text that is not there exactly, but is when both are read as people would.
//!
//! Each line of the file is normalised by itself. What is found in the normalised text is then taken back to the
//! bytes it stands for, so that nothing around it changes.

use memchr::{memchr_iter, memmem};

use super::locate::Span;
use super::normal;
use crate::charged::Charged;
use crate::error::FileToolError;
use crate::limits::FUZZY_LINE_BYTES;
use crate::tools::FileTools;

/// So many lines are read between two looks at whether to stop.
const LOOK: usize = 16;

/// A place in the file.
pub(super) struct Place {
    pub(super) span: Span,
    /// Normalised text of a character that the place begins in the middle of: `f` of `ﬁ`.
    pub(super) before: String,
    /// The same at its end.
    pub(super) after: String,
}

/// A file, line by line in normal form.
pub(super) struct Normalised<'a> {
    file: &'a [u8],
    text: Charged<'a>,
    lines: Vec<Line>,
}

#[derive(Clone, Copy)]
struct Line {
    /// Where it begins in the normalised text.
    normal: usize,
    /// Where it begins in the file.
    start: usize,
    /// Where it ends in the file, without its line break.
    end: usize,
}

impl<'a> Normalised<'a> {
    pub(super) fn new(tools: &'a FileTools, file: &'a [u8]) -> Result<Self, FileToolError> {
        let count = memchr_iter(b'\n', file).count() + 1;
        tools.take(count * size_of::<Line>())?;
        let mut text = Charged::with_capacity(tools, file.len())?;
        let mut lines: Vec<Line> = Vec::with_capacity(count);
        let mut start = 0;
        for raw in file.split(|byte| *byte == b'\n') {
            if lines.len().is_multiple_of(LOOK) {
                tools.check_cancelled()?;
            }
            if !lines.is_empty() {
                text.push(b"\n")?;
            }
            let next = start + raw.len() + 1;
            let is_last = next > file.len();
            let content = if is_last {
                raw
            } else {
                raw.strip_suffix(b"\r").unwrap_or(raw)
            };
            lines.push(Line {
                normal: text.len(),
                start,
                end: start + content.len(),
            });
            match readable(content) {
                Some(content) => text.push(normal::line(content).as_bytes())?,
                None => text.push(b"\0")?,
            }
            start = next;
        }
        Ok(Self { file, text, lines })
    }

    /// Finds the one place of `old`; if there is not exactly one, says how many.
    pub(super) fn find(
        &self,
        tools: &FileTools,
        old: &str,
    ) -> Result<Result<Place, usize>, FileToolError> {
        let Some(padded) = self.normalise(tools, old, false)? else {
            return Ok(Err(0));
        };
        match self.only(&padded, false) {
            Err(0) => {}
            found => return Ok(found),
        }
        // Spaces at the end of the old text mean nothing if they are at the end of a line.
        match self.normalise(tools, old, true)? {
            Some(trimmed) if *trimmed != *padded => Ok(self.only(&trimmed, true)),
            _ => Ok(Err(0)),
        }
    }

    /// A text in normal form; `None` if it cannot be in this file.
    fn normalise<'b>(
        &self,
        tools: &'b FileTools,
        old: &str,
        trim_last: bool,
    ) -> Result<Option<Charged<'b>>, FileToolError> {
        let mut out = Charged::new(tools);
        let mut lines = old.split('\n').enumerate().peekable();
        while let Some((number, line)) = lines.next() {
            if number.is_multiple_of(LOOK) {
                tools.check_cancelled()?;
            }
            let is_last = lines.peek().is_none();
            if out.len() > self.text.len() || readable(line.as_bytes()).is_none() {
                return Ok(None);
            }
            if is_last && !trim_last {
                out.push(normal::unpadded(line).as_bytes())?;
            } else {
                out.push(normal::line(line).as_bytes())?;
            }
            if !is_last {
                out.push(b"\n")?;
            }
        }
        Ok(Some(out))
    }

    fn only(&self, old: &[u8], at_line_end: bool) -> Result<Place, usize> {
        let is_blank =
            std::str::from_utf8(old).is_ok_and(|old| old.chars().all(char::is_whitespace));
        if is_blank {
            return Err(0);
        }
        let mut places = memmem::find_iter(&self.text, old)
            .map(|start| (start, start + old.len()))
            .filter(|(_, end)| !at_line_end || self.is_line_end(*end));
        let (start, end) = places.next().ok_or(0_usize)?;
        match places.count() {
            0 => Ok(self.place(start, end)),
            others => Err(others + 1),
        }
    }

    fn is_line_end(&self, at: usize) -> bool {
        self.text.get(at).is_none_or(|byte| *byte == b'\n')
    }

    /// The line a position of the normalised text is in.
    fn line(&self, at: usize) -> Line {
        let after = self.lines.partition_point(|line| line.normal <= at);
        // The first line begins at 0, so that there is always one.
        self.lines
            .get(after.saturating_sub(1))
            .copied()
            .unwrap_or(Line {
                normal: 0,
                start: 0,
                end: 0,
            })
    }

    fn place(&self, start: usize, end: usize) -> Place {
        let first = self.line(start);
        let (start_at, before) = if self.is_line_end(start) {
            // It begins with a line break: spaces before that are not part of it.
            (first.end, String::new())
        } else {
            let cut = self.cut(first, start);
            (cut.piece_start, cut.normal_before)
        };
        let last = self.line(end);
        let (end_at, after) = if end == last.normal {
            (last.start, String::new())
        } else if self.is_line_end(end) {
            (last.end, String::new())
        } else {
            let cut = self.cut(last, end);
            if cut.normal_before.is_empty() {
                (cut.piece_start, String::new())
            } else {
                (cut.piece_end, cut.normal_after)
            }
        };
        Place {
            span: Span {
                start: start_at,
                end: end_at,
            },
            before,
            after,
        }
    }

    /// The piece of a line that a position of the normalised text is in.
    fn cut(&self, line: Line, at: usize) -> Cut {
        let content = self.file.get(line.start..line.end).unwrap_or_default();
        let content = std::str::from_utf8(content).unwrap_or_default();
        if content.is_ascii() {
            // It is its own normal form, and may be long.
            let start = (line.start + at.saturating_sub(line.normal)).min(line.end);
            return Cut {
                piece_start: start,
                piece_end: start,
                normal_before: String::new(),
                normal_after: String::new(),
            };
        }
        let mut normal_at = line.normal;
        let mut start = line.start;
        for (length, normal) in normal::pieces(content) {
            let next = normal_at + normal.len();
            if at < next {
                let (before, after) = normal.split_at(at - normal_at);
                return Cut {
                    piece_start: start,
                    piece_end: start + length,
                    normal_before: before.to_owned(),
                    normal_after: after.to_owned(),
                };
            }
            normal_at = next;
            start += length;
        }
        Cut {
            piece_start: line.end,
            piece_end: line.end,
            normal_before: String::new(),
            normal_after: String::new(),
        }
    }
}

/// A line that can be brought into normal form. One that is long has combining characters without end, or might: only plain
/// ones may be.
fn readable(line: &[u8]) -> Option<&str> {
    if line.len() > FUZZY_LINE_BYTES && !line.is_ascii() {
        return None;
    }
    std::str::from_utf8(line).ok()
}

/// A piece of a line, and what of its normal form is before and after a position.
struct Cut {
    piece_start: usize,
    piece_end: usize,
    normal_before: String,
    normal_after: String,
}
