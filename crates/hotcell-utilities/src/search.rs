//! Finding and comparing.

mod cmp;
mod diff;
mod find;
mod grep;
mod patch;
mod rg;

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[
    cmp::UTILITY,
    diff::SDIFF,
    diff::UTILITY,
    find::UTILITY,
    grep::EGREP,
    grep::FGREP,
    grep::GREP,
    rg::UTILITY,
    patch::UTILITY,
];
