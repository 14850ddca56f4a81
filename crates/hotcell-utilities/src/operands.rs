//! Going through the files that were named.

use std::io::{self, Seek as _};

use bstr::{BString, ByteVec};
use hotcell_process::{Input, Process, Stream, error_text, limit_error};
use hotcell_vfs::{Errno, Metadata, OpenOptions};

use crate::{lines::Lines, list::room_of, quote};

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
            if process.has_write_failed() {
                // No other file would get any further.
                process.complain(process.describe(&error));
                return 1;
            }
            complain(process, operand, &error);
            code = 1;
        }
    }
    code
}

/// As [`each_input_or`], for the tools of util-linux, to which `-` is a name like any other. Returns how many files could not
/// be read.
pub(crate) fn each_file_or(
    process: &Process,
    operands: &[BString],
    complain: fn(&Process, &[u8], &io::Error),
    mut work: impl FnMut(&BString, Input<'_>) -> io::Result<()>,
) -> i32 {
    if operands.is_empty() {
        return each_input_or(process, operands, complain, work);
    }
    let mut failed = 0;
    for operand in operands {
        let done = process
            .open(operand, &OpenOptions::read())
            .and_then(|stream| work(operand, process.input(stream)));
        if let Err(error) = done {
            complain(process, operand, &error);
            failed += 1;
        }
    }
    failed
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

/// `NAME: cannot create fifo 'FILE': File exists`, with what cannot be done in `action`.
pub(crate) fn complain_that_cannot(
    process: &Process,
    action: &str,
    file: &[u8],
    error: &io::Error,
) {
    let text = [
        format!("cannot {action} ").as_bytes(),
        quote::quote(file).as_slice(),
        b": ",
        error_text(error).as_bytes(),
    ]
    .concat();
    process.complain(text);
}

/// `NAME: FILE: No such file or directory`.
pub(crate) fn complain_of(process: &Process, file: &[u8], error: &io::Error) {
    let mut text = quote::name(file);
    text.push_str(": ");
    text.push_str(error_text(error));
    process.complain(text);
}

/// Whether a file is what standard output goes to, and has more to be read: copying it there would never end.
pub(crate) fn is_output(process: &Process, input: &mut Input<'_>) -> bool {
    let stat = |stream: &dyn Stream| stream.metadata().ok().filter(Metadata::is_file);
    let Some(read) = stat(&**input.stream()) else {
        return false;
    };
    let written = process.descriptor(1).ok().and_then(|stream| stat(&*stream));
    written.is_some_and(|written| (written.dev, written.ino) == (read.dev, read.ino))
        && input
            .stream_position()
            .is_ok_and(|position| position < read.size)
}

/// The names in a file that `--files0-from` was given: each ends with NUL.
pub(crate) fn names_from(process: &Process, list: &[u8]) -> io::Result<Vec<BString>> {
    let mut lines = Lines::ending_with(process, process.open_input(list)?, 0)?;
    let mut names = Vec::new();
    let mut charge = process.charge(0)?;
    while let Some(line) = lines.next_line()? {
        let name = line.strip_suffix(b"\0").unwrap_or(line);
        charge.grow(room_of(name)).map_err(limit_error)?;
        names.push(name.into());
    }
    Ok(names)
}
