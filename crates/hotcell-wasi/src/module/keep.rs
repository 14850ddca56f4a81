//! Keeping compiled code on disk.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use wasmtime::Engine;

use super::{
    Key,
    disk::{Code, Disk},
};

impl Disk {
    /// Keeps the code of a module. Failing is no harm: it is compiled again.
    pub(super) fn put(&self, module: &Key, engine: &Engine, code: &Code) {
        let sealed = code.sealed(&self.key, module, engine);
        if write_whole(&self.path(module), &sealed).is_ok() {
            self.make_room();
        }
    }

    /// Removes what was not used for the longest time, until the rest is within the limit.
    fn make_room(&self) {
        let Ok(entries) = fs::read_dir(&self.directory) else {
            return;
        };
        let mut files: Vec<_> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let about = entry.metadata().ok()?;
                Some((about.modified().ok()?, about.len(), entry.path()))
            })
            .collect();
        files.sort();
        let mut total: u64 = files.iter().map(|(_, length, _)| length).sum();
        // The newest one stays, whatever its size.
        files.pop();
        for (_, length, path) in files {
            if total <= self.limit {
                return;
            }
            if fs::remove_file(path).is_ok() {
                total -= length;
            }
        }
    }
}

/// Writes a file in one step: whoever looks sees the old one or the new one.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let parent = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(parent)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
