//! What `${x…}` does with a value: removing, replacing, changing case.

use std::io;

use bstr::{BString, ByteSlice, ByteVec};
use hotcell_meter::Charge;
use hotcell_process::{Process, limit_error};

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
        // Replacing can make much of little.
        let replaced = Growth::new(process).and_then(|mut growth| {
            found.try_map(|value| replace_in(&value, &pattern, &replacement, scope, &mut growth))
        });
        replaced.map_err(|error| self.out_of_memory(process, &error))
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

/// What finding the places of a pattern takes for each byte of a text: where one may begin, twice.
const PER_BYTE: usize = 2 * size_of::<usize>();

/// A value with what matches replaced.
fn replace_in(
    value: &[u8],
    pattern: &Pattern,
    replacement: &Replacement,
    scope: ReplaceScope,
    growth: &mut Growth<'_>,
) -> io::Result<BString> {
    let process = growth.process;
    let spend = |units| process.spend(units);
    let mut new = growth.text()?;
    let mut at = 0;
    process.spend(value.len() / 8);
    let mut replace = |start: usize, end: usize| {
        process.spend(1);
        new.push(value.get(at..start).unwrap_or_default())?;
        at = end;
        let matched = value.get(start..end).unwrap_or_default();
        for (index, piece) in replacement.0.iter().enumerate() {
            if index > 0 {
                new.push(matched)?;
            }
            new.push(piece)?;
        }
        io::Result::Ok(())
    };
    match scope {
        ReplaceScope::First | ReplaceScope::All => {
            let only_first = scope == ReplaceScope::First;
            match pattern.literal() {
                Some(b"") => {}
                // One by one: a list of them would be larger than the text.
                Some(literal) => {
                    let most = if only_first { 1 } else { usize::MAX };
                    for start in value.find_iter(literal).take(most) {
                        replace(start, start + literal.len())?;
                    }
                }
                None => {
                    let _places = process.charge(value.len().saturating_mul(PER_BYTE))?;
                    for (start, end) in pattern.find_all(value, only_first, &spend) {
                        replace(start, end)?;
                    }
                }
            }
        }
        ReplaceScope::Prefix => {
            if let Some(end) = pattern.prefix(value, true, &spend) {
                replace(0, end)?;
            }
        }
        ReplaceScope::Suffix => {
            if let Some(start) = pattern.suffix(value, true, &spend) {
                replace(start, value.len())?;
            }
        }
    }
    new.push(value.get(at..).unwrap_or_default())?;
    Ok(growth.finish(new))
}

/// Charges for values that are made, before they are.
struct Growth<'p> {
    process: &'p Process,
    charge: Charge,
}

impl<'p> Growth<'p> {
    fn new(process: &'p Process) -> io::Result<Self> {
        Ok(Self {
            process,
            charge: process.charge(0)?,
        })
    }

    fn text(&self) -> io::Result<Growing<'p>> {
        Ok(Growing {
            process: self.process,
            text: Vec::new(),
            charge: self.process.charge(0)?,
        })
    }

    fn finish(&mut self, mut grown: Growing<'_>) -> BString {
        self.charge.absorb(&mut grown.charge);
        grown.text.into()
    }
}

/// A value that grows.
struct Growing<'p> {
    process: &'p Process,
    text: Vec<u8>,
    charge: Charge,
}

impl Growing<'_> {
    fn push(&mut self, more: &[u8]) -> io::Result<()> {
        self.process.spend(more.len() / 8);
        let needed = self.text.len().saturating_add(more.len());
        if needed > self.text.capacity() {
            let mut capacity = needed.max(self.text.capacity().saturating_mul(2));
            if self.charge.resize(capacity).is_err() {
                // Near the limit twice as much may be too much.
                capacity = needed;
                self.charge.resize(capacity).map_err(limit_error)?;
            }
            self.text.reserve_exact(capacity - self.text.len());
        }
        self.text.extend_from_slice(more);
        Ok(())
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
