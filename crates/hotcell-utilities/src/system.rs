//! The environment, processes, time.

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[];
