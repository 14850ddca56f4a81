//! Globs against names and paths, byte by byte.
//!
//! A star is tried as short as it can be, and longer when what follows does not match. Only the last star has to be: where an
//! earlier one would do for the rest, the last one does. So the work is at most one length times the other. For `**` the same
//! holds, with names in the place of bytes.

/// What is left of a path; `None` if nothing is, which is less than an empty name.
type Left<'p> = Option<&'p [u8]>;

/// Whether a glob means a path. Both are names between slashes.
pub(crate) fn matches_path(glob: &[u8], path: &[u8]) -> bool {
    let (mut glob, mut path) = (Some(glob), Some(path));
    // What follows the last `**`, and where that was tried.
    let mut last: Option<(Left<'_>, Left<'_>)> = None;
    loop {
        match (glob.map(split), path.map(split)) {
            (None, None) | (Some((b"**", None)), _) => return true,
            (Some((b"**", after)), _) => {
                last = Some((after, path));
                glob = after;
                continue;
            }
            (Some((this, after)), Some((name, below))) if matches_name(this, name) => {
                (glob, path) = (after, below);
                continue;
            }
            _ => {}
        }
        let Some((after, Some(tried))) = last else {
            return false;
        };
        let next = split(tried).1;
        last = Some((after, next));
        (glob, path) = (after, next);
    }
}

/// The first name, and what is below it.
fn split(path: &[u8]) -> (&[u8], Left<'_>) {
    match memchr::memchr(b'/', path) {
        Some(slash) => {
            let (name, below) = path.split_at(slash);
            (name, below.get(1..))
        }
        None => (path, None),
    }
}

/// Whether a glob means a name.
pub(crate) fn matches_name(mut glob: &[u8], mut name: &[u8]) -> bool {
    // What follows the last star, and where that was tried.
    let mut last: Option<(&[u8], &[u8])> = None;
    loop {
        if let Some(after) = glob.strip_prefix(b"*") {
            if after.is_empty() {
                return true;
            }
            last = Some((after, name));
            glob = after;
            continue;
        }
        let Some((byte, rest)) = name.split_first() else {
            return glob.is_empty();
        };
        if let Some(after) = one(glob, *byte) {
            (glob, name) = (after, rest);
            continue;
        }
        let Some((after, tried)) = last else {
            return false;
        };
        let Some((_, next)) = tried.split_first() else {
            return false;
        };
        last = Some((after, next));
        (glob, name) = (after, next);
    }
}

/// What is left of a glob when its beginning means a byte.
fn one(glob: &[u8], byte: u8) -> Option<&[u8]> {
    let (first, rest) = glob.split_first()?;
    match first {
        b'?' => Some(rest),
        b'\\' => {
            let (escaped, rest) = rest.split_first()?;
            (*escaped == byte).then_some(rest)
        }
        b'[' => {
            let (is_in, rest) = class(rest, byte)?;
            is_in.then_some(rest)
        }
        other => (*other == byte).then_some(rest),
    }
}

/// How long a class is with its end; `None` if it has none within its name.
pub(crate) fn is_class(glob: &[u8]) -> Option<usize> {
    let (_, rest) = class(glob, b'/')?;
    let length = glob.len() - rest.len();
    let is_within = !glob.get(..length)?.contains(&b'/');
    is_within.then_some(length)
}

/// Whether a class, which begins behind its bracket, has a byte in it, and what is behind the class.
fn class(glob: &[u8], byte: u8) -> Option<(bool, &[u8])> {
    let (is_negated, mut glob) = match glob.split_first()? {
        (b'!' | b'^', rest) => (true, rest),
        _ => (false, glob),
    };
    let mut is_in = false;
    let mut is_first = true;
    loop {
        let (mut low, mut rest) = glob.split_first()?;
        if *low == b']' && !is_first {
            return Some((is_in != is_negated, rest));
        }
        is_first = false;
        if *low == b'\\' {
            (low, rest) = rest.split_first()?;
        }
        let mut high = low;
        if let [b'-', end, after @ ..] = rest
            && *end != b']'
        {
            (high, rest) = (end, after);
            if *end == b'\\' {
                (high, rest) = after.split_first()?;
            }
        }
        is_in |= (*low..=*high).contains(&byte);
        glob = rest;
    }
}
