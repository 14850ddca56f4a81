//! Unpacking archives, and comparing them with the files.

use std::io::{self, Read, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{error_text, file_error};
use hotcell_vfs::{Errno, OpenOptions, SetTime, Times, Timestamp, VfsPath, VfsPathBuf};
use tar::{Archive, Entry, EntryType};

use super::{
    Tar,
    list::{self, Wanted, checked, name_of},
    source,
};
use crate::{files::prompt::confirm, quote::quote};

/// Directories get their permissions and times when nothing is put into them any more.
struct Folder {
    path: VfsPathBuf,
    mode: u32,
    modified: Timestamp,
}

/// A link that may lead out of where the archive is unpacked. A file holds its place until everything is unpacked, so that
/// nothing of the archive goes through it.
struct Place {
    path: VfsPathBuf,
    target: BString,
    /// The number of the file that holds it.
    holder: u64,
}

/// What is done when everything is unpacked.
#[derive(Default)]
struct Later {
    folders: Vec<Folder>,
    places: Vec<Place>,
}

impl Later {
    fn hold_place(&mut self, tar: &Tar<'_>, path: VfsPathBuf, target: BString) -> io::Result<()> {
        let vfs = tar.process.vfs();
        let options = OpenOptions::write().create().truncate().mode(0);
        drop(vfs.open(&path, &options).map_err(file_error)?);
        let holder = vfs.lstat(&path).map_err(file_error)?.ino;
        self.places.push(Place {
            path,
            target,
            holder,
        });
        Ok(())
    }

    fn finish(self, tar: &mut Tar<'_>) {
        let process = tar.process;
        let vfs = process.vfs();
        for place in self.places {
            let holds = |there: &hotcell_vfs::Metadata| there.ino == place.holder;
            if !vfs.lstat(&place.path).as_ref().is_ok_and(holds) {
                // Something of that name came later.
                continue;
            }
            let made = vfs
                .unlink(&place.path)
                .and_then(|()| vfs.symlink(VfsPath::new(&place.target), &place.path));
            if let Err(error) = made {
                let path = place.path.as_bytes();
                let why = error_text(&file_error(error));
                tar.fail([path, b": Cannot create symlink: ", why.as_bytes()].concat());
            }
        }
        for folder in self.folders.into_iter().rev() {
            let _ = vfs.chmod(&folder.path, folder.mode);
            if !tar.options.parsed.has("touch") {
                let times = Times {
                    accessed: SetTime::Keep,
                    modified: SetTime::At(folder.modified),
                };
                let _ = vfs.set_times(&folder.path, times, false);
            }
        }
    }
}

/// Whether a link says to go up, or to the root. With `--absolute-names` whoever calls has asked for it.
fn leads_out(tar: &Tar<'_>, link: &[u8]) -> bool {
    let goes_up = link.split_str("/").any(|part| part == b"..");
    (goes_up || link.starts_with(b"/")) && !tar.options.absolute
}

pub(super) fn extract(tar: &mut Tar<'_>) -> io::Result<()> {
    let mut archive = Archive::new(source::open(tar)?);
    archive.set_ignore_zeros(tar.options.parsed.has("ignore-zeros"));
    let mut wanted = Wanted::new(tar);
    let mut later = Later::default();
    let top = top_level(tar);
    for entry in archive.entries()? {
        let mut entry = checked(tar, entry)?;
        tar.process.spend(256);
        let name = name_of(&entry);
        if !wanted.takes(tar, &name) {
            continue;
        }
        tar.options.folder = wanted.folder(tar);
        let Some(target) = target_name(tar, &name, top.as_ref())? else {
            continue;
        };
        if tar.options.parsed.has("interactive")
            && !confirm(tar.process, &[b"extract ", name.as_slice(), b"?"].concat())
        {
            continue;
        }
        if tar.options.verbose > 0 {
            let link = entry
                .link_name_bytes()
                .map(|link| BString::from(link.into_owned()));
            let line = list::line(
                tar,
                entry.header(),
                name.as_bstr(),
                link.as_ref().map(|link| link.as_bstr()),
                tar.options.verbose,
                modified(&entry),
            );
            tar.say(&line, tar.options.parsed.has("to-stdout"))?;
        }
        if let Err(error) = one(tar, &mut entry, target.as_bstr(), &mut later) {
            if error.kind() == io::ErrorKind::UnexpectedEof {
                return Err(error);
            }
            let to = entry.link_name_bytes().unwrap_or_default();
            let to = quote(&to);
            let verb = match entry.header().entry_type() {
                EntryType::Directory => b"mkdir".to_vec(),
                EntryType::Symlink => [b"create symlink to ", to.as_slice()].concat(),
                EntryType::Link => [b"hard link to ", to.as_slice()].concat(),
                _ => b"open".to_vec(),
            };
            let why = error_text(&error);
            let parts = [
                target.as_slice(),
                b": Cannot ",
                &verb,
                b": ",
                why.as_bytes(),
            ];
            tar.fail(parts.concat());
        }
    }
    later.finish(tar);
    wanted.report(tar);
    Ok(())
}

fn modified<R: Read>(entry: &Entry<'_, R>) -> Timestamp {
    Timestamp::from_parts(
        i64::try_from(entry.header().mtime().unwrap_or(0)).unwrap_or(0),
        0,
    )
}

/// The directory that `--one-top-level` makes.
fn top_level(tar: &Tar<'_>) -> Option<BString> {
    if !tar.options.parsed.has("one-top-level") {
        return None;
    }
    if let Some(name) = tar.options.parsed.value("one-top-level") {
        return Some(name.into());
    }
    let name = tar
        .options
        .archive
        .rsplit_str("/")
        .next()
        .unwrap_or_default();
    let stem = [".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tgz", ".tar"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending.as_bytes()));
    Some(stem.unwrap_or(name).into())
}

