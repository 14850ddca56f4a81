//! `sub`, `gsub`, `gensub`, `match`, `split` and `patsplit`.

use hotcell_regex::{Captures, Match, Regex};

use super::{
    super::{
        array::Sought,
        record::{Spans, Split, Splitter},
        syntax::{self, Argument, ArrayExpr},
        text::Text,
        value::{ArrayRef, Value},
    },
    Interpreter, Result,
};
use crate::characters;

/// A piece of a replacement.
enum Piece {
    Text(Vec<u8>),
    /// A group of the match; 0 is all of it.
    Group(usize),
}

impl<'a> Interpreter<'a> {
    /// `sub` and `gsub`: how many were replaced.
    #[inline(never)]
    pub(super) fn substitute(
        &mut self,
        is_global: bool,
        regex: &'a syntax::Regex,
        replacement: &'a Argument,
        target: Option<&'a Argument>,
    ) -> Result<Value> {
        let regex = self.compile(regex)?;
        let replacement = self.argument_string(replacement)?;
        let pieces = pieces_of_sub(&replacement);
        self.give_scratch(replacement);
        let mut text = self.take_scratch();
        match target {
            None => {
                self.refresh_record()?;
                text.extend_from_slice(self.record.text());
            }
            Some(Argument::Target(target)) => {
                let value = self.target_value(target)?;
                self.put_value(&value, &mut text, false)?;
            }
            Some(argument) => {
                let other = self.argument_string(argument)?;
                text.extend_from_slice(&other);
                self.give_scratch(other);
            }
        }
        let limit = if is_global { usize::MAX } else { 1 };
        let replaced = self.replace(&regex, &text, &pieces, 1, limit, false)?;
        self.give_scratch(text);
        let Some((result, count)) = replaced else {
            return Ok(Value::Number(0.0));
        };
        match target {
            None => {
                let before = self.record.exchange(result);
                self.give_scratch(before);
            }
            Some(Argument::Target(target)) => {
                let value = self.text(&result)?;
                self.give_scratch(result);
                self.assign(target, value)?;
            }
            Some(_) => self.give_scratch(result),
        }
        Ok(Value::count(count))
    }

