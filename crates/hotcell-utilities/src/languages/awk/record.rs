//! The record, and its fields, which are found when somebody asks for them.

use std::{io, ops::Deref};

use hotcell_regex::Regex;

use super::{regexes::Regexes, text::Text, value::Value};
use crate::languages::budget::{Budget, Held};

/// How a record is taken apart.
#[derive(Clone)]
pub(crate) enum Splitter {
    /// At blanks, those at the ends aside.
    Blanks,
    /// At each of this byte.
    Byte(u8),
    /// At each of this byte and each newline.
    ByteOrNewline(u8),
    /// At each match.
    Regex(Regex),
    /// Into characters.
    Characters,
    /// Each match is a field.
    Fields(Regex),
    /// Fields are this wide, so many characters apart. `None` takes what is left.
    Widths(Vec<(usize, Option<usize>)>),
    /// Comma-separated values with quotes.
    Csv,
}

/// Where a field is in its record.
type Span = (usize, usize);

/// Where fields are, charged by the room that they take: a field of one byte takes more than the byte.
pub(crate) struct Spans {
    list: Vec<Span>,
    held: Held,
}

impl Spans {
    pub(crate) fn new(budget: &Budget) -> Self {
        Self {
            list: Vec::new(),
            held: Held::nothing(budget),
        }
    }

    /// Adds one, and says how many there are.
    #[inline]
    pub(crate) fn push(&mut self, start: usize, end: usize) -> io::Result<usize> {
        if self.list.len() == self.list.capacity() {
            self.held.make_room(&mut self.list, 1)?;
        }
        self.list.push((start, end));
        Ok(self.list.len())
    }

    fn resize(&mut self, count: usize) -> io::Result<()> {
        let more = count.saturating_sub(self.list.len());
        self.held.make_room(&mut self.list, more)?;
        self.list.resize(count, (0, 0));
        Ok(())
    }
}

impl Deref for Spans {
    type Target = [Span];

    fn deref(&self) -> &[Span] {
        &self.list
    }
}

/// What a number takes at most when it is written into a record.
const NUMBER: usize = 32;

pub(crate) struct Record {
    text: Vec<u8>,
    spans: Spans,
    /// Fields that were assigned to. Empty, or as many as there are fields.
    assigned: Vec<Option<Value>>,
    /// The room that those take.
    assigned_room: Held,
    /// Where to look for more fields; `None` if all are found.
    rest: Option<usize>,
    /// The text is to be made of the fields.
    is_stale: bool,
    pub(crate) splitter: Splitter,
    is_bytes: bool,
    budget: Budget,
}

