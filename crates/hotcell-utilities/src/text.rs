//! Lines, words and columns.

mod cat;
mod factor;
mod head;
mod numfmt;
mod seq;

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[
    cat::UTILITY,
    factor::UTILITY,
    head::UTILITY,
    numfmt::UTILITY,
    seq::UTILITY,
];
