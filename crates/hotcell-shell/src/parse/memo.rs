//! What was found out about a text that is read twice.
//!
//! `((` and `$((` begin an expression if `))` ends it, else a subshell in parentheses. bash reads up to the end to see which,
//! and goes back if it was a subshell. Nested, that would take time exponential in the depth; so what was read on the way
//! is kept, and the second time is a look-up.

use std::collections::HashMap;

use super::input::{Input, Place};
use crate::ast::List;

#[derive(Default)]
pub(super) struct Memo {
    /// How many expressions are being tried, one in the other.
    pub(super) trials: u32,
    /// An expression turned out not to be one, so that what is in it is read a second time.
    pub(super) failed: bool,
    /// For a `(` in an expression that was tried: whether the matching `)` has another one right behind it.
    pub(super) closes_doubly: HashMap<Place, bool>,
    /// What substitutions in an expression that was tried hold, by where they begin, and where they end.
    pub(super) substitutions: HashMap<Place, (List, Input)>,
}

impl Memo {
    /// Gives up what nobody will ask for: an expression was one.
    pub(super) fn forget(&mut self) {
        if self.trials == 0 && !self.failed {
            self.closes_doubly.clear();
            self.substitutions.clear();
        }
    }
}
