//! Lines, words and columns.

mod cat;
mod cut;
mod head;
mod ranges;
mod sort;
mod tail;
mod tr;
mod uniq;
mod wc;

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[
    cat::UTILITY,
    cut::UTILITY,
    head::UTILITY,
    sort::UTILITY,
    tail::UTILITY,
    tr::UTILITY,
    uniq::UTILITY,
    wc::UTILITY,
];
