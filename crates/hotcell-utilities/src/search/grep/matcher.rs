//! What lines are compared with.

use std::io;

use bstr::{BString, ByteSlice};
use hotcell_meter::{Charge, Pace};
use hotcell_process::{Process, error_text};
use hotcell_regex::{Options, Regex, SearchError};

use super::perl::Perl;
use crate::{Parsed, regexes::compile};

/// The language of the patterns.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Flavor {
    Basic,
    Extended,
    Fixed,
    Perl,
}

enum Engine {
    /// No pattern at all, which matches nothing.
    Nothing,
    Posix(Box<Regex>),
    Perl(Box<Perl>),
}

pub(super) struct Matcher<'p> {
    process: &'p Process,
    engine: Engine,
    words: bool,
    lines: bool,
    _held: Charge,
}

/// What a pattern takes while all are put together, and each of its bytes.
const PATTERN: usize = 64;
const PATTERN_BYTE: usize = 6;

impl<'p> Matcher<'p> {
    /// Compiles the patterns; an error is a message in GNU's words.
    pub(super) fn new(
        process: &'p Process,
        patterns: Vec<BString>,
        flavor: Flavor,
        parsed: &Parsed,
    ) -> Result<Self, String> {
        let cases = ["ignore-case", "y", "no-ignore-case"];
        let icase = matches!(parsed.last_of(&cases), Some("ignore-case" | "y"));
        let options = Options {
            icase,
            newline: !parsed.has("null-data"),
            within_lines: !parsed.has("null-data"),
            bytes: false,
        };
        let weigh = |pattern: &BString| PATTERN + PATTERN_BYTE * pattern.len();
        let held = process
            .charge(patterns.iter().map(weigh).sum())
            .map_err(|error| error_text(&error))?;
        let joined = |patterns: &[BString]| bstr::join("\n", patterns);
        let posix = |text: &[u8], flavor| {
            let regex =
                compile(process, text, flavor, options).map_err(|error| error.to_string())?;
            Ok::<_, String>(Engine::Posix(Box::new(regex)))
        };
        let engine = match flavor {
            _ if patterns.is_empty() => Engine::Nothing,
            Flavor::Basic => posix(&joined(&patterns), hotcell_regex::Flavor::Grep)?,
            Flavor::Extended => posix(&joined(&patterns), hotcell_regex::Flavor::Egrep)?,
            Flavor::Fixed => {
                let escaped: Vec<BString> = patterns.iter().map(escape).collect();
                posix(&joined(&escaped), hotcell_regex::Flavor::Grep)?
            }
            Flavor::Perl => {
                if patterns.len() > 1 {
                    return Err("the -P option only supports a single pattern".into());
                }
                let pattern = patterns.first().cloned().unwrap_or_default();
                Engine::Perl(Box::new(Perl::new(process, &pattern, icase)?))
            }
        };
        Ok(Self {
            process,
            engine,
            words: parsed.has("word-regexp") && !parsed.has("line-regexp"),
            lines: parsed.has("line-regexp"),
            _held: held,
        })
    }

    /// What is odd about the patterns.
    pub(super) fn warnings(&self) -> &[&'static str] {
        match &self.engine {
            Engine::Posix(regex) => regex.warnings(),
            Engine::Nothing | Engine::Perl(_) => &[],
        }
    }

    /// Whether several lines can be searched at once: a match then lies within one of them.
    pub(super) fn takes_blocks(&self) -> bool {
        matches!(self.engine, Engine::Posix(_)) && !self.words && !self.lines
    }

    /// The first match in a text that begins at `start` or later.
    pub(super) fn find(&self, text: &[u8], start: usize) -> io::Result<Option<(usize, usize)>> {
        if self.lines {
            let whole = self
                .search(text, 0)?
                .filter(|found| *found == (0, text.len()));
            return Ok(whole.filter(|_| start == 0));
        }
        if !self.words {
            return self.search(text, start);
        }
        let mut at = start;
        while let Some((begin, mut end)) = self.search(text, at)? {
            self.process.spend(16);
            // A shorter match at the same place may be a word where the longest is none.
            loop {
                if is_word(text, begin, end) {
                    return Ok(Some((begin, end)));
                }
                let shorter = match end.checked_sub(1) {
                    Some(limit) if limit > begin => {
                        self.search(text.get(..limit).unwrap_or_default(), begin)?
                    }
                    _ => None,
                };
                match shorter.filter(|(other, _)| *other == begin) {
                    Some((_, other)) if other < end => end = other,
                    _ => break,
                }
            }
            at = begin + 1;
            if at > text.len() {
                break;
            }
        }
        Ok(None)
    }

    fn search(&self, text: &[u8], start: usize) -> io::Result<Option<(usize, usize)>> {
        match &self.engine {
            Engine::Nothing => Ok(None),
            Engine::Posix(regex) => {
                let mut pace = Pace::new(self.process.stop_token());
                let found = regex.find_at(text, start, &mut pace).map_err(|error| {
                    if let SearchError::Stopped(_) = error {
                        // The process ends here.
                        self.process.spend(usize::MAX);
                    }
                    io::Error::other(error)
                })?;
                Ok(found.map(|found| (found.start, found.end)))
            }
            Engine::Perl(perl) => perl.find(self.process, text, start),
        }
    }
}

/// Whether what is before and behind is no part of a word.
fn is_word(text: &[u8], start: usize, end: usize) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let before = text
        .get(..start)
        .and_then(|before| before.chars().next_back());
    let after = text.get(end..).and_then(|after| after.chars().next());
    !before.is_some_and(is_part) && !after.is_some_and(is_part)
}

/// A text as a pattern that matches nothing but it.
fn escape(text: &BString) -> BString {
    let mut pattern = Vec::with_capacity(text.len());
    for byte in text.iter() {
        if br"\.[]*^$".contains(byte) {
            pattern.push(b'\\');
        }
        pattern.push(*byte);
    }
    pattern.into()
}
