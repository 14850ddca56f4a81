//! A file that is listed.

use std::io;

use bstr::{BStr, BString};
use hotcell_process::{Process, file_error};
use hotcell_vfs::{Metadata, Timestamp};

use super::options::{Dereference, Options, Which};

/// A file that is listed.
pub(super) struct Entry {
    /// As it is shown.
    pub(super) name: BString,
    pub(super) meta: Metadata,
    /// Where a link leads, and what is there.
    pub(super) link: Option<(BString, Option<Metadata>)>,
}

impl Entry {
    /// One that was named as an argument.
    pub(super) fn named(process: &Process, name: &BStr, options: &Options) -> io::Result<Self> {
        if name.is_empty() {
            return Err(io::Error::from_raw_os_error(2));
        }
        let path = process.resolve(name);
        let vfs = process.vfs();
        let follows = match options.dereference {
            Dereference::Always | Dereference::Named => true,
            Dereference::NamedFolders => vfs.stat(&path).is_ok_and(|meta| meta.is_dir()),
            Dereference::Never => false,
        };
        let meta = if options.dereference == Dereference::Always {
            vfs.stat(&path)
        } else if follows {
            vfs.stat(&path).or_else(|_| vfs.lstat(&path))
        } else {
            vfs.lstat(&path)
        };
        let meta = meta.map_err(file_error)?;
        Ok(Self::new(process, name.into(), name, meta))
    }

    /// One that was found in a directory, whose name ends with a slash.
    pub(super) fn inside(
        process: &Process,
        folder: &[u8],
        name: BString,
        options: &Options,
    ) -> Result<Self, (BString, io::Error)> {
        let full = [folder, name.as_slice()].concat();
        let path = process.resolve(&full);
        let vfs = process.vfs();
        let meta = if options.dereference == Dereference::Always {
            vfs.stat(&path)
        } else {
            vfs.lstat(&path)
        };
        match meta.map_err(file_error) {
            Ok(meta) => Ok(Self::new(process, name, BStr::new(&full), meta)),
            Err(error) => Err((name, error)),
        }
    }

    fn new(process: &Process, name: BString, path: &BStr, meta: Metadata) -> Self {
        let link = meta.is_symlink().then(|| {
            let path = process.resolve(path);
            let target = process
                .vfs()
                .readlink(&path)
                .map(|target| BString::from(target.into_bytes()));
            (target.unwrap_or_default(), process.vfs().stat(&path).ok())
        });
        Self { name, meta, link }
    }

    /// Whether it is a directory, or leads to one.
    pub(super) fn is_folder(&self) -> bool {
        self.meta.is_dir()
            || self
                .link
                .as_ref()
                .is_some_and(|(_, target)| target.is_some_and(|meta| meta.is_dir()))
    }

    pub(super) fn is_real_folder(&self) -> bool {
        self.meta.is_dir()
    }

    /// How many blocks of 1024 bytes it takes.
    pub(super) fn blocks(&self) -> u64 {
        self.meta.allocated.div_ceil(4096) * 4
    }

    pub(super) fn time(&self, options: &Options) -> Timestamp {
        match options.which {
            Which::Modified => self.meta.modified,
            Which::Accessed => self.meta.accessed,
            Which::Changed => self.meta.changed,
        }
    }
}
