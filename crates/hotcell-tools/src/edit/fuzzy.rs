//! Finding a text that is not there exactly, but is when both are read as people would.
//!
//! Each line of the file is normalised by itself. What is found in the normalised text is then taken back to the
//! bytes it stands for, so that nothing around it changes.

use memchr::memmem;

use super::locate::Span;
use super::normal;

/// A place in the file.
pub(super) struct Place {
    pub(super) span: Span,
    /// Normalised text of a character that the place begins in the middle of: `f` of `ﬁ`.
    pub(super) before: String,
    /// The same at its end.
    pub(super) after: String,
}

/// Finds the one place of `old`; if there is not exactly one, says how many.
pub(super) fn find(text: &[u8], old: &str) -> Result<Place, usize> {
    // NUL stands for lines that are not text.
    if old.contains('\0') {
        return Err(0);
    }
    let file = Normalised::new(text);
    let padded = normalise(old, false);
    match file.only(&padded, false) {
        Err(0) => {}
        found => return found,
    }
    // Spaces at the end of the old text mean nothing if they are at the end of a line.
    let trimmed = normalise(old, true);
    if trimmed == padded {
        return Err(0);
    }
    file.only(&trimmed, true)
}

fn normalise(old: &str, trim_last: bool) -> String {
    let mut out = String::with_capacity(old.len());
    let mut lines = old.split('\n').peekable();
    while let Some(line) = lines.next() {
        if lines.peek().is_some() {
            out.push_str(&normal::line(line));
            out.push('\n');
        } else if trim_last {
            out.push_str(&normal::line(line));
        } else {
            out.push_str(&normal::unpadded(line));
        }
    }
    out
}

/// A file, line by line in normal form.
struct Normalised<'a> {
    file: &'a [u8],
    text: String,
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
    fn new(file: &'a [u8]) -> Self {
        let mut text = String::with_capacity(file.len());
        let mut lines = Vec::new();
        let mut start = 0;
        for raw in file.split(|byte| *byte == b'\n') {
            if !lines.is_empty() {
                text.push('\n');
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
            match std::str::from_utf8(content) {
                Ok(content) => text.push_str(&normal::line(content)),
                Err(_) => text.push('\0'),
            }
            start = next;
        }
        Self { file, text, lines }
    }

    fn only(&self, old: &str, at_line_end: bool) -> Result<Place, usize> {
        if old.chars().all(char::is_whitespace) {
            return Err(0);
        }
        let mut places = memmem::find_iter(self.text.as_bytes(), old.as_bytes())
            .map(|start| (start, start + old.len()))
            .filter(|(_, end)| !at_line_end || self.is_line_end(*end));
        let (start, end) = places.next().ok_or(0_usize)?;
        match places.count() {
            0 => Ok(self.place(start, end)),
            others => Err(others + 1),
        }
    }

    fn is_line_end(&self, at: usize) -> bool {
        self.text
            .as_bytes()
            .get(at)
            .is_none_or(|byte| *byte == b'\n')
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

/// A piece of a line, and what of its normal form is before and after a position.
struct Cut {
    piece_start: usize,
    piece_end: usize,
    normal_before: String,
    normal_after: String,
}
