//! `rmdir`.

use std::io::{self, Write};

use bstr::BStr;
use hotcell_process::{Process, error_text, file_error};
use hotcell_vfs::VfsPath;

use crate::{Opt, Parsed, Usage, Utility, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "rmdir",
    synopsis: "[OPTION]... DIRECTORY...",
    summary: "Remove the DIRECTORY(ies), if they are empty.",
    options: &[
        Opt::flag(
            '\0',
            "ignore-fail-on-non-empty",
            "ignore each failure to remove a non-empty directory",
        ),
        Opt::flag(
            'p',
            "parents",
            "remove DIRECTORY and its ancestors;\ne.g., 'rmdir -p a/b' is similar to 'rmdir a/b a'",
        ),
        Opt::flag(
            'v',
            "verbose",
            "output a diagnostic for every directory processed",
        ),
    ],
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    if parsed.operands.is_empty() {
        USAGE.fail(process, "missing operand");
    }
    let mut code = 0;
    for name in &parsed.operands {
        let mut path = Some(VfsPath::new(name));
        while let Some(now) = path.filter(|path| !path.is_empty() && path.as_bytes() != b"/") {
            if !remove(
                process,
                &parsed,
                BStr::new(now.as_bytes()),
                now.as_bytes().len() == name.len(),
            ) {
                code = 1;
                break;
            }
            path = if parsed.has("parents") {
                now.parent()
            } else {
                None
            };
        }
    }
    Ok(code)
}

/// False if that failed.
fn remove(process: &Process, parsed: &Parsed, name: &BStr, is_operand: bool) -> bool {
    if parsed.has("verbose") {
        let line = [
            b"rmdir: removing directory, ",
            quote(name).as_slice(),
            b"\n",
        ]
        .concat();
        let _ = process.stdout().write_all(&line);
    }
    let Err(error) = process
        .vfs()
        .rmdir(&process.resolve(name))
        .map_err(file_error)
    else {
        return true;
    };
    let is_full = error.raw_os_error() == Some(hotcell_vfs::Errno::ENOTEMPTY.code());
    if is_full && parsed.has("ignore-fail-on-non-empty") {
        return true;
    }
    let what: &[u8] = if is_operand {
        b"failed to remove "
    } else {
        b"failed to remove directory "
    };
    process.complain(
        [
            what,
            quote(name).as_slice(),
            b": ",
            error_text(&error).as_bytes(),
        ]
        .concat(),
    );
    false
}
