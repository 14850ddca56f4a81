//! The pattern, compiled.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::options::{Case, Settings};

/// What automata for the pattern may take.
pub(super) const MEMORY_MAX: usize = 16 << 20;

/// What a byte of many words may take while they are compiled.
pub(super) const PER_BYTE: usize = 40;

pub(super) fn matcher(settings: &Settings) -> Result<RegexMatcher, String> {
    let mut builder = RegexMatcherBuilder::new();
    let is_fixed = settings
        .parsed
        .last_of(&["fixed-strings", "no-fixed-strings"])
        == Some("fixed-strings");
    builder
        .multi_line(true)
        .unicode(!settings.has("no-unicode"))
        .octal(false)
        .fixed_strings(is_fixed)
        .size_limit(MEMORY_MAX)
        .dfa_size_limit(MEMORY_MAX);
    match settings.case {
        Case::Sensitive => builder.case_insensitive(false),
        Case::Insensitive => builder.case_insensitive(true),
        Case::Smart => builder.case_smart(true),
    };
    match settings.parsed.last_of(&["line-regexp", "word-regexp"]) {
        Some("line-regexp") => {
            builder.whole_line(true);
        }
        Some(_) => {
            builder.word(true);
        }
        None => {}
    }
    if settings.is_multiline {
        builder.dot_matches_new_line(settings.has("multiline-dotall"));
        if settings.has("crlf") {
            builder.crlf(true).line_terminator(None);
        }
    } else {
        builder
            .line_terminator(Some(b'\n'))
            .dot_matches_new_line(false);
        if settings.has("crlf") {
            builder.crlf(true);
        }
        if settings.has("null-data") {
            builder.line_terminator(Some(0));
        }
    }
    builder.build_many(&settings.patterns).map_err(|error| {
        let mut text = error.to_string();
        if text.contains("the literal") {
            text.push_str("\n\nConsider enabling multiline mode with the --multiline flag (or -U for short).\nWhen multiline mode is enabled, new line characters can be matched.");
        }
        text
    })
}
