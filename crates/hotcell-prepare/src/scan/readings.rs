//! Whether a parser for TypeScript can read a text in bearable time, however it reads it.
//!
//! At each `<` such a parser tries whether type arguments follow, and starts over if not. Where such a trial contains
//! expressions with further trials the work multiplies: 26 times `b<(a=` would take it a minute. Which of the
//! brackets in a text are brackets depends on what its slashes mean, divisions or regular expressions, and that only a
//! parser knows. So this goes on with both wherever there is doubt, until they agree again.

use std::cell::OnceCell;

use super::TooDeep;
use super::scanner::{Goal, Scanner, Step};

/// Tokens that may be read again by trials, all together. Nested trials are multiplied, so that this bounds them, too.
const MAX_TOKENS_AGAIN: u32 = 300_000;

/// A trial that takes parentheses for a function type may read all the rest of the code before it fails, and the parser keeps
/// what it read in memory. This bounds the bytes that such trials read, all together.
const MAX_BYTES_AGAIN: usize = 4 << 20;

/// Ways to read a text that are followed at the same time.
const MAX_READINGS: usize = 8;

/// Brackets that may be copied or compared because there are several.
const MAX_FRAMES: usize = 4 << 20;

/// Whether `code` can be given to a parser for TypeScript.
pub(crate) fn may_be_typed(code: &str, max_nesting: u32) -> bool {
    follow(code, max_nesting).unwrap_or(false)
}

fn follow(code: &str, max_nesting: u32) -> Result<bool, TooDeep> {
    let ends = OnceCell::new();
    let mut reading = Scanner::new(code, &ends, Goal::TypeScript, max_nesting);
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
            Step::End => match others.pop() {
                Some(other) => reading = other,
                None => return Ok(true),
            },
        }
        if reading.tokens_again > MAX_TOKENS_AGAIN || reading.bytes_again > MAX_BYTES_AGAIN {
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
