//! `mv`.

use std::io::{self, Write};

use bstr::{BStr, ByteSlice};
use hotcell_process::{Process, error_text, file_error};
use hotcell_vfs::{Errno, VfsPath};

use super::{
    copy::{Copy, Existing, Follow},
    prompt::confirm,
    targets::{Backup, Targets},
};
use crate::{Opt, Usage, Utility, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "mv",
    synopsis: "[OPTION]... [-T] SOURCE DEST\n[OPTION]... SOURCE... DIRECTORY\n[OPTION]... -t DIRECTORY SOURCE...",
    summary: "Rename SOURCE to DEST, or move SOURCE(s) to DIRECTORY.",
    options: &[
        Opt::optional(
            '\0',
            "backup",
            "CONTROL",
            "make a backup of each existing destination file",
        ),
        Opt::flag('b', "", "like --backup but does not accept an argument"),
        Opt::flag('f', "force", "do not prompt before overwriting"),
        Opt::flag('i', "interactive", "prompt before overwrite"),
        Opt::flag('n', "no-clobber", "do not overwrite an existing file"),
        Opt::flag(
            '\0',
            "strip-trailing-slashes",
            "remove any trailing slashes from each SOURCE",
        ),
        Opt::value('S', "suffix", "SUFFIX", "override the usual backup suffix"),
        Opt::value(
            't',
            "target-directory",
            "DIRECTORY",
            "move all SOURCE arguments into DIRECTORY",
        ),
        Opt::flag('T', "no-target-directory", "treat DEST as a normal file"),
        Opt::flag(
            'u',
            "update",
            "move only when the SOURCE file is newer\nthan the destination file or when it is missing",
        ),
        Opt::flag('v', "verbose", "explain what is being done"),
    ],
    ..Usage::DEFAULT
};

struct Move<'p> {
    process: &'p Process,
    existing: Existing,
    backup: Backup,
    verbose: bool,
}

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let mut operands = parsed.operands.clone();
    if parsed.has("strip-trailing-slashes") {
        for operand in &mut operands {
            let trimmed = operand.trim_end_with(|c| c == '/').len().max(1);
            operand.truncate(trimmed);
        }
    }
    let targets = Targets::from_options(process, &USAGE, &parsed, operands, true);
    let existing = match parsed.last_of(&["force", "interactive", "no-clobber"]) {
        Some("interactive") => Existing::Ask,
        Some("no-clobber") => Existing::Keep,
        _ if parsed.has("update") => Existing::Update,
        _ => Existing::Replace,
    };
    let mover = Move {
        process,
        existing,
        backup: Backup::from_options(process, &USAGE, &parsed),
        verbose: parsed.has("verbose"),
    };
    let mut code = 0;
    for (source, target) in targets.pairs() {
        process.spend(64);
        if let Err(text) = mover.run(source.as_bstr(), target.as_bstr()) {
            process.complain(text);
            code = 1;
        }
    }
    Ok(code)
}

impl Move<'_> {
    fn run(&self, source: &BStr, target: &BStr) -> Result<(), Vec<u8>> {
        let vfs = self.process.vfs();
        let (from, to) = (self.process.resolve(source), self.process.resolve(target));
        let stat = vfs.lstat(&from).map_err(file_error);
        let meta = stat.map_err(|error| {
            [
                b"cannot stat ",
                quote(source).as_slice(),
                b": ",
                error_text(&error).as_bytes(),
            ]
            .concat()
        })?;
        if let Ok(there) = vfs.lstat(&to) {
            if (there.dev, there.ino) == (meta.dev, meta.ino) {
                return Err([
                    quote(source).as_slice(),
                    b" and ",
                    quote(target).as_slice(),
                    b" are the same file",
                ]
                .concat());
            }
            if there.is_dir() && !meta.is_dir() {
                return Err([
                    b"cannot overwrite directory ",
                    quote(target).as_slice(),
                    b" with non-directory ",
                    quote(source).as_slice(),
                ]
                .concat());
            }
            if !there.is_dir() && meta.is_dir() && vfs.stat(&to).is_ok_and(|there| !there.is_dir())
            {
                return Err([
                    b"cannot overwrite non-directory ",
                    quote(target).as_slice(),
                    b" with directory ",
                    quote(source).as_slice(),
                ]
                .concat());
            }
            match self.existing {
                Existing::Keep => return Ok(()),
                Existing::Update if there.modified >= meta.modified => return Ok(()),
                Existing::Ask
                    if !confirm(
                        self.process,
                        &[b"overwrite ", quote(target).as_slice(), b"?"].concat(),
                    ) =>
                {
                    return Ok(());
                }
                _ => {}
            }
            let backed_up = self.backup.make(self.process, target);
            backed_up.map_err(|error| {
                [
                    b"cannot backup ",
                    quote(target).as_slice(),
                    b": ",
                    error_text(&error).as_bytes(),
                ]
                .concat()
            })?;
        }
        let failed = |error: &io::Error| {
            let verb: &[u8] = b"cannot move ";
            [
                verb,
                quote(source).as_slice(),
                b" to ",
                quote(target).as_slice(),
                b": ",
                error_text(error).as_bytes(),
            ]
            .concat()
        };
        match vfs.rename(&from, &to) {
            Ok(()) => {
                if self.verbose {
                    let line = [
                        b"renamed ",
                        quote(source).as_slice(),
                        b" -> ",
                        quote(target).as_slice(),
                        b"\n",
                    ]
                    .concat();
                    let _ = self.process.stdout().write_all(&line);
                }
                Ok(())
            }
            Err(error) if error.errno() == Errno::EXDEV => {
                self.across(source, target).map_err(|error| failed(&error))
            }
            Err(error) if error.errno() == Errno::EINVAL && meta.is_dir() => Err([
                b"cannot move ",
                quote(source).as_slice(),
                b" to a subdirectory of itself, ",
                quote(target).as_slice(),
            ]
            .concat()),
            Err(error) => Err(failed(&file_error(error))),
        }
    }

    /// To another file system: a copy, and then the original goes.
    fn across(&self, source: &BStr, target: &BStr) -> io::Result<()> {
        let mut copy = Copy {
            process: self.process,
            recursive: true,
            follow: Follow::Never,
            existing: Existing::Replace,
            force: true,
            keeps_mode: true,
            keeps_times: true,
            hard_links: false,
            symbolic_links: false,
            attributes_only: false,
            verbose: false,
            one_file_system: false,
            remove_destination: true,
            backup: Backup::none(),
            copied: Some(std::collections::HashMap::new()),
            has_failed: false,
        };
        copy.run(source, target);
        if copy.has_failed {
            return Err(io::Error::other("it was not copied as a whole"));
        }
        self.remove(VfsPath::new(source))
    }

    fn remove(&self, source: &VfsPath) -> io::Result<()> {
        let vfs = self.process.vfs();
        let mut steps = vec![(self.process.resolve(source), false)];
        while let Some((path, is_empty)) = steps.pop() {
            self.process.spend(64);
            let is_dir = vfs.lstat(&path).map_err(file_error)?.is_dir();
            match (is_dir, is_empty) {
                (false, _) => vfs.unlink(&path).map_err(file_error)?,
                (true, true) => vfs.rmdir(&path).map_err(file_error)?,
                (true, false) => {
                    let entries = vfs.readdir(&path).map_err(file_error)?;
                    steps.push((path.clone(), true));
                    steps.extend(
                        entries
                            .into_iter()
                            .map(|entry| (path.join(&entry.name), false)),
                    );
                }
            }
        }
        Ok(())
    }
}
