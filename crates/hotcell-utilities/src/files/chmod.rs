//! `chmod`.

use std::io::{self, Write};

use bstr::{BStr, BString, ByteSlice};
use hotcell_process::{Process, error_text, file_error};
use hotcell_vfs::Errno;

use super::mode::{ModeChange, show_bits};
use crate::{Opt, Parsed, Usage, Utility, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "chmod",
    synopsis: "[OPTION]... MODE[,MODE]... FILE...\n[OPTION]... OCTAL-MODE FILE...\n[OPTION]... --reference=RFILE FILE...",
    summary: "Change the mode of each FILE to MODE.",
    options: &[
        Opt::flag(
            'c',
            "changes",
            "like verbose but report only when a change is made",
        ),
        Opt::flag('f', "silent", "suppress most error messages"),
        Opt::flag('\0', "quiet", "same as --silent"),
        Opt::flag(
            'v',
            "verbose",
            "output a diagnostic for every file processed",
        ),
        Opt::flag(
            '\0',
            "no-preserve-root",
            "do not treat '/' specially (the default)",
        ),
        Opt::flag('\0', "preserve-root", "fail to operate recursively on '/'"),
        Opt::value(
            '\0',
            "reference",
            "RFILE",
            "use RFILE's mode instead of specifying MODE values",
        ),
        Opt::flag('R', "recursive", "change files and directories recursively"),
    ],
    notes: "Each MODE is of the form '[ugoa]*([-+=]([rwxXst]*|[ugo]))+|[-+=][0-7]+'.",
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let args = protect_modes(process.args().get(1..).unwrap_or_default());
    let parsed = USAGE.parse_args(process, &args);
    let mut operands = parsed.operands.iter();
    let change = if let Some(reference) = parsed.value("reference") {
        match process
            .vfs()
            .stat(&process.resolve(reference))
            .map_err(file_error)
        {
            Ok(meta) => ModeChange::Exact {
                mode: meta.mode & 0o7777,
                keeps_special: false,
            },
            Err(error) => {
                let text = [
                    b"failed to get attributes of ",
                    quote(reference).as_slice(),
                    b": ",
                    error_text(&error).as_bytes(),
                ]
                .concat();
                process.complain(text);
                return Ok(1);
            }
        }
    } else {
        let Some(text) = operands.next() else {
            USAGE.fail(process, "missing operand");
        };
        match ModeChange::parse(text) {
            Some(change) => change,
            None => USAGE.fail(
                process,
                [b"invalid mode: ", quote(text).as_slice()].concat(),
            ),
        }
    };
    if operands.as_slice().is_empty() {
        match parsed.operands.last() {
            Some(last) => USAGE.fail(
                process,
                [b"missing operand after ", quote(last).as_slice()].concat(),
            ),
            None => USAGE.fail(process, "missing operand"),
        }
    }
    let mut is_good = true;
    for name in operands {
        is_good &= change_tree(process, &parsed, &change, name);
    }
    Ok(i32::from(!is_good))
}

/// `chmod -x file`: a mode that looks like an option.
fn protect_modes(args: &[BString]) -> Vec<BString> {
    let is_mode = |arg: &BString| {
        arg.len() > 1
            && arg.starts_with(b"-")
            && arg
                .iter()
                .skip(1)
                .all(|byte| b"rwxXstugoa,+-=01234567".contains(byte))
    };
    let mut args = args.to_vec();
    if !args.iter().any(|arg| arg == "--")
        && let Some(at) = args.iter().position(is_mode)
    {
        // Behind `--`, with the options before it.
        let mode = args.remove(at);
        let (options, rest): (Vec<BString>, Vec<BString>) = args
            .into_iter()
            .partition(|arg| arg.len() > 1 && arg.starts_with(b"-"));
        args = [options, vec!["--".into(), mode], rest].concat();
    }
    args
}

fn change_tree(process: &Process, parsed: &Parsed, change: &ModeChange, name: &BString) -> bool {
    let mut is_good = true;
    let mut names = vec![name.clone()];
    while let Some(name) = names.pop() {
        process.spend(64);
        is_good &= change_one(process, parsed, change, name.as_bstr());
        let path = process.resolve(&name);
        let is_dir = process.vfs().lstat(&path).is_ok_and(|meta| meta.is_dir());
        if parsed.has("recursive") && is_dir {
            match process.vfs().readdir(&path).map_err(file_error) {
                Ok(entries) => {
                    let base = name.trim_end_with(|c| c == '/');
                    names.extend(
                        entries
                            .iter()
                            .rev()
                            .map(|entry| BString::from([base, b"/", &entry.name].concat())),
                    );
                }
                Err(error) => {
                    process.complain(
                        [
                            b"cannot read directory ",
                            quote(&name).as_slice(),
                            b": ",
                            error_text(&error).as_bytes(),
                        ]
                        .concat(),
                    );
                    is_good = false;
                }
            }
        }
    }
    is_good
}

fn change_one(process: &Process, parsed: &Parsed, change: &ModeChange, name: &BStr) -> bool {
    let path = process.resolve(name);
    let is_silent = parsed.has("silent") || parsed.has("quiet");
    if parsed.has("recursive")
        && process
            .vfs()
            .lstat(&path)
            .is_ok_and(|meta| meta.is_symlink())
    {
        return true;
    }
    let meta = match process.vfs().stat(&path).map_err(file_error) {
        Ok(meta) => meta,
        Err(error) => {
            let is_link = process.vfs().lstat(&path).is_ok();
            let quoted = quote(name);
            let text = if is_link && error.raw_os_error() == Some(Errno::ENOENT.code()) {
                [b"cannot operate on dangling symlink ", quoted.as_slice()].concat()
            } else {
                let why = error_text(&error);
                [b"cannot access ", quoted.as_slice(), b": ", why.as_bytes()].concat()
            };
            if !is_silent {
                process.complain(text);
            }
            return false;
        }
    };
    let (old, new) = (
        meta.mode & 0o7777,
        change.apply(meta.mode, meta.is_dir(), process.umask()),
    );
    if let Err(error) = process.vfs().chmod(&path, new).map_err(file_error) {
        if !is_silent {
            process.complain(
                [
                    b"changing permissions of ",
                    quote(name).as_slice(),
                    b": ",
                    error_text(&error).as_bytes(),
                ]
                .concat(),
            );
        }
        return false;
    }
    let says = parsed.has("verbose") || parsed.has("changes") && old != new;
    if says {
        let (old_text, new_text) = (show_bits(old), show_bits(new));
        let line = if old == new {
            format!(
                "mode of {} retained as {old:04o} ({old_text})\n",
                quote(name)
            )
        } else {
            format!(
                "mode of {} changed from {old:04o} ({old_text}) to {new:04o} ({new_text})\n",
                quote(name)
            )
        };
        let _ = process.stdout().write_all(line.as_bytes());
    }
    true
}
