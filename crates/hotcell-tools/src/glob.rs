//! Globs: which paths are meant.

use std::borrow::Cow;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::error::FileToolError;

/// The longest glob, in bytes. Braces nest, and the library follows them by recursion.
const GLOB_MAX: usize = 4096;

/// A glob over paths below a directory. Without a slash it is compared with the name alone, with one with the path.
pub(crate) struct PathGlob {
    matcher: GlobSet,
    by_name: bool,
    directories_only: bool,
}

impl PathGlob {
    pub(crate) fn new(pattern: &str) -> Result<Self, FileToolError> {
        let bad = |reason: String| FileToolError::BadPattern {
            what: "glob",
            pattern: shortened(pattern),
            reason,
        };
        let directories_only = pattern.ends_with('/');
        let rest = pattern.strip_prefix("./").unwrap_or(pattern);
        let anchored = rest.trim_end_matches('/');
        let glob = anchored.trim_start_matches('/');
        if glob.is_empty() {
            return Err(bad(
                "it is empty; use * for all names or ** for all paths".to_owned()
            ));
        }
        if glob.len() > GLOB_MAX {
            return Err(bad(format!("it is longer than {GLOB_MAX} bytes")));
        }
        let told = |error: globset::Error| {
            bad(format!(
                "{}; write \\ before a character that stands for itself",
                error.kind()
            ))
        };
        let glob = GlobBuilder::new(glob)
            .literal_separator(true)
            .backslash_escape(true)
            .empty_alternates(true)
            .build()
            .map_err(told)?;
        // A set of one: unlike a matcher of its own, it tells instead of panicking when a glob is too complex.
        let matcher = GlobSetBuilder::new()
            .add(glob)
            .build()
            .map_err(|_| bad("it is too complex; use fewer or shorter alternatives".to_owned()))?;
        Ok(Self {
            matcher,
            by_name: !anchored.contains('/'),
            directories_only,
        })
    }

    /// Whether a file or directory is meant; `path` is relative to the directory that is searched.
    pub(crate) fn matches(&self, path: &[u8], name: &[u8], is_dir: bool) -> bool {
        if self.directories_only && !is_dir {
            return false;
        }
        self.matcher
            .is_match(os_path(if self.by_name { name } else { path }))
    }
}

/// How much of a pattern is told, in bytes.
const SHOWN: usize = 200;

/// A pattern, or the beginning of one that is too long to be told whole.
pub(crate) fn shortened(pattern: &str) -> String {
    let end = pattern.floor_char_boundary(SHOWN);
    let dots = if end < pattern.len() { "..." } else { "" };
    format!("{}{dots}", pattern.get(..end).unwrap_or_default())
}

/// Bytes as the path type of the libraries.
#[cfg(unix)]
pub(crate) fn os_path(bytes: &[u8]) -> Cow<'_, Path> {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    Cow::Borrowed(Path::new(OsStr::from_bytes(bytes)))
}

/// Bytes as the path type of the libraries.
#[cfg(not(unix))]
pub(crate) fn os_path(bytes: &[u8]) -> Cow<'_, Path> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => Cow::Borrowed(Path::new(text)),
        Cow::Owned(text) => Cow::Owned(text.into()),
    }
}
