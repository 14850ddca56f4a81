//! Writing archives. The same tree gives the same bytes: names are sorted, and owners are nobody's.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::Arc;

use tar::{Builder, EntryType, Header};

use super::{TarCount, TarLimits};
use crate::clock::Timestamp;
use crate::error::{Errno, Fault, Result};
use crate::file::VfsFile;
use crate::metadata::{FileType, Metadata};
use crate::options::OpenOptions;
use crate::overlay::{Change, ChangeKind};
use crate::path::{VfsPath, VfsPathBuf};
use crate::vfs::Vfs;
use crate::walk::Walk;

/// Writes everything below the directory `root` as a tar archive. Devices and pipes are left out.
pub fn export_tar(
    vfs: &dyn Vfs,
    root: &VfsPath,
    out: impl Write,
    limits: &TarLimits,
) -> Result<TarCount> {
    let root = vfs.realpath(root)?;
    let mut archive = Archive::new(vfs, out, limits);
    for entry in Walk::new(vfs, &root) {
        let path = entry?.path;
        let name = path.strip_prefix(&root).unwrap_or(&path);
        if name.is_empty() {
            continue;
        }
        let added = archive.add(&path, name);
        added.map_err(|fault| fault.at("export", &path))?;
    }
    archive.finish().map_err(|fault| fault.at("export", &root))
}

/// Writes what changed, with files named `.wh.NAME` for what is gone, as layers of container images have it.
pub(crate) fn export_changes(
    vfs: &dyn Vfs,
    changes: &[Change],
    out: impl Write,
    limits: &TarLimits,
) -> Result<TarCount, Fault> {
    let mut archive = Archive::new(vfs, out, limits);
    for change in changes {
        let name = change.path.strip_prefix(VfsPath::ROOT);
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            continue;
        };
        let last = name.file_name().unwrap_or_default();
        if change.kind == ChangeKind::Deleted {
            let gone = [b".wh.".as_slice(), last].concat();
            let above = name.parent().unwrap_or(VfsPath::from_bytes(b""));
            archive.whiteout(&above.join(&gone))?;
        } else if last.starts_with(b".wh.") {
            let detail = format!("{} would be taken for a mark of deletion", change.path);
            return Err(Fault::new(Errno::EINVAL, detail));
        } else {
            archive.add(&change.path, name)?;
        }
    }
    archive.finish()
}

/// In nanoseconds.
const SECOND: u64 = 1_000_000_000;

struct Archive<'a, W: Write> {
    vfs: &'a dyn Vfs,
    builder: Builder<W>,
    limits: &'a TarLimits,
    count: TarCount,
    /// The first name of files that have several.
    names: HashMap<(u64, u64), VfsPathBuf>,
}

impl<'a, W: Write> Archive<'a, W> {
    fn new(vfs: &'a dyn Vfs, out: W, limits: &'a TarLimits) -> Self {
        Self {
            vfs,
            builder: Builder::new(out),
            limits,
            count: TarCount::default(),
            names: HashMap::new(),
        }
    }

    fn add(&mut self, path: &VfsPath, name: &VfsPath) -> Result<(), Fault> {
        let meta = self.vfs.lstat(path)?;
        let header = header(&meta);
        if self.wants_pax(&meta) {
            self.pax_time(meta.modified)?;
        }
        match meta.kind {
            FileType::Dir => {
                let slashed = [name.as_bytes(), b"/"].concat();
                self.put(header, EntryType::Directory, &slashed, b"", io::empty())
            }
            FileType::Symlink => {
                let target = self.vfs.readlink(path)?;
                let kind = EntryType::Symlink;
                self.put(
                    header,
                    kind,
                    name.as_bytes(),
                    target.as_bytes(),
                    io::empty(),
                )
            }
            FileType::File => self.add_file(path, name, &meta, header),
            FileType::Fifo => self.put(header, EntryType::Fifo, name.as_bytes(), b"", io::empty()),
            _ => Ok(()),
        }
    }

    fn add_file(
        &mut self,
        path: &VfsPath,
        name: &VfsPath,
        meta: &Metadata,
        mut header: Header,
    ) -> Result<(), Fault> {
        let id = (meta.dev, meta.ino);
        if meta.nlink > 1 {
            if let Some(first) = self.names.get(&id) {
                let first = first.clone().into_bytes();
                return self.put(
                    header,
                    EntryType::Link,
                    name.as_bytes(),
                    &first,
                    io::empty(),
                );
            }
            self.names.insert(id, name.to_owned());
        }
        header.set_size(meta.size);
        let content = Content {
            file: self.vfs.open(path, &OpenOptions::read())?,
            offset: 0,
            size: meta.size,
        };
        self.put(header, EntryType::Regular, name.as_bytes(), b"", content)
    }

