//! Structured data: JSON, YAML and their like.

mod jq;
mod yq;

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[jq::UTILITY, yq::UTILITY];
