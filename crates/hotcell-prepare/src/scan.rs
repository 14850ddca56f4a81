//! A linear look at code before a recursive parser sees it.
//!
//! The parser, the semantic pass and everything that walks a syntax tree recurse as deep as the code is nested. Two
//! numbers keep that safe:
//!
//! - **need**, an upper bound of the stack that the code can make us use, whatever it is: the sum over all its tokens of
//!   what one more level of that token costs. It does not depend on how the code is tokenised, so it holds for code
//!   that is made to confuse this scan. See [`crate::stack`].
//! - **depth**, how deep the code really is nested, as far as a tokeniser without a parser can tell. It refuses
//!   degenerate code early and with a good message, before memory is spent on its depth.
//!
//! Time is bounded in the same way: [`may_be_typed`] finds code that a parser for TypeScript would read again and again,
//! in every way in which the code could be tokenised, and [`too_costly`] finds what takes a parser more than linear time,
//! however it is tokenised. What takes the passes after the parser more than that is found in the tree: [`crate::audit`].

mod costly;
mod jsx;
mod lists;
mod readings;
mod regex;
mod scanner;
mod stack_bound;

pub(crate) use costly::{Costly, too_costly};
pub(crate) use jsx::has_jsx;
pub(crate) use readings::may_be_typed;
pub(crate) use stack_bound::stack_bound;

use std::cell::OnceCell;

use scanner::{Goal, Scanner, Step};

/// What the scan refuses, with the offset where the limit was passed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TooDeep {
    /// Brackets, blocks or template literals inside each other.
    Nesting { offset: usize },
    /// One expression or statement that goes on and on without a bracket.
    Chain { offset: usize },
}

/// What the scan found out about code that is not too deep.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// HTML-like comments (`<!--`, and `-->` at the start of a line), which only scripts have.
    pub(crate) html_comments: Vec<(usize, usize)>,
}

pub(crate) fn scan(code: &str, max_nesting: u32) -> Result<Scan, TooDeep> {
    let ends = OnceCell::new();
    let mut scanner = Scanner::new(code, &ends, Goal::Script, max_nesting);
    loop {
        match scanner.step()? {
            Step::Token => {}
            Step::Slash(slash) => scanner.take_slash(slash.likely())?,
            Step::End => break,
        }
    }
    Ok(Scan {
        html_comments: scanner.html_comments,
    })
}
