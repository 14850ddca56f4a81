//! Lines, words and columns.

mod cat;
mod head;

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[cat::UTILITY, head::UTILITY];
