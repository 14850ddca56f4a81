//! Files as code wants them: whole texts, bytes, lists and lines, with nothing for the eye mixed in.
//!
//! The six tools give a model pages to read, with notes at their end. A program that counts rows needs the rows. These see
//! the same workspace, and fail where the others would show a part.

use hotcell_vfs::{FileType, OpenOptions, VfsFile, Walk};

use crate::charged::Charged;
use crate::error::FileToolError;
use crate::limits::{CODE_MAX_BYTES, LIST_MAX, PAGE_BYTES, PAGE_LINES};
use crate::params::WriteParams;
use crate::shown::shown;
use crate::tools::FileTools;
use crate::workspace::Place;

const READ: &str = "read file";
const LIST: &str = "list directory";
/// How much of a file is read at once.
const CHUNK: usize = 64 * 1024;
/// What a text in a list takes beside its bytes, as we have it and as a caller will, with what allocators round up.
const TEXT: usize = 128;

/// Some lines of a file, and where the next ones begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The lines, without what ends them.
    pub lines: Vec<String>,
    /// The offset of the next line, in bytes; `None` at the end of the file.
    pub next: Option<u64>,
}

impl FileTools {
    /// A whole text file, of at most [`CODE_MAX_BYTES`](crate::CODE_MAX_BYTES).
    pub fn read_text(&self, path: &str) -> Result<String, FileToolError> {
        let bytes = self.read_bytes(path, 0, None)?;
        String::from_utf8(bytes).map_err(|_| not_text(path))
    }

    /// A file's bytes, from an offset on: all of them, or so many. At most [`CODE_MAX_BYTES`](crate::CODE_MAX_BYTES).
    pub fn read_bytes(
        &self,
        path: &str,
        offset: u64,
        length: Option<u64>,
    ) -> Result<Vec<u8>, FileToolError> {
        let (place, size) = self.file(path)?;
        let wanted = size.saturating_sub(offset).min(length.unwrap_or(u64::MAX));
        if wanted > CODE_MAX_BYTES {
            return Err(FileToolError::TooLarge {
                action: "read at once (use readLines, or readBytes with an offset and a length)",
                path: shown(path.as_bytes()),
                size: wanted,
                limit: CODE_MAX_BYTES,
            });
        }
        let file = open(&place, path)?;
        let mut left = usize::try_from(wanted).unwrap_or(usize::MAX);
        let mut bytes = Charged::with_capacity(self, left)?;
        // A file may be shorter by now; it does not get longer for us.
        while left > 0 {
            self.check_cancelled()?;
            let at = bytes.len() as u64;
            let count = bytes.fill(left.min(CHUNK), |chunk| {
                read_at(&*file, path, offset.saturating_add(at), chunk)
            })?;
            if count == 0 {
                break;
            }
            left -= count;
        }
        Ok(bytes.into_vec())
    }

    /// Makes a text the whole content of a file, in one step; says how long it is in bytes.
    pub fn write_text(&self, path: &str, text: String) -> Result<u64, FileToolError> {
        let bytes = text.len() as u64;
        self.write(&WriteParams {
            path: path.to_owned(),
            content: text,
        })?;
        Ok(bytes)
    }

    /// The names in a directory, sorted; those of directories end in `/`. With `recursive`, the paths of everything below it.
    pub fn list_names(
        &self,
        path: Option<&str>,
        recursive: bool,
    ) -> Result<Vec<String>, FileToolError> {
        let path = crate::args::or_workspace(path);
        let asked = || shown(path.as_bytes());
        let Some(place) = self.workspace().existing(path, LIST)? else {
            return Err(FileToolError::PathNotFound { path: asked() });
        };
        if place.meta.is_none_or(|meta| !meta.is_dir()) {
            return Err(FileToolError::NotDirectory { path: asked() });
        }
        let told = |error| FileToolError::failed(LIST, path, &error);
        let mut names = Vec::new();
        let mut add = |name: &[u8], kind: FileType| {
            if names.len() >= LIST_MAX {
                return Err(FileToolError::TooMany {
                    path: asked(),
                    limit: LIST_MAX,
                });
            }
            // What is shown of a byte is at most `\x00`, which is written here and then given.
            self.take(TEXT + 2 * 4 * name.len())?;
            let mut name = shown(name);
            if kind.is_dir() {
                name.push('/');
            }
            names.push(name);
            Ok(())
        };
        if !recursive {
            for entry in place.vfs.readdir(&place.real).map_err(told)? {
                add(&entry.name, entry.kind)?;
            }
            return Ok(names);
        }
        for entry in Walk::new(place.vfs, &place.real) {
            self.check_cancelled()?;
            let entry = entry.map_err(told)?;
            if let Some(below) = entry.path.strip_prefix(&place.real)
                && !below.is_empty()
            {
                add(below.as_bytes(), entry.kind)?;
            }
        }
        Ok(names)
    }

