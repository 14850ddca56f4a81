//! Small questions about lines of text.

/// Where the line that holds `at` ends, without its line end.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    text.get(at..)
        .and_then(|rest| rest.find('\n'))
        .map_or(text.len(), |length| at + length)
}

/// How many times `mark` stands in a row at `at`.
pub(crate) fn run_length(text: &str, at: usize, mark: u8) -> usize {
    text.as_bytes()
        .get(at..)
        .unwrap_or_default()
        .iter()
        .take_while(|byte| **byte == mark)
        .count()
}

/// Whether a line begins with the label `Observation:`, perhaps in bold or as a heading.
pub(crate) fn is_observation(line: &str) -> bool {
    after_label(line, &["observation", "observations"]).is_some()
}

/// What follows a label such as `Thought:`, `**Thought:**` or `## Thought:` at the start of `text`.
pub(crate) fn after_label<'t>(text: &'t str, labels: &[&str]) -> Option<&'t str> {
    let rest = text.trim_start_matches(['*', '#', '_', ' ', '\t']);
    labels.iter().find_map(|label| {
        let (head, tail) = rest.split_at_checked(label.len())?;
        if !head.eq_ignore_ascii_case(label) {
            return None;
        }
        let tail = tail.trim_start_matches(['*', '_', ' ']).strip_prefix(':')?;
        Some(tail.trim_start_matches(['*', '_']))
    })
}
