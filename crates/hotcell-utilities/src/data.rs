//! Structured data: JSON, YAML and their like.

mod jq;

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[jq::UTILITY];
