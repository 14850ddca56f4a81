//! Utilities with a language of their own.

mod awk;
mod bc;
pub(crate) mod budget;
mod dc;
mod decimal;
mod ed;
mod expr;
pub(crate) mod sed;

pub(crate) use decimal::{Decimal, Math};

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[
    awk::GAWK,
    awk::UTILITY,
    bc::UTILITY,
    dc::UTILITY,
    ed::UTILITY,
    expr::UTILITY,
    sed::UTILITY,
];
