//! Archives and compression.

mod codec;
mod compress;
mod tar;
mod zip;

use crate::Utility;

pub(crate) const COMPRESSORS: &[Utility] = compress::UTILITIES;

pub(crate) const UTILITIES: &[Utility] = &[tar::UTILITY, zip::UNZIP, zip::ZIP];
