//! What `${x…}` does with a value: removing, replacing, changing case.

use bstr::{BString, ByteSlice, ByteVec};
use hotcell_process::Process;

use super::tilde::TildeAt;
use crate::{
    ast::{CaseChange, ParameterExpansion, ParameterOperation, ReplaceScope, Word},
    flow::Flow,
    marked::Marked,
    pattern::{Pattern, PatternOptions, unit_at},
    settings::Setting,
    shell::Shell,
};

use super::parameter::Found;

impl Shell {
    pub(crate) fn operate(
        &mut self,
        process: &Process,
        expansion: &ParameterExpansion,
        found: Found,
    ) -> Result<Found, Flow> {
        let spend = |units| process.spend(units);
        Ok(match &expansion.operation {
            ParameterOperation::RemovePrefix { longest, pattern } => {
                let pattern = self.pattern(process, pattern)?;
                found.map(|value| remove_prefix(value, &pattern, *longest, &spend))
            }
            ParameterOperation::RemoveSuffix { longest, pattern } => {
                let pattern = self.pattern(process, pattern)?;
                found.map(|value| remove_suffix(value, &pattern, *longest, &spend))
            }
            ParameterOperation::Replace {
                scope,
                pattern,
                replacement,
            } => self.replace(process, *scope, pattern, replacement.as_ref(), found)?,
            ParameterOperation::Case {
                change,
                all,
                pattern,
            } => {
                let pattern = match pattern {
                    Some(pattern) => Some(self.pattern(process, pattern)?),
                    None => None,
                };
                found.map(|value| change_case(&value, *change, *all, pattern.as_ref(), &spend))
            }
            ParameterOperation::Transform(letter) => {
                self.transform(process, &expansion.parameter, letter, found)?
            }
            // The others do not look at the value, or have been done.
            _ => found,
        })
    }

    /// The pattern that a word expands to.
    pub(crate) fn pattern(&mut self, process: &Process, word: &Word) -> Result<Pattern, Flow> {
        let options = PatternOptions {
            extglob: self.has(Setting::ExtGlob),
            icase: false,
        };
        self.pattern_with(process, word, options)
    }

    pub(crate) fn pattern_with(
        &mut self,
        process: &Process,
        word: &Word,
        options: PatternOptions,
    ) -> Result<Pattern, Flow> {
        let marked = self.expand_joined(process, word, TildeAt::START)?;
        process.spend(marked.text.len());
        Ok(Pattern::new(&marked, options))
    }

    fn replace(
        &mut self,
        process: &Process,
        scope: ReplaceScope,
        pattern: &Word,
        replacement: Option<&Word>,
        found: Found,
    ) -> Result<Found, Flow> {
        let options = PatternOptions {
            extglob: self.has(Setting::ExtGlob),
            icase: self.has(Setting::NoCaseMatch),
        };
        let marked = match scope {
            ReplaceScope::First | ReplaceScope::All => TildeAt::START,
            // For bash the mark of the place is the start of the pattern.
            ReplaceScope::Prefix | ReplaceScope::Suffix => TildeAt::NOWHERE,
        };
        let marked = self.expand_joined(process, pattern, marked)?;
        process.spend(marked.text.len());
        let pattern = Pattern::new(&marked, options);
        let replacement = match replacement {
            Some(word) => self.expand_joined(process, word, TildeAt::START)?,
            None => Marked::default(),
        };
        let replacement = Replacement::new(&replacement, self.has(Setting::PatsubReplacement));
        let spend = |units| process.spend(units);
        let mut size = 0;
        let replaced = found.map(|value| {
            let spans = spans(&value, &pattern, scope, &spend);
            let new = replacement.apply(&value, &spans);
            size += new.len();
            new
        });
        // Replacing can make much of little.
        let _charge = process
            .charge(size)
            .map_err(|error| self.out_of_memory(process, &error))?;
        Ok(replaced)
    }
}

fn remove_prefix(
    mut value: BString,
    pattern: &Pattern,
    longest: bool,
    spend: &dyn Fn(usize),
) -> BString {
    if let Some(length) = pattern.prefix(&value, longest, spend) {
        value.drain(..length);
    }
    value
}

