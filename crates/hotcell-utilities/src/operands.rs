//! Going through the files that were named.

use std::io;

use bstr::{BString, ByteVec};
use hotcell_process::{Input, Process, error_text, limit_error};
use hotcell_vfs::Errno;

use crate::{lines::Lines, quote};

/// Does something with each file, or with standard input if none is named. A file that cannot be read is reported as GNU
/// tools report it, and the others go on. Returns the exit code.
pub(crate) fn each_input(
    process: &Process,
    operands: &[BString],
    work: impl FnMut(&BString, Input<'_>) -> io::Result<()>,
) -> i32 {
    each_input_or(process, operands, complain_of, work)
}

/// As [`each_input`], with other words for a file that cannot be read.
pub(crate) fn each_input_or(
    process: &Process,
    operands: &[BString],
    complain: fn(&Process, &[u8], &io::Error),
    mut work: impl FnMut(&BString, Input<'_>) -> io::Result<()>,
) -> i32 {
    let stdin = [BString::from("-")];
    let operands = if operands.is_empty() {
        &stdin
    } else {
        operands
    };
    let mut code = 0;
    for operand in operands {
        let done = process
            .open_input(operand)
            .and_then(|input| work(operand, input));
        if let Err(error) = done {
            complain(process, operand, &error);
            code = 1;
        }
    }
    code
}

/// `NAME: cannot open 'FILE' for reading: No such file or directory`.
pub(crate) fn complain_of_opening(process: &Process, file: &[u8], error: &io::Error) {
    let quoted = quote::quote(file);
    let text = if error.raw_os_error() == Some(Errno::EISDIR.code()) {
        [b"error reading ", quoted.as_slice(), b": Is a directory"].concat()
    } else {
        [
            b"cannot open ",
            quoted.as_slice(),
            b" for reading: ",
            error_text(error).as_bytes(),
        ]
        .concat()
    };
    process.complain(text);
}

/// `NAME: cannot open FILE: No such file or directory`, as the tools of util-linux say it.
pub(crate) fn complain_of_opening_shortly(process: &Process, file: &[u8], error: &io::Error) {
    process.complain([b"cannot open ", file, b": ", error_text(error).as_bytes()].concat());
}

/// `NAME: FILE: No such file or directory`.
pub(crate) fn complain_of(process: &Process, file: &[u8], error: &io::Error) {
    let mut text = quote::name(file);
    text.push_str(": ");
    text.push_str(error_text(error));
    process.complain(text);
}

/// The names in a file that `--files0-from` was given: each ends with NUL.
pub(crate) fn names_from(process: &Process, list: &[u8]) -> io::Result<Vec<BString>> {
    let mut lines = Lines::ending_with(process, process.open_input(list)?, 0)?;
    let mut names = Vec::new();
    let mut charge = process.charge(0)?;
    while let Some(line) = lines.next_line()? {
        let name = line.strip_suffix(b"\0").unwrap_or(line);
        charge
            .grow(name.len() + size_of::<BString>())
            .map_err(limit_error)?;
        names.push(name.into());
    }
    Ok(names)
}
