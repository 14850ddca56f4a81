//! What the old text may have meant, when it is not there.

use std::fmt::Write;

/// How alike the lines have to be for a hint to help more than it misleads.
const ALIKE: f64 = 0.5;
/// Bounds on the work: a hint is a courtesy.
const LINES_MAX: usize = 20_000;
const CHARS_MAX: usize = 200;
/// How many lines to show.
const SHOWN_MAX: usize = 5;

/// The lines of the file that look most like the old text, or nothing.
pub(super) fn hint(text: &[u8], old: &str) -> String {
    let wanted: Vec<&str> = old.lines().collect();
    let Some((skipped, key)) = wanted
        .iter()
        .map(|line| line.trim())
        .enumerate()
        .find(|(_, line)| !line.is_empty())
    else {
        return String::new();
    };
    let key = head(key);
    let lines: Vec<_> = text
        .split(|byte| *byte == b'\n')
        .take(LINES_MAX)
        .map(String::from_utf8_lossy)
        .collect();
    let mut best: Option<(usize, f64)> = None;
    for (number, line) in lines.iter().enumerate() {
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
        return String::new();
    };
    let first = number.saturating_sub(skipped);
    let mut out = String::from(" The nearest lines are:");
    for (number, line) in lines
        .iter()
        .enumerate()
        .skip(first)
        .take(wanted.len().min(SHOWN_MAX))
    {
        let _ = write!(out, "\n  {}: {}", number + 1, head(line.trim_end()));
    }
    out
}

fn head(line: &str) -> &str {
    line.char_indices()
        .nth(CHARS_MAX)
        .and_then(|(end, _)| line.get(..end))
        .unwrap_or(line)
}
