//! Checksums, and bytes as text.

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[];
