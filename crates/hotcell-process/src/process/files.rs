//! Files, by the names that a process knows them by.

use std::{io, sync::Arc};

use bstr::ByteSlice;
use hotcell_vfs::{
    Clock, Errno, FileType, Metadata, OpenOptions, Timestamp, Vfs, VfsFile, VfsPath, VfsPathBuf,
};

use super::Process;
use crate::{
    descriptors::Fd,
    error::{errno, file_error},
    file::OpenFile,
    io::Input,
    null::no_file,
    stream::Stream,
};

impl Process {
    /// The files. Paths there are absolute: see [`Process::resolve`].
    pub fn vfs(&self) -> &Arc<dyn Vfs> {
        &self.kernel.options.vfs
    }

    /// What time it is.
    pub fn now(&self) -> Timestamp {
        self.kernel.options.clock.now()
    }

    /// The clock behind [`Process::now`].
    pub fn clock(&self) -> &Clock {
        &self.kernel.options.clock
    }

    /// A path from the root for one from the working directory. Links and `..` stay as they are: the file system follows
    /// them.
    pub fn resolve(&self, path: impl AsRef<[u8]>) -> VfsPathBuf {
        self.cwd().join(path.as_ref())
    }

    /// Opens a file. Names of descriptors (`/dev/stdin`, `/dev/fd/3`) give what they refer to. A named pipe waits for its
    /// other end.
    pub fn open(
        &self,
        path: impl AsRef<[u8]>,
        options: &OpenOptions,
    ) -> io::Result<Arc<dyn Stream>> {
        let path = path.as_ref();
        if path.is_empty() {
            return Err(errno(Errno::ENOENT));
        }
        let path = self.resolve(path);
        if let Some(fd) = named_descriptor(&path) {
            return self.descriptor(fd);
        }
        let options = options.mode(options.mode & !self.umask());
        let file = self.vfs().open(&path, &options).map_err(file_error)?;
        self.stream_of(file, &options)
    }

    /// A file that was opened with these options, as a stream from its beginning. A named pipe waits for its other end.
    pub fn stream_of(
        &self,
        file: Arc<dyn VfsFile>,
        options: &OpenOptions,
    ) -> io::Result<Arc<dyn Stream>> {
        if let Some(fifo) = self.meet(&file, options)? {
            return Ok(fifo);
        }
        Ok(Arc::new(OpenFile::new(file, options.append)))
    }

    /// Opens a file to read from its beginning. `-` is standard input, as most programs have it. A directory is refused
    /// here, as reading it would be.
    pub fn open_input(&self, path: impl AsRef<[u8]>) -> io::Result<Input<'_>> {
        let path = path.as_ref();
        if path == b"-" {
            return Ok(self.stdin());
        }
        let stream = self.open(path, &OpenOptions::read())?;
        if stream.file().is_some() && stream.metadata()?.is_dir() {
            return Err(errno(Errno::EISDIR));
        }
        Ok(self.input(stream))
    }

    /// What is known about a file, or about what a descriptor's name refers to. A built-in program is a file, too. With
    /// `follow` a symbolic link stands for what it leads to.
    pub fn metadata(&self, path: impl AsRef<[u8]>, follow: bool) -> io::Result<Metadata> {
        let path = self.resolve(path);
        if let Some(fd) = named_descriptor(&path) {
            return self.descriptor(fd)?.metadata();
        }
        let found = if follow {
            self.vfs().stat(&path)
        } else {
            self.vfs().lstat(&path)
        };
        match found {
            Ok(metadata) => Ok(metadata),
            Err(_) if self.is_system(&path).is_some() => Ok(Metadata {
                mode: 0o755,
                ..no_file(FileType::File, 1)
            }),
            Err(error) => Err(file_error(error)),
        }
    }

    /// Opens a file of the file system, not a stream, for who reads and writes at offsets.
    pub fn open_file(
        &self,
        path: impl AsRef<[u8]>,
        options: &OpenOptions,
    ) -> io::Result<Arc<dyn VfsFile>> {
        let options = options.mode(options.mode & !self.umask());
        let path = self.resolve(path);
        self.vfs().open(&path, &options).map_err(file_error)
    }
}

/// The descriptor that an absolute path names: `/dev/stdin`, `/dev/fd/3`.
pub fn named_descriptor(path: &VfsPath) -> Option<Fd> {
    let name = path.as_bytes().strip_prefix(b"/dev/")?;
    match name {
        b"stdin" => Some(0),
        b"stdout" => Some(1),
        b"stderr" => Some(2),
        _ => name.strip_prefix(b"fd/")?.to_str().ok()?.parse().ok(),
    }
}
