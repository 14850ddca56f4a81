//! What the old text may have meant, when it is not there.

use std::borrow::Cow;
use std::fmt::Write;

use crate::error::FileToolError;
use crate::tools::FileTools;

/// How alike the lines have to be for a hint to help more than it misleads.
const ALIKE: f64 = 0.5;
/// Bounds on the work: a hint is a courtesy.
const LINES_MAX: usize = 20_000;
const CHARS_MAX: usize = 200;
/// How many lines to show.
const SHOWN_MAX: usize = 5;

/// The lines of the file that look most like the old text, or nothing.
pub(super) fn hint(tools: &FileTools, text: &[u8], old: &str) -> Result<String, FileToolError> {
    let mut wanted = old.lines().map(str::trim).enumerate();
    let Some((skipped, key)) = wanted.find(|(_, line)| !line.is_empty()) else {
        return Ok(String::new());
    };
    let key = head(key);
    let lines = || text.split(|byte| *byte == b'\n').take(LINES_MAX);
    let mut best: Option<(usize, f64)> = None;
    for (number, line) in lines().enumerate() {
        tools.check_cancelled()?;
        let line = beginning(line.trim_ascii_start());
        let line = head(line.trim());
        // Texts of very different length cannot be alike, and comparing is quadratic.
        if line.len() > key.len().saturating_mul(3) || key.len() > line.len().saturating_mul(3) {
            continue;
        }
        let alike = strsim::normalized_levenshtein(line, key);
        if alike >= ALIKE && best.is_none_or(|(_, most)| alike > most) {
            best = Some((number, alike));
        }
    }
    let Some((number, _)) = best else {
        return Ok(String::new());
    };
    let first = number.saturating_sub(skipped);
    let mut out = String::from(" The nearest lines are:");
    let count = old.lines().take(SHOWN_MAX).count();
    for (number, line) in lines().enumerate().skip(first).take(count) {
        let line = beginning(line);
        let _ = write!(out, "\n  {}: {}", number + 1, head(line.trim_end()));
    }
    Ok(out)
}

/// As much of a line as is looked at: characters have four bytes at most.
fn beginning(line: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(line.get(..4 * CHARS_MAX).unwrap_or(line))
}

fn head(line: &str) -> &str {
    line.char_indices()
        .nth(CHARS_MAX)
        .and_then(|(end, _)| line.get(..end))
        .unwrap_or(line)
}
