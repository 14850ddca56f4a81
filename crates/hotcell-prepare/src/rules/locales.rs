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
        if tag.len() > MAX_TAG_BYTES || !is_locale(tag) || is_available(tag) {
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

/// Whether this is a language, and perhaps a script and a region. What is none is an error when it is used.
fn is_locale(tag: &str) -> bool {
    let letters = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let mut subtags = tag.split('-').peekable();
    let is_language = subtags
        .next()
        .is_some_and(|language| matches!(language.len(), 2 | 3) && letters(language));
    subtags.next_if(|script| script.len() == 4 && letters(script));
    subtags.next_if(|region| {
        (region.len() == 2 && letters(region))
            || (region.len() == 3 && region.bytes().all(|byte| byte.is_ascii_digit()))
    });
    is_language && subtags.next().is_none_or(|next| next.len() == 1)
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
    use super::{is_available, is_locale};

    #[test]
    fn what_is_no_locale_is_not_told_of() {
        for tag in ["de", "de-DE", "zh-Hant-TW", "es-419", "ar-u-nu-latn"] {
            assert!(is_locale(tag), "{tag}");
        }
        for tag in ["", "x", "short", "xx-invalid-locale-name", "de_DE"] {
            assert!(!is_locale(tag), "{tag}");
        }
    }

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
