//! What can go wrong, told to whoever has to correct it.

use hotcell_meter::OverLimit;
use hotcell_vfs::{Errno, VfsError};

use crate::limits;
use crate::shown::shown;

/// Why a tool gave no result.
///
/// The texts are read by models. Several are fixed by contract and written as sentences; the others follow them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileToolError {
    /// There is no such file.
    #[error("File not found: {path}")]
    FileNotFound {
        /// The path as it was given.
        path: String,
    },
    /// There is nothing at this path.
    #[error("Path not found: {path}")]
    PathNotFound {
        /// The path as it was given.
        path: String,
    },
    /// The path leads out of the workspace.
    #[error("Path is outside the workspace: {path}. Use a path inside {root}")]
    OutsideWorkspace {
        /// The path as it was given.
        path: String,
        /// The workspace.
        root: String,
    },
    /// A file was asked for, and this is a directory.
    #[error("Path is a directory, not a file: {path}. Use ls to see what is in it")]
    IsDirectory {
        /// The path as it was given.
        path: String,
    },
    /// A directory was asked for, and this is something else.
    #[error("Not a directory: {path}")]
    NotDirectory {
        /// The path as it was given.
        path: String,
    },
    /// Neither a file nor a directory: a device, a pipe.
    #[error("Not a regular file: {path}")]
    NotRegular {
        /// The path as it was given.
        path: String,
    },
    /// A directory holds more than a list may.
    #[error(
        "More than {limit} entries in {path}. Use find with a pattern, or list a directory below it"
    )]
    TooMany {
        /// The path as it was given.
        path: String,
        /// The most entries.
        limit: usize,
    },
    /// The bytes are no UTF-8.
    #[error(
        "Not UTF-8 text: {path}. Use readBytes, and a TextDecoder if it is text in another encoding"
    )]
    NotText {
        /// The path as it was given.
        path: String,
    },
    /// The file is not text and no image either.
    #[error("Binary file: {path} ({}). Only text and PNG, JPEG, GIF, WebP and BMP images can be used", limits::size(*.size))]
    Binary {
        /// The path as it was given.
        path: String,
        /// Its length in bytes.
        size: u64,
    },
    /// The file says it is an image, and cannot be decoded as one.
    #[error("Broken image: {path}: {reason}")]
    BrokenImage {
        /// The path as it was given.
        path: String,
        /// What the decoder found.
        reason: String,
    },
    /// The file is longer than the tool takes.
    #[error("File is too large to {action}: {path} is {}, the limit is {}", limits::size(*.size), limits::size(*.limit))]
    TooLarge {
        /// What was to be done: `edit`, `show as an image`.
        action: &'static str,
        /// The path as it was given.
        path: String,
        /// Its length in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The first line asked for does not exist.
    #[error("Offset {offset} is beyond end of file ({lines} lines total)")]
    OffsetBeyondEnd {
        /// The line asked for.
        offset: u64,
        /// How many lines there are.
        lines: u64,
    },
    /// A file operation failed.
    #[error("Could not {action}: {path}. Error code: {errno}.{}", .detail.as_ref().map(|detail| format!(" {detail}")).unwrap_or_default())]
    Failed {
        /// What was to be done, such as `edit file`.
        action: &'static str,
        /// The path as it was given.
        path: String,
        /// The kind of failure.
        errno: Errno,
        /// Which limit was met, or what to do instead.
        detail: Option<String>,
    },
    /// The text to replace is not in the file.
    #[error(
        "Could not find {subject} in {path}. The old text must match exactly including all whitespace and newlines.{hint}"
    )]
    TextNotFound {
        /// Which text: `the exact text`, or `edits[1]`.
        subject: String,
        /// The path as it was given.
        path: String,
        /// The lines of the file that come nearest, each as `  number: line`; or nothing.
        hint: String,
    },
    /// The text to replace is in the file more than once.
    #[error(
        "Found {count} occurrences of {subject} in {path}. The text must be unique. Please provide more context to make it unique."
    )]
    TextNotUnique {
        /// How often it was found.
        count: usize,
        /// Which text: `the text`, or `edits[1]`.
        subject: String,
        /// The path as it was given.
        path: String,
    },
    /// Two edits of one call want the same part of the file.
    #[error(
        "edits[{first}] and edits[{second}] overlap in {path}. Merge them into one edit, or make them smaller so that they do not overlap"
    )]
    EditsOverlap {
        /// Position of one edit.
        first: usize,
        /// Position of the other.
        second: usize,
        /// The path as it was given.
        path: String,
    },
    /// The edits leave the file as it is.
    #[error("No changes made to {path}. The new text is the same as the old text")]
    NoChange {
        /// The path as it was given.
        path: String,
    },
    /// A regular expression or a glob that cannot be read.
    #[error("Invalid {what} {pattern:?}: {reason}")]
    BadPattern {
        /// `regular expression` or `glob`.
        what: &'static str,
        /// The pattern as it was given.
        pattern: String,
        /// What is wrong with it, and what to do.
        reason: String,
    },
    /// An argument is missing, unknown or not of its type.
    #[error("{tool}: {problem}")]
    BadArgument {
        /// The tool.
        tool: &'static str,
        /// What is wrong with it, and what is expected.
        problem: String,
    },
    /// There is no tool of this name.
    #[error("Unknown tool: {name}. {hint}")]
    UnknownTool {
        /// The name as it was given.
        name: String,
        /// The tool that may have been meant, and all there are.
        hint: String,
    },
    /// It takes more memory than the caller has for it.
    #[error("Not enough memory for this: {0}. Ask for less at once")]
    NoRoom(OverLimit),
    /// The caller's hook asked to stop.
    #[error("Cancelled")]
    Cancelled,
}

impl FileToolError {
    /// The POSIX error kind behind it, where there is one.
    pub const fn errno(&self) -> Option<Errno> {
        match self {
            Self::FileNotFound { .. } | Self::PathNotFound { .. } => Some(Errno::ENOENT),
            Self::OutsideWorkspace { .. } => Some(Errno::EACCES),
            Self::IsDirectory { .. } => Some(Errno::EISDIR),
            Self::NotDirectory { .. } => Some(Errno::ENOTDIR),
            Self::TooLarge { .. } => Some(Errno::EFBIG),
            Self::Failed { errno, .. } => Some(*errno),
            Self::Cancelled => Some(Errno::ECANCELED),
            _ => None,
        }
    }

    pub(crate) fn failed(action: &'static str, path: &str, error: &VfsError) -> Self {
        Self::Failed {
            action,
            path: shown(path.as_bytes()),
            errno: error.errno(),
            detail: error.detail().map(str::to_owned),
        }
    }

    pub(crate) fn refused(action: &'static str, path: &str, errno: Errno) -> Self {
        Self::Failed {
            action,
            path: shown(path.as_bytes()),
            errno,
            detail: None,
        }
    }
}
