//! `readlink` and `realpath`.

use std::io::{self, Write};

use bstr::{BString, ByteSlice};
use hotcell_process::{Process, error_text, file_error};
use hotcell_vfs::{Errno, VfsError, VfsPath, VfsPathBuf};

use super::relative_path;
use crate::{Opt, Parsed, Usage, Utility};

pub(crate) const READLINK: Utility = Utility {
    usage: &READLINK_USAGE,
    main: readlink,
};
pub(crate) const REALPATH: Utility = Utility {
    usage: &REALPATH_USAGE,
    main: realpath,
};

const READLINK_USAGE: Usage = Usage {
    name: "readlink",
    synopsis: "[OPTION]... FILE...",
    summary: "Print value of a symbolic link or canonical file name.",
    options: &[
        Opt::flag(
            'f',
            "canonicalize",
            "canonicalize by following every symlink in every\ncomponent of the given name recursively;\nall but the last component must exist",
        ),
        Opt::flag(
            'e',
            "canonicalize-existing",
            "canonicalize, all components must exist",
        ),
        Opt::flag(
            'm',
            "canonicalize-missing",
            "canonicalize, without requirements on components existence",
        ),
        Opt::flag('n', "no-newline", "do not output the trailing delimiter"),
        Opt::flag('q', "quiet", "suppress most error messages (on by default)"),
        Opt::flag('s', "silent", "same as -q"),
        Opt::flag('v', "verbose", "report error messages"),
        Opt::flag('z', "zero", "end each output line with NUL, not newline"),
    ],
    ..Usage::DEFAULT
};

const REALPATH_USAGE: Usage = Usage {
    name: "realpath",
    synopsis: "[OPTION]... FILE...",
    summary: "Print the resolved absolute file name; all but the last component must exist.",
    options: &[
        Opt::flag(
            'e',
            "canonicalize-existing",
            "all components of the path must exist",
        ),
        Opt::flag(
            'm',
            "canonicalize-missing",
            "no path components need exist or be a directory",
        ),
        Opt::flag('L', "logical", "resolve '..' components before symlinks"),
        Opt::flag('P', "physical", "resolve symlinks as encountered (default)"),
        Opt::flag('q', "quiet", "suppress most error messages"),
        Opt::value(
            '\0',
            "relative-to",
            "DIR",
            "print the resolved path relative to DIR",
        ),
        Opt::value(
            '\0',
            "relative-base",
            "DIR",
            "print absolute paths unless paths below DIR",
        ),
        Opt::flag('s', "strip", "don't expand symlinks"),
        Opt::flag('\0', "no-symlinks", "same as --strip"),
        Opt::flag('z', "zero", "end each output line with NUL, not newline"),
    ],
    ..Usage::DEFAULT
};

/// What has to exist.
#[derive(Clone, Copy, PartialEq)]
enum Existing {
    All,
    AllButLast,
    Nothing,
}

fn readlink(process: &Process) -> io::Result<i32> {
    let parsed = READLINK_USAGE.parse(process);
    if parsed.operands.is_empty() {
        READLINK_USAGE.fail(process, "missing operand");
    }
    let existing = match parsed.last_of(&[
        "canonicalize",
        "canonicalize-existing",
        "canonicalize-missing",
    ]) {
        Some("canonicalize") => Some(Existing::AllButLast),
        Some("canonicalize-existing") => Some(Existing::All),
        Some(_) => Some(Existing::Nothing),
        None => None,
    };
    let end: &[u8] = match (
        parsed.has("no-newline") && parsed.operands.len() == 1,
        parsed.has("zero"),
    ) {
        (true, _) => b"",
        (false, true) => b"\0",
        (false, false) => b"\n",
    };
    let mut out = process.stdout();
    let mut code = 0;
    for name in &parsed.operands {
        let path = process.resolve(name);
        let found = match existing {
            Some(existing) => canonical(process, &path, existing),
            None => process.vfs().readlink(&path),
        };
        match found {
            Ok(found) => {
                out.write_all(found.as_bytes())?;
                out.write_all(end)?;
            }
            Err(error) => {
                code = 1;
                if parsed.last_of(&["quiet", "silent", "verbose"]) == Some("verbose") {
                    let error = file_error(error);
                    process
                        .complain([name.as_slice(), b": ", error_text(&error).as_bytes()].concat());
                }
            }
        }
    }
    out.flush()?;
    Ok(code)
}

