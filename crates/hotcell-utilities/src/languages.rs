//! Utilities with a language of their own.

mod awk;
mod sed;

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[awk::GAWK, awk::UTILITY, sed::UTILITY];
