//! `[[ text =~ regex ]]`

use std::sync::Arc;

use bstr::{BString, ByteVec};
use hotcell_meter::Pace;
use hotcell_process::Process;
use hotcell_regex::{Flavor, Means, Options, Regex, RegexError, SearchError};

use crate::{
    flow::Flow,
    marked::Marked,
    settings::Setting,
    shell::Shell,
    variables::{Attributes, IndexedArray, Place, Value},
};

impl Shell {
    /// `[[ text =~ regex ]]`: sets `BASH_REMATCH`. `None` if the expression is not valid (status 2, no message).
    pub(crate) fn matches_regex(
        &mut self,
        process: &Process,
        text: &[u8],
        regex: &Marked,
    ) -> Result<Option<bool>, Flow> {
        let source = regex_source(regex);
        let options = Options {
            icase: self.has(Setting::NoCaseMatch),
            ..Options::default()
        };
        let regex = match self.compiled_regex(process, &source, options) {
            Ok(regex) => regex,
            Err(
                error
                @ (RegexError::TooBig | RegexError::TooLong { .. } | RegexError::OverLimit(_)),
            ) => {
                self.complain(process, format!("[[: {error}"));
                return Ok(None);
            }
            Err(_) => return Ok(None),
        };
        process.spend(text.len());
        let mut pace = Pace::new(process.stop_token());
        let captures = match regex.captures_at(text, 0, &mut pace) {
            Ok(captures) => captures,
            Err(SearchError::Stopped(_)) => {
                // The run is over: this is where the process ends.
                process.give_way();
                return Err(Flow::Exit(1));
            }
            Err(error) => {
                self.complain(process, format!("[[: {error}"));
                return Err(Flow::Discard(1));
            }
        };
        let groups = captures.iter().flat_map(|captures| {
            (0..captures.len()).map(|group| {
                let found = captures.get(group);
                let matched = found.and_then(|found| text.get(found.range()));
                BString::from(matched.unwrap_or_default())
            })
        });
        let groups: IndexedArray = groups.collect();
        self.variables
            .update(b"BASH_REMATCH", Place::Visible, |variable| {
                variable.value = Value::Indexed(Arc::new(groups));
                variable.attributes = Attributes::INDEXED;
            });
        Ok(Some(captures.is_some()))
    }

    fn compiled_regex(
        &mut self,
        process: &Process,
        source: &BString,
        options: Options,
    ) -> Result<Regex, RegexError> {
        if let Some(regex) = self.regexes.get(source, options.icase) {
            return Ok(regex);
        }
        let spend = |units| process.spend(units);
        let means = Means::new(process.account(), &spend);
        let regex = Regex::new(source, Flavor::Bash, options, &means)?;
        self.regexes
            .insert(source.clone(), options.icase, regex.clone());
        Ok(regex)
    }
}

/// The expressions that were compiled last: loops use the same few again and again.
#[derive(Clone, Default)]
pub(crate) struct RegexCache(Vec<(BString, bool, Regex)>);

impl RegexCache {
    const SIZE: usize = 8;

    /// Larger ones are not kept: what is kept stays charged for as long as the shell lives.
    const LARGEST: usize = 64 * 1024;

    fn get(&mut self, source: &BString, icase: bool) -> Option<Regex> {
        let is_it = |(known, known_icase, _): &(BString, bool, Regex)| {
            known == source && *known_icase == icase
        };
        let index = self.0.iter().position(is_it)?;
        self.0.get(index).map(|(_, _, regex)| regex.clone())
    }

    fn insert(&mut self, source: BString, icase: bool, regex: Regex) {
        if regex.memory_usage() > Self::LARGEST {
            return;
        }
        if self.0.len() >= Self::SIZE {
            self.0.remove(0);
        }
        self.0.push((source, icase, regex));
    }
}

/// The expression that a word stands for: what was quoted matches itself.
pub(crate) fn regex_source(marked: &Marked) -> BString {
    let mut source = BString::default();
    let bytes: Vec<(u8, bool)> = marked.bytes().collect();
    let mut bracket_end = 0;
    for (at, &(byte, is_quoted)) in bytes.iter().enumerate() {
        if at < bracket_end {
            source.push_byte(byte);
            continue;
        }
        if byte == b'[' && !is_quoted {
            bracket_end = end_of_bracket(&bytes, at);
        }
        let is_special = matches!(
            byte,
            b'\\'
                | b'.'
                | b'['
                | b']'
                | b'('
                | b')'
                | b'{'
                | b'}'
                | b'*'
                | b'+'
                | b'?'
                | b'|'
                | b'^'
                | b'$'
        );
        if is_quoted && is_special {
            source.push_byte(b'\\');
        }
        source.push_byte(byte);
    }
    source
}

/// Where the bracket expression that begins at `at` ends; `at` if it does not.
fn end_of_bracket(bytes: &[(u8, bool)], at: usize) -> usize {
    let mut place = at + 1;
    if matches!(bytes.get(place), Some((b'^', false))) {
        place += 1;
    }
    let first = place;
    while let Some((byte, _)) = bytes.get(place) {
        match (byte, bytes.get(place + 1)) {
            (b']', _) if place > first => return place,
            (b'[', Some((kind @ (b':' | b'.' | b'='), _))) => {
                let rest = bytes.get(place + 2..).unwrap_or_default();
                let length = rest
                    .windows(2)
                    .take(40)
                    .position(|pair| matches!(pair, [(mark, _), (b']', _)] if mark == kind));
                place += length.map_or(1, |length| length + 4);
            }
            _ => place += 1,
        }
    }
    at
}
