//! Finding and comparing.

mod find;
mod grep;

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[find::UTILITY, grep::EGREP, grep::FGREP, grep::GREP];
