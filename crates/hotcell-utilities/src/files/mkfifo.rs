//! `mkfifo` and `mknod`, of which only named pipes can be had here.

use std::io;

use bstr::{BStr, ByteSlice};
use hotcell_process::{Process, error_text, file_error};
use hotcell_vfs::Errno;

use super::mode::ModeChange;
use crate::{Opt, Parsed, Usage, Utility, operands::complain_that_cannot, quote::quote};

pub(crate) const MKFIFO: Utility = Utility {
    usage: &USAGE,
    main,
};

pub(crate) const MKNOD: Utility = Utility {
    usage: &NODE_USAGE,
    main: make_node,
};

const MODE: Opt = Opt::value(
    'm',
    "mode",
    "MODE",
    "set file permission bits to MODE, not a=rw - umask",
);

const USAGE: Usage = Usage {
    name: "mkfifo",
    synopsis: "[OPTION]... NAME...",
    summary: "Create named pipes (FIFOs) with the given NAMEs.",
    options: &[MODE],
    ..Usage::DEFAULT
};

const NODE_USAGE: Usage = Usage {
    name: "mknod",
    synopsis: "[OPTION]... NAME TYPE [MAJOR MINOR]",
    summary: "Create the special file NAME of the given TYPE.",
    options: &[MODE],
    notes: "TYPE p is a named pipe. Devices (b, c, u) are not made here.",
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    if parsed.operands.is_empty() {
        USAGE.fail(process, "missing operand");
    }
    let mode = mode(process, &parsed);
    let mut code = 0;
    for name in &parsed.operands {
        if let Err(error) = make(process, name.as_bstr(), mode) {
            complain_that_cannot(process, "create fifo", name, &error);
            code = 1;
        }
    }
    Ok(code)
}

fn make_node(process: &Process) -> io::Result<i32> {
    let parsed = NODE_USAGE.parse(process);
    let mode = mode(process, &parsed);
    let operands: Vec<&[u8]> = parsed.operands.iter().map(|name| name.as_slice()).collect();
    let is_pipe = operands.get(1).is_some_and(|kind| kind.starts_with(b"p"));
    let wanted = if is_pipe { 2 } else { 4 };
    let pipe_note = "Fifos do not have major and minor device numbers.";
    match operands.as_slice() {
        [] => NODE_USAGE.fail(process, "missing operand"),
        [first @ .., last] if first.len() + 1 < wanted => {
            let text = [b"missing operand after ", quote(last).as_slice()].concat();
            if operands.len() == 2 {
                process.complain(text);
                let note = "Special files require major and minor device numbers.";
                fail_with_note(process, note)
            }
            NODE_USAGE.fail(process, text)
        }
        all if all.len() > wanted => {
            let extra = all.get(wanted).copied().unwrap_or_default();
            let text = [b"extra operand ", quote(extra).as_slice()].concat();
            if is_pipe && all.len() == 4 {
                process.complain(text);
                fail_with_note(process, pipe_note)
            }
            NODE_USAGE.fail(process, text)
        }
        [name, b"p"] => {
            if let Err(error) = make(process, name.as_bstr(), mode) {
                let text = [quote(name).as_slice(), b": ", error_text(&error).as_bytes()].concat();
                process.complain(text);
                return Ok(1);
            }
            Ok(0)
        }
        [name, b"b" | b"c" | b"u", ..] => {
            let refused = io::Error::from_raw_os_error(Errno::EPERM.code());
            let text = [
                quote(name).as_slice(),
                b": ",
                error_text(&refused).as_bytes(),
            ]
            .concat();
            process.complain(text);
            Ok(1)
        }
        [_, kind, ..] => NODE_USAGE.fail(
            process,
            [b"invalid device type ", quote(kind).as_slice()].concat(),
        ),
        [_] => NODE_USAGE.fail(process, "missing operand"),
    }
}

/// What a number of operands means, and where to read more.
fn fail_with_note(process: &Process, note: &str) -> ! {
    use io::Write as _;
    let _ = writeln!(
        process.stderr(),
        "{note}\nTry 'mknod --help' for more information."
    );
    process.exit(1)
}

/// The permission bits that pipes get.
fn mode(process: &Process, parsed: &Parsed) -> u32 {
    let Some(text) = parsed.value("mode") else {
        return 0o666 & !process.umask();
    };
    let mode = ModeChange::parse(text).map(|change| change.apply(0o666, false, process.umask()));
    let Some(mode) = mode else {
        process.complain("invalid mode");
        process.exit(1)
    };
    if mode & !0o777 != 0 {
        process.complain("mode must specify only file permission bits");
        process.exit(1);
    }
    mode
}

fn make(process: &Process, name: &BStr, mode: u32) -> io::Result<()> {
    if name.is_empty() {
        return Err(io::Error::from_raw_os_error(Errno::ENOENT.code()));
    }
    let made = process.vfs().mkfifo(&process.resolve(name), mode);
    made.map_err(file_error)
}
