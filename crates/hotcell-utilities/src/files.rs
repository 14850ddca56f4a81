//! Files and directories.

mod basename;

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[basename::UTILITY];
