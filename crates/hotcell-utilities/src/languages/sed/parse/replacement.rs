//! The right side of `s`.

use super::super::{
    escapes::{Kind, convert},
    script::{Case, Part, Substitution},
};

/// Takes a replacement apart.
pub(super) fn read(substitution: &mut Substitution, text: &[u8]) {
    let text = convert(text, Kind::Replacement);
    let mut parts = Vec::new();
    let mut plain = Vec::new();
    let flush = |plain: &mut Vec<u8>, part: Part, parts: &mut Vec<Part>| {
        if !plain.is_empty() {
            parts.push(Part::Text(std::mem::take(plain)));
        }
        parts.push(part);
    };
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'&' => flush(&mut plain, Part::Group(0), &mut parts),
            b'\\' => match bytes.next() {
                Some(digit @ b'0'..=b'9') => {
                    let group = usize::from(digit - b'0');
                    flush(&mut plain, Part::Group(group), &mut parts);
                }
                Some(b'U') => flush(&mut plain, Part::Case(Case::Upper), &mut parts),
                Some(b'L') => flush(&mut plain, Part::Case(Case::Lower), &mut parts),
                Some(b'u') => flush(&mut plain, Part::Case(Case::UpperOne), &mut parts),
                Some(b'l') => flush(&mut plain, Part::Case(Case::LowerOne), &mut parts),
                Some(b'E') => flush(&mut plain, Part::Case(Case::End), &mut parts),
                Some(b'n') => plain.push(b'\n'),
                Some(other) => plain.push(*other),
                None => plain.push(b'\\'),
            },
            byte => plain.push(*byte),
        }
    }
    if !plain.is_empty() {
        parts.push(Part::Text(plain));
    }
    substitution.changes_case = parts.iter().any(|part| matches!(part, Part::Case(_)));
    substitution.needs_groups = highest_group(&parts) > 0;
    substitution.replacement = parts;
}

/// The highest group that is asked for.
pub(super) fn highest_group(parts: &[Part]) -> usize {
    let groups = parts.iter().map(|part| match part {
        Part::Group(group) => *group,
        Part::Text(_) | Part::Case(_) => 0,
    });
    groups.max().unwrap_or(0)
}
