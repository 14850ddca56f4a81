//! Asking before something is done.

use std::io::{Read, Write};

use hotcell_process::Process;

/// Asks, and takes an answer that begins with `y` for yes.
pub(crate) fn confirm(process: &Process, question: &[u8]) -> bool {
    let mut text = process.name().to_vec();
    text.extend_from_slice(b": ");
    text.extend_from_slice(question);
    text.push(b' ');
    let _ = process.stderr().write_all(&text);
    said_yes(process)
}

/// Reads a line, and takes it for yes if it begins with `y`.
pub(crate) fn said_yes(process: &Process) -> bool {
    let mut input = process.stdin();
    let mut first = None;
    let mut byte = [0];
    // One at a time: what follows the line is for the next question.
    while let Ok(1) = input.read(&mut byte) {
        let [byte] = byte;
        if byte == b'\n' {
            break;
        }
        first.get_or_insert(byte);
    }
    matches!(first, Some(b'y' | b'Y'))
}
