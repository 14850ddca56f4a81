//! Writing archives. The same tree gives the same bytes: names are sorted, and owners are nobody's.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::Arc;

use tar::{Builder, EntryType, Header};

use super::{TarCount, TarLimits};
use crate::error::{Errno, Fault, Result};
use crate::metadata::{FileType, Metadata};
use crate::overlay::{Change, ChangeKind};
use crate::path::{VfsPath, VfsPathBuf};
use crate::vfs::{OpenOptions, Vfs, VfsFile};
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
        let mut header = header(&meta);
        match meta.kind {
            FileType::Dir => {
                self.count.add(0, self.limits)?;
                header.set_entry_type(EntryType::Directory);
                let slashed = name.join("");
                self.builder
                    .append_data(&mut header, host_path(&slashed), io::empty())?;
            }
            FileType::Symlink => {
                self.count.add(0, self.limits)?;
                header.set_entry_type(EntryType::Symlink);
                let target = self.vfs.readlink(path)?;
                self.builder
                    .append_link(&mut header, host_path(name), host_path(&target))?;
            }
            FileType::File => self.add_file(path, name, &meta, header)?,
            _ => {}
        }
        Ok(())
    }

    fn add_file(
        &mut self,
        path: &VfsPath,
        name: &VfsPath,
        meta: &Metadata,
        mut header: Header,
    ) -> Result<(), Fault> {
        if meta.nlink > 1 {
            if let Some(first) = self.names.get(&(meta.dev, meta.ino)) {
                self.count.add(0, self.limits)?;
                header.set_entry_type(EntryType::Link);
                return Ok(self.builder.append_link(
                    &mut header,
                    host_path(name),
                    host_path(first),
                )?);
            }
            self.names.insert((meta.dev, meta.ino), name.to_owned());
        }
        self.count.add(meta.size, self.limits)?;
        header.set_entry_type(EntryType::Regular);
        header.set_size(meta.size);
        let content = Content {
            file: self.vfs.open(path, &OpenOptions::read())?,
            offset: 0,
            size: meta.size,
        };
        Ok(self
            .builder
            .append_data(&mut header, host_path(name), content)?)
    }

    fn whiteout(&mut self, name: &VfsPath) -> Result<(), Fault> {
        self.count.add(0, self.limits)?;
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(0o600);
        header.set_size(0);
        Ok(self
            .builder
            .append_data(&mut header, host_path(name), io::empty())?)
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

/// A name as the tar library wants it; no host path is meant.
fn host_path(path: &VfsPath) -> &std::path::Path {
    use std::os::unix::ffi::OsStrExt;
    std::path::Path::new(std::ffi::OsStr::from_bytes(path.as_bytes()))
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
