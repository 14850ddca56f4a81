//! `pathchk`.

use std::io;

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Process, errno, error_text};
use hotcell_vfs::Errno;

use crate::{
    Opt, Usage, Utility,
    quote::{self, quote},
};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "pathchk",
    synopsis: "[OPTION]... NAME...",
    summary: "Diagnose invalid or unportable file names.",
    options: &[
        Opt::flag('p', "", "check for most POSIX systems"),
        Opt::flag('P', "", "check for empty names and leading \"-\""),
        Opt::flag(
            '\0',
            "portability",
            "check for all POSIX systems (equivalent to -p -P)",
        ),
    ],
    ..Usage::DEFAULT
};

/// The longest path and the longest name that every POSIX system has, and what Linux has. A path counts its NUL.
const PORTABLE: (usize, usize) = (256, 14);
const LINUX: (usize, usize) = (4096, 255);

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    if parsed.operands.is_empty() {
        USAGE.fail(process, "missing operand");
    }
    let all = parsed.has("portability");
    let (basic, extra) = (parsed.has("p") || all, parsed.has("P") || all);
    let mut code = 0;
    for name in &parsed.operands {
        process.spend(name.len() + 16);
        if let Err(message) = check(process, name.as_bstr(), basic, extra) {
            process.complain(message);
            code = 1;
        }
    }
    Ok(code)
}

/// An error is GNU's message.
fn check(process: &Process, name: &BStr, basic: bool, extra: bool) -> Result<(), BString> {
    let components = || name.split(|byte| *byte == b'/');
    if extra && components().any(|component| component.starts_with(b"-")) {
        let quoted = quote(name);
        return Err(format!("leading '-' in a component of file name {quoted}").into());
    }
    if (basic || extra) && name.is_empty() {
        return Err("empty file name".into());
    }
    if basic {
        check_characters(name)?;
    } else if exists(process, name)? {
        return Ok(());
    }
    let (longest_path, longest_name) = if basic { PORTABLE } else { LINUX };
    if name.len() >= longest_path {
        return Err(format!(
            "limit {} exceeded by length {} of file name {}",
            longest_path - 1,
            name.len(),
            quote(name)
        )
        .into());
    }
    match components().find(|component| component.len() > longest_name) {
        None => Ok(()),
        Some(component) => Err(format!(
            "limit {longest_name} exceeded by length {} of file name component {}",
            component.len(),
            quote(component)
        )
        .into()),
    }
}

fn check_characters(name: &BStr) -> Result<(), BString> {
    let is_portable = |char: &char| char.is_ascii_alphanumeric() || "._-/".contains(*char);
    let foreign = name
        .char_indices()
        .find(|(_, _, char)| !is_portable(char))
        .and_then(|(start, end, _)| name.get(start..end));
    match foreign {
        None => Ok(()),
        Some(char) => Err(format!(
            "nonportable character {} in file name {}",
            quote(char),
            quote(name)
        )
        .into()),
    }
}

/// Whether there is such a file; an error if there can be none.
fn exists(process: &Process, name: &BStr) -> Result<bool, BString> {
    let named = |why: &str| BString::from(format!("{}: {why}", quote::name(name)));
    if name.is_empty() {
        return Err(named(&error_text(&errno(Errno::ENOENT))));
    }
    let (longest_path, longest_name) = LINUX;
    let mut components = name.split(|byte| *byte == b'/');
    if name.len() >= longest_path || components.any(|component| component.len() > longest_name) {
        return Err(named(&error_text(&errno(Errno::ENAMETOOLONG))));
    }
    match process.metadata(name, false) {
        Ok(_) => Ok(true),
        Err(error) if error.raw_os_error() == Some(Errno::ENOENT.code()) => Ok(false),
        Err(error) => Err(named(&error_text(&error))),
    }
}