    /// Whether there is a file or a directory.
    pub fn exists(&self, path: &str) -> Result<bool, FileToolError> {
        crate::args::require_path("exists", path)?;
        Ok(self.workspace().existing(path, READ)?.is_some())
    }

    /// Lines of a file from an offset on, which is where a line begins: about [`PAGE_BYTES`](crate::PAGE_BYTES) of them, and at most
    /// [`PAGE_LINES`](crate::PAGE_LINES).
    pub fn read_lines(&self, path: &str, offset: u64) -> Result<Lines, FileToolError> {
        let (place, _) = self.file(path)?;
        let file = open(&place, path)?;
        let mut bytes = Charged::new(self);
        let mut breaks = 0;
        let is_end = loop {
            self.check_cancelled()?;
            let at = bytes.len();
            let count = bytes.fill(CHUNK, |chunk| {
                read_at(&*file, path, offset.saturating_add(at as u64), chunk)
            })?;
            if count == 0 {
                break true;
            }
            breaks += memchr::memchr_iter(b'\n', bytes.get(at..).unwrap_or_default()).count();
            if breaks > 0 && (bytes.len() >= PAGE_BYTES || breaks >= PAGE_LINES) {
                break false;
            }
            if bytes.len() as u64 > CODE_MAX_BYTES {
                return Err(FileToolError::TooLarge {
                    action: "read by lines: one line of it is too long",
                    path: shown(path.as_bytes()),
                    size: bytes.len() as u64,
                    limit: CODE_MAX_BYTES,
                });
            }
        };
        let count = breaks.min(PAGE_LINES);
        let end = if is_end {
            bytes.len()
        } else {
            let last = memchr::memchr_iter(b'\n', &bytes).nth(count.saturating_sub(1));
            last.map_or(bytes.len(), |at| at + 1)
        };
        let text = bytes.get(..end).unwrap_or_default();
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        // What is behind the last line break of a file is a line, too.
        let count = count + 1;
        self.take(end + TEXT * count)?;
        let mut lines = Vec::with_capacity(count);
        if end > 0 {
            for line in text.split(|byte| *byte == b'\n') {
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                let line = std::str::from_utf8(line).map_err(|_| not_text(path))?;
                lines.push(line.to_owned());
            }
        }
        let next = (!is_end).then_some(offset.saturating_add(end as u64));
        Ok(Lines { lines, next })
    }

    /// A file that can be read, and how long it is.
    fn file(&self, path: &str) -> Result<(Place<'_>, u64), FileToolError> {
        crate::args::require_path("read", path)?;
        let asked = || shown(path.as_bytes());
        let Some(place) = self.workspace().existing(path, READ)? else {
            return Err(FileToolError::FileNotFound { path: asked() });
        };
        match place.meta {
            Some(meta) if meta.is_dir() => Err(FileToolError::IsDirectory { path: asked() }),
            Some(meta) if !meta.is_file() => Err(FileToolError::NotRegular { path: asked() }),
            meta => Ok((place, meta.map_or(0, |meta| meta.size))),
        }
    }
}

fn open(place: &Place<'_>, path: &str) -> Result<std::sync::Arc<dyn VfsFile>, FileToolError> {
    let options = OpenOptions::read().no_follow();
    let file = place.vfs.open(&place.real, &options);
    file.map_err(|error| FileToolError::failed(READ, path, &error))
}

fn read_at(
    file: &dyn VfsFile,
    path: &str,
    offset: u64,
    bytes: &mut [u8],
) -> Result<usize, FileToolError> {
    file.read_at(offset, bytes)
        .map_err(|error| FileToolError::failed(READ, path, &error))
}

fn not_text(path: &str) -> FileToolError {
    FileToolError::NotText {
        path: shown(path.as_bytes()),
    }
}
