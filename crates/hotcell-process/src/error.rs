//! Errors as programs print them.

use std::io;

use hotcell_meter::OverLimit;
use hotcell_vfs::{Errno, VfsError};

/// What every tool of a Unix prints for an error code. [`Errno::message`] explains; this is the wording that scripts and
/// people know from GNU tools.
fn strerror(code: i32) -> Option<&'static str> {
    Some(match code {
        1 => "Operation not permitted",
        2 => "No such file or directory",
        3 => "No such process",
        4 => "Interrupted system call",
        5 => "Input/output error",
        6 => "No such device or address",
        7 => "Argument list too long",
        8 => "Exec format error",
        9 => "Bad file descriptor",
        10 => "No child processes",
        11 => "Resource temporarily unavailable",
        12 => "Cannot allocate memory",
        13 => "Permission denied",
        16 => "Device or resource busy",
        17 => "File exists",
        18 => "Invalid cross-device link",
        19 => "No such device",
        20 => "Not a directory",
        21 => "Is a directory",
        22 => "Invalid argument",
        23 => "Too many open files in system",
        24 => "Too many open files",
        25 => "Inappropriate ioctl for device",
        26 => "Text file busy",
        27 => "File too large",
        28 => "No space left on device",
        29 => "Illegal seek",
        30 => "Read-only file system",
        31 => "Too many links",
        32 => "Broken pipe",
        33 => "Numerical argument out of domain",
        34 => "Numerical result out of range",
        36 => "File name too long",
        38 => "Function not implemented",
        39 => "Directory not empty",
        40 => "Too many levels of symbolic links",
        75 => "Value too large for defined data type",
        84 => "Invalid or incomplete multibyte or wide character",
        95 => "Operation not supported",
        101 => "Network is unreachable",
        103 => "Software caused connection abort",
        104 => "Connection reset by peer",
        110 => "Connection timed out",
        111 => "Connection refused",
        113 => "No route to host",
        116 => "Stale file handle",
        122 => "Disk quota exceeded",
        125 => "Operation canceled",
        _ => return None,
    })
}

/// An error as GNU tools end their messages with it: `No such file or directory`.
pub fn error_text(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(code) => strerror(code).map_or_else(|| format!("Unknown error {code}"), str::to_owned),
        None => error.to_string(),
    }
}

/// The error of a file system, for code that speaks `std::io`.
///
/// A limit of the sandbox keeps its own words: who reads "No space left on device" should learn which limit it was.
#[expect(clippy::needless_pass_by_value, reason = "made for map_err")]
pub fn file_error(error: VfsError) -> io::Error {
    let code = error.errno().code();
    match error.detail() {
        Some(detail) if matches!(error.errno(), Errno::ENOSPC | Errno::EDQUOT | Errno::EFBIG) => {
            let text = strerror(code).unwrap_or("No space left on device");
            io::Error::new(io::ErrorKind::StorageFull, format!("{text} ({detail})"))
        }
        Some(detail) if error.errno() == Errno::EMLINK => {
            let text = strerror(code).unwrap_or("Too many links");
            io::Error::new(io::ErrorKind::TooManyLinks, format!("{text} ({detail})"))
        }
        _ => io::Error::from_raw_os_error(code),
    }
}

/// An error with the meaning of this code.
pub fn errno(errno: Errno) -> io::Error {
    io::Error::from_raw_os_error(errno.code())
}

/// The end of an account, for code that speaks `std::io`.
pub fn limit_error(error: OverLimit) -> io::Error {
    io::Error::new(io::ErrorKind::OutOfMemory, error)
}
