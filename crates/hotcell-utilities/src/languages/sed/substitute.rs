//! `s` and `y`.

use std::io;

use bstr::ByteSlice;
use hotcell_regex::{Captures, Match};

use super::{
    execute::Sed,
    script::{Case, Part, Substitution, Translation},
};
use crate::characters;

impl Sed<'_> {
    /// Replaces in the pattern space; says whether anything was.
    pub(super) fn substitute(&mut self, substitution: &Substitution) -> io::Result<bool> {
        let regex = self.regex(substitution.pattern.as_ref())?;
        let mut result = std::mem::take(&mut self.spare);
        result.clear();
        let text = &self.pattern;
        let subject = regex.on(text).map_err(io::Error::other)?;
        let (mut at, mut copied, mut count) = (0, 0, 0);
        let mut last_end = None;
        let mut is_replaced = false;
        while at <= text.len() {
            let (found, captures) = if substitution.needs_groups {
                let captures = subject.captures_at(at, &mut self.pace);
                let captures = captures.map_err(|error| self.search_failed(error))?;
                let found = captures.as_ref().and_then(|captures| captures.get(0));
                (found, captures)
            } else {
                let found = subject.find_at(at, &mut self.pace);
                (found.map_err(|error| self.search_failed(error))?, None)
            };
            let Some(found) = found else { break };
            self.process.spend((found.end - at) / 16 + 1);
            // Nothing right behind a match is the end of that match.
            let is_new = !found.is_empty() || last_end != Some(found.start);
            count += usize::from(is_new);
            last_end = Some(found.end);
            if is_new && count >= substitution.number {
                result.extend_from_slice(text.get(copied..found.start).unwrap_or_default());
                put(&mut result, substitution, text, found, captures.as_ref());
                copied = found.end;
                is_replaced = true;
                if result.len() > self.charge.bytes() {
                    self.charge
                        .resize(result.len().saturating_mul(2))
                        .map_err(hotcell_process::limit_error)?;
                }
                if !substitution.is_global {
                    break;
                }
            }
            at = if found.is_empty() {
                let rest = text.get(found.end..).unwrap_or_default();
                let length = if self.is_bytes {
                    1
                } else {
                    characters::first(rest)
                };
                found.end + length.max(1)
            } else {
                found.end
            };
        }
        if !is_replaced {
            self.process.spend(text.len() / 16);
            self.spare = result;
            return Ok(false);
        }
        result.extend_from_slice(text.get(copied..).unwrap_or_default());
        self.spare = std::mem::replace(&mut self.pattern, result);
        Ok(true)
    }

    pub(super) fn translate(&mut self, translation: &Translation) {
        self.process.spend(self.pattern.len() / 4);
        match translation {
            Translation::Bytes(table) => {
                for byte in &mut self.pattern {
                    *byte = table.get(usize::from(*byte)).copied().unwrap_or(*byte);
                }
            }
            Translation::Characters(pairs) => {
                let mut result = Vec::with_capacity(self.pattern.len());
                let mut rest = self.pattern.as_slice();
                while !rest.is_empty() {
                    self.process.spend(pairs.len());
                    let (character, behind) =
                        rest.split_at(characters::first(rest).min(rest.len()));
                    let pair = pairs.iter().find(|(from, _)| from == character);
                    result.extend_from_slice(pair.map_or(character, |(_, to)| to));
                    rest = behind;
                }
                self.pattern = result;
            }
        }
    }
}

fn put(
    out: &mut Vec<u8>,
    substitution: &Substitution,
    text: &[u8],
    found: Match,
    captures: Option<&Captures>,
) {
    let matched = |group: usize| -> &[u8] {
        let range = match (group, captures) {
            (0, _) => Some(found),
            (group, Some(captures)) => captures.get(group),
            (_, None) => None,
        };
        range
            .and_then(|range| text.get(range.range()))
            .unwrap_or_default()
    };
    if !substitution.changes_case {
        for part in &substitution.replacement {
            match part {
                Part::Text(text) => out.extend_from_slice(text),
                Part::Group(group) => out.extend_from_slice(matched(*group)),
                Part::Case(_) => {}
            }
        }
        return;
    }
    let (mut mode, mut once) = (Case::End, Case::End);
    for part in &substitution.replacement {
        let text = match part {
            Part::Text(text) => text.as_slice(),
            Part::Group(group) => matched(*group),
            Part::Case(case @ (Case::UpperOne | Case::LowerOne)) => {
                once = *case;
                continue;
            }
            Part::Case(case) => {
                mode = *case;
                continue;
            }
        };
        let mut rest = text;
        if once != Case::End && !rest.is_empty() {
            let (first, behind) = rest.split_at(characters::first(rest).min(rest.len()));
            put_case(out, first, once);
            once = Case::End;
            rest = behind;
        }
        put_case(out, rest, mode);
    }
}

fn put_case(out: &mut Vec<u8>, text: &[u8], case: Case) {
    match case {
        Case::Upper | Case::UpperOne => out.extend_from_slice(&text.to_uppercase()),
        Case::Lower | Case::LowerOne => out.extend_from_slice(&text.to_lowercase()),
        Case::End => out.extend_from_slice(text),
    }
}
