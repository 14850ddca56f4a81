//! `install`.

use std::io::{self, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Process, error_text, file_error};
use hotcell_vfs::{Errno, SetTime, Times, VfsPath};

use super::mode::ModeChange;
use crate::{Opt, Parsed, Usage, Utility, identity, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "install",
    synopsis: "[OPTION]... [-T] SOURCE DEST\n[OPTION]... SOURCE... DIRECTORY\n[OPTION]... -t DIRECTORY SOURCE...\n[OPTION]... -d DIRECTORY...",
    summary: "Copy files while setting attributes, or create directories.",
    options: &[
        Opt::flag('c', "", "(ignored)"),
        Opt::flag(
            'C',
            "compare",
            "do not change a destination that is the same already",
        ),
        Opt::flag(
            'd',
            "directory",
            "treat all arguments as directory names; create all components",
        ),
        Opt::flag(
            'D',
            "",
            "create all leading components of DEST except the last",
        ),
        Opt::value(
            'g',
            "group",
            "GROUP",
            "set group ownership, which is the user's own here",
        ),
        Opt::value(
            'm',
            "mode",
            "MODE",
            "set permission mode (as in chmod), instead of rwxr-xr-x",
        ),
        Opt::value(
            'o',
            "owner",
            "OWNER",
            "set ownership, which is the user's own here",
        ),
        Opt::flag(
            'p',
            "preserve-timestamps",
            "apply access/modification times of SOURCE files",
        ),
        Opt::value(
            't',
            "target-directory",
            "DIRECTORY",
            "copy all SOURCE arguments into DIRECTORY",
        ),
        Opt::flag('T', "no-target-directory", "treat DEST as a normal file"),
        Opt::flag(
            'v',
            "verbose",
            "print the name of each directory as it is created",
        ),
    ],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    for (option, what) in [("owner", "user"), ("group", "group")] {
        if let Some(name) = parsed.value(option)
            && name != identity::NAME
            && name.to_str() != Ok(&identity::ID.to_string())
        {
            process.complain(format!("invalid {what} {}", quote(name)));
            return Ok(1);
        }
    }
    let mode = match parsed.value("mode") {
        None => 0o755,
        Some(text) => match ModeChange::parse(text) {
            // A mode that is relative begins with none.
            Some(change) => change.apply(0, parsed.has("directory"), 0),
            None => {
                process.complain(format!("invalid mode {}", quote(text)));
                return Ok(1);
            }
        },
    };
    let mut install = Install {
        process,
        parsed: &parsed,
        mode,
        has_failed: false,
    };
    install.run()?;
    Ok(i32::from(install.has_failed))
}

struct Install<'p> {
    process: &'p Process,
    parsed: &'p Parsed,
    mode: u32,
    has_failed: bool,
}

