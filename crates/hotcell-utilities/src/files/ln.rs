//! `ln`.

use std::io::{self, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Process, error_text, file_error};
use hotcell_vfs::{VfsPath, VfsPathBuf};

use super::{
    prompt::confirm,
    targets::{Backup, Targets},
};
use crate::{Opt, Usage, Utility, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "ln",
    synopsis: "[OPTION]... [-T] TARGET LINK_NAME\n[OPTION]... TARGET\n[OPTION]... TARGET... DIRECTORY\n[OPTION]... -t DIRECTORY TARGET...",
    summary: "Create hard links by default, symbolic links with --symbolic.",
    options: &[
        Opt::optional(
            '\0',
            "backup",
            "CONTROL",
            "make a backup of each existing destination file",
        ),
        Opt::flag('b', "", "like --backup but does not accept an argument"),
        Opt::flag('f', "force", "remove existing destination files"),
        Opt::flag('i', "interactive", "prompt whether to remove destinations"),
        Opt::flag(
            'L',
            "logical",
            "dereference TARGETs that are symbolic links",
        ),
        Opt::flag(
            'n',
            "no-dereference",
            "treat LINK_NAME as a normal file if\nit is a symbolic link to a directory",
        ),
        Opt::flag(
            'P',
            "physical",
            "make hard links directly to symbolic links",
        ),
        Opt::flag(
            'r',
            "relative",
            "with -s, create links relative to link location",
        ),
        Opt::flag('s', "symbolic", "make symbolic links instead of hard links"),
        Opt::value('S', "suffix", "SUFFIX", "override the usual backup suffix"),
        Opt::value(
            't',
            "target-directory",
            "DIRECTORY",
            "specify the DIRECTORY in which to create the links",
        ),
        Opt::flag(
            'T',
            "no-target-directory",
            "treat LINK_NAME as a normal file always",
        ),
        Opt::flag('v', "verbose", "print name of each linked file"),
    ],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let mut operands = parsed.operands.clone();
    if let ([_], None, false) = (
        operands.as_slice(),
        parsed.value("target-directory"),
        parsed.has("no-target-directory"),
    ) {
        operands.push(".".into());
    }
    let follows = !parsed.has("no-dereference");
    let targets = Targets::from_options(process, &USAGE, &parsed, operands, follows);
    let backup = Backup::from_options(process, &USAGE, &parsed);
    if parsed.has("relative") && !parsed.has("symbolic") {
        process.complain("cannot do --relative without --symbolic");
        return Ok(1);
    }
    let mut code = 0;
    for (target, link) in targets.pairs() {
        let made = link_one(process, &parsed, &backup, target.as_bstr(), link.as_bstr());
        if let Err(error) = made {
            let kind = if parsed.has("symbolic") {
                "symbolic"
            } else {
                "hard"
            };
            let mut text = format!("failed to create {kind} link ").into_bytes();
            text.extend_from_slice(&quote(&link));
            if !parsed.has("symbolic") && error.kind() != io::ErrorKind::AlreadyExists {
                text.extend_from_slice(b" => ");
                text.extend_from_slice(&quote(&target));
            }
            if error.raw_os_error() == Some(2)
                && !parsed.has("symbolic")
                && process.vfs().lstat(&process.resolve(&target)).is_err()
            {
                text = [b"failed to access ", quote(&target).as_slice()].concat();
            }
            process.complain([text.as_slice(), b": ", error_text(&error).as_bytes()].concat());
            code = 1;
        }
    }
    Ok(code)
}

fn link_one(
    process: &Process,
    parsed: &crate::Parsed,
    backup: &Backup,
    target: &BStr,
    link: &BStr,
) -> io::Result<()> {
    let vfs = process.vfs();
    let path = process.resolve(link);
    if !parsed.has("symbolic")
        && vfs
            .lstat(&process.resolve(target))
            .is_ok_and(|meta| meta.is_dir())
    {
        process.complain([target.as_bytes(), b": hard link not allowed for directory"].concat());
        process.exit(1);
    }
    if vfs.lstat(&path).is_ok() {
        match parsed.last_of(&["force", "interactive"]) {
            Some("interactive") => {
                let question = [b"replace ", quote(link).as_slice(), b"?"].concat();
                if !confirm(process, &question) {
                    return Ok(());
                }
            }
            Some(_) => {}
            None if !backup.is_wanted() => return Err(io::Error::from_raw_os_error(17)),
            None => {}
        }
        if !backup.make(process, link)? {
            vfs.unlink(&path).map_err(file_error)?;
        }
    }
    let shown: BString;
    if parsed.has("symbolic") {
        let text = if parsed.has("relative") {
            relative(process, target, link)
        } else {
            target.into()
        };
        vfs.symlink(VfsPath::new(&text), &path)
            .map_err(file_error)?;
        shown = text;
    } else {
        let mut existing = process.resolve(target);
        if parsed.last_of(&["logical", "physical"]) == Some("logical") {
            existing = vfs.realpath(&existing).map_err(file_error)?;
        }
        vfs.link(&existing, &path).map_err(file_error)?;
        shown = target.into();
    }
    if parsed.has("verbose") {
        let arrow: &[u8] = if parsed.has("symbolic") {
            b" -> "
        } else {
            b" => "
        };
        let line = [
            quote(link).as_slice(),
            arrow,
            quote(&shown).as_slice(),
            b"\n",
        ]
        .concat();
        process.stdout().write_all(&line)?;
    }
    Ok(())
}

/// The way from the link to its target.
fn relative(process: &Process, target: &BStr, link: &BStr) -> BString {
    let real = |path: VfsPathBuf| {
        process
            .vfs()
            .realpath(&path)
            .unwrap_or_else(|_| path.normalize())
    };
    let to = real(process.resolve(target));
    let link = process.resolve(link);
    let from = real(
        link.parent()
            .map_or_else(VfsPathBuf::root, ToOwned::to_owned),
    );
    super::relative_path(&from, &to)
}
