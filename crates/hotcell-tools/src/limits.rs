//! How much a tool shows at once, and how sizes are written.

/// The most lines [`read`](crate::FileTools::read) shows at once.
pub const READ_MAX_LINES: usize = 2000;
/// The most UTF-8 bytes of text a tool shows at once.
pub const MAX_BYTES: usize = 50 * 1024;
/// The most characters of one line that [`grep`](crate::FileTools::grep) shows.
pub const GREP_LINE_CHARS: usize = 500;
/// How many matches [`grep`](crate::FileTools::grep) shows unless told otherwise.
pub const GREP_LIMIT: usize = 100;
/// How many paths [`find`](crate::FileTools::find) shows unless told otherwise.
pub const FIND_LIMIT: usize = 1000;
/// How many names [`ls`](crate::FileTools::ls) shows unless told otherwise.
pub const LS_LIMIT: usize = 500;
/// The longest image [`read`](crate::FileTools::read) gives out, in bytes of the file: it is held in memory as
/// base64, and models refuse much larger ones.
pub const IMAGE_MAX_BYTES: u64 = 5 * 1024 * 1024;
/// The longest file [`edit`](crate::FileTools::edit) takes: it is held in memory several times over.
pub const EDIT_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The most bytes of a file that code gets at once; beyond that it reads lines, or parts.
pub const CODE_MAX_BYTES: u64 = 16 * 1024 * 1024;
/// About how many bytes of lines code gets at once.
pub const PAGE_BYTES: usize = 256 * 1024;
/// The most lines that code gets at once: an empty one takes some hundred bytes of memory, too.
pub const PAGE_LINES: usize = 16 * 1024;
/// The most names that code gets in one list.
pub const LIST_MAX: usize = 100_000;

/// The longest file in which `edit` looks for a text as people would read it, if it is not there exactly.
pub(crate) const FUZZY_MAX_BYTES: usize = 4 * 1024 * 1024;
/// The longest line that is read as people would, in bytes.
pub(crate) const FUZZY_LINE_BYTES: usize = 64 * 1024;

/// The longest regular expression, in bytes: what it is parsed to takes some hundred times as much memory.
pub(crate) const PATTERN_MAX: usize = 16 * 1024;

/// A NUL among this many first bytes makes a file binary.
pub(crate) const BINARY_PROBE_BYTES: usize = 1000;
/// How many unchanged lines a diff shows around a change.
pub(crate) const DIFF_CONTEXT_LINES: usize = 4;

/// A size as people write it: `512B`, `50.0KB`, `1.2MB`.
pub(crate) fn size(bytes: u64) -> String {
    const KB: u64 = 1024;
    const MB: u64 = 1024 * 1024;
    let tenths = |unit: u64| {
        let tenths = (u128::from(bytes) * 10 + u128::from(unit) / 2) / u128::from(unit);
        format!("{}.{}", tenths / 10, tenths % 10)
    };
    if bytes < KB {
        format!("{bytes}B")
    } else if bytes < MB {
        format!("{}KB", tenths(KB))
    } else {
        format!("{}MB", tenths(MB))
    }
}
