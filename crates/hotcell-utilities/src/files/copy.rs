//! Copying files and trees, for `cp`, `mv` and `install`.

use std::io::{self, Read, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Process, error_text, file_error};
use hotcell_vfs::{Errno, FileType, Metadata, OpenOptions, SetTime, Times, VfsPath};

use super::{prompt::confirm, targets::Backup};
use crate::{ancestors::Ancestors, quote::quote};

/// When links are followed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Follow {
    Never,
    /// Those that are named.
    Named,
    Always,
}

/// What is done if the destination exists.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Existing {
    Replace,
    Ask,
    Keep,
    /// Only if the source is newer.
    Update,
}

/// How to copy.
#[expect(clippy::struct_excessive_bools, reason = "each is one option")]
pub(super) struct Copy<'p> {
    pub(super) process: &'p Process,
    pub(super) recursive: bool,
    pub(super) follow: Follow,
    pub(super) existing: Existing,
    pub(super) force: bool,
    pub(super) keeps_mode: bool,
    pub(super) keeps_times: bool,
    pub(super) hard_links: bool,
    pub(super) symbolic_links: bool,
    pub(super) attributes_only: bool,
    pub(super) verbose: bool,
    pub(super) one_file_system: bool,
    pub(super) remove_destination: bool,
    pub(super) backup: Backup,
    /// Where files with several names were copied to.
    pub(super) copied: Option<std::collections::HashMap<(u64, u64), BString>>,
    pub(super) has_failed: bool,
}

enum Step {
    Copy(BString, BString, bool),
    /// Give a directory what it is to have, when nothing changes in it any more.
    Finish(BString, Metadata),
}