fn remove_suffix(
    mut value: BString,
    pattern: &Pattern,
    longest: bool,
    spend: &dyn Fn(usize),
) -> BString {
    if let Some(start) = pattern.suffix(&value, longest, spend) {
        value.truncate(start);
    }
    value
}

/// What is to be replaced.
fn spans(
    value: &[u8],
    pattern: &Pattern,
    scope: ReplaceScope,
    spend: &dyn Fn(usize),
) -> Vec<(usize, usize)> {
    let is_empty = pattern.literal().is_some_and(<[u8]>::is_empty);
    match scope {
        ReplaceScope::First | ReplaceScope::All if is_empty => Vec::new(),
        ReplaceScope::First => pattern.find_all(value, true, spend),
        ReplaceScope::All => pattern.find_all(value, false, spend),
        ReplaceScope::Prefix => {
            let end = pattern.prefix(value, true, spend);
            end.map(|end| (0, end)).into_iter().collect()
        }
        ReplaceScope::Suffix => {
            let start = pattern.suffix(value, true, spend);
            start
                .map(|start| (start, value.len()))
                .into_iter()
                .collect()
        }
    }
}

/// What takes the place of a match: pieces, with the match itself between them.
struct Replacement(Vec<BString>);

impl Replacement {
    fn new(text: &Marked, has_references: bool) -> Self {
        let mut pieces = vec![BString::default()];
        let mut bytes = text.bytes().peekable();
        while let Some((byte, is_quoted)) = bytes.next() {
            let Some(last) = pieces.last_mut() else { break };
            match byte {
                b'&' if !is_quoted && has_references => pieces.push(BString::default()),
                b'\\' if !is_quoted && has_references => {
                    let escaped = bytes.next_if(|(next, _)| matches!(next, b'&' | b'\\'));
                    last.push_byte(escaped.map_or(b'\\', |(escaped, _)| escaped));
                }
                _ => last.push_byte(byte),
            }
        }
        Self(pieces)
    }

    fn apply(&self, value: &[u8], spans: &[(usize, usize)]) -> BString {
        let mut new = BString::default();
        let mut at = 0;
        for &(start, end) in spans {
            new.push_str(value.get(at..start).unwrap_or_default());
            let matched = value.get(start..end).unwrap_or_default();
            for (index, piece) in self.0.iter().enumerate() {
                if index > 0 {
                    new.push_str(matched);
                }
                new.push_str(piece);
            }
            at = end;
        }
        new.push_str(value.get(at..).unwrap_or_default());
        new
    }
}

/// `${x^}` and its kin.
fn change_case(
    value: &[u8],
    change: CaseChange,
    all: bool,
    pattern: Option<&Pattern>,
    spend: &dyn Fn(usize),
) -> BString {
    spend(value.len());
    let mut changed = BString::default();
    let mut is_first = true;
    let mut at = 0;
    while let Some((_, length)) = unit_at(value, at) {
        let unit = value.get(at..at + length).unwrap_or_default();
        let applies =
            (all || is_first) && pattern.is_none_or(|pattern| pattern.matches(unit, spend));
        match unit.to_str() {
            Ok(text) if applies => push_changed(&mut changed, text, change),
            _ => changed.push_str(unit),
        }
        is_first = false;
        at += length;
    }
    changed
}

fn push_changed(out: &mut BString, text: &str, change: CaseChange) {
    for char in text.chars() {
        let char = match change {
            CaseChange::Upper => upper(char),
            CaseChange::Toggle if char.is_lowercase() => upper(char),
            CaseChange::Lower | CaseChange::Toggle => lower(char),
        };
        out.push_char(char);
    }
}

/// One character for one, as the C library has it: `ß` stays.
pub(crate) fn upper(char: char) -> char {
    let mut changed = char.to_uppercase();
    match (changed.next(), changed.next()) {
        (Some(upper), None) => upper,
        _ => char,
    }
}

/// See [`upper`].
pub(crate) fn lower(char: char) -> char {
    let mut changed = char.to_lowercase();
    match (changed.next(), changed.next()) {
        (Some(lower), None) => lower,
        _ => char,
    }
}
