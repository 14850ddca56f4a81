//! Where a text is in a file: as it is, then with line endings aside, then as people would read it.

use memchr::memmem;

use super::fuzzy;

/// A part of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A text that was found, and what goes there.
pub(super) struct Found {
    pub(super) old: Span,
    pub(super) new: String,
    pub(super) fuzzy: bool,
}

/// Finds the one place of `old` (whose line breaks are `\n`) in `text`; if there is not exactly one, says how many.
pub(super) fn locate(text: &[u8], old: &str, new: &str) -> Result<Found, usize> {
    let view = LfView::new(text);
    let mut places = memmem::find_iter(&view.bytes, old.as_bytes());
    if let Some(at) = places.next() {
        let others = places.count();
        if others > 0 {
            return Err(others + 1);
        }
        let old = Span {
            start: view.original(at),
            end: view.original(at + old.len()),
        };
        return Ok(Found {
            old,
            new: with_ending_of(text, old.start, new),
            fuzzy: false,
        });
    }
    let place = fuzzy::find(text, old)?;
    let replaced = with_ending_of(text, place.span.start, new);
    Ok(Found {
        old: place.span,
        new: format!("{}{replaced}{}", place.before, place.after),
        fuzzy: true,
    })
}

/// The text with `\n` for every `\r\n`.
struct LfView<'a> {
    bytes: std::borrow::Cow<'a, [u8]>,
    /// Where in `bytes` those `\n` are that were `\r\n`.
    shortened: Vec<usize>,
}

impl<'a> LfView<'a> {
    fn new(text: &'a [u8]) -> Self {
        let mut breaks = memmem::find_iter(text, b"\r\n").peekable();
        if breaks.peek().is_none() {
            return Self {
                bytes: text.into(),
                shortened: Vec::new(),
            };
        }
        let mut bytes = Vec::with_capacity(text.len());
        let mut shortened = Vec::new();
        let mut done = 0;
        for at in breaks {
            bytes.extend_from_slice(text.get(done..at).unwrap_or_default());
            shortened.push(bytes.len());
            done = at + 1;
        }
        bytes.extend_from_slice(text.get(done..).unwrap_or_default());
        Self {
            bytes: bytes.into(),
            shortened,
        }
    }

    /// Where a position is in the text itself; the position of a shortened `\n` is that of its `\r`.
    fn original(&self, at: usize) -> usize {
        at + self.shortened.partition_point(|short| *short < at)
    }
}

/// The new text with the line ending of the line that it begins in, or of the one before it. In a file without
/// line breaks it stays as it is.
fn with_ending_of(text: &[u8], start: usize, new: &str) -> String {
    let (before, after) = text.split_at(start.min(text.len()));
    let at = memchr::memchr(b'\n', after)
        .map(|at| start + at)
        .or_else(|| memchr::memrchr(b'\n', before));
    let Some(at) = at else {
        return new.to_owned();
    };
    let lf = new.replace("\r\n", "\n");
    let is_crlf = at
        .checked_sub(1)
        .and_then(|before| text.get(before))
        .is_some_and(|byte| *byte == b'\r');
    if is_crlf {
        lf.replace('\n', "\r\n")
    } else {
        lf
    }
}