/// What is in a field.
pub(crate) enum Field<'r> {
    /// Text that was read.
    Read(&'r [u8]),
    /// What was assigned.
    Assigned(&'r Value),
    /// There is no such field.
    Missing,
}

impl Record {
    pub(crate) fn new(is_bytes: bool, budget: &Budget) -> Self {
        Self {
            text: Vec::new(),
            spans: Spans::new(budget),
            assigned: Vec::new(),
            assigned_room: Held::nothing(budget),
            rest: None,
            is_stale: false,
            splitter: Splitter::Blanks,
            is_bytes,
            budget: budget.clone(),
        }
    }

    /// Gives the record another text, and returns the buffer of the one before.
    #[inline]
    pub(crate) fn exchange(&mut self, text: Vec<u8>) -> Vec<u8> {
        let before = std::mem::replace(&mut self.text, text);
        self.begin();
        before
    }

    fn begin(&mut self) {
        self.spans.list.clear();
        if !self.assigned.is_empty() {
            self.assigned.clear();
        }
        self.rest = Some(0);
        self.is_stale = false;
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// The text as it is; see [`Record::rebuild`].
    #[inline]
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// How much [`Record::rebuild`] makes, about.
    pub(crate) fn rebuilt_size(&self, separator: &[u8]) -> usize {
        let fields = self.spans.iter().enumerate().map(|(at, (start, end))| {
            match self.assigned.get(at).and_then(Option::as_ref) {
                Some(Value::Text(text) | Value::Input(text)) => text.as_bytes().len(),
                Some(_) => NUMBER,
                None => end - start,
            }
        });
        fields.fold(0, |sum: usize, field| {
            sum.saturating_add(field).saturating_add(separator.len())
        })
    }

    /// Makes the text of the fields again.
    pub(crate) fn rebuild(
        &mut self,
        separator: &[u8],
        mut put: impl FnMut(&Value, &mut Vec<u8>),
    ) -> io::Result<()> {
        // One string may be in all fields, and the separator is between all of them.
        let size = self.rebuilt_size(separator);
        let _held = self.budget.hold(size)?;
        let mut text = Vec::with_capacity(size);
        for at in 0..self.spans.len() {
            if at > 0 {
                text.extend_from_slice(separator);
            }
            let start = text.len();
            match self.assigned.get(at).and_then(Option::as_ref) {
                Some(value) => put(value, &mut text),
                None => {
                    let (from, to) = self.spans.get(at).copied().unwrap_or_default();
                    text.extend_from_slice(self.text.get(from..to).unwrap_or_default());
                }
            }
            if let Some(span) = self.spans.list.get_mut(at) {
                *span = (start, text.len());
            }
        }
        self.text = text;
        self.is_stale = false;
        Ok(())
    }

    /// The field of this number, from 1.
    #[inline]
    pub(crate) fn field(&mut self, number: usize, regexes: &Regexes<'_>) -> io::Result<Field<'_>> {
        if self.spans.len() < number && self.rest.is_some() {
            self.find_fields(number, regexes)?;
        }
        let Some((start, end)) = self.spans.get(number.wrapping_sub(1)).copied() else {
            return Ok(Field::Missing);
        };
        if let Some(Some(value)) = self.assigned.get(number - 1) {
            return Ok(Field::Assigned(value));
        }
        Ok(Field::Read(self.text.get(start..end).unwrap_or_default()))
    }

    /// The number of fields.
    pub(crate) fn count(&mut self, regexes: &Regexes<'_>) -> io::Result<usize> {
        if self.rest.is_some() {
            self.find_fields(usize::MAX, regexes)?;
        }
        Ok(self.spans.len())
    }

    /// Makes it so many fields.
    pub(crate) fn set_count(&mut self, count: usize, regexes: &Regexes<'_>) -> io::Result<()> {
        self.count(regexes)?;
        self.make_assignable(count)?;
        self.spans.resize(count)?;
        self.assigned.resize(count, None);
        self.is_stale = true;
        Ok(())
    }

    /// Assigns to a field.
    pub(crate) fn assign(
        &mut self,
        number: usize,
        value: Value,
        regexes: &Regexes<'_>,
    ) -> io::Result<()> {
        if number > self.count(regexes)? {
            self.set_count(number, regexes)?;
        }
        self.make_assignable(self.spans.len())?;
        if let Some(place) = self.assigned.get_mut(number.wrapping_sub(1)) {
            *place = Some(value);
        }
        self.is_stale = true;
        Ok(())
    }

    /// Makes room for what is assigned to so many fields.
    fn make_assignable(&mut self, count: usize) -> io::Result<()> {
        let count = count.max(self.spans.len());
        let more = count.saturating_sub(self.assigned.len());
        self.assigned_room.make_room(&mut self.assigned, more)?;
        if self.assigned.is_empty() {
            self.assigned.resize(self.spans.len(), None);
        }
        Ok(())
    }

    fn find_fields(&mut self, upto: usize, regexes: &Regexes<'_>) -> io::Result<()> {
        let from = self.rest.unwrap_or(0);
        let spans = &mut self.spans;
        let mut split = Split {
            text: &self.text,
            regexes,
            is_bytes: self.is_bytes,
        };
        self.rest = split.run(&self.splitter, from, upto, &mut |start, end| {
            spans.push(start, end)
        })?;
        if matches!(self.splitter, Splitter::Csv) {
            self.unquote()?;
        }
        Ok(())
    }

    /// Fields of comma-separated values do not have their quotes.
    fn unquote(&mut self) -> io::Result<()> {
        self.make_assignable(self.spans.len())?;
        for (span, place) in self.spans.iter().zip(&mut self.assigned) {
            let field = self.text.get(span.0..span.1).unwrap_or_default();
            if let Some(text) = unquoted(field) {
                *place = Some(Value::Input(Text::from_vec(&self.budget, text)?));
            }
        }
        Ok(())
    }
}

/// Takes a text apart. What it finds is given to a function, which says how many it has.
pub(crate) struct Split<'t, 'p> {
    pub(crate) text: &'t [u8],
    pub(crate) regexes: &'t Regexes<'p>,
    pub(crate) is_bytes: bool,
}

impl Split<'_, '_> {
    /// Goes on at `from` until there are `upto` fields. Returns where to go on, `None` at the end.
    pub(crate) fn run(
        &mut self,
        splitter: &Splitter,
        from: usize,
        upto: usize,
        found: &mut impl FnMut(usize, usize) -> io::Result<usize>,
    ) -> io::Result<Option<usize>> {
        match splitter {
            Splitter::Blanks => self.blanks(from, upto, found),
            Splitter::Byte(byte) => self.byte(*byte, from, upto, found),
            Splitter::ByteOrNewline(byte) => {
                let mut start = 0;
                for at in memchr::memchr2_iter(*byte, b'\n', self.text) {
                    found(start, at)?;
                    start = at + 1;
                }
                if !self.text.is_empty() {
                    found(start, self.text.len())?;
                }
                Ok(None)
            }
            Splitter::Regex(regex) => self.regex(regex, found),
            Splitter::Fields(regex) => self.fields(regex, found),
            Splitter::Characters => {
                let mut at = 0;
                while at < self.text.len() {
                    let length = self.character(at);
                    found(at, at + length)?;
                    at += length;
                }
                Ok(None)
            }
            Splitter::Widths(widths) => {
                self.widths(widths, found)?;
                Ok(None)
            }
            Splitter::Csv => {
                self.csv(found)?;
                Ok(None)
            }
        }
    }

    /// The length of the character at a place.
    fn character(&self, at: usize) -> usize {
        if self.is_bytes {
            return 1;
        }
        let rest = self.text.get(at..).unwrap_or_default();
        bstr::decode_utf8(rest).1.max(1)
    }

    #[inline]
    fn blanks(
        &self,
        from: usize,
        upto: usize,
        found: &mut impl FnMut(usize, usize) -> io::Result<usize>,
    ) -> io::Result<Option<usize>> {
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n');
        let mut at = from;
        loop {
            let rest = self.text.get(at..).unwrap_or_default();
            let Some(blanks) = rest.iter().position(|byte| !is_blank(byte)) else {
                return Ok(None);
            };
            at += blanks;
            let rest = self.text.get(at..).unwrap_or_default();
            let length = rest.iter().position(is_blank).unwrap_or(rest.len());
            let count = found(at, at + length)?;
            at += length;
            if count >= upto {
                return Ok(Some(at));
            }
        }
    }

    #[inline]
    fn byte(
        &self,
        byte: u8,
        from: usize,
        upto: usize,
        found: &mut impl FnMut(usize, usize) -> io::Result<usize>,
    ) -> io::Result<Option<usize>> {
        if self.text.is_empty() {
            return Ok(None);
        }
        let mut at = from;
        loop {
            let rest = self.text.get(at..).unwrap_or_default();
            let Some(length) = memchr::memchr(byte, rest) else {
                found(at, self.text.len())?;
                return Ok(None);
            };
            let count = found(at, at + length)?;
            at += length + 1;
            if count >= upto {
                return Ok(Some(at));
            }
        }
    }

    fn regex(
        &self,
        regex: &Regex,
        found: &mut impl FnMut(usize, usize) -> io::Result<usize>,
    ) -> io::Result<Option<usize>> {
        if self.text.is_empty() {
            return Ok(None);
        }
        let (mut start, mut at) = (0, 0);
        while at < self.text.len() {
            let Some(separator) = self.regexes.find(regex, self.text, at)? else {
                break;
            };
            if separator.is_empty() {
                // Nothing separates nothing.
                at = separator.end + self.character(separator.end);
                continue;
            }
            found(start, separator.start)?;
            start = separator.end;
            at = start;
        }
        found(start, self.text.len())?;
        Ok(None)
    }

    fn fields(
        &self,
        regex: &Regex,
        found: &mut impl FnMut(usize, usize) -> io::Result<usize>,
    ) -> io::Result<Option<usize>> {
        let mut at = 0;
        // An empty field right behind another is the end of that one.
        let mut last_end = None;
        while at <= self.text.len() {
            let Some(field) = self.regexes.find(regex, self.text, at)? else {
                break;
            };
            if !field.is_empty() || last_end != Some(field.start) {
                found(field.start, field.end)?;
                last_end = Some(field.end);
            }
            at = if field.is_empty() {
                field.end + self.character(field.end).max(1)
            } else {
                field.end
            };
        }
        Ok(None)
    }

    fn widths(
        &self,
        widths: &[(usize, Option<usize>)],
        found: &mut impl FnMut(usize, usize) -> io::Result<usize>,
    ) -> io::Result<()> {
        let mut at = 0;
        let skip = |mut at: usize, count: usize| {
            for _ in 0..count {
                if at >= self.text.len() {
                    break;
                }
                at += self.character(at);
            }
            at.min(self.text.len())
        };
        for (gap, width) in widths {
            at = skip(at, *gap);
            if at >= self.text.len() {
                return Ok(());
            }
            let end = width.map_or(self.text.len(), |width| skip(at, width));
            found(at, end)?;
            at = end;
        }
        Ok(())
    }

    /// Fields between commas. Quotes stay where they are: see [`unquoted`].
    fn csv(&self, found: &mut impl FnMut(usize, usize) -> io::Result<usize>) -> io::Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        let mut start = 0;
        let mut is_quoted = false;
        for at in memchr::memchr2_iter(b',', b'"', self.text) {
            if self.text.get(at) == Some(&b'"') {
                is_quoted = !is_quoted;
            } else if !is_quoted {
                found(start, at)?;
                start = at + 1;
            }
        }
        found(start, self.text.len())?;
        Ok(())
    }
}

/// A field of comma-separated values without its quotes.
pub(crate) fn unquoted(field: &[u8]) -> Option<Vec<u8>> {
    let inner = field.strip_prefix(b"\"")?;
    let inner = inner.strip_suffix(b"\"").unwrap_or(inner);
    let mut text = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().peekable();
    while let Some(byte) = bytes.next() {
        text.push(*byte);
        if *byte == b'"' && bytes.peek() == Some(&&b'"') {
            bytes.next();
        }
    }
    Some(text)
}

impl Field<'_> {
    /// The field as a value.
    pub(crate) fn value(&self, budget: &Budget) -> io::Result<Value> {
        match self {
            Self::Read(text) => Ok(Value::Input(Text::new(budget, text)?)),
            Self::Assigned(value) => Ok((*value).clone()),
            Self::Missing => Ok(Value::Nothing),
        }
    }
}
