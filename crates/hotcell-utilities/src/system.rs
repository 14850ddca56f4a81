//! The environment, processes, time.

pub mod echo;
pub mod test;

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[echo::UTILITY, test::BRACKET, test::UTILITY];
