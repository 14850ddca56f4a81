//! Promises that were rejected while nobody listened.

use hotcell_meter::Watch;
use hotcell_prepare::{Diagnostic, Severity};

use crate::{
    shorten::shorten,
    sources::{Sources, first_place},
};

/// What such a finding is called.
pub(crate) const UNHANDLED: &str = "unhandled_rejection";
/// Of a promise that nobody handled, so many bytes are told.
const MAX_BYTES: usize = 10_000;

const WORDS: &str = "a promise was rejected and nobody handled it: ";

/// The finding for a rejection as it printed in the run of `program`: what was thrown, and where.
pub(crate) fn finding(
    printed: &str,
    program: &str,
    sources: &Sources,
    watch: &dyn Watch,
) -> Diagnostic {
    let printed = shorten(printed, MAX_BYTES);
    let translated = sources.translate(&printed, watch).ok();
    let printed = translated.as_deref().unwrap_or(&printed);
    let thrown = without_frames(printed);
    let message = format!("{WORDS}{thrown}");
    let finding = Diagnostic::new(UNHANDLED, Severity::Warning, message)
        .with_fix("`await` the promise, or add a `.catch()`");
    match first_place(printed, program) {
        Some(place) => finding.with_location(place),
        None => finding,
    }
}

/// What was thrown, in the message of such a finding.
pub(crate) fn thrown(message: &str) -> Option<&str> {
    message.strip_prefix(WORDS)
}

/// A printed error without its stack: the place says what a reader wants of it.
fn without_frames(printed: &str) -> String {
    let mut text = String::new();
    for line in printed.lines() {
        if line.starts_with("    at ") {
            // The properties of an error are printed behind its stack.
            if line.ends_with(" {") {
                text.push_str(" {");
            }
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::without_frames;

    #[test]
    fn the_properties_of_an_error_are_told_and_its_frames_are_not() {
        for (printed, told) in [
            ("Error: x\n    at f (run-1.js:1:2)\n    at g", "Error: x"),
            ("'a text'", "'a text'"),
            (
                "Error: x\n    at f (run-1.js:1:2) {\n  code: 'E'\n}",
                "Error: x {\n  code: 'E'\n}",
            ),
        ] {
            assert_eq!(without_frames(printed), told);
        }
    }
}
