//! Utilities with a language of their own.

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[];
