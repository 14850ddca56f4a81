//! Whether a parser can read a text in bearable time and memory, however it reads it.
//!
//! At each `<` a parser for TypeScript tries whether type arguments follow, and starts over if not. Where such a trial contains
//! expressions with further trials the work multiplies: 26 times `b<(a=` would take it a minute. Which of the
//! brackets in a text are brackets depends on what its slashes mean, divisions or regular expressions, and that only a
//! parser knows. So this goes on with both wherever there is doubt, until they agree again.
//!
//! For each wrong flag of a regular expression a parser keeps an error, and what a flag is depends on slashes, too.

use std::cell::OnceCell;

use super::TooDeep;
use super::scanner::{Goal, Scanner, Step, is_word, wrong_flags};

/// Tokens that may be read again by trials, all together. Nested trials are multiplied, so that this bounds them, too.
const MAX_TOKENS_AGAIN: u32 = 300_000;

/// A trial that takes parentheses for a function type may read all the rest of the code before it fails, and the parser keeps
/// what it read in memory. This bounds the bytes that such trials read, all together.
const MAX_BYTES_AGAIN: usize = 4 << 20;

/// Wrong flags of regular expressions, all together. An error takes half a kilobyte.
const MAX_WRONG_FLAGS: usize = 10_000;

/// Ways to read a text that are followed at the same time.
const MAX_READINGS: usize = 8;

/// Brackets that may be copied or compared because there are several.
const MAX_FRAMES: usize = 4 << 20;

/// Whether `code` can be given to a parser for TypeScript.
pub(crate) fn may_be_typed(code: &str, max_nesting: u32) -> bool {
    let is_bearable = |reading: &Scanner<'_>| {
        reading.tokens_again <= MAX_TOKENS_AGAIN && reading.bytes_again <= MAX_BYTES_AGAIN
    };
    follow(code, Goal::TypeScript, max_nesting, is_bearable).unwrap_or(false)
}

/// Whether `code` has few wrong flags. What is too deep to tell is refused for that.
pub(crate) fn has_few_wrong_flags(code: &str, max_nesting: u32) -> bool {
    if most_wrong_flags(code) <= MAX_WRONG_FLAGS {
        return true;
    }
    let is_bearable = |reading: &Scanner<'_>| reading.wrong_flags <= MAX_WRONG_FLAGS;
    follow(code, Goal::Script, max_nesting, is_bearable).unwrap_or(true)
}

/// How many there would be if every slash were the end of a regular expression: no text takes longer than to count them.
fn most_wrong_flags(code: &str) -> usize {
    let words = code.as_bytes().split(|byte| *byte == b'/').skip(1);
    words
        .map(|rest| {
            let length = rest.iter().take_while(|byte| is_word(**byte)).count();
            wrong_flags(rest.get(..length).unwrap_or(&[]))
        })
        .sum()
}

/// Follows all readings to the end, unless one is not bearable or there are too many.
fn follow(
    code: &str,
    goal: Goal,
    max_nesting: u32,
    is_bearable: impl Fn(&Scanner<'_>) -> bool,
) -> Result<bool, TooDeep> {
    let ends = OnceCell::new();
    let mut reading = Scanner::new(code, &ends, goal, max_nesting);
    // Other ways to read the code, none of which is behind `reading`.
    let mut others: Vec<Scanner<'_>> = Vec::new();
    let mut frames = 0;
    loop {
        match reading.step()? {
            Step::Token => {}
            Step::Slash(slash) => {
                if let Some(meaning) = slash.unlikely() {
                    frames += reading.depth() + 1;
                    let mut other = reading.clone();
                    other.take_slash(meaning)?;
                    others.push(other);
                }
                reading.take_slash(slash.likely())?;
            }
            Step::End => {
                reading.end();
                if !is_bearable(&reading) {
                    return Ok(false);
                }
                match others.pop() {
                    Some(other) => reading = other,
                    None => return Ok(true),
                }
            }
        }
        if !is_bearable(&reading) {
            return Ok(false);
        }
        if others.is_empty() {
            continue;
        }
        frames += others.len() + reading.depth();
        if others.len() >= MAX_READINGS || frames > MAX_FRAMES {
            return Ok(false);
        }
        if let Some(met) = others.iter().position(|other| other.meets(&reading)) {
            reading.absorb(&others.swap_remove(met));
        }
        // Whoever is furthest behind goes on, so that those that meet are at the same place at the same time.
        if let Some(behind) = others.iter_mut().min_by_key(|other| other.at)
            && behind.at < reading.at
        {
            std::mem::swap(behind, &mut reading);
        }
    }
}
