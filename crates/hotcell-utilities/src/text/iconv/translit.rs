//! Characters that look or mean about the same.

use std::{collections::HashMap, sync::LazyLock};

/// A line for each replacement: the replacement, a tab, and all characters that it stands for.
const TABLE: &str = include_str!("translit.txt");

static BY_CHARACTER: LazyLock<HashMap<char, &'static str>> = LazyLock::new(|| {
    let lines = TABLE.lines().filter_map(|line| line.split_once('\t'));
    lines
        .flat_map(|(similar, chars)| chars.chars().map(move |char| (char, similar)))
        .collect()
});

/// What can stand for a character in ASCII.
pub(super) fn similar(char: char) -> Option<&'static str> {
    // Accents that stand for themselves are left out.
    if ('\u{300}'..='\u{36f}').contains(&char) {
        return Some("");
    }
    BY_CHARACTER.get(&char).copied()
}
