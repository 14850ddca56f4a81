//! Locales that a cell does not have.

use hotcell_meter::{Pace, Stopped};

use crate::diagnostic::Severity;
use crate::findings::Findings;
use crate::rule;
use crate::view::ProgramView;

/// Longer tags are nobody's.
const MAX_TAG_BYTES: usize = 40;

pub(crate) fn check(
    view: &ProgramView<'_>,
    found: &mut Findings,
    pace: &mut Pace<'_>,
) -> Result<(), Stopped> {
    for &(offset, tag) in &view.facts.locales {
        pace.spend(1)?;
        if tag.len() > MAX_TAG_BYTES || is_available(tag) {
            continue;
        }
        let severity = Severity::Warning;
        found.add(severity, || {
            let message = format!("the locale \"{tag}\" is not here: \"en-US\" takes its place");
            view.diagnostic(rule::LOCALE_AVAILABLE, severity, offset, message)
                .with_fix("put the text together yourself where it has to look otherwise")
        });
    }
    Ok(())
}

/// As `isAvailable` in `hotcell-image/guest/js/intl/locale.js`.
fn is_available(tag: &str) -> bool {
    let tag = tag.to_ascii_lowercase();
    let mut subtags = tag.split('-').peekable();
    if subtags.next() != Some("en") {
        return false;
    }
    subtags.next_if_eq(&"latn");
    subtags.next_if_eq(&"us");
    subtags.next().is_none_or(|next| next.len() == 1)
}

#[cfg(test)]
mod tests {
    use super::is_available;

    #[test]
    fn english_of_the_united_states_is_available_by_all_its_names() {
        for tag in [
            "en",
            "en-US",
            "en-us",
            "en-Latn-US",
            "en-Latn",
            "en-u-nu-latn",
            "en-US-u-ca-gregory",
        ] {
            assert!(is_available(tag), "{tag}");
        }
        for tag in ["de-DE", "en-GB", "eng", "fr", "", "en-Latn-GB"] {
            assert!(!is_available(tag), "{tag}");
        }
    }
}
