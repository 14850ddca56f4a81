//! Utilities with a language of their own.

mod awk;
mod bc;
mod budget;
mod decimal;
mod sed;

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[awk::GAWK, awk::UTILITY, bc::UTILITY, sed::UTILITY];