    fn whiteout(&mut self, name: &VfsPath) -> Result<(), Fault> {
        let mut header = Header::new_gnu();
        header.set_mode(0o600);
        header.set_size(0);
        self.put(
            header,
            EntryType::Regular,
            name.as_bytes(),
            b"",
            io::empty(),
        )
    }

    /// Writes one entry. Names are bytes, so they are put into the header here: the library would have them be paths
    /// of the host.
    fn put(
        &mut self,
        mut header: Header,
        kind: EntryType,
        name: &[u8],
        link: &[u8],
        content: impl Read,
    ) -> Result<(), Fault> {
        self.count.add(header.size()?, self.limits)?;
        header.set_entry_type(kind);
        self.long(EntryType::GNULongName, name)?;
        self.long(EntryType::GNULongLink, link)?;
        let fields = header.as_old_mut();
        fill(&mut fields.name, name);
        fill(&mut fields.linkname, link);
        header.set_cksum();
        Ok(self.builder.append(&header, content)?)
    }

    /// Whether a header cannot say when the file was changed. Later names of a file say nothing of their own.
    fn wants_pax(&self, meta: &Metadata) -> bool {
        let first = !self.names.contains_key(&(meta.dev, meta.ino));
        let whole = meta.modified.subsec_nanos() == 0 && meta.modified.seconds() >= 0;
        first
            && !whole
            && matches!(
                meta.kind,
                FileType::File | FileType::Dir | FileType::Symlink | FileType::Fifo
            )
    }

    /// Says when the entry that comes next was changed, to the nanosecond.
    fn pax_time(&mut self, time: Timestamp) -> Result<(), Fault> {
        let nanos = time.as_nanos();
        let sign = if nanos < 0 { "-" } else { "" };
        let (whole, fraction) = (nanos.unsigned_abs() / SECOND, nanos.unsigned_abs() % SECOND);
        let value = format!(" mtime={sign}{whole}.{fraction:09}\n");
        // The length includes its own digits: two, since a time has between ten and thirty.
        let record = format!("{}{value}", value.len() + 2);
        self.extra(EntryType::XHeader, b"././@PaxHeader", record.as_bytes())
    }

    /// Announces a name that does not fit into the header of the entry that comes next.
    fn long(&mut self, kind: EntryType, name: &[u8]) -> Result<(), Fault> {
        if name.len() <= Header::new_gnu().as_old().name.len() {
            return Ok(());
        }
        self.extra(kind, b"././@LongLink", &[name, b"\0"].concat())
    }

    /// Writes something about the entry that comes next.
    fn extra(&mut self, kind: EntryType, name: &[u8], content: &[u8]) -> Result<(), Fault> {
        let mut header = Header::new_gnu();
        fill(&mut header.as_old_mut().name, name);
        header.set_entry_type(kind);
        header.set_mode(0o644);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        header.set_size(content.len() as u64);
        header.set_cksum();
        Ok(self.builder.append(&header, content)?)
    }

    fn finish(self) -> Result<TarCount, Fault> {
        self.builder.into_inner()?.flush()?;
        Ok(self.count)
    }
}

fn header(meta: &Metadata) -> Header {
    let mut header = Header::new_gnu();
    header.set_mode(meta.mode);
    header.set_uid(0);
    header.set_gid(0);
    header.set_size(0);
    header.set_mtime(u64::try_from(meta.modified.seconds()).unwrap_or(0));
    header
}

/// Puts as much of a name into a field of a header as fits.
fn fill(field: &mut [u8], name: &[u8]) {
    for (to, from) in field.iter_mut().zip(name) {
        *to = *from;
    }
}

/// Exactly as many bytes as the header says, whatever happens to the file meanwhile.
struct Content {
    file: Arc<dyn VfsFile>,
    offset: u64,
    size: u64,
}

impl Read for Content {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.size - self.offset).unwrap_or(usize::MAX);
        let room = buf.len().min(left);
        let buf = buf.get_mut(..room).unwrap_or_default();
        let mut count = self.file.read_at(self.offset, buf)?;
        if count == 0 && room > 0 {
            buf.fill(0);
            count = room;
        }
        self.offset += count as u64;
        Ok(count)
    }
}