/// Where a member goes, if anywhere.
fn target_name(
    tar: &mut Tar<'_>,
    name: &BString,
    top: Option<&BString>,
) -> io::Result<Option<BString>> {
    let mut target = tar.safe_name(name);
    for transform in &tar.options.transforms {
        target = transform.apply(tar.process, &target)?.into();
    }
    if tar.options.strip > 0 {
        let mut parts = target.split_str("/").filter(|part| !part.is_empty());
        for _ in 0..tar.options.strip {
            if parts.next().is_none() {
                return Ok(None);
            }
        }
        let rest: Vec<&[u8]> = parts.collect();
        if rest.is_empty() {
            return Ok(None);
        }
        target = bstr::join("/", rest).into();
    }
    if let Some(top) = top
        && !target.starts_with([top.as_slice(), b"/"].concat().as_slice())
        && target != *top
    {
        target = [top.as_slice(), b"/", target.as_slice()].concat().into();
    }
    Ok((!target.is_empty()).then_some(target))
}

fn one<R: Read>(
    tar: &mut Tar<'_>,
    entry: &mut Entry<'_, R>,
    name: &BStr,
    later: &mut Later,
) -> io::Result<()> {
    let process = tar.process;
    let vfs = process.vfs();
    let kind = entry.header().entry_type();
    if tar.options.parsed.has("to-stdout") {
        if matches!(kind, EntryType::Regular | EntryType::Continuous) {
            let mut out = process.stdout();
            io::copy(entry, &mut out)?;
            out.flush()?;
        }
        return Ok(());
    }
    let path = process.resolve(&tar.options.folder).join(name);
    let mut mode = entry.header().mode().unwrap_or(0o644) & 0o7777;
    if !tar.options.parsed.has("preserve-permissions")
        && !tar.options.parsed.has("same-permissions")
    {
        mode &= !process.umask() & 0o777;
    }
    if let Some(parent) = path.parent()
        && vfs.stat(parent).is_err()
    {
        vfs.mkdir_all(parent, 0o777 & !process.umask())
            .map_err(file_error)?;
    }
    if kind == EntryType::Directory {
        match vfs.mkdir(&path, mode | 0o700) {
            Ok(()) => {}
            Err(error)
                if error.errno() == Errno::EEXIST
                    && vfs.lstat(&path).is_ok_and(|meta| meta.is_dir()) => {}
            Err(error) if error.errno() == Errno::EEXIST => {
                vfs.unlink(&path).map_err(file_error)?;
                vfs.mkdir(&path, mode | 0o700).map_err(file_error)?;
            }
            Err(error) => return Err(file_error(error)),
        }
        later.folders.push(Folder {
            path,
            mode,
            modified: modified(entry),
        });
        return Ok(());
    }
    if let Ok(there) = vfs.lstat(&path) {
        if tar.options.parsed.has("skip-old-files") {
            return Ok(());
        }
        if tar.options.parsed.has("keep-old-files") {
            return Err(io::Error::from_raw_os_error(Errno::EEXIST.code()));
        }
        if tar.options.parsed.has("keep-newer-files") && there.modified >= modified(entry) {
            let text = [
                b"Current ",
                quote(name).as_slice(),
                b" is newer or same age",
            ]
            .concat();
            process.complain(text);
            return Ok(());
        }
        if there.is_dir() {
            vfs.rmdir(&path).map_err(file_error)?;
        } else if !tar.options.parsed.has("overwrite") || there.is_symlink() {
            vfs.unlink(&path).map_err(file_error)?;
        }
    }
    let link = entry
        .link_name_bytes()
        .map(|link| BString::from(link.into_owned()));
    match (kind, link) {
        (EntryType::Symlink, Some(link)) if leads_out(tar, &link) => {
            later.hold_place(tar, path, link)
        }
        (EntryType::Symlink, Some(link)) => {
            vfs.symlink(VfsPath::new(&link), &path).map_err(file_error)
        }
        (EntryType::Link, Some(link)) => {
            let Some(link) = target_name(tar, &link, top_level(tar).as_ref())? else {
                return Ok(());
            };
            let existing = process.resolve(&tar.options.folder).join(&link);
            vfs.link(&existing, &path).map_err(file_error)
        }
        (EntryType::Fifo, _) => {
            vfs.mkfifo(&path, mode).map_err(file_error)?;
            if tar.options.parsed.has("touch") {
                return Ok(());
            }
            let times = Times {
                accessed: SetTime::Keep,
                modified: SetTime::At(modified(entry)),
            };
            vfs.set_times(&path, times, false).map_err(file_error)
        }
        (EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse, _) => {
            let options = OpenOptions::write().create().truncate().mode(mode);
            let file = vfs.open(&path, &options).map_err(file_error)?;
            let mut out = process.output(std::sync::Arc::new(hotcell_process::OpenFile::new(
                file, false,
            )));
            let when = modified(entry);
            io::copy(entry, &mut out)?;
            out.flush()?;
            drop(out);
            vfs.chmod(&path, mode).map_err(file_error)?;
            if !tar.options.parsed.has("touch") {
                let times = Times {
                    accessed: SetTime::Keep,
                    modified: SetTime::At(when),
                };
                vfs.set_times(&path, times, false).map_err(file_error)?;
            }
            Ok(())
        }
        (kind, _) => {
            let text = format!(
                "{name}: Unknown file type '{}', ignored",
                char::from(kind.as_byte())
            );
            process.complain(text);
            Ok(())
        }
    }
}

