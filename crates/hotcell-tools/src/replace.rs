//! A file's new content, all at once.

use std::sync::atomic::{AtomicU64, Ordering};

use hotcell_vfs::{Errno, FILE_MODE, OpenOptions, Result, Vfs, VfsPath, VfsPathBuf};

/// How often a name that is taken is replaced by another. Names are counted up, so that even once is rare.
const ATTEMPTS: usize = 1000;

/// Makes `data` the content of the file at `path`, which has no links in it, so that whoever looks sees the old content or
/// the new one. The file keeps its mode. Its other names, if it has hard links, keep the old content.
pub(crate) fn replace(vfs: &dyn Vfs, path: &VfsPath, data: &[u8], mode: Option<u32>) -> Result<()> {
    let temporary = write_beside(vfs, path, data, mode)?;
    vfs.rename(&temporary, path).inspect_err(|_| {
        // The first failure is the one to tell.
        let _ = vfs.unlink(&temporary);
    })
}

fn write_beside(
    vfs: &dyn Vfs,
    path: &VfsPath,
    data: &[u8],
    mode: Option<u32>,
) -> Result<VfsPathBuf> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let dir = path.parent().unwrap_or(VfsPath::ROOT);
    let options = OpenOptions::write()
        .create_new()
        .mode(mode.unwrap_or(FILE_MODE));
    let mut attempt = 0;
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = dir.join(&format!(".hotcell-{number}.tmp"));
        match vfs.open(&name, &options) {
            Ok(file) => {
                let written = file.write_all_at(0, data).and_then(|()| match mode {
                    // What a host's umask took away when the file was made.
                    Some(mode) => file.chmod(mode),
                    None => Ok(()),
                });
                return match written {
                    Ok(()) => Ok(name),
                    Err(error) => {
                        drop(file);
                        let _ = vfs.unlink(&name);
                        Err(error.with_path(path))
                    }
                };
            }
            Err(error) if error.errno() == Errno::EEXIST && attempt < ATTEMPTS => attempt += 1,
            Err(error) => return Err(error.with_path(path)),
        }
    }
}