fn realpath(process: &Process) -> io::Result<i32> {
    let parsed = REALPATH_USAGE.parse(process);
    if parsed.operands.is_empty() {
        REALPATH_USAGE.fail(process, "missing operand");
    }
    let existing = match parsed.last_of(&["canonicalize-existing", "canonicalize-missing"]) {
        Some("canonicalize-existing") => Existing::All,
        Some(_) => Existing::Nothing,
        None => Existing::AllButLast,
    };
    let folder = |option: &str| {
        let name = parsed.value(option)?;
        match resolve(
            process,
            &parsed,
            name,
            if existing == Existing::Nothing {
                existing
            } else {
                Existing::All
            },
        ) {
            Ok(path) => Some(path),
            Err(error) => {
                let error = file_error(error);
                process.complain([name.as_bytes(), b": ", error_text(&error).as_bytes()].concat());
                process.exit(1)
            }
        }
    };
    let base = folder("relative-base");
    let to = folder("relative-to").or_else(|| base.clone());
    // A base that does not contain the other is as good as none.
    let to = to.filter(|to| base.as_ref().is_none_or(|base| to.starts_with(base)));
    let mut out = process.stdout();
    let mut code = 0;
    for name in &parsed.operands {
        match resolve(process, &parsed, name, existing) {
            Ok(path) => {
                let is_relative =
                    to.is_some() && base.as_ref().is_none_or(|base| path.starts_with(base));
                let shown = match to.as_ref().filter(|_| is_relative) {
                    Some(to) => relative_path(to, &path),
                    None => BString::from(path.into_bytes()),
                };
                out.write_all(&shown)?;
                out.write_all(if parsed.has("zero") { b"\0" } else { b"\n" })?;
            }
            Err(error) => {
                code = 1;
                if !parsed.has("quiet") {
                    let error = file_error(error);
                    process
                        .complain([name.as_slice(), b": ", error_text(&error).as_bytes()].concat());
                }
            }
        }
    }
    out.flush()?;
    Ok(code)
}

fn resolve(
    process: &Process,
    parsed: &Parsed,
    name: &[u8],
    existing: Existing,
) -> Result<VfsPathBuf, VfsError> {
    if name.is_empty() {
        return Err(VfsError::new(Errno::ENOENT, "realpath", VfsPath::new("")));
    }
    let mut path = process.resolve(name);
    if parsed.has("strip") || parsed.has("no-symlinks") || parsed.has("logical") {
        path = path.normalize();
    }
    if parsed.has("strip") || parsed.has("no-symlinks") {
        if existing == Existing::All {
            process.vfs().lstat(&path)?;
        }
        return Ok(path);
    }
    canonical(process, &path, existing)
}

/// How many links are followed on one way.
const MOST_LINKS: usize = 40;

fn canonical(
    process: &Process,
    path: &VfsPath,
    existing: Existing,
) -> Result<VfsPathBuf, VfsError> {
    let vfs = process.vfs();
    match vfs.realpath(path) {
        Err(error) if error.errno() == Errno::ENOENT && existing == Existing::AllButLast => {
            // The last name may be missing, also behind a link.
            let mut path = path.to_owned();
            for _ in 0..MOST_LINKS {
                if let Ok(target) = vfs.readlink(&path) {
                    let folder = path
                        .parent()
                        .map_or_else(VfsPathBuf::root, ToOwned::to_owned);
                    path = folder.join(&target);
                    continue;
                }
                let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
                    break;
                };
                let folder = vfs.realpath(folder)?;
                return Ok(folder.join(name));
            }
            Err(error)
        }
        Err(_) if existing == Existing::Nothing => {
            let mut known = VfsPathBuf::root();
            for name in path.components() {
                process.spend(64);
                if name == b".." {
                    known.pop();
                    continue;
                }
                let next = known.join(name);
                known = vfs.realpath(&next).unwrap_or(next);
            }
            Ok(known)
        }
        found => found,
    }
}
