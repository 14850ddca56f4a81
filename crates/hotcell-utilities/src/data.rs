//! Structured data: JSON, YAML and their like.

use crate::Utility;

pub(crate) const UTILITIES: &[Utility] = &[];