    /// `gensub`: the result.
    #[inline(never)]
    pub(super) fn general_substitute(&mut self, arguments: &'a [Argument]) -> Result<Value> {
        let [Argument::Regex(regex), replacement, how, rest @ ..] = arguments else {
            return Ok(Value::Nothing);
        };
        let regex = self.compile(regex)?;
        let replacement = self.argument_string(replacement)?;
        let pieces = pieces_of_gensub(&replacement);
        self.give_scratch(replacement);
        let how = self.argument_value(how)?;
        let text = match rest.first() {
            Some(argument) => self.argument_string(argument)?,
            None => {
                self.refresh_record()?;
                let mut text = self.take_scratch();
                text.extend_from_slice(self.record.text());
                text
            }
        };
        let is_global = matches!(
            &how,
            Value::Text(how) | Value::Input(how) if matches!(how.as_bytes().first(), Some(b'g' | b'G'))
        );
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "conversions saturate, which is meant"
        )]
        let first = if is_global {
            1
        } else {
            (how.number() as usize).max(1)
        };
        let limit = if is_global { usize::MAX } else { 1 };
        let replaced = self.replace(&regex, &text, &pieces, first, limit, true)?;
        let result = match replaced {
            Some((result, _)) => {
                let value = self.text(&result)?;
                self.give_scratch(result);
                value
            }
            None => self.text(&text)?,
        };
        self.give_scratch(text);
        Ok(result)
    }

    /// Replaces matches from the one of this number on, so many of them. `None` if there was none.
    fn replace(
        &mut self,
        regex: &Regex,
        text: &[u8],
        pieces: &[Piece],
        first: usize,
        limit: usize,
        may_have_groups: bool,
    ) -> Result<Option<(Vec<u8>, usize)>> {
        let needs_groups = may_have_groups
            && pieces
                .iter()
                .any(|piece| matches!(piece, Piece::Group(1..)));
        let mut result = self.take_scratch();
        let (mut at, mut copied, mut number, mut count) = (0, 0, 0, 0);
        let mut last_end = None;
        let mut checked = 0;
        while at <= text.len() && count < limit {
            let captures = if needs_groups {
                self.regexes.captures(regex, text, at)?
            } else {
                None
            };
            let found = if needs_groups {
                captures.as_ref().and_then(|captures| captures.get(0))
            } else {
                self.regexes.find(regex, text, at)?
            };
            let Some(found) = found else { break };
            // Nothing right behind a match is the end of that match.
            let is_new = !found.is_empty() || last_end != Some(found.start);
            if is_new {
                number += 1;
            }
            if is_new && number >= first {
                count += 1;
                result.extend_from_slice(text.get(copied..found.start).unwrap_or_default());
                put_pieces(&mut result, pieces, text, found, captures.as_ref());
                copied = found.end;
            }
            last_end = Some(found.end);
            at = if found.is_empty() {
                found.end + self.character_at(text, found.end).max(1)
            } else {
                found.end
            };
            if result.len() > checked + (1 << 16) {
                checked = result.len();
                self.check_room(checked)?;
            }
            self.process.spend(pieces.len());
        }
        if count == 0 {
            self.give_scratch(result);
            return Ok(None);
        }
        result.extend_from_slice(text.get(copied..).unwrap_or_default());
        Ok(Some((result, count)))
    }

    fn character_at(&self, text: &[u8], at: usize) -> usize {
        if self.is_bytes {
            return 1;
        }
        characters::first(text.get(at..).unwrap_or_default())
    }

    /// `match`: where it is, and its groups in an array.
    #[inline(never)]
    pub(super) fn match_function(
        &mut self,
        text: &'a Argument,
        regex: &'a syntax::Regex,
        groups: Option<&'a ArrayExpr>,
    ) -> Result<Value> {
        let text = self.argument_string(text)?;
        let regex = self.compile(regex)?;
        let place = |this: &Self, at: usize| {
            let before = text.get(..at).unwrap_or_default();
            if this.is_bytes {
                before.len()
            } else {
                characters::count(before)
            }
        };
        let found = match groups {
            None => self.regexes.find(&regex, &text, 0)?,
            Some(groups) => {
                let array = self.array(groups)?;
                array.borrow_mut().clear();
                let captures = self.regexes.captures(&regex, &text, 0)?;
                if let Some(captures) = &captures {
                    self.put_groups(&array, &text, captures, &place)?;
                }
                captures.and_then(|captures| captures.get(0))
            }
        };
        let (start, length) = match found {
            Some(found) => {
                let start = place(self, found.start);
                (start + 1, place(self, found.end) - start)
            }
            None => (0, usize::MAX),
        };
        let start = Value::count(start);
        self.settings.rstart = start.number();
        self.settings.rlength = match found {
            Some(_) => Value::count(length).number(),
            None => -1.0,
        };
        self.give_scratch(text);
        Ok(start)
    }

    fn put_groups(
        &mut self,
        array: &ArrayRef,
        text: &[u8],
        captures: &Captures,
        place: &dyn Fn(&Self, usize) -> usize,
    ) -> Result<()> {
        let subsep = self.settings.subsep.clone();
        for group in 0..captures.len() {
            let Some(found) = captures.get(group) else {
                continue;
            };
            self.process.spend(text.len() / 16 + 1);
            let matched = text.get(found.range()).unwrap_or_default();
            let value = Value::Input(Text::new(&self.budget, matched)?);
            let start = place(self, found.start);
            let length = place(self, found.end) - start;
            let mut array = array.borrow_mut();
            array.insert(
                Sought::Number(i64::try_from(group).unwrap_or(i64::MAX)),
                value,
            )?;
            for (name, number) in [("start", start + 1), ("length", length)] {
                let mut key = group.to_string().into_bytes();
                key.extend_from_slice(subsep.as_bytes());
                key.extend_from_slice(name.as_bytes());
                array.insert(Sought::of(&key), Value::count(number))?;
            }
        }
        Ok(())
    }

    /// `split` and `patsplit`: how many pieces.
    #[inline(never)]
    pub(super) fn split(&mut self, arguments: &'a [Argument], is_pattern: bool) -> Result<Value> {
        let [text, Argument::Array(array), rest @ ..] = arguments else {
            return Ok(Value::Nothing);
        };
        let text = self.argument_string(text)?;
        let splitter = match rest.first() {
            None if is_pattern => {
                let fpat = self.special(syntax::Special::Fpat)?;
                let fpat = self.as_text(&fpat)?;
                Splitter::Fields(self.regexes.dynamic(fpat.as_bytes())?)
            }
            None => self.record.splitter.clone(),
            Some(Argument::Regex(regex)) if is_pattern => Splitter::Fields(self.compile(regex)?),
            Some(Argument::Regex(constant @ syntax::Regex::Constant(_))) => {
                Splitter::Regex(self.compile(constant)?)
            }
            Some(Argument::Regex(syntax::Regex::Dynamic(expr))) => {
                let separator = self.string(expr)?;
                let splitter = self.splitter(&separator, false)?;
                self.give_scratch(separator);
                splitter
            }
            Some(_) => return Ok(Value::Nothing),
        };
        let array = self.array(array)?;
        let separators = match rest.get(1) {
            Some(Argument::Array(separators)) => Some(self.array(separators)?),
            _ => None,
        };
        let mut spans = Spans::new(&self.budget);
        let mut split = Split {
            text: &text,
            regexes: &self.regexes,
            is_bytes: self.is_bytes,
        };
        split.run(&splitter, 0, usize::MAX, &mut |start, end| {
            spans.push(start, end)
        })?;
        self.put_split(&array, &text, &spans, matches!(splitter, Splitter::Csv))?;
        if let Some(separators) = separators {
            self.put_separators(&separators, &text, &spans, is_pattern)?;
        }
        self.give_scratch(text);
        Ok(Value::count(spans.len()))
    }

    fn put_split(
        &mut self,
        array: &ArrayRef,
        text: &[u8],
        spans: &[(usize, usize)],
        is_csv: bool,
    ) -> Result<()> {
        let mut array = array.borrow_mut();
        array.clear();
        for (number, (start, end)) in (1..).zip(spans) {
            self.process.spend((end - start) / 16 + 1);
            let piece = text.get(*start..*end).unwrap_or_default();
            let unquoted = is_csv
                .then(|| super::super::record::unquoted(piece))
                .flatten();
            let piece = unquoted.as_deref().unwrap_or(piece);
            let value = Value::Input(Text::new(&self.budget, piece)?);
            array.insert(Sought::Number(number), value)?;
        }
        Ok(())
    }

    /// What stood between the pieces. Of `patsplit` also what stood before the first and behind the last.
    fn put_separators(
        &mut self,
        array: &ArrayRef,
        text: &[u8],
        spans: &[(usize, usize)],
        is_pattern: bool,
    ) -> Result<()> {
        let mut array = array.borrow_mut();
        array.clear();
        let mut put = |number: i64, from: usize, to: usize| {
            self.process.spend(1);
            let between = text.get(from..to).unwrap_or_default();
            let value = Value::Text(Text::new(&self.budget, between)?);
            array.insert(Sought::Number(number), value)
        };
        let first = spans.first().map_or(0, |span| span.0);
        let last = spans.last().map_or(0, |span| span.1);
        if is_pattern || first > 0 {
            put(0, 0, first)?;
        }
        for (number, pair) in (1..).zip(spans.windows(2)) {
            if let [left, right] = pair {
                put(number, left.1, right.0)?;
            }
        }
        if !spans.is_empty() && (is_pattern || last < text.len()) {
            put(
                i64::try_from(spans.len()).unwrap_or(i64::MAX),
                last,
                text.len(),
            )?;
        }
        Ok(())
    }
}

