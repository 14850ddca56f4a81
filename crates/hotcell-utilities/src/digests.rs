//! Checksums, and bytes as text.

mod base;
mod checksums;
mod cksum;
mod sum;

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[
    base::BASE32_UTILITY,
    base::BASE64_UTILITY,
    base::BASENC,
    checksums::B2SUM,
    checksums::MD5SUM,
    checksums::SHA1SUM,
    checksums::SHA224SUM,
    checksums::SHA256SUM,
    checksums::SHA384SUM,
    checksums::SHA512SUM,
    cksum::UTILITY,
    sum::UTILITY,
];
