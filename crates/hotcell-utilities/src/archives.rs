//! Archives and compression.

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[];