impl Install<'_> {
    fn run(&mut self) -> io::Result<()> {
        let operands = self.parsed.operands.as_slice();
        let Some((last, sources)) = operands.split_last() else {
            USAGE.fail(self.process, "missing file operand");
        };
        if self.parsed.has("directory") {
            for name in operands {
                if self.directories(name)? {
                    let done = self
                        .process
                        .vfs()
                        .chmod(&self.process.resolve(name), self.mode);
                    self.report(
                        "cannot change permissions of",
                        name,
                        done.map_err(file_error),
                    );
                }
            }
            return Ok(());
        }
        if let Some(directory) = self.parsed.value("target-directory") {
            if self.parsed.has("D") && !self.directories(directory)? {
                return Ok(());
            }
            return self.into_directory(operands, directory);
        }
        if sources.is_empty() {
            USAGE.fail(
                self.process,
                format!("missing destination file operand after {}", quote(last)),
            );
        }
        let is_dir = self
            .process
            .metadata(last, true)
            .is_ok_and(|meta| meta.is_dir());
        if is_dir && !self.parsed.has("no-target-directory") {
            return self.into_directory(sources, last.as_bstr());
        }
        let [source] = sources else {
            USAGE.fail(
                self.process,
                format!("target {} is not a directory", quote(last)),
            );
        };
        if self.parsed.has("D")
            && let Some(parent) = VfsPath::new(last).parent()
            && !parent.as_bytes().is_empty()
            && !self.directories(parent.as_bytes())?
        {
            return Ok(());
        }
        self.file(source, last.as_bstr())
    }

    fn into_directory(&mut self, sources: &[BString], directory: &BStr) -> io::Result<()> {
        for source in sources {
            let name = VfsPath::new(source).file_name().unwrap_or_default();
            let base = directory.trim_end_with(|letter| letter == '/');
            let target = BString::from([base, b"/", name].concat());
            self.file(source, target.as_bstr())?;
        }
        Ok(())
    }

    /// Makes a directory and those above it; says whether it is there.
    fn directories(&mut self, name: &[u8]) -> io::Result<bool> {
        let mut at = if name.starts_with(b"/") {
            b"/".to_vec()
        } else {
            Vec::new()
        };
        for part in name.split_str("/").filter(|part| !part.is_empty()) {
            self.process.spend(64);
            if !at.is_empty() && !at.ends_with(b"/") {
                at.push(b'/');
            }
            at.extend_from_slice(part);
            let path = self.process.resolve(&at);
            match self.process.vfs().mkdir(&path, 0o755) {
                Ok(()) if self.parsed.has("verbose") => {
                    let line = format!("install: creating directory {}\n", quote(&at));
                    self.process.stdout().write_all(line.as_bytes())?;
                }
                Ok(()) => {}
                Err(error)
                    if error.errno() == Errno::EEXIST
                        && self
                            .process
                            .metadata(&at, true)
                            .is_ok_and(|meta| meta.is_dir()) => {}
                Err(error) => {
                    self.report("cannot create directory", &at, Err(file_error(error)));
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn file(&mut self, source: &BString, target: &BStr) -> io::Result<()> {
        let vfs = self.process.vfs();
        let meta = match self.process.metadata(source, true) {
            Ok(meta) if meta.is_dir() => {
                self.process
                    .complain(format!("omitting directory {}", quote(source)));
                self.has_failed = true;
                return Ok(());
            }
            Ok(meta) => meta,
            Err(error) => {
                self.report("cannot stat", source, Err(error));
                return Ok(());
            }
        };
        let (from, to) = (self.process.resolve(source), self.process.resolve(target));
        let there = vfs.lstat(&to).ok();
        if there.is_some_and(|there| (there.dev, there.ino) == (meta.dev, meta.ino)) {
            let (one, two) = (quote(source), quote(target));
            self.process
                .complain(format!("{one} and {two} are the same file"));
            self.has_failed = true;
            return Ok(());
        }
        self.process
            .spend(usize::try_from(meta.size / 16).unwrap_or(usize::MAX));
        let is_same = self.parsed.has("compare")
            && there.is_some_and(|there| {
                there.is_file() && there.mode & 0o7777 == self.mode && there.size == meta.size
            })
            && vfs.read_file(&from).ok() == vfs.read_file(&to).ok();
        if is_same {
            return Ok(());
        }
        if there.is_some_and(|there| !there.is_dir()) {
            // The old file stays for who has it open.
            self.report("cannot remove", target, vfs.unlink(&to).map_err(file_error));
        }
        let copied = vfs.copy(&from, &to).and_then(|_| vfs.chmod(&to, self.mode));
        if let Err(error) = copied {
            self.report("cannot create regular file", target, Err(file_error(error)));
            return Ok(());
        }
        if self.parsed.has("preserve-timestamps") {
            let times = Times {
                accessed: SetTime::At(meta.accessed),
                modified: SetTime::At(meta.modified),
            };
            let set = vfs.set_times(&to, times, true).map_err(file_error);
            self.report("cannot set timestamps for", target, set);
        }
        if self.parsed.has("verbose") {
            let line = format!("{} -> {}\n", quote(source), quote(target));
            self.process.stdout().write_all(line.as_bytes())?;
        }
        Ok(())
    }

    fn report(&mut self, what: &str, name: &[u8], done: io::Result<()>) {
        if let Err(error) = done {
            let text = format!("{what} {}: {}", quote(name), error_text(&error));
            self.process.complain(text);
            self.has_failed = true;
        }
    }
}