impl Copy<'_> {
    fn complain(&mut self, parts: &[&[u8]]) {
        self.process.complain(parts.concat());
        self.has_failed = true;
    }

    /// Copies one file or tree, without calling itself as deep as it goes.
    pub(super) fn run(&mut self, source: &BStr, target: &BStr) {
        let mut ancestors = Ancestors::default();
        let mut steps = vec![Step::Copy(source.into(), target.into(), true)];
        let root = self.process.vfs().lstat(&self.process.resolve(source)).ok();
        while let Some(step) = steps.pop() {
            self.process.spend(64);
            match step {
                Step::Finish(target, meta) => self.finish(target.as_bstr(), &meta),
                Step::Copy(source, target, is_named) => {
                    let device = root.filter(|_| self.one_file_system).map(|root| root.dev);
                    self.step(source, target, is_named, device, &mut steps, &mut ancestors);
                }
            }
        }
    }

    fn step(
        &mut self,
        source: BString,
        target: BString,
        is_named: bool,
        device: Option<u64>,
        steps: &mut Vec<Step>,
        ancestors: &mut Ancestors,
    ) {
        let vfs = self.process.vfs();
        let path = self.process.resolve(&source);
        let follows = match self.follow {
            Follow::Never => false,
            Follow::Named => is_named,
            Follow::Always => true,
        };
        let meta = if follows {
            vfs.stat(&path)
        } else {
            vfs.lstat(&path)
        };
        let meta = match meta.map_err(file_error) {
            Ok(meta) => meta,
            Err(error) => {
                self.complain(&[
                    b"cannot stat ",
                    &quote(&source),
                    b": ",
                    error_text(&error).as_bytes(),
                ]);
                return;
            }
        };
        if device.is_some_and(|device| device != meta.dev) {
            return;
        }
        if !meta.is_dir() {
            self.file(source.as_bstr(), target.as_bstr(), &meta);
            return;
        }
        if !self.recursive {
            self.complain(&[b"-r not specified; omitting directory ", &quote(&source)]);
            return;
        }
        if !ancestors.enter(path.as_bytes(), &meta) {
            self.complain(&[b"cannot copy cyclic symbolic link ", &quote(&source)]);
            return;
        }
        let there = vfs.stat(&self.process.resolve(&target)).ok();
        match there {
            Some(there) if !there.is_dir() => {
                self.complain(&[
                    b"cannot overwrite non-directory ",
                    &quote(&target),
                    b" with directory ",
                    &quote(&source),
                ]);
                return;
            }
            _ if is_named && self.is_inside(&source, &target) => {
                self.complain(&[
                    b"cannot copy a directory, ",
                    &quote(&source),
                    b", into itself, ",
                    &quote(&target),
                ]);
                return;
            }
            Some(_) => {}
            None => {
                let mode = (meta.mode | 0o700) & !self.process.umask() & 0o7777;
                if let Err(error) = vfs
                    .mkdir(&self.process.resolve(&target), mode | 0o700)
                    .map_err(file_error)
                {
                    self.complain(&[
                        b"cannot create directory ",
                        &quote(&target),
                        b": ",
                        error_text(&error).as_bytes(),
                    ]);
                    return;
                }
                self.say(source.as_bstr(), target.as_bstr());
            }
        }
        let is_new = there.is_none();
        let entries = match vfs.readdir(&path).map_err(file_error) {
            Ok(entries) => entries,
            Err(error) => {
                self.complain(&[
                    b"cannot access ",
                    &quote(&source),
                    b": ",
                    error_text(&error).as_bytes(),
                ]);
                return;
            }
        };
        if is_new || self.keeps_mode || self.keeps_times {
            steps.push(Step::Finish(target.clone(), meta));
        }
        let join = |base: &BString, name: &[u8]| -> BString {
            let base = if base.as_slice() == b"/" {
                &b""[..]
            } else {
                base.trim_end_with(|c| c == '/')
            };
            [base, b"/", name].concat().into()
        };
        for entry in entries.into_iter().rev() {
            steps.push(Step::Copy(
                join(&source, &entry.name),
                join(&target, &entry.name),
                false,
            ));
        }
    }

    /// Whether a tree would be copied into itself.
    fn is_inside(&self, source: &BString, target: &BString) -> bool {
        let vfs = self.process.vfs();
        let Ok(source) = vfs.realpath(&self.process.resolve(source)) else {
            return false;
        };
        let target = self.process.resolve(target);
        let real = vfs.realpath(&target).or_else(|_| {
            let parent = vfs.realpath(target.parent().unwrap_or(VfsPath::ROOT))?;
            Ok::<_, hotcell_vfs::VfsError>(parent.join(target.file_name().unwrap_or_default()))
        });
        real.is_ok_and(|target| target.starts_with(&source))
    }

    fn finish(&mut self, target: &BStr, meta: &Metadata) {
        let path = self.process.resolve(target);
        let mode = if self.keeps_mode {
            meta.mode
        } else {
            meta.mode & !self.process.umask()
        };
        let mut done = self.process.vfs().chmod(&path, mode & 0o7777);
        if self.keeps_times {
            done = done.and_then(|()| self.process.vfs().set_times(&path, times(meta), true));
        }
        if let Err(error) = done.map_err(file_error) {
            self.complain(&[
                b"preserving attributes for ",
                &quote(target),
                b": ",
                error_text(&error).as_bytes(),
            ]);
        }
    }

    fn say(&self, source: &BStr, target: &BStr) {
        if self.verbose {
            let line = [
                quote(source).as_slice(),
                b" -> ",
                quote(target).as_slice(),
                b"\n",
            ]
            .concat();
            let _ = self.process.stdout().write_all(&line);
        }
    }

    /// `-l` and `-s`: there is no copy at all.
    fn makes_links(&self) -> bool {
        self.hard_links || self.symbolic_links
    }

    fn file(&mut self, source: &BStr, target: &BStr, meta: &Metadata) {
        let vfs = self.process.vfs();
        let path = self.process.resolve(target);
        let there = vfs.lstat(&path).ok();
        let behind = vfs.stat(&path).ok();
        if let Some(behind) = behind {
            if behind.is_dir() {
                self.complain(&[
                    b"cannot overwrite directory ",
                    &quote(target),
                    b" with non-directory ",
                    &quote(source),
                ]);
                return;
            }
            if (behind.dev, behind.ino) == (meta.dev, meta.ino)
                && !self.hard_links
                && !self.backup.is_wanted()
            {
                self.complain(&[
                    &quote(source),
                    b" and ",
                    &quote(target),
                    b" are the same file",
                ]);
                return;
            }
        }
        if there.is_some() {
            match self.existing {
                Existing::Keep => return,
                Existing::Update
                    if behind.is_some_and(|behind| behind.modified >= meta.modified) =>
                {
                    return;
                }
                Existing::Ask
                    if !confirm(
                        self.process,
                        &[b"overwrite ", quote(target).as_slice(), b"?"].concat(),
                    ) =>
                {
                    return;
                }
                _ => {}
            }
            match self.backup.make(self.process, target) {
                Ok(_) => {}
                Err(error) => {
                    self.complain(&[
                        b"cannot backup ",
                        &quote(target),
                        b": ",
                        error_text(&error).as_bytes(),
                    ]);
                    return;
                }
            }
            // Who keeps links as they are does not write through one of several names of a file.
            let is_one_of_several =
                self.copied.is_some() && there.is_some_and(|there| there.nlink > 1);
            if self.remove_destination || is_one_of_several && !self.makes_links() {
                let _ = vfs.unlink(&path);
            }
        }
        match self.content(source, target, meta, there.is_some()) {
            Ok(()) => self.say(source, target),
            Err(Failed(what, name, error)) => {
                self.complain(&[what, &quote(&name), b": ", error_text(&error).as_bytes()]);
            }
        }
    }

    fn content(
        &mut self,
        source: &BStr,
        target: &BStr,
        meta: &Metadata,
        exists: bool,
    ) -> Result<(), Failed> {
        let vfs = self.process.vfs();
        let (from, to) = (self.process.resolve(source), self.process.resolve(target));
        let because = |what: &'static [u8], name: &BStr| {
            let name = name.to_owned();
            move |error: io::Error| Failed(what, name, error)
        };
        if self.makes_links() {
            if exists && self.force {
                let _ = vfs.unlink(&to);
            }
            let linked = if self.symbolic_links {
                vfs.symlink(VfsPath::new(source), &to)
            } else {
                vfs.link(&from, &to)
            };
            return linked
                .map_err(file_error)
                .map_err(because(b"cannot create link ", target));
        }
        if let Some(first) = self
            .copied
            .as_ref()
            .and_then(|copied| copied.get(&(meta.dev, meta.ino)))
        {
            let first = self.process.resolve(first);
            let _ = vfs.unlink(&to);
            return vfs
                .link(&first, &to)
                .map_err(file_error)
                .map_err(because(b"cannot create hard link ", target));
        }
        if meta.is_symlink() {
            let link = vfs
                .readlink(&from)
                .map_err(file_error)
                .map_err(because(b"cannot read symbolic link ", source))?;
            if exists {
                vfs.unlink(&to)
                    .map_err(file_error)
                    .map_err(because(b"cannot remove ", target))?;
            }
            vfs.symlink(&link, &to)
                .map_err(file_error)
                .map_err(because(b"cannot create symbolic link ", target))?;
            if self.keeps_times {
                let _ = vfs.set_times(&to, times(meta), false);
            }
            return Ok(());
        }
        if meta.kind == FileType::Fifo && self.recursive {
            if exists {
                vfs.unlink(&to)
                    .map_err(file_error)
                    .map_err(because(b"cannot remove ", target))?;
            }
            let mode = if self.keeps_mode {
                meta.mode
            } else {
                meta.mode & !self.process.umask()
            };
            vfs.mkfifo(&to, mode & 0o7777)
                .map_err(file_error)
                .map_err(because(b"cannot create fifo ", target))?;
            if self.keeps_times {
                let _ = vfs.set_times(&to, times(meta), false);
            }
            return Ok(());
        }
        if !exists && vfs.lstat(&to).is_err() && target.ends_with(b"/") {
            return Err(Failed(
                b"cannot create regular file ",
                target.to_owned(),
                io::Error::from_raw_os_error(Errno::ENOTDIR.code()),
            ));
        }
        self.bytes(source, target, meta)?;
        if let Some(copied) = &mut self.copied
            && meta.nlink > 1
        {
            copied.insert((meta.dev, meta.ino), target.to_owned());
        }
        Ok(())
    }

    fn bytes(&mut self, source: &BStr, target: &BStr, meta: &Metadata) -> Result<(), Failed> {
        let process = self.process;
        let vfs = process.vfs();
        let to = process.resolve(target);
        let mode = if self.keeps_mode {
            meta.mode & 0o7777
        } else {
            meta.mode & 0o777 & !process.umask()
        };
        let mut options = OpenOptions::write().create().mode(mode);
        if !self.attributes_only {
            options = options.truncate();
        }
        let read = |error| Failed(b"cannot open ", source.to_owned(), error);
        let input = process.open(source, &OpenOptions::read()).map_err(read)?;
        let mut output = vfs.open(&to, &options);
        if output.is_err() && self.force {
            let _ = vfs.unlink(&to);
            output = vfs.open(&to, &options);
        }
        let output = output.map_err(file_error);
        let write = |error| Failed(b"cannot create regular file ", target.to_owned(), error);
        let output = output.map_err(write)?;
        if !self.attributes_only {
            let mut out = process.output(std::sync::Arc::new(hotcell_process::OpenFile::new(
                output, false,
            )));
            let mut input = process.input(input);
            let mut buffer = vec![0; 64 << 10];
            loop {
                let count = input
                    .read(&mut buffer)
                    .map_err(|error| Failed(b"error reading ", source.to_owned(), error))?;
                if count == 0 {
                    break;
                }
                let piece = buffer.get(..count).unwrap_or_default();
                out.write_all(piece)
                    .map_err(|error| Failed(b"error writing ", target.to_owned(), error))?;
            }
            out.flush()
                .map_err(|error| Failed(b"error writing ", target.to_owned(), error))?;
        }
        if self.keeps_mode {
            let _ = vfs.chmod(&to, meta.mode & 0o7777);
        }
        if self.keeps_times {
            let _ = vfs.set_times(&to, times(meta), true);
        }
        Ok(())
    }
}

/// What could not be done with which file, and why.
struct Failed(&'static [u8], BString, io::Error);

fn times(meta: &Metadata) -> Times {
    Times {
        accessed: SetTime::At(meta.accessed),
        modified: SetTime::At(meta.modified),
    }
}
