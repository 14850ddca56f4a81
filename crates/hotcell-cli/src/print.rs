//! Writing to standard output and error.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal as _, Write};

use hotcell::inspect::visible;

/// Writes a line. A reader that has had enough, such as `head`, ends the command without complaint.
pub(crate) fn line(text: impl Display) {
    check(writeln!(io::stdout().lock(), "{text}"));
}

/// Writes a line that a guest made: on a terminal, what would steer it is shown and not obeyed.
pub(crate) fn guest_line(text: &str) {
    if io::stdout().is_terminal() {
        line(visible(text));
    } else {
        line(text);
    }
}

/// As [`guest_line`], to standard error.
pub(crate) fn guest_error_line(text: &str) {
    if io::stderr().is_terminal() {
        error_line(visible(text));
    } else {
        error_line(text);
    }
}

/// A guest's text within one of ours, for standard error.
pub(crate) fn for_stderr(text: &str) -> Cow<'_, str> {
    if io::stderr().is_terminal() {
        visible(text)
    } else {
        Cow::Borrowed(text)
    }
}

/// As [`visible`], of bytes that need not be text.
pub(crate) fn visible_bytes(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.extend_from_slice(visible(chunk.valid()).as_bytes());
        for byte in chunk.invalid() {
            out.extend_from_slice(format!("\\x{byte:02x}").as_bytes());
        }
    }
    out
}

/// Writes text as it is.
pub(crate) fn text(text: impl Display) {
    let mut stdout = io::stdout().lock();
    check(write!(stdout, "{text}").and_then(|()| stdout.flush()));
}

/// Writes a line to standard error. If nobody is there to read it, nothing is lost.
pub(crate) fn error_line(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

fn check(written: io::Result<()>) {
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            error_line(format_args!("error: failed to write the output: {error}"));
            std::process::exit(i32::from(crate::exit::Exit::Usage.code()));
        }
    }
}
