//! Where a text is in a file: as it is, then with line endings aside, then as people would read it.

use memchr::memmem;

use super::fuzzy::{Normalised, Place};
use crate::error::FileToolError;
use crate::limits::FUZZY_MAX_BYTES;
use crate::tools::FileTools;

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

/// The text of a file in the forms in which it is searched, each made once for all edits of a call.
pub(super) struct Haystack<'a> {
    tools: &'a FileTools,
    text: &'a [u8],
    lf: LfView<'a>,
    normal: Option<Normalised<'a>>,
}

impl<'a> Haystack<'a> {
    pub(super) fn new(tools: &'a FileTools, text: &'a [u8]) -> Result<Self, FileToolError> {
        Ok(Self {
            tools,
            text,
            lf: LfView::new(tools, text)?,
            normal: None,
        })
    }

    /// Finds the one place of `old` (whose line breaks are `\n`); if there is not exactly one, says how many.
    pub(super) fn locate(
        &mut self,
        old: &str,
        new: &str,
    ) -> Result<Result<Found, usize>, FileToolError> {
        let mut places = memmem::find_iter(&self.lf.bytes, old.as_bytes());
        if let Some(at) = places.next() {
            let others = self.tools.count(places)?;
            if others > 0 {
                return Ok(Err(others + 1));
            }
            let old = Span {
                start: self.lf.original(at),
                end: self.lf.original(at + old.len()),
            };
            return Ok(Ok(Found {
                old,
                new: with_ending_of(self.text, old.start, new),
                fuzzy: false,
            }));
        }
        Ok(self.alike(old)?.map(|place| {
            let replaced = with_ending_of(self.text, place.span.start, new);
            Found {
                old: place.span,
                new: format!("{}{replaced}{}", place.before, place.after),
                fuzzy: true,
            }
        }))
    }

    fn alike(&mut self, old: &str) -> Result<Result<Place, usize>, FileToolError> {
        // NUL stands for lines that are not text.
        if self.text.len() > FUZZY_MAX_BYTES || old.contains('\0') {
            return Ok(Err(0));
        }
        let normal = match &mut self.normal {
            Some(normal) => normal,
            none => none.insert(Normalised::new(self.tools, self.text)?),
        };
        normal.find(self.tools, old)
    }
}

/// The text with `\n` for every `\r\n`.
struct LfView<'a> {
    bytes: std::borrow::Cow<'a, [u8]>,
    /// Where in `bytes` those `\n` are that were `\r\n`.
    shortened: Vec<usize>,
}

impl<'a> LfView<'a> {
    fn new(tools: &FileTools, text: &'a [u8]) -> Result<Self, FileToolError> {
        let count = tools.count(memmem::find_iter(text, b"\r\n"))?;
        if count == 0 {
            return Ok(Self {
                bytes: text.into(),
                shortened: Vec::new(),
            });
        }
        tools.take(text.len() + count * size_of::<usize>())?;
        let mut bytes = Vec::with_capacity(text.len());
        let mut shortened = Vec::with_capacity(count);
        let mut done = 0;
        for at in memmem::find_iter(text, b"\r\n") {
            bytes.extend_from_slice(text.get(done..at).unwrap_or_default());
            shortened.push(bytes.len());
            done = at + 1;
        }
        bytes.extend_from_slice(text.get(done..).unwrap_or_default());
        Ok(Self {
            bytes: bytes.into(),
            shortened,
        })
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
