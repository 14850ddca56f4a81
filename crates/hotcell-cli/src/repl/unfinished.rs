//! Whether code is wrong, or only not complete yet.

use hotcell::prepare::{Location, PrepareOptions, rule, validate_code};

/// Whether more lines could make sense of this.
///
/// Code is unfinished if what the parser stumbles over is its end. A template literal or a comment that is not closed is
/// reported where it begins, but only its end is missing.
pub(super) fn is_unfinished(code: &str) -> bool {
    let found = validate_code(code, &PrepareOptions::default());
    found.iter().any(|one| {
        one.rule == rule::SYNTAX_VALID
            && match one.location {
                _ if one.message.contains("end of the code") => true,
                _ if one.message.starts_with("unterminated multi") => true,
                // A part of a template begins with a backtick, or with the brace that ends a substitution.
                Some(place) if one.message == "unterminated string" => {
                    matches!(char_at(code, place), Some('`' | '}'))
                }
                Some(place) => place >= end(code),
                None => false,
            }
    })
}

fn char_at(code: &str, place: Location) -> Option<char> {
    let line = code
        .lines()
        .nth(usize::try_from(place.line).ok()?.checked_sub(1)?)?;
    let mut column = 1;
    line.chars().find(|c| {
        let is_there = column >= place.column;
        column += u32::try_from(c.len_utf16()).unwrap_or(1);
        is_there
    })
}

/// The place behind the last character that is not white space.
fn end(code: &str) -> Location {
    let code = code.trim_end();
    let last = code.rsplit('\n').next().unwrap_or_default();
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Location {
        line: number(code.matches('\n').count() + 1),
        column: number(last.encode_utf16().count() + 1),
    }
}
