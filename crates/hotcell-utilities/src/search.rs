//! Finding and comparing.

mod grep;

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[grep::EGREP, grep::FGREP, grep::GREP];