fn put_pieces(
    out: &mut Vec<u8>,
    pieces: &[Piece],
    text: &[u8],
    found: Match,
    captures: Option<&Captures>,
) {
    for piece in pieces {
        match piece {
            Piece::Text(piece) => out.extend_from_slice(piece),
            Piece::Group(0) => {
                out.extend_from_slice(text.get(found.range()).unwrap_or_default());
            }
            Piece::Group(group) => {
                let group = captures.and_then(|captures| captures.get(*group));
                let matched = group.and_then(|group| text.get(group.range()));
                out.extend_from_slice(matched.unwrap_or_default());
            }
        }
    }
}

/// In the replacement of `sub`, `&` is the match, and backslashes mean something only before it: `\&` is itself, and `\\&`
/// a backslash and the match.
fn pieces_of_sub(replacement: &[u8]) -> Vec<Piece> {
    let mut pieces = Pieces::default();
    let mut at = 0;
    while let Some(byte) = replacement.get(at) {
        match byte {
            b'\\' => {
                let rest = replacement.get(at..).unwrap_or_default();
                let slashes = rest.iter().take_while(|byte| **byte == b'\\').count();
                if rest.get(slashes) == Some(&b'&') {
                    pieces.text.extend(std::iter::repeat_n(b'\\', slashes / 2));
                    if slashes % 2 == 1 {
                        pieces.text.push(b'&');
                    } else {
                        pieces.group(0);
                    }
                    at += slashes + 1;
                } else {
                    pieces.text.extend(std::iter::repeat_n(b'\\', slashes));
                    at += slashes;
                }
            }
            b'&' => {
                pieces.group(0);
                at += 1;
            }
            byte => {
                pieces.text.push(*byte);
                at += 1;
            }
        }
    }
    pieces.finish()
}

/// In the replacement of `gensub`, `\1` is a group, and a backslash takes the meaning of what follows.
fn pieces_of_gensub(replacement: &[u8]) -> Vec<Piece> {
    let mut pieces = Pieces::default();
    let mut bytes = replacement.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => match bytes.next() {
                Some(digit @ b'0'..=b'9') => pieces.group(usize::from(digit - b'0')),
                Some(b'&') => pieces.text.push(b'&'),
                Some(b'\\') | None => pieces.text.push(b'\\'),
                Some(other) => pieces.text.extend([b'\\', *other]),
            },
            b'&' => pieces.group(0),
            byte => pieces.text.push(*byte),
        }
    }
    pieces.finish()
}

#[derive(Default)]
struct Pieces {
    pieces: Vec<Piece>,
    text: Vec<u8>,
}

impl Pieces {
    fn group(&mut self, group: usize) {
        if !self.text.is_empty() {
            self.pieces
                .push(Piece::Text(std::mem::take(&mut self.text)));
        }
        self.pieces.push(Piece::Group(group));
    }

    fn finish(mut self) -> Vec<Piece> {
        if !self.text.is_empty() {
            self.pieces.push(Piece::Text(self.text));
        }
        self.pieces
    }
}