/// Says where the archive and the files differ.
pub(super) fn compare(tar: &mut Tar<'_>) -> io::Result<()> {
    let mut archive = Archive::new(source::open(tar)?);
    let mut wanted = Wanted::new(tar);
    let mut out = tar.process.stdout();
    let mut differs = false;
    for entry in archive.entries()? {
        let mut entry = checked(tar, entry)?;
        tar.process.spend(256);
        let name = name_of(&entry);
        if !wanted.takes(tar, &name) {
            continue;
        }
        let path = tar
            .process
            .resolve(&tar.options.folder)
            .join(&tar.safe_name(&name));
        let mut say = |what: &str| -> io::Result<()> {
            differs = true;
            out.write_all(&name)?;
            writeln!(out, ": {what}")
        };
        let meta = match tar.process.vfs().lstat(&path).map_err(file_error) {
            Ok(meta) => meta,
            Err(error) => {
                out.flush()?;
                tar.process.complain(
                    [
                        name.as_slice(),
                        b": Warning: Cannot stat: ",
                        error_text(&error).as_bytes(),
                    ]
                    .concat(),
                );
                differs = true;
                continue;
            }
        };
        let header = entry.header();
        if header.mode().unwrap_or(0) & 0o7777 != meta.mode & 0o7777 && !meta.is_symlink() {
            say("Mode differs")?;
        }
        if header.mtime().unwrap_or(0).cast_signed() != meta.modified.seconds() && meta.is_file() {
            say("Mod time differs")?;
        }
        if header.entry_type() == EntryType::Regular {
            if header.size().unwrap_or(0) == meta.size {
                let file = tar
                    .process
                    .vfs()
                    .open(&path, &OpenOptions::read())
                    .map_err(file_error)?;
                let mut input =
                    tar.process
                        .input(std::sync::Arc::new(hotcell_process::OpenFile::new(
                            file, false,
                        )));
                if !same(&mut entry, &mut input)? {
                    say("Contents differ")?;
                }
            } else {
                say("Size differs")?;
            }
        }
    }
    out.flush()?;
    if differs && tar.code == 0 {
        tar.code = 1;
    }
    wanted.report(tar);
    Ok(())
}

fn same(one: &mut impl Read, other: &mut impl Read) -> io::Result<bool> {
    let (mut left, mut right) = (vec![0; 32 << 10], vec![0; 32 << 10]);
    loop {
        let count = one.read(&mut left)?;
        if count == 0 {
            return Ok(other.read(&mut right)? == 0);
        }
        let Some(target) = right.get_mut(..count) else {
            return Ok(false);
        };
        if other.read_exact(target).is_err() || left.get(..count) != Some(&*target) {
            return Ok(false);
        }
    }
}
