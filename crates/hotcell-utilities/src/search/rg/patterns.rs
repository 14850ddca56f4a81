//! The pattern, compiled.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use hotcell_meter::Charge;
use hotcell_process::{Process, error_text};
use hotcell_regex::{MAX_LIST, MAX_PATTERN};

use super::options::{Case, Settings};

/// What automata for the pattern may take.
const MEMORY_MAX: usize = 4 << 20;

/// What a byte of the patterns takes while they are read, and a class of characters.
const PER_BYTE: usize = 128;
const PER_CLASS: usize = 8 << 10;

/// So many classes of characters may stand in the patterns: `\w` is two bytes, but hundreds of ranges once it is read.
const CLASSES_MAX: usize = 2000;

/// Units of work for a byte that is read and a class.
const UNITS_PER_BYTE: usize = 1024;
const UNITS_PER_CLASS: usize = 64 << 10;

/// The matcher, and what it is charged.
pub(super) fn matcher(
    process: &Process,
    settings: &Settings,
) -> Result<(RegexMatcher, Charge), String> {
    let charge = |bytes| process.charge(bytes).map_err(|error| error_text(&error));
    let (read, units) = weigh(settings)?;
    let reading = charge(read)?;
    // Automata for both directions, of which the larger ones are rare, and what they remember.
    let held = charge(MEMORY_MAX)?;
    process.spend(units);
    let built = build(settings);
    process.spend(units);
    drop(reading);
    Ok((built?, held))
}

/// What reading the patterns takes in bytes and units; an error if they are too long.
fn weigh(settings: &Settings) -> Result<(usize, usize), String> {
    let patterns = &settings.patterns;
    let bytes: usize = patterns.iter().map(String::len).sum();
    let is_text = is_fixed(settings)
        || !patterns
            .iter()
            .any(|pattern| pattern.contains(|char| r"\.+*?()|[]{}^$".contains(char)));
    let limit = if is_text { MAX_LIST } else { MAX_PATTERN };
    if bytes > limit {
        return Err(format!(
            "regular expression is too large: the patterns have {bytes} bytes, and may have {limit}"
        ));
    }
    let classes = if is_text {
        0
    } else {
        patterns.iter().map(|pattern| classes(pattern)).sum()
    };
    if classes > CLASSES_MAX {
        return Err(format!(
            "regular expression is too large: {classes} classes of characters, and {CLASSES_MAX} are the most"
        ));
    }
    Ok((
        bytes * PER_BYTE + classes * PER_CLASS,
        bytes * UNITS_PER_BYTE + classes * UNITS_PER_CLASS,
    ))
}

/// How many classes of characters a pattern has, at most.
fn classes(pattern: &str) -> usize {
    let mut bytes = pattern.bytes();
    let mut count = 0;
    while let Some(byte) = bytes.next() {
        count += usize::from(match byte {
            b'\\' => matches!(
                bytes.next(),
                Some(b'w' | b'W' | b'd' | b'D' | b's' | b'S' | b'p' | b'P')
            ),
            byte => byte == b'[',
        });
    }
    count
}

fn is_fixed(settings: &Settings) -> bool {
    let given = settings
        .parsed
        .last_of(&["fixed-strings", "no-fixed-strings"]);
    given == Some("fixed-strings")
}

fn build(settings: &Settings) -> Result<RegexMatcher, String> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(!settings.has("no-unicode"))
        .octal(false)
        .fixed_strings(is_fixed(settings))
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
