//! Which file a patch is for.

use bstr::{BString, ByteSlice};

/// A name without its first directories; without all if none are counted. `None` if nothing is left.
pub(super) fn stripped(name: &[u8], strip: Option<usize>) -> Option<BString> {
    if name == b"/dev/null" {
        return None;
    }
    let mut rest = name;
    let mut left = strip.unwrap_or(usize::MAX);
    while left > 0 {
        let Some(slash) = memchr::memchr(b'/', rest) else {
            break;
        };
        rest = rest
            .get(slash..)
            .unwrap_or_default()
            .trim_start_with(|c| c == '/');
        left -= 1;
    }
    let is_short = strip.is_some() && left > 0;
    (!is_short && !rest.is_empty()).then(|| rest.into())
}

/// Whether a name stays below the working directory.
pub(super) fn is_safe(name: &[u8]) -> bool {
    !name.starts_with(b"/") && !name.split_str("/").any(|part| part == b"..")
}

/// The best of some names: with the fewest directories, then the shortest last part, then the shortest.
pub(super) fn best<'n>(names: impl Iterator<Item = &'n BString>) -> Option<&'n BString> {
    names.min_by_key(|name| {
        let parts = name.split_str("/").filter(|part| !part.is_empty());
        let last = parts.clone().last().unwrap_or_default().len();
        (parts.count(), last, name.len())
    })
}
