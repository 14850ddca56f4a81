//! Finding and comparing.

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[];
