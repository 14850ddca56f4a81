//! Reading archives that somebody else made.
//!
//! The archive is taken entry by entry as it is in the stream, and long names are read here and not by the library, so that
//! no field of a header decides how much memory is used.

use std::io::{self, Read};

use tar::{Archive, Entry, EntryType};

use super::{TarCount, TarLimits};
use crate::clock::{SetTime, Times, Timestamp};
use crate::error::{Errno, Fault, Result};
use crate::file::{COPY_BUFFER, VfsFile, write_unless_zeros};
use crate::options::OpenOptions;
use crate::path::{PATH_MAX, VfsPath, VfsPathBuf};
use crate::vfs::{DIR_MODE, Vfs};

/// The most bytes of extended header an entry may have: two long names and room to spare.
const EXTENDED_MAX: u64 = 4 * PATH_MAX as u64;

/// Puts what is in a tar archive below the directory `root`.
///
/// Refused, with an error that names the entry: absolute names and names with `..`; entries whose way leads through a
/// symbolic link; links out of the archive (see [`TarLimits::links`]); devices, pipes and sparse entries; more than the
/// limits allow, of the archive or of the file system. What came before the refused entry stays: to have all or nothing,
/// import into a fork.
pub fn import_tar(
    vfs: &dyn Vfs,
    root: &VfsPath,
    input: impl Read,
    limits: &TarLimits,
) -> Result<TarCount> {
    let root = vfs.realpath(root)?;
    let mut import = Import {
        vfs,
        root: &root,
        limits,
        count: TarCount::default(),
        dirs: Vec::new(),
    };
    let mut archive = Archive::new(input);
    import
        .run(&mut archive)
        .map_err(|(fault, name)| fault.at("import", &name))?;
    Ok(import.count)
}

struct Import<'a> {
    vfs: &'a dyn Vfs,
    root: &'a VfsPath,
    limits: &'a TarLimits,
    count: TarCount,
    /// Directories and when they were changed: what is put into them afterwards must not count as a change.
    dirs: Vec<(VfsPathBuf, Times)>,
}

/// What the entries before an entry said about it.
#[derive(Default)]
struct Extended {
    path: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    mtime: Option<Timestamp>,
    read: u64,
}

type Named<T> = Result<T, (Fault, VfsPathBuf)>;

