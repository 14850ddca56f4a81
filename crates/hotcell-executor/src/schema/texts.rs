//! The keywords that let other code read a text: `pattern` and `format`.
//!
//! What matches a text cannot be asked to stop in the middle, so a text is at most as long as can be matched at once. How long
//! that is depends on the pattern, which is the host's: most take time in proportion to the text; those with look-around or
//! references back try again and again, and so do not.

use jsonschema::{Draft, Keyword, PatternOptions, ValidationError, Validator, json::Node as _};
use serde_json::{Value as Tree, json};

use super::instance::{Instance, Kind, Values};

/// A compiled pattern up to this size goes through any text at once.
const LIGHT_BYTES: usize = 256 << 10;
/// The longest text for what takes time in proportion to it.
const LIGHT_TEXT: usize = 1 << 20;
/// The longest text for other patterns, and for the format `regex`.
const HEAVY_TEXT: usize = 4 << 10;
/// How often such a pattern may try again.
const BACKTRACK_LIMIT: usize = 20_000;

/// A keyword of the validator's own, around which there is a limit.
pub(super) struct TextKeyword {
    validator: Validator,
    longest: usize,
    /// What it asks for, for the words of errors.
    wanted: String,
}

/// `pattern`.
pub(super) fn pattern(value: &Tree, draft: Draft) -> Result<TextKeyword, ValidationError<'static>> {
    let schema = json!({ "pattern": value });
    let options = || jsonschema::options().with_draft(draft);
    let light = PatternOptions::regex().size_limit(LIGHT_BYTES);
    let wanted = format!("the pattern {value}");
    if let Ok(validator) = options().with_pattern_options(light).build(&schema) {
        return Ok(TextKeyword {
            validator,
            longest: LIGHT_TEXT,
            wanted,
        });
    }
    let heavy = PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT);
    Ok(TextKeyword {
        validator: options().with_pattern_options(heavy).build(&schema)?,
        longest: HEAVY_TEXT,
        wanted,
    })
}

/// `format`.
pub(super) fn format(value: &Tree, draft: Draft) -> Result<TextKeyword, ValidationError<'static>> {
    let validator = jsonschema::options()
        .with_draft(draft)
        .should_validate_formats(true)
        .build(&json!({ "format": value }))?;
    let is_heavy = value == "regex";
    Ok(TextKeyword {
        validator,
        longest: if is_heavy { HEAVY_TEXT } else { LIGHT_TEXT },
        wanted: format!("the format {value}"),
    })
}

/// What comes of a look at a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Good,
    Bad,
    TooLong(usize),
}

impl TextKeyword {
    fn verdict(&self, instance: &Instance<'_>) -> Verdict {
        // Anything else than text is for other keywords to refuse.
        let Kind::String(text) = instance.kind() else {
            return Verdict::Good;
        };
        if text.len() > self.longest {
            return Verdict::TooLong(text.len());
        }
        if !instance.meter.spend(text.len()) {
            // The check is over, whatever comes of this.
            return Verdict::Good;
        }
        if self.validator.is_valid(&Tree::String(text.into_owned())) {
            Verdict::Good
        } else {
            Verdict::Bad
        }
    }
}

impl<'i> Keyword<'i, Values> for TextKeyword {
    fn validate(&self, instance: Instance<'i>) -> Result<(), ValidationError<'i>> {
        let Self {
            longest, wanted, ..
        } = self;
        Err(ValidationError::custom(match self.verdict(&instance) {
            Verdict::Good => return Ok(()),
            Verdict::Bad => format!("{} does not match {wanted}", instance.to_value()),
            Verdict::TooLong(bytes) => format!(
                "a text of {bytes} bytes is too long to be checked against {wanted}: at most {longest}"
            ),
        }))
    }

    fn is_valid(&self, instance: Instance<'i>) -> bool {
        self.verdict(&instance) == Verdict::Good
    }
}
