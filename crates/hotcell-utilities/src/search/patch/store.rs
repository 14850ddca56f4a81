//! Writing what was patched: backups, new files, removed files.

use std::io;

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Process, file_error};
use hotcell_vfs::{SetTime, Times, Timestamp, VfsPath};

use super::options::Options;

/// What becomes of one file.
pub(super) struct Change {
    pub(super) source: BString,
    pub(super) target: BString,
    /// `None` removes it.
    pub(super) content: Option<Vec<u8>>,
    pub(super) removes_source: bool,
    pub(super) mode: Option<u32>,
    pub(super) backs_up: bool,
    pub(super) time: Option<Timestamp>,
}

/// Does all of them. A file that moves away stays if another comes to its place.
pub(super) fn perform(
    process: &Process,
    options: &Options,
    changes: &mut Vec<Change>,
) -> io::Result<()> {
    let changes = std::mem::take(changes);
    for change in &changes {
        process.spend(256 + changes.len());
        let is_replaced = changes.iter().any(|other| {
            other.target == change.source
                && other.source != change.source
                && other.content.is_some()
        });
        write(process, options, change)?;
        if change.removes_source && !is_replaced {
            if change.backs_up {
                back_up(process, options, change.source.as_bstr())?;
            }
            remove(process, change.source.as_bstr())?;
        }
    }
    Ok(())
}

fn write(process: &Process, options: &Options, change: &Change) -> io::Result<()> {
    if change.backs_up {
        back_up(process, options, change.target.as_bstr())?;
    }
    let Some(content) = &change.content else {
        return remove(process, change.target.as_bstr());
    };
    let path = process.resolve(&change.target);
    make_parents(process, &path)?;
    let vfs = process.vfs();
    let is_new = vfs.lstat(&path).is_err();
    vfs.write_file(&path, content).map_err(file_error)?;
    if let Some(mode) = change.mode {
        vfs.chmod(&path, mode & 0o777).map_err(file_error)?;
    } else if is_new {
        vfs.chmod(&path, 0o666 & !process.umask())
            .map_err(file_error)?;
    }
    if let Some(time) = change.time {
        let times = Times::both(SetTime::At(time));
        vfs.set_times(&path, times, true).map_err(file_error)?;
    }
    Ok(())
}

fn make_parents(process: &Process, path: &VfsPath) -> io::Result<()> {
    match path.parent() {
        Some(parent) if !process.vfs().exists(parent) => process
            .vfs()
            .mkdir_all(parent, 0o777 & !process.umask())
            .map_err(file_error),
        _ => Ok(()),
    }
}

/// Removes a file, and the directories that are empty then.
fn remove(process: &Process, name: &BStr) -> io::Result<()> {
    let path = process.resolve(name);
    match process.vfs().unlink(&path) {
        Ok(()) => {}
        Err(error) if error.errno() == hotcell_vfs::Errno::ENOENT => return Ok(()),
        Err(error) => return Err(file_error(error)),
    }
    let mut folder = name;
    while let Some((parent, _)) = folder.rsplit_once_str("/") {
        folder = parent.as_bstr();
        if folder.is_empty() || process.vfs().rmdir(&process.resolve(folder)).is_err() {
            break;
        }
    }
    Ok(())
}

/// Keeps what a file was; an empty file stands for one that was not there.
fn back_up(process: &Process, options: &Options, name: &BStr) -> io::Result<()> {
    let vfs = process.vfs();
    let path = process.resolve(name);
    let backup = process.resolve(backup_name(process, options, name));
    make_parents(process, &backup)?;
    let _ = vfs.unlink(&backup);
    match vfs.stat(&path) {
        Ok(there) => {
            let content = vfs.read_file(&path).map_err(file_error)?;
            let _charge = process.charge(content.len())?;
            vfs.write_file(&backup, &content).map_err(file_error)?;
            vfs.chmod(&backup, there.mode).map_err(file_error)?;
            let times = Times {
                accessed: SetTime::Keep,
                modified: SetTime::At(there.modified),
            };
            vfs.set_times(&backup, times, true).map_err(file_error)
        }
        Err(_) => {
            vfs.write_file(&backup, b"").map_err(file_error)?;
            vfs.chmod(&backup, 0o666 & !process.umask())
                .map_err(file_error)
        }
    }
}

fn backup_name(process: &Process, options: &Options, name: &BStr) -> BString {
    let parsed = &options.parsed;
    let style = parsed.value("version-control").map(BString::from);
    let style = style
        .or_else(|| process.env("PATCH_VERSION_CONTROL"))
        .or_else(|| process.env("VERSION_CONTROL"))
        .unwrap_or_default();
    let has_affix = parsed.has("prefix") || parsed.has("basename-prefix") || parsed.has("suffix");
    let is_numbered = match style.as_slice() {
        b"numbered" | b"t" => true,
        b"simple" | b"never" => false,
        _ => process
            .metadata([name.as_bytes(), b".~1~"].concat(), false)
            .is_ok(),
    };
    if is_numbered && !has_affix {
        let mut number = 1_u64;
        loop {
            process.spend(64);
            let candidate = [name.as_bytes(), format!(".~{number}~").as_bytes()].concat();
            if process.metadata(&candidate, false).is_err() {
                return candidate.into();
            }
            number += 1;
        }
    }
    let mut backup = BString::default();
    backup.extend_from_slice(parsed.value("prefix").unwrap_or_default());
    let (folder, base) = match name.rfind_byte(b'/') {
        Some(slash) => name.split_at(slash + 1),
        None => (&b""[..], name.as_bytes()),
    };
    backup.extend_from_slice(folder);
    backup.extend_from_slice(parsed.value("basename-prefix").unwrap_or_default());
    backup.extend_from_slice(base);
    match parsed.value("suffix") {
        Some(suffix) => backup.extend_from_slice(suffix),
        None if has_affix => {}
        None => match process.env("SIMPLE_BACKUP_SUFFIX") {
            Some(suffix) => backup.extend_from_slice(&suffix),
            None => backup.extend_from_slice(b".orig"),
        },
    }
    backup
}
