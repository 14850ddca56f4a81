//! `edit`: some text in place of other text, nothing else touched.

mod changed_lines;
mod diff;
mod fuzzy;
mod locate;
mod nearest;
mod normal;
mod patch;

use hotcell_vfs::{Errno, OpenOptions};

use crate::error::FileToolError;
use crate::limits::{BINARY_PROBE_BYTES, EDIT_MAX_BYTES, FUZZY_MAX_BYTES, size};
use crate::params::{EditParams, Edits};
use crate::replace::replace;
use crate::result::{Details, EditDetails, ToolResult};
use crate::shown::shown;
use crate::tools::FileTools;
use crate::workspace::Place;
use changed_lines::ChangedLines;
use locate::{Found, Haystack, Span};

const ACTION: &str = "edit file";
const BOM: &[u8] = b"\xef\xbb\xbf";

pub(crate) fn edit(tools: &FileTools, params: &EditParams) -> Result<ToolResult, FileToolError> {
    let path = &params.path;
    crate::args::require_path("edit", path)?;
    check_texts(params)?;
    let place = existing(tools, path)?;
    // Everything from reading to writing under one lock, or of two edits at a time one would be lost.
    let details = tools.locks().with(&place.real, || {
        let before = content(tools, &place, path)?;
        let change = Change::plan(tools, &before, params)?;
        if change.after == before {
            return Err(FileToolError::NoChange { path: named(path) });
        }
        // Whatever takes time and memory comes before the file is touched.
        let details = change.describe(tools, &before, place.relative().as_bytes())?;
        tools.check_cancelled()?;
        replace(
            place.vfs,
            &place.real,
            &change.after,
            place.meta.map(|meta| meta.mode),
        )
        .map_err(|error| FileToolError::failed(ACTION, path, &error))?;
        Ok(details)
    })?;
    let done = match &params.edits {
        Edits::One(_) => format!("Successfully replaced text in {}.", named(path)),
        Edits::Many(edits) => format!(
            "Successfully replaced {} block(s) in {}.",
            edits.len(),
            named(path)
        ),
    };
    Ok(ToolResult::text(done).with_details(Some(Details::Edited(details))))
}

fn named(path: &str) -> String {
    shown(path.as_bytes())
}

/// What no file could make right.
fn check_texts(params: &EditParams) -> Result<(), FileToolError> {
    let bad = |problem: String| FileToolError::BadArgument {
        tool: "edit",
        problem,
    };
    let edits = params.edits.as_slice();
    if edits.is_empty() {
        return Err(bad("edits must contain at least one replacement".to_owned()));
    }
    for (index, edit) in edits.iter().enumerate() {
        let name = match params.edits {
            Edits::One(_) => "oldText".to_owned(),
            Edits::Many(_) => format!("edits[{index}].oldText"),
        };
        if without_bom(&edit.old_text).is_empty() {
            return Err(bad(format!(
                "{name} must not be empty: give the text to replace, or use write for a new file"
            )));
        }
        if edit.old_text == edit.new_text {
            return Err(FileToolError::NoChange {
                path: named(&params.path),
            });
        }
    }
    Ok(())
}

fn existing<'a>(tools: &'a FileTools, path: &str) -> Result<Place<'a>, FileToolError> {
    let refused = |errno| Err(FileToolError::refused(ACTION, path, errno));
    let Some(place) = tools.workspace().existing(path, ACTION)? else {
        return refused(Errno::ENOENT);
    };
    match place.meta {
        Some(meta) if meta.is_dir() => refused(Errno::EISDIR),
        Some(meta) if !meta.is_file() => Err(FileToolError::NotRegular { path: named(path) }),
        // File systems here store modes and leave it to others to mind them.
        Some(meta) if meta.mode & 0o222 == 0 => refused(Errno::EACCES),
        _ => Ok(place),
    }
}

fn content(tools: &FileTools, place: &Place<'_>, path: &str) -> Result<Vec<u8>, FileToolError> {
    let told = |error| FileToolError::failed(ACTION, path, &error);
    let file = place
        .vfs
        .open(&place.real, &OpenOptions::read().no_follow())
        .map_err(told)?;
    let size = file.stat().map_err(told)?.size;
    if size > EDIT_MAX_BYTES {
        return Err(FileToolError::TooLarge {
            action: "edit",
            path: named(path),
            size,
            limit: EDIT_MAX_BYTES,
        });
    }
    tools.take(usize::try_from(size).unwrap_or(usize::MAX))?;
    let bytes = file.read_all().map_err(told)?;
    let head = bytes.get(..BINARY_PROBE_BYTES).unwrap_or(&bytes);
    if memchr::memchr(0, head).is_some() {
        return Err(FileToolError::Binary {
            path: named(path),
            size,
        });
    }
    Ok(bytes)
}

fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// A file before and after its edits.
struct Change {
    after: Vec<u8>,
    /// The edits in the order of the file, and where they went.
    pieces: Vec<Piece>,
}

/// One replacement: a part of the old file, and the part of the new one that stands for it.
struct Piece {
    old: Span,
    new: Span,
    /// Whether the old text was found only after both were normalised.
    fuzzy: bool,
}

impl Change {
    fn plan(tools: &FileTools, before: &[u8], params: &EditParams) -> Result<Self, FileToolError> {
        let edits = params.edits.as_slice();
        let path = || named(&params.path);
        let start = if before.starts_with(BOM) {
            BOM.len()
        } else {
            0
        };
        let text = before.get(start..).unwrap_or_default();
        let mut haystack = Haystack::new(tools, text)?;
        let mut found: Vec<(usize, Found)> = Vec::with_capacity(edits.len());
        for (index, edit) in edits.iter().enumerate() {
            tools.check_cancelled()?;
            // What is put in has its line breaks changed, up to twice.
            tools.take(edit.old_text.len() + 4 * edit.new_text.len())?;
            let old = without_bom(&edit.old_text).replace("\r\n", "\n");
            let subject = |one: &str| match params.edits {
                Edits::One(_) => one.to_owned(),
                Edits::Many(_) => format!("edits[{index}]"),
            };
            let new = without_bom(&edit.new_text);
            match haystack.locate(&old, new)? {
                Ok(place) => found.push((index, place)),
                Err(0) => {
                    return Err(FileToolError::TextNotFound {
                        subject: subject("the exact text"),
                        path: path(),
                        hint: exactly(text) + &nearest::hint(tools, text, &old)?,
                    });
                }
                Err(count) => {
                    return Err(FileToolError::TextNotUnique {
                        count,
                        subject: subject("the text"),
                        path: path(),
                    });
                }
            }
        }
        found.sort_by_key(|(_, place)| place.old.start);
        for pair in found.windows(2) {
            if let [(a, first), (b, second)] = pair
                && second.old.start < first.old.end
            {
                return Err(FileToolError::EditsOverlap {
                    first: *a.min(b),
                    second: *a.max(b),
                    path: path(),
                });
            }
        }
        Self::apply(tools, before, start, found)
    }

    fn apply(
        tools: &FileTools,
        before: &[u8],
        start: usize,
        found: Vec<(usize, Found)>,
    ) -> Result<Self, FileToolError> {
        let new = found.iter().map(|(_, place)| place.new.len());
        let size = before.len() + new.sum::<usize>();
        tools.take(size + found.len() * size_of::<Piece>())?;
        let mut after = Vec::with_capacity(size);
        let mut pieces = Vec::with_capacity(found.len());
        let mut done = 0;
        for (_, place) in found {
            let old = Span {
                start: place.old.start + start,
                end: place.old.end + start,
            };
            after.extend_from_slice(before.get(done..old.start).unwrap_or_default());
            let new_start = after.len();
            after.extend_from_slice(place.new.as_bytes());
            done = old.end;
            pieces.push(Piece {
                old,
                new: Span {
                    start: new_start,
                    end: after.len(),
                },
                fuzzy: place.fuzzy,
            });
        }
        after.extend_from_slice(before.get(done..).unwrap_or_default());
        Ok(Self { after, pieces })
    }

    fn describe(
        &self,
        tools: &FileTools,
        before: &[u8],
        path: &[u8],
    ) -> Result<EditDetails, FileToolError> {
        let sides = ChangedLines::new(tools, before, &self.after, &self.pieces)?;
        let shown = diff::numbered(tools, before, &sides, &self.pieces)?;
        let is_text = |bytes| std::str::from_utf8(bytes).is_ok();
        let unified = if is_text(before) && is_text(&self.after) {
            Some(patch::unified(tools, &sides, path)?)
        } else {
            None
        };
        Ok(EditDetails {
            diff: shown.text,
            first_changed_line: shown.first_changed_line,
            patch: unified,
        })
    }
}

/// Says of a long file that nothing but the exact text was looked for.
fn exactly(text: &[u8]) -> String {
    if text.len() <= FUZZY_MAX_BYTES {
        return String::new();
    }
    let limit = size(FUZZY_MAX_BYTES as u64);
    format!(" In files longer than {limit} spaces, quotes and dashes have to be given as they are.")
}

/// Bytes that are UTF-8, or close to it, as a text.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
