//! What a path may have meant: models and desktops write the same name in different ways.

use unicode_normalization::UnicodeNormalization;

/// The path as a tool takes it: unusual spaces as plain ones, without the `@` some clients put before file names. What
/// follows `~` is taken from `home`.
pub(crate) fn plain(given: &str, home: &str) -> String {
    let text: String = given
        .strip_prefix('@')
        .unwrap_or(given)
        .chars()
        .map(|c| if is_unusual_space(c) { ' ' } else { c })
        .collect();
    match text.strip_prefix('~') {
        Some("") => home.to_owned(),
        Some(rest) if rest.starts_with('/') => format!("{home}{rest}"),
        _ => text,
    }
}

/// Other ways in which an existing file of this name may be spelled.
pub(crate) fn variants(path: &str) -> Vec<String> {
    let decomposed: String = path.nfd().collect();
    let candidates = [
        narrow_before_half_day(path),
        path.nfc().collect(),
        path.replace('\'', "\u{2019}"),
        decomposed.replace('\'', "\u{2019}"),
        decomposed,
    ];
    let mut out: Vec<String> = Vec::new();
    for candidate in candidates {
        if candidate != path && !out.contains(&candidate) {
            out.push(candidate);
        }
    }
    out
}

/// macOS puts a narrow no-break space between time and AM or PM in the names of screenshots.
fn narrow_before_half_day(path: &str) -> String {
    let mut out = path.to_owned();
    for half in ["AM", "PM", "am", "pm"] {
        out = out.replace(&format!(" {half}."), &format!("\u{202f}{half}."));
        if let Some(start) = out.strip_suffix(&format!(" {half}")) {
            out = format!("{start}\u{202f}{half}");
        }
    }
    out
}

const fn is_unusual_space(c: char) -> bool {
    matches!(
        c,
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}
