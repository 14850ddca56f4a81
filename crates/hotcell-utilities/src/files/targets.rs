//! Where `cp`, `mv`, `ln` and `install` put things: the last operand, or a directory.

use std::io;

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Process, file_error};

use crate::{Parsed, Usage, quote::quote};

/// Sources, and where they go.
pub(super) struct Targets {
    sources: Vec<BString>,
    destination: BString,
    /// The destination is a directory that the sources go into.
    pub(super) is_directory: bool,
}

impl Targets {
    /// From `-t`, `-T` and the operands. What does not fit is told, and ends the process.
    pub(super) fn from_options(
        process: &Process,
        usage: &Usage,
        parsed: &Parsed,
        operands: Vec<BString>,
        follows: bool,
    ) -> Self {
        let is_dir = |name: &BStr| {
            let path = process.resolve(name);
            let meta = if follows {
                process.vfs().stat(&path)
            } else {
                process.vfs().lstat(&path)
            };
            meta.is_ok_and(|meta| meta.is_dir())
        };
        let mut sources = operands;
        if sources.is_empty() {
            usage.fail(process, "missing file operand");
        }
        if let Some(directory) = parsed.value("target-directory") {
            if parsed.has("no-target-directory") {
                process.complain(
                    "cannot combine --target-directory (-t) and --no-target-directory (-T)",
                );
                process.exit(1);
            }
            if !is_dir(directory) {
                let exists = process.vfs().stat(&process.resolve(directory)).is_ok();
                let why: &[u8] = if exists {
                    b": Not a directory"
                } else {
                    b": No such file or directory"
                };
                process.complain([b"target directory ", quote(directory).as_slice(), why].concat());
                process.exit(1);
            }
            return Self {
                sources,
                destination: directory.into(),
                is_directory: true,
            };
        }
        let destination = sources.pop().unwrap_or_default();
        if sources.is_empty() {
            usage.fail(
                process,
                [
                    b"missing destination file operand after ",
                    quote(&destination).as_slice(),
                ]
                .concat(),
            );
        }
        if parsed.has("no-target-directory") {
            if let Some(extra) = sources.get(1) {
                let _ = extra;
                usage.fail(
                    process,
                    [b"extra operand ", quote(&destination).as_slice()].concat(),
                );
            }
            return Self {
                sources,
                destination,
                is_directory: false,
            };
        }
        let is_directory = is_dir(destination.as_bstr());
        if !is_directory && sources.len() > 1 {
            let exists = process.vfs().stat(&process.resolve(&destination)).is_ok();
            let why: &[u8] = if exists {
                b": Not a directory"
            } else {
                b": No such file or directory"
            };
            process.complain([b"target ", quote(&destination).as_slice(), why].concat());
            process.exit(1);
        }
        Self {
            sources,
            destination,
            is_directory,
        }
    }

    /// Each source with the name it gets.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (BString, BString)> {
        self.sources.iter().map(|source| {
            let name = if self.is_directory {
                self.inside(source)
            } else {
                self.destination.clone()
            };
            (source.clone(), name)
        })
    }

    fn inside(&self, source: &BString) -> BString {
        let trimmed = source.trim_end_with(|c| c == '/');
        let name = trimmed.rsplit_str("/").next().unwrap_or(trimmed);
        let separator: &[u8] = if self.destination.ends_with(b"/") {
            b""
        } else {
            b"/"
        };
        [self.destination.as_slice(), separator, name]
            .concat()
            .into()
    }
}

/// What becomes of a file that is in the way.
pub(super) struct Backup {
    kind: Kind,
    suffix: BString,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    None,
    Simple,
    Numbered,
    Existing,
}

impl Backup {
    pub(super) fn from_options(process: &Process, usage: &Usage, parsed: &Parsed) -> Self {
        let control = parsed
            .value("backup")
            .map(BString::from)
            .or_else(|| process.env("VERSION_CONTROL"));
        let kind = if !parsed.has("backup") && !parsed.has("b") && !parsed.has("suffix") {
            Kind::None
        } else {
            match control.as_ref().map(|control| control.as_slice()) {
                Some(b"none" | b"off") => Kind::None,
                Some(b"numbered" | b"t") => Kind::Numbered,
                Some(b"simple" | b"never") => Kind::Simple,
                Some(b"existing" | b"nil") | None => Kind::Existing,
                Some(other) => usage.fail(
                    process,
                    [
                        b"invalid argument ",
                        quote(other).as_slice(),
                        b" for 'backup type'",
                    ]
                    .concat(),
                ),
            }
        };
        let suffix = parsed
            .value("suffix")
            .map(BString::from)
            .or_else(|| process.env("SIMPLE_BACKUP_SUFFIX"));
        Self {
            kind,
            suffix: suffix.unwrap_or_else(|| "~".into()),
        }
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.kind != Kind::None
    }

    /// Moves a file out of the way; false if it is to be left where it is.
    pub(super) fn make(&self, process: &Process, name: &BStr) -> io::Result<bool> {
        if self.kind == Kind::None {
            return Ok(false);
        }
        let highest = || {
            let path = process.resolve(name);
            let folder = path.parent()?;
            let prefix = [path.file_name()?, b".~"].concat();
            let entries = process.vfs().readdir(folder).ok()?;
            let numbers = entries.iter().filter_map(|entry| {
                let digits = entry
                    .name
                    .strip_prefix(prefix.as_slice())?
                    .strip_suffix(b"~")?;
                digits.to_str().ok()?.parse::<u64>().ok()
            });
            numbers.max()
        };
        let number = match self.kind {
            Kind::Numbered => Some(highest().unwrap_or(0) + 1),
            Kind::Existing => highest().map(|highest| highest + 1),
            _ => None,
        };
        let backup = match number {
            Some(number) => [name.as_bytes(), format!(".~{number}~").as_bytes()].concat(),
            None => [name.as_bytes(), &self.suffix].concat(),
        };
        process
            .vfs()
            .rename(&process.resolve(name), &process.resolve(&backup))
            .map_err(file_error)?;
        Ok(true)
    }
}

impl Backup {
    /// Files in the way are replaced.
    pub(super) fn none() -> Self {
        Self {
            kind: Kind::None,
            suffix: BString::default(),
        }
    }
}
