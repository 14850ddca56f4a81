//! The environment, processes, time.

mod cal;
mod date;

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[cal::UTILITY, date::UTILITY];
