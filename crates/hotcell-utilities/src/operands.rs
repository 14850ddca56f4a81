//! Going through the files that were named.

use std::io;

use bstr::{BString, ByteVec};
use hotcell_process::{Input, Process, error_text};

use crate::quote;

/// Does something with each file, or with standard input if none is named. A file that cannot be read is reported as GNU
/// tools report it, and the others go on. Returns the exit code.
pub(crate) fn each_input(
    process: &Process,
    operands: &[BString],
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
            complain_of(process, operand, &error);
            code = 1;
        }
    }
    code
}

/// `NAME: FILE: No such file or directory`.
pub(crate) fn complain_of(process: &Process, file: &[u8], error: &io::Error) {
    let mut text = quote::name(file);
    text.push_str(": ");
    text.push_str(error_text(error));
    process.complain(text);
}