impl Import<'_> {
    fn run(&mut self, archive: &mut Archive<impl Read>) -> Named<()> {
        let broken = |error: io::Error| {
            let detail = format!("not a tar archive, or a damaged one: {error}");
            (Fault::new(Errno::EINVAL, detail), VfsPathBuf::root())
        };
        let mut extended = Extended::default();
        for entry in archive.entries().map_err(broken)?.raw(true) {
            let mut entry = entry.map_err(broken)?;
            let name = match &extended.path {
                Some(path) => path.clone(),
                None => entry.header().path_bytes().into_owned(),
            };
            let shown = VfsPathBuf::from_vec(name);
            match self.entry(&mut entry, &shown, &mut extended) {
                Ok(true) => extended = Extended::default(),
                Ok(false) => {}
                Err(fault) => return Err((fault, shown)),
            }
        }
        for (path, times) in self.dirs.drain(..).rev() {
            // One that a later entry replaced has a time of its own.
            if self.vfs.lstat(&path).is_ok_and(|meta| meta.is_dir()) {
                let set = self.vfs.set_times(&path, times, false);
                set.map_err(|error| (error.into(), path))?;
            }
        }
        Ok(())
    }

    /// Takes one entry; says whether it was a file and not something about the next one.
    fn entry(
        &mut self,
        entry: &mut Entry<'_, impl Read>,
        name: &VfsPath,
        extended: &mut Extended,
    ) -> Result<bool, Fault> {
        let kind = entry.header().entry_type();
        match kind {
            EntryType::GNULongName => extended.path = Some(until_nul(extended.take(entry)?)),
            EntryType::GNULongLink => extended.link = Some(until_nul(extended.take(entry)?)),
            EntryType::XHeader => extended.pax(entry)?,
            // Defaults for all entries: nothing that is used here.
            EntryType::XGlobalHeader => {
                extended.take(entry)?;
            }
            _ => {
                self.file(entry, kind, name, extended)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn file(
        &mut self,
        entry: &mut Entry<'_, impl Read>,
        kind: EntryType,
        name: &VfsPath,
        extended: &Extended,
    ) -> Result<(), Fault> {
        let size = entry.header().entry_size()?;
        // Archives older than the type of a directory mark one by a slash.
        let kind = match kind {
            EntryType::Regular if name.as_bytes().ends_with(b"/") => EntryType::Directory,
            kind => kind,
        };
        let is_file = matches!(kind, EntryType::Regular | EntryType::Continuous);
        self.count
            .add(if is_file { size } else { 0 }, self.limits)?;
        let path = self.inside(name)?;
        let mode = entry.header().mode()? & 0o1777;
        let modified = match extended.mtime {
            Some(time) => time,
            None => Timestamp::from_parts(
                i64::try_from(entry.header().mtime()?).unwrap_or(i64::MAX),
                0,
            ),
        };
        self.parents(&path)?;
        match kind {
            EntryType::Directory => self.directory(&path, mode)?,
            EntryType::Regular | EntryType::Continuous => {
                self.clear(&path)?;
                let options = OpenOptions::write().create_new().mode(mode);
                write(&*self.vfs.open(&path, &options)?, entry, size)?;
            }
            EntryType::Symlink => {
                let target = VfsPathBuf::from_vec(link_name(entry, extended)?);
                let link = VfsPath::ROOT.join(name);
                if !self.limits.links.allows(&target, &link) {
                    let detail = format!("a link to '{target}' leads out of the archive");
                    return Err(Fault::new(Errno::EPERM, detail));
                }
                self.clear(&path)?;
                self.vfs.symlink(&target, &path)?;
            }
            EntryType::Fifo => {
                self.clear(&path)?;
                self.vfs.mkfifo(&path, mode)?;
            }
            EntryType::Link => {
                let existing = VfsPathBuf::from_vec(link_name(entry, extended)?);
                let existing = self.inside(&existing)?;
                self.parents(&existing)?;
                if !self.vfs.lstat(&existing)?.is_file() {
                    return Err(Fault::new(Errno::EPERM, "a hard link has to be to a file"));
                }
                if existing != path {
                    self.clear(&path)?;
                    self.vfs.link(&existing, &path)?;
                }
                return Ok(());
            }
            _ => {
                let detail = format!("entries of type {:?} are not taken", kind.as_byte() as char);
                return Err(Fault::new(Errno::EINVAL, detail));
            }
        }
        let times = Times::both(SetTime::At(modified));
        if kind.is_dir() {
            self.dirs.push((path, times));
            return Ok(());
        }
        Ok(self.vfs.set_times(&path, times, false)?)
    }

    /// Where an entry goes. Its name has to be one that stays below the directory.
    fn inside(&self, name: &VfsPath) -> Result<VfsPathBuf, Fault> {
        if name.is_absolute() {
            return Err(Fault::new(Errno::EPERM, "absolute names are not taken"));
        }
        if name.components().any(|name| name == b"..") {
            return Err(Fault::new(Errno::EPERM, "names with '..' are not taken"));
        }
        let mut path = self.root.to_owned();
        for name in name.components() {
            path.push_name(name);
        }
        Ok(path)
    }

    /// Makes the directories above an entry. A link on the way would lead elsewhere.
    fn parents(&self, path: &VfsPath) -> Result<(), Fault> {
        let mut above = self.root.to_owned();
        let Some(below) = path.strip_prefix(self.root) else {
            return Err(Errno::EPERM.into());
        };
        let names: Vec<&[u8]> = below.components().collect();
        for name in names.iter().take(names.len().saturating_sub(1)) {
            above.push_name(name);
            match self.vfs.lstat(&above) {
                Ok(meta) if meta.is_dir() => {}
                Ok(meta) if meta.is_symlink() => {
                    let detail = format!("the way leads through the link {above}");
                    return Err(Fault::new(Errno::EPERM, detail));
                }
                Ok(_) => return Err(Errno::ENOTDIR.into()),
                Err(error) if error.errno() == Errno::ENOENT => self.vfs.mkdir(&above, DIR_MODE)?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn directory(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        match self.vfs.lstat(path) {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => {
                self.vfs.unlink(path)?;
                self.vfs.mkdir(path, mode)?;
            }
            Err(_) => self.vfs.mkdir(path, mode)?,
        }
        Ok(self.vfs.chmod(path, mode)?)
    }

    /// Later entries replace earlier ones; a link is replaced itself, never written through.
    fn clear(&self, path: &VfsPath) -> Result<(), Fault> {
        match self.vfs.lstat(path) {
            Ok(_) => Ok(self.vfs.unlink(path)?),
            Err(error) if error.errno() == Errno::ENOENT => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl Extended {
    /// Reads something about the next entry, if it is short enough.
    fn take(&mut self, entry: &mut Entry<'_, impl Read>) -> Result<Vec<u8>, Fault> {
        let size = entry.header().entry_size()?;
        self.read = self.read.saturating_add(size);
        if self.read > EXTENDED_MAX {
            return Err(Fault::new(
                Errno::ENAMETOOLONG,
                "an extended header is too long",
            ));
        }
        let mut data = Vec::new();
        entry.take(EXTENDED_MAX).read_to_end(&mut data)?;
        Ok(data)
    }

    /// Reads `length key=value\n` records.
    fn pax(&mut self, entry: &mut Entry<'_, impl Read>) -> Result<(), Fault> {
        let broken = || Fault::new(Errno::EINVAL, "an extended header is damaged");
        let data = self.take(entry)?;
        let mut rest = data.as_slice();
        while !rest.is_empty() {
            let blank = rest
                .iter()
                .position(|byte| *byte == b' ')
                .ok_or_else(broken)?;
            let length = rest
                .get(..blank)
                .and_then(|digits| std::str::from_utf8(digits).ok());
            let length: usize = length
                .and_then(|digits| digits.parse().ok())
                .ok_or_else(broken)?;
            let record = rest.get(blank + 1..length).ok_or_else(broken)?;
            let record = record.strip_suffix(b"\n").ok_or_else(broken)?;
            let equals = record
                .iter()
                .position(|byte| *byte == b'=')
                .ok_or_else(broken)?;
            let (key, value) = record.split_at(equals);
            let value = value.get(1..).unwrap_or_default();
            match key {
                b"path" => self.path = Some(value.to_vec()),
                b"linkpath" => self.link = Some(value.to_vec()),
                b"mtime" => self.mtime = Some(pax_time(value).ok_or_else(broken)?),
                // Other readers would believe this size and not the header's: two archives in one.
                b"size" => {
                    return Err(Fault::new(
                        Errno::EINVAL,
                        "sizes in extended headers are not taken",
                    ));
                }
                key if key.starts_with(b"GNU.sparse") => {
                    return Err(Fault::new(Errno::EINVAL, "sparse entries are not taken"));
                }
                _ => {}
            }
            rest = rest.get(length..).unwrap_or_default();
        }
        Ok(())
    }
}

/// Seconds with a fraction, of which nine digits count.
fn pax_time(value: &[u8]) -> Option<Timestamp> {
    let text = std::str::from_utf8(value).ok()?;
    let (sign, text) = match text.strip_prefix('-') {
        Some(text) => (-1, text),
        None => (1, text),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits: String = fraction
        .chars()
        .chain(std::iter::repeat('0'))
        .take(9)
        .collect();
    let (whole, fraction): (u64, u64) = (whole.parse().ok()?, digits.parse().ok()?);
    let nanos = sign * (i128::from(whole) * 1_000_000_000 + i128::from(fraction));
    let nanos = nanos.clamp(i64::MIN.into(), i64::MAX.into());
    i64::try_from(nanos).ok().map(Timestamp::from_nanos)
}

fn link_name(entry: &Entry<'_, impl Read>, extended: &Extended) -> Result<Vec<u8>, Fault> {
    let name = match &extended.link {
        Some(link) => Some(link.clone()),
        None => entry
            .header()
            .link_name_bytes()
            .map(std::borrow::Cow::into_owned),
    };
    name.ok_or_else(|| Fault::new(Errno::EINVAL, "a link without a target"))
}

fn until_nul(mut name: Vec<u8>) -> Vec<u8> {
    let end = name
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(name.len());
    name.truncate(end);
    name
}

/// Writes the content, block by block; what is only zeros becomes a hole.
fn write(file: &dyn VfsFile, entry: &mut impl Read, size: u64) -> Result<(), Fault> {
    let mut buffer = vec![0; COPY_BUFFER];
    let mut offset = 0_u64;
    while offset < size {
        let count = match entry.read(&mut buffer) {
            Ok(0) => {
                return Err(Fault::new(
                    Errno::EINVAL,
                    "the archive ends in the middle of a file",
                ));
            }
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        let piece = buffer.get(..count).unwrap_or_default();
        write_unless_zeros(file, offset, piece)?;
        offset = offset.saturating_add(count as u64);
    }
    Ok(file.truncate(size)?)
}
