//! `-i inplace`: what is printed while a file is read takes its place.

use std::io::{self, Write as _};

use bstr::BString;
use hotcell_process::{Output, Process, file_error};
use hotcell_vfs::{OpenOptions, VfsPathBuf};

/// Files that are written in the place of those that are read.
pub(crate) struct InPlace<'p> {
    process: &'p Process,
    /// What the names of the old files end with; they are not kept if it is empty.
    suffix: BString,
    current: Option<Current<'p>>,
}

struct Current<'p> {
    file: VfsPathBuf,
    new: VfsPathBuf,
    /// Where output went before.
    stdout: Output<'p>,
}

impl<'p> InPlace<'p> {
    pub(crate) fn new(process: &'p Process, suffix: BString) -> Self {
        Self {
            process,
            suffix,
            current: None,
        }
    }

    /// Output goes to a new file from here on, if this one is a file.
    pub(crate) fn begin(&mut self, name: &[u8], stdout: &mut Output<'p>) -> io::Result<()> {
        let file = self.process.resolve(name);
        let meta = self.process.vfs().stat(&file).map_err(file_error)?;
        if !meta.is_file() {
            return Ok(());
        }
        // What a link leads to is changed, not the link.
        let file = self.process.vfs().realpath(&file).map_err(file_error)?;
        let options = OpenOptions::write().create_new().mode(meta.mode & 0o7777);
        let mut number = self.process.pid().0;
        let (new, stream) = loop {
            let new = VfsPathBuf::from([file.as_bytes(), format!(".{number}").as_bytes()].concat());
            match self.process.open(new.as_bytes(), &options) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                opened => break (new, opened?),
            }
        };
        // The umask does not count.
        let _ = self.process.vfs().chmod(&new, meta.mode & 0o7777);
        let output = self.process.output(stream);
        self.current = Some(Current {
            file,
            new,
            stdout: std::mem::replace(stdout, output),
        });
        Ok(())
    }

    /// The new file takes its place.
    pub(crate) fn end(&mut self, stdout: &mut Output<'p>) -> io::Result<()> {
        let Some(current) = self.current.take() else {
            return Ok(());
        };
        let mut output = std::mem::replace(stdout, current.stdout);
        output.flush()?;
        drop(output);
        let vfs = self.process.vfs();
        if !self.suffix.is_empty() {
            let kept = [current.file.as_bytes(), self.suffix.as_slice()].concat();
            vfs.rename(&current.file, &VfsPathBuf::from(kept))
                .map_err(file_error)?;
        }
        vfs.rename(&current.new, &current.file).map_err(file_error)
    }

    /// The program has ended in the middle of a file, which stays as it was.
    pub(crate) fn give_up(&mut self, stdout: &mut Output<'p>) {
        if let Some(current) = self.current.take() {
            let output = std::mem::replace(stdout, current.stdout);
            drop(output);
            let _ = self.process.vfs().unlink(&current.new);
        }
    }
}
