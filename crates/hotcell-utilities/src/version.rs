//! The order of versions: `file-2` before `file-10`, as `sort -V` and `ls -v` have it.

use std::cmp::Ordering;

/// Compares two names by their digits as numbers and the rest as text. Suffixes such as `.tar.gz` count only if nothing else
/// differs.
pub(crate) fn compare(one: &[u8], other: &[u8]) -> Ordering {
    if one == other {
        return Ordering::Equal;
    }
    // Empty, `.` and `..` come first, and hidden names before others.
    let rank = |name: &[u8]| match name {
        b"" => 0,
        b"." => 1,
        b".." => 2,
        [b'.', ..] => 3,
        _ => 4,
    };
    let by_rank = rank(one).cmp(&rank(other));
    if by_rank != Ordering::Equal {
        return by_rank;
    }
    let (stem, other_stem) = (without_suffix(one), without_suffix(other));
    let by_stem = compare_parts(stem, other_stem);
    if by_stem != Ordering::Equal || stem.len() == one.len() && other_stem.len() == other.len() {
        return by_stem.then_with(|| one.cmp(other));
    }
    compare_parts(one, other).then_with(|| one.cmp(other))
}

/// A name without the longest end that looks like `(\.[A-Za-z~][A-Za-z0-9~]*)*`.
fn without_suffix(name: &[u8]) -> &[u8] {
    let mut cut = name.len();
    let mut at = name.len();
    while let Some(before) = name.get(..at) {
        let Some(dot) = before
            .iter()
            .rposition(|byte| *byte == b'.')
            .filter(|dot| *dot > 0)
        else {
            break;
        };
        let part = before.get(dot + 1..).unwrap_or_default();
        let starts = part
            .first()
            .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'~');
        if !starts
            || !part
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'~')
        {
            break;
        }
        cut = dot;
        at = dot;
    }
    name.get(..cut).unwrap_or(name)
}

fn compare_parts(one: &[u8], other: &[u8]) -> Ordering {
    let (mut one, mut other) = (one, other);
    while !one.is_empty() || !other.is_empty() {
        let text = |rest: &[u8]| {
            rest.iter()
                .position(u8::is_ascii_digit)
                .unwrap_or(rest.len())
        };
        let ((left, one_rest), (right, other_rest)) =
            (one.split_at(text(one)), other.split_at(text(other)));
        let longest = left.len().max(right.len());
        for at in 0..longest {
            let by_byte = order(left.get(at)).cmp(&order(right.get(at)));
            if by_byte != Ordering::Equal {
                return by_byte;
            }
        }
        let digits = |rest: &[u8]| {
            rest.iter()
                .position(|byte| !byte.is_ascii_digit())
                .unwrap_or(rest.len())
        };
        let ((left, one_rest), (right, other_rest)) = (
            one_rest.split_at(digits(one_rest)),
            other_rest.split_at(digits(other_rest)),
        );
        let (left, right) = (without_zeros(left), without_zeros(right));
        let by_number = left.len().cmp(&right.len()).then_with(|| left.cmp(right));
        if by_number != Ordering::Equal {
            return by_number;
        }
        (one, other) = (one_rest, other_rest);
    }
    Ordering::Equal
}

/// `~` before the end, the end before letters, letters before the rest.
fn order(byte: Option<&u8>) -> i32 {
    match byte {
        Some(b'~') => -1,
        None => 0,
        Some(byte) if byte.is_ascii_alphabetic() => i32::from(*byte),
        Some(byte) => i32::from(*byte) + 256,
    }
}

fn without_zeros(digits: &[u8]) -> &[u8] {
    let start = digits
        .iter()
        .position(|digit| *digit != b'0')
        .unwrap_or(digits.len());
    digits.get(start..).unwrap_or_default()
}
