//! Patterns of Perl's kind.

use std::io;

use bstr::ByteSlice;
use fancy_regex::{Regex, RegexBuilder};

/// Steps of backtracking for one match; some milliseconds.
const MOST_STEPS: usize = 1_000_000;

pub(super) struct Perl(Regex);

impl Perl {
    pub(super) fn new(pattern: &[u8], icase: bool) -> Result<Self, String> {
        let pattern = pattern
            .to_str()
            .map_err(|_| "-P supports only patterns of valid UTF-8".to_owned())?;
        let regex = RegexBuilder::new(pattern)
            .case_insensitive(icase)
            .multi_line(true)
            .backtrack_limit(MOST_STEPS)
            .build();
        regex.map(Self).map_err(|error| {
            error
                .to_string()
                .lines()
                .next()
                .unwrap_or("invalid pattern")
                .to_owned()
        })
    }

    pub(super) fn find(&self, text: &[u8], start: usize) -> io::Result<Option<(usize, usize)>> {
        // Bytes that are no text match nothing: what is before and after them is searched.
        let mut at = 0;
        for chunk in text.utf8_chunks() {
            let valid = chunk.valid();
            let from = start.saturating_sub(at);
            if from <= valid.len() && valid.is_char_boundary(from) {
                let found = self
                    .0
                    .find_from_pos(valid, from)
                    .map_err(|_| io::Error::other("exceeded PCRE's backtracking limit"))?;
                if let Some(found) = found {
                    return Ok(Some((at + found.start(), at + found.end())));
                }
            }
            at += valid.len() + chunk.invalid().len();
        }
        Ok(None)
    }
}
