//! The environment, processes, time.

pub mod echo;
pub mod printf;
pub mod test;

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] =
    &[echo::UTILITY, printf::UTILITY, test::BRACKET, test::UTILITY];
