//! Where lines go to.

use std::io::{self, Write};

use bstr::{BString, ByteSlice};
use hotcell_process::{Output, Process, errno, file_error};
use hotcell_vfs::{Errno, Metadata, OpenOptions, VfsPath, VfsPathBuf};

/// Something that is written to. The last line of a file may lack its end, which is made up for if more follows.
pub(crate) struct Out<'p> {
    output: Output<'p>,
    end: u8,
    lacks_end: bool,
    is_unbuffered: bool,
}

impl<'p> Out<'p> {
    pub(crate) fn new(output: Output<'p>, end: u8, is_unbuffered: bool) -> Self {
        Self {
            output,
            end,
            lacks_end: false,
            is_unbuffered,
        }
    }

    /// Writes a line, and what ends it.
    #[inline]
    pub(crate) fn line(&mut self, text: &[u8], has_end: bool) -> io::Result<()> {
        self.complete()?;
        self.output.write_all(text)?;
        if has_end {
            self.output.write_all(&[self.end])?;
        }
        self.lacks_end = !has_end;
        self.written()
    }

    /// Writes text as it is.
    pub(crate) fn text(&mut self, text: &[u8]) -> io::Result<()> {
        self.complete()?;
        self.output.write_all(text)?;
        self.written()
    }

    /// Ends a line that lacks its end.
    pub(crate) fn complete(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.lacks_end) {
            self.output.write_all(&[self.end])?;
        }
        Ok(())
    }

    fn written(&mut self) -> io::Result<()> {
        if self.is_unbuffered {
            self.output.flush()?;
        }
        Ok(())
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// A file that is being edited: what is written goes beside it, and takes its place at the end.
pub(crate) struct InPlace<'p> {
    process: &'p Process,
    file: VfsPathBuf,
    beside: VfsPathBuf,
    mode: u32,
    is_done: bool,
}

impl<'p> InPlace<'p> {
    /// Opens a new file beside `name`.
    pub(crate) fn begin(
        process: &'p Process,
        name: &BString,
        follows_links: bool,
    ) -> io::Result<(Self, Output<'p>)> {
        let mut file = process.resolve(name);
        if follows_links {
            file = process.vfs().realpath(&file).map_err(file_error)?;
        }
        let meta: Metadata = process.vfs().stat(&file).map_err(file_error)?;
        let directory = file.parent().unwrap_or(VfsPath::new("/")).to_owned();
        for number in 0..10_000u32 {
            let beside = directory
                .join(format!("sed{:06}", process.pid().0 % 1000 * 1000 + number).as_bytes());
            let options = OpenOptions::write().create_new().mode(0o600);
            match process.open(beside.as_bytes(), &options) {
                Ok(stream) => {
                    let in_place = Self {
                        process,
                        file,
                        beside,
                        mode: meta.mode & 0o7777,
                        is_done: false,
                    };
                    return Ok((in_place, process.output(stream)));
                }
                Err(error) if error.raw_os_error() == Some(Errno::EEXIST.code()) => {}
                Err(error) => return Err(error),
            }
        }
        Err(errno(Errno::EEXIST))
    }

    /// Puts what was written in the place of the file, which is kept under another name if there is a suffix.
    pub(crate) fn finish(mut self, suffix: &[u8]) -> io::Result<()> {
        let vfs = self.process.vfs();
        vfs.chmod(&self.beside, self.mode).map_err(file_error)?;
        if !suffix.is_empty() {
            let backup = self.backup(suffix);
            vfs.rename(&self.file, &backup).map_err(file_error)?;
        }
        vfs.rename(&self.beside, &self.file).map_err(file_error)?;
        self.is_done = true;
        Ok(())
    }

    /// `.bak` is put behind the name; `bak_*` has the name in place of the asterisk, and may name another directory.
    fn backup(&self, suffix: &[u8]) -> VfsPathBuf {
        let name = self.file.file_name().unwrap_or_default();
        let directory = self.file.parent().unwrap_or(VfsPath::new("/"));
        let new = if suffix.contains(&b'*') {
            suffix.replace(b"*", name)
        } else {
            [name, suffix].concat()
        };
        if new.contains(&b'/') {
            self.process.resolve(new)
        } else {
            directory.join(&new)
        }
    }
}

impl Drop for InPlace<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            let _ = self.process.vfs().unlink(&self.beside);
        }
    }
}
