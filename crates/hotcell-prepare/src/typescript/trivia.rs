//! White space and comments between the parts of a node, of which the tree does not tell the places.

/// The offset of the first character at or after `at` that is neither white space nor in a comment.
pub(crate) fn skip(text: &str, mut at: usize) -> usize {
    loop {
        let Some(rest) = text.get(at..) else {
            return text.len();
        };
        let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        at += rest.len() - trimmed.len();
        let length = if trimmed.starts_with("//") {
            trimmed
                .find(['\n', '\r', '\u{2028}', '\u{2029}'])
                .unwrap_or(trimmed.len())
        } else if trimmed.starts_with("/*") {
            trimmed.find("*/").map_or(trimmed.len(), |end| end + 2)
        } else {
            return at;
        };
        at += length;
    }
}

/// The character at the next place that is not trivia.
pub(crate) fn next_char(text: &str, at: usize) -> Option<(usize, char)> {
    let at = skip(text, at);
    text.get(at..)?.chars().next().map(|c| (at, c))
}

/// The words from `start` up to the first character that belongs to none, each with its offset. Text after the last word
/// that is asked for is not looked at: `class extends class extends …` has many heads that all go to its end.
pub(crate) fn words(text: &str, start: usize, end: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut from = start;
    std::iter::from_fn(move || {
        let at = skip(text, from);
        let rest = text.get(at..end)?;
        let length = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
            .unwrap_or(rest.len());
        from = at + length;
        let word = rest.get(..length)?;
        (!word.is_empty()).then_some((at, word))
    })
}

pub(crate) fn has_line_break(text: &str) -> bool {
    text.contains(['\n', '\r', '\u{2028}', '\u{2029}'])
}
