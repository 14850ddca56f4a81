//! `files.list.v1` and `files.open.v1`: a part of a file system, to be read.
//!
//! An id is the path from the root of the view, with `:` between names and `%XX` for what a text cannot have; the id of a
//! directory is the scope that lists it. So ids need no table, mean the same for the whole run, and lead nowhere else: there
//! is no name with a slash in it, and none that is `..`.

use std::{
    fmt::{self, Write as _},
    sync::Arc,
};

use hotcell_hopper::{
    selector::files::{Entries, Entry, ListRequest, OpenFileRequest, entry_flags},
    trace::{self, Trace},
};
use hotcell_vfs::{Errno, FileType, OpenOptions, Vfs, VfsError, VfsPath, VfsPathBuf, View};

use crate::{config::encoded, stream::OpenFile};

/// The files that a guest can read.
#[derive(Clone)]
pub struct FilePolicy {
    vfs: Arc<dyn Vfs>,
    root: VfsPathBuf,
    /// The longest scope.
    pub max_scope_len: usize,
    /// Entries in one list.
    pub max_entries: usize,
    /// The longest id.
    pub max_id_len: usize,
    /// The longest name.
    pub max_display_len: usize,
    /// What can be read of one file; it seems to end there.
    pub max_read_bytes: u64,
}

impl FilePolicy {
    /// All files below the directory `root`, with the usual limits. Links that lead elsewhere are denied.
    pub fn new(vfs: Arc<dyn Vfs>, root: &VfsPath) -> Result<Self, VfsError> {
        Ok(Self {
            vfs: Arc::new(View::confined(vfs, root)?),
            root: root.to_owned(),
            max_scope_len: 1024,
            max_entries: 1024,
            max_id_len: 1024,
            max_display_len: 1024,
            max_read_bytes: 64 << 20,
        })
    }

    pub(crate) fn list(&self, params: &[u8]) -> Result<Vec<u8>, Trace> {
        let request = ListRequest::decode(params).map_err(|_| trace::ASYNC_BAD_PARAMS)?;
        let scope = request.scope;
        if scope.len() > self.max_scope_len || scope.contains('/') || scope.contains("..") {
            return Err(trace::ASYNC_BAD_PARAMS);
        }
        let path = self
            .path(scope.as_bytes())
            .filter(|path| self.vfs.stat(path).is_ok_and(|meta| meta.is_dir()))
            .ok_or(trace::FILE_DENIED)?;
        let names = self.vfs.readdir(&path).map_err(|error| why(&error))?;
        if names.len() > self.max_entries {
            return Err(trace::ASYNC_OVERFLOW);
        }
        let mut entries = Vec::with_capacity(names.len());
        for entry in &names {
            let display = spelt(&entry.name, &[]);
            let mut id = spelt(&entry.name, b":%.");
            if !scope.is_empty() {
                id = format!("{scope}:{id}");
            }
            if id.len() > self.max_id_len || display.len() > self.max_display_len {
                return Err(trace::ASYNC_OVERFLOW);
            }
            let file = path.join(&entry.name);
            let flags = match self.vfs.stat(&file).map(|meta| meta.kind) {
                Ok(FileType::Dir) => entry_flags::DIRECTORY,
                Ok(FileType::File) => entry_flags::READABLE,
                // Devices and pipes may never end; a link may lead nowhere.
                Ok(_) | Err(_) => 0,
            };
            entries.push((display, id, flags));
        }
        entries.sort();
        let entries: Vec<_> = entries
            .iter()
            .map(|(display, id, flags)| Entry {
                id: id.as_bytes(),
                display,
                flags: *flags,
            })
            .collect();
        encoded(&Entries(&entries))
    }

    pub(crate) fn open(&self, params: &[u8]) -> Result<OpenFile, Trace> {
        let request = OpenFileRequest::decode(params).map_err(|_| trace::ASYNC_BAD_PARAMS)?;
        if request.id.is_empty() || request.id.len() > self.max_id_len {
            return Err(trace::FILE_NOT_FOUND);
        }
        let path = self.path(request.id).ok_or(trace::FILE_NOT_FOUND)?;
        let meta = self.vfs.stat(&path).map_err(|error| why(&error))?;
        if meta.kind != FileType::File {
            return Err(trace::FILE_NOT_READABLE);
        }
        let file = self.vfs.open(&path, &OpenOptions::read());
        Ok(OpenFile {
            file: file.map_err(|error| why(&error))?,
            offset: 0,
            limit: self.max_read_bytes,
        })
    }

    /// Where an id leads.
    fn path(&self, id: &[u8]) -> Option<VfsPathBuf> {
        let mut path = self.root.clone();
        if id.is_empty() {
            return Some(path);
        }
        for part in id.split(|byte| *byte == b':') {
            let name = read(part)?;
            if name.is_empty() || name == b"." || name == b".." || name.contains(&b'/') {
                return None;
            }
            path = path.join(&name);
        }
        Some(path)
    }
}

fn why(error: &VfsError) -> Trace {
    match error.errno() {
        Errno::ENOENT | Errno::ENOTDIR | Errno::ELOOP => trace::FILE_NOT_FOUND,
        Errno::EACCES | Errno::EPERM => trace::FILE_DENIED,
        _ => trace::FILE_NOT_READABLE,
    }
}

/// A name as a text: `%XX` for bytes that no text has, and for those of `also`, of which a dot counts only before another.
fn spelt(name: &[u8], also: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        let mut letters = chunk.valid().chars().peekable();
        while let Some(letter) = letters.next() {
            let is_marked = u8::try_from(letter).is_ok_and(|byte| also.contains(&byte))
                && (letter != '.' || letters.peek() == Some(&'.'));
            if (letter as u32) < 0x20 || is_marked {
                // Writing to a text does not fail.
                let _ = write!(text, "%{:02X}", letter as u32);
            } else {
                text.push(letter);
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// The name that [`spelt`] spelt.
fn read(text: &[u8]) -> Option<Vec<u8>> {
    let mut name = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte == b'%' {
            let (digits, after) = rest.split_at_checked(2)?;
            let digits = std::str::from_utf8(digits).ok()?;
            // A sign would be taken, too.
            let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            name.push(u8::from_str_radix(digits, 16).ok().filter(|_| is_hex)?);
            rest = after;
        } else {
            name.push(*byte);
        }
    }
    Some(name)
}

impl fmt::Debug for FilePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilePolicy")
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}
