//! The seal on compiled code.
//!
//! Loading compiled code means running it: it has no wall around it any more. So what is kept on disk is sealed with a key
//! that only the host has, and what was damaged, moved, or written by somebody else is not loaded.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::Path,
};

/// A key for seals.
#[derive(Clone)]
pub(super) struct SealKey([u8; 32]);

impl SealKey {
    pub(super) fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// The key in a file, which is made if it is missing. One that others could have read is replaced: what it sealed is
    /// worth nothing.
    pub(super) fn load(path: &Path) -> io::Result<Self> {
        for _ in 0..4 {
            match Self::read(path) {
                Ok(key) => return Ok(key),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Self::create(path)?,
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    fs::remove_file(path)?;
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("the key changes all the time"))
    }

    fn read(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new()
            .read(true)
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
            .open(path)?;
        let about = file.metadata()?;
        let owner = rustix::process::geteuid().as_raw();
        if !about.is_file() || about.mode() & 0o077 != 0 || about.uid() != owner {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut key = [0; 32];
        file.read_exact(&mut key)
            .map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
        Ok(Self(key))
    }

    /// Makes a key, unless somebody else is quicker.
    fn create(path: &Path) -> io::Result<()> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)
            .map_err(|_| io::Error::other("there is no source of randomness"))?;
        let parent = path.parent().unwrap_or(Path::new("."));
        make_private(parent)?;
        // For the owner alone, as the crate makes all its files.
        let mut file = tempfile::NamedTempFile::new_in(parent)?;
        file.write_all(&key)?;
        file.as_file().sync_all()?;
        match file.persist_noclobber(path) {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error.error),
        }
    }

    /// The seal of these parts.
    pub(super) fn seal(&self, parts: &[&[u8]]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        for part in parts {
            hasher.update(part);
        }
        hasher.finalize()
    }
}

/// Makes a directory, and those above it that are missing, for the owner alone.
pub(super) fn make_private(directory: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
}

/// Says that a file was used.
pub(super) fn touch(file: &File) {
    // Without it, it goes earlier than it might.
    let _ = file.set_modified(std::time::SystemTime::now());
}
