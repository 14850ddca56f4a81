//! What takes a parser more than linear time.
//!
//! Each is found in the bytes of the text, however they are tokenised: a string that looks like a list of exports counts as
//! one. The limits are far above what code has.

use super::lists::{Lists, find_lists};
use super::readings::has_few_wrong_flags;

/// What there is too much of, with the offset where the limit was passed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Costly {
    /// Named groups in one regular expression.
    NamedGroups { offset: usize },
    /// Digits of one `BigInt` that is not decimal.
    Digits { offset: usize },
    /// Names that are imported and exported.
    Exports { offset: usize },
    /// Wrong flags of regular expressions.
    Flags,
}

pub(crate) fn too_costly(code: &str, max_nesting: u32) -> Result<(), Costly> {
    named_groups(code)?;
    digits(code)?;
    exports(code)?;
    if has_few_wrong_flags(code, max_nesting) {
        Ok(())
    } else {
        Err(Costly::Flags)
    }
}

/// A named group is compared with all before it, and takes memory for every group around it. This bounds the sum over
/// all of them of the parentheses before it, on its line: no regular expression is longer.
const MAX_GROUPS: usize = 8_000_000;

fn named_groups(code: &str) -> Result<(), Costly> {
    if !code.contains("(?<") {
        return Ok(());
    }
    let (mut before, mut groups) = (0_usize, 0_usize);
    for (offset, byte) in code.bytes().enumerate() {
        match byte {
            b'\n' | b'\r' => before = 0,
            b'(' => {
                before += 1;
                if code.as_bytes().get(offset + 1..offset + 3) == Some(b"?<") {
                    groups = groups.saturating_add(before);
                }
                if groups > MAX_GROUPS {
                    return Err(Costly::NamedGroups { offset });
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Digits of other bases are made decimal, which takes more than linear time.
const MAX_DIGITS: usize = 16 * 1024;

fn digits(code: &str) -> Result<(), Costly> {
    if code.len() <= MAX_DIGITS {
        return Ok(());
    }
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut offset = 0;
    for run in code.as_bytes().split(|byte| !is_digit(byte)) {
        let prefixed = matches!(run, [b'0', b'b' | b'B' | b'o' | b'O' | b'x' | b'X', ..]);
        if run.len() > MAX_DIGITS && prefixed && run.ends_with(b"n") {
            return Err(Costly::Digits { offset });
        }
        offset += run.len() + 1;
    }
    Ok(())
}

/// Names in lists of exports, each of which takes kilobytes if it was exported before.
const MAX_EXPORTS: usize = 20_000;

/// Commas in code that exports variables, as each may come before another one.
const MAX_VARIABLES: usize = 100_000;

/// For every export all imports are looked through.
const MAX_PAIRS: usize = 64_000_000;

fn exports(code: &str) -> Result<(), Costly> {
    if !code.contains("export") && !code.contains("\\u") {
        return Ok(());
    }
    let Lists {
        exported,
        imported,
        first_variables,
        last,
    } = find_lists(code).ok_or(Costly::Exports { offset: 0 })?;
    if exported > MAX_EXPORTS {
        return Err(Costly::Exports { offset: last });
    }
    let mut variables = 0;
    if let Some(offset) = first_variables {
        variables = code.bytes().filter(|byte| *byte == b',').count();
        if variables > MAX_VARIABLES {
            return Err(Costly::Exports { offset });
        }
    }
    if imported.saturating_mul(exported + variables) > MAX_PAIRS {
        return Err(Costly::Exports { offset: last });
    }
    Ok(())
}
