//! The bytes of a script, and of the aliases that are put in front of them.

use std::sync::Arc;

use memchr::{memchr, memchr_iter, memrchr};

use super::bytes::ByteSet;
use crate::ast::Text;

/// Where the parser is in a script. A clone is cheap, so that the parser can come back.
#[derive(Clone)]
pub(super) struct Input {
    /// No other text has the same.
    id: u32,
    /// A script ends with a newline, unless it is empty.
    source: Arc<[u8]>,
    /// How much of `source` was there before that newline was added.
    length: usize,
    position: usize,
    line: u32,
    /// Aliases that are being read, the innermost last.
    aliases: Vec<AliasText>,
    /// An alias that ends with a blank has just been read to its end: the next word may be one, too.
    pub(super) alias_may_follow: bool,
}

#[derive(Clone)]
struct AliasText {
    /// No two expansions have the same.
    id: u32,
    name: Text,
    /// Ends with a blank, because what follows an alias does not belong to its last word.
    text: Text,
    position: usize,
    /// Where it ends.
    end: usize,
    another_may_follow: bool,
}

/// A place in a text: the script, an expansion of an alias, a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Place {
    text: u32,
    position: usize,
}

impl Input {
    pub(super) fn new(source: &[u8], first_line: u32) -> Self {
        Self::nested(source, first_line, 0)
    }

    /// A script inside of a script. bash ends every script with a newline.
    pub(super) fn nested(source: &[u8], first_line: u32, id: u32) -> Self {
        let mut input = Self::verbatim(source, first_line, id);
        if input.source.last().is_some_and(|&last| last != b'\n') {
            input.source = [&*input.source, b"\n"].concat().into();
        }
        input
    }

    /// A text that is no script. bash takes NUL bytes out of all that it reads.
    pub(super) fn verbatim(source: &[u8], first_line: u32, id: u32) -> Self {
        let source: Arc<[u8]> = if source.contains(&0) {
            source.iter().copied().filter(|&byte| byte != 0).collect()
        } else {
            source.into()
        };
        Self {
            id,
            length: source.len(),
            source,
            position: 0,
            line: first_line,
            aliases: Vec::new(),
            alias_may_follow: false,
        }
    }

    pub(super) fn line(&self) -> u32 {
        self.line
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    pub(super) fn place(&self) -> Place {
        match self.aliases.last() {
            Some(alias) => Place {
                text: alias.id,
                position: alias.position,
            },
            None => Place {
                text: self.id,
                position: self.position,
            },
        }
    }

    /// Bytes that were read of the script itself, of those it had.
    pub(super) fn consumed(&self) -> usize {
        self.position.min(self.length)
    }

    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// The next byte; lines that a backslash continues are joined.
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.peek_raw()? {
                b'\\' if self.continues() => self.skip_continuation(),
                byte => return Some(byte),
            }
        }
    }

    /// The next byte as it is.
    pub(super) fn peek_raw(&mut self) -> Option<u8> {
        while let Some(alias) = self.aliases.last() {
            if let Some(&byte) = alias
                .text
                .get(..alias.end)
                .and_then(|text| text.get(alias.position))
            {
                return Some(byte);
            }
            self.alias_may_follow |= alias.another_may_follow;
            self.aliases.pop();
        }
        self.source.get(self.position).copied()
    }

    /// The byte behind the next one, after [`Self::peek`]; `None` also at the end of an alias.
    pub(super) fn peek_second(&self) -> Option<u8> {
        self.after_next().first().copied()
    }

    /// The byte behind that.
    pub(super) fn peek_third(&self) -> Option<u8> {
        without_continuation(self.after_next().get(1..)?)
            .first()
            .copied()
    }

    fn after_next(&self) -> &[u8] {
        let (text, position) = self.current();
        without_continuation(text.get(position + 1..).unwrap_or_default())
    }

    /// Takes the byte that [`Self::peek`] or [`Self::peek_raw`] has shown.
    pub(super) fn advance(&mut self) {
        if let Some(alias) = self.aliases.last_mut() {
            alias.position += 1;
        } else {
            self.line += u32::from(self.source.get(self.position) == Some(&b'\n'));
            self.position += 1;
        }
    }

    /// Takes the next byte if it is this one.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.advance();
        }
        found
    }

    /// Takes bytes up to one of `stop`, which has to hold the newline, so that lines are counted.
    pub(super) fn take_until(&mut self, stop: &ByteSet, out: &mut Vec<u8>) -> usize {
        let run = self.run(stop);
        out.extend_from_slice(run);
        let length = run.len();
        self.skip(length);
        length
    }

    /// The same, if nobody wants to know the bytes.
    pub(super) fn skip_until(&mut self, stop: &ByteSet) -> usize {
        let length = self.run(stop).len();
        self.skip(length);
        length
    }

    fn run(&self, stop: &ByteSet) -> &[u8] {
        let (text, position) = self.current();
        let rest = text.get(position..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|&byte| stop.contains(byte))
            .unwrap_or(rest.len());
        rest.get(..length).unwrap_or_default()
    }

    /// Takes bytes up to `end`, newlines and all; `None` if it does not come.
    pub(super) fn take_through(&mut self, end: u8, out: &mut Vec<u8>) -> Option<()> {
        loop {
            self.peek_raw()?;
            let (text, position) = self.current();
            let rest = text.get(position..).unwrap_or_default();
            let found = memchr(end, rest);
            let taken = rest.get(..found.unwrap_or(rest.len())).unwrap_or_default();
            out.extend_from_slice(taken);
            let (length, lines) = (taken.len(), count_lines(taken));
            self.skip(length);
            if self.aliases.is_empty() {
                self.line += lines;
            }
            if found.is_some() {
                self.advance();
                return Some(());
            }
        }
    }

    /// Takes the rest of the line with its newline, as it is; `None` at the end.
    pub(super) fn take_line(&mut self, out: &mut Vec<u8>) -> Option<()> {
        self.peek_raw()?;
        self.take_through(b'\n', out);
        Some(())
    }

    /// Goes back by bytes of the script that were just read.
    pub(super) fn step_back(&mut self, bytes: usize) {
        if self.aliases.is_empty() {
            let start = self.position.saturating_sub(bytes);
            let lines = count_lines(self.source.get(start..self.position).unwrap_or_default());
            self.position = start;
            self.line = self.line.saturating_sub(lines);
        }
    }

    /// Reads `text` before going on, for the alias `name`. The `id` is not 0.
    pub(super) fn push_alias(&mut self, id: u32, name: Text, text: &[u8]) {
        let another_may_follow = text
            .last()
            .is_some_and(|&last| matches!(last, b' ' | b'\t'));
        let mut padded = text.to_vec();
        if !another_may_follow {
            padded.push(b' ');
        }
        self.aliases.push(AliasText {
            id,
            name,
            end: padded.len(),
            text: padded.into(),
            position: 0,
            another_may_follow,
        });
    }

    /// A quote was opened: what ends aliases before it is closed is not a blank any more.
    pub(super) fn open_quote(&mut self) {
        for alias in &mut self.aliases {
            if !alias.another_may_follow {
                alias.end = alias.text.len().saturating_sub(1);
            }
        }
    }

    /// What was not read yet.
    pub(super) fn rest(&self) -> &[u8] {
        let (text, position) = self.current();
        text.get(position..).unwrap_or_default()
    }

    /// Goes on with the script itself.
    pub(super) fn skip_aliases(&mut self) {
        self.aliases.clear();
        self.alias_may_follow = false;
    }

    /// How many aliases are being read, one inside the other.
    pub(super) fn alias_depth(&self) -> usize {
        self.aliases.len()
    }

    /// Whether what is read comes from this alias, which must not be expanded again then.
    pub(super) fn is_in_alias(&self, name: &[u8]) -> bool {
        self.aliases.iter().any(|alias| *alias.name == *name)
    }

    /// The line of the script that `position` is in, without its newline.
    pub(super) fn line_at(&self, position: usize) -> &[u8] {
        let before = self.source.get(..position).unwrap_or(&self.source);
        let start = memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let line = self.source.get(start..).unwrap_or_default();
        line.split(|&byte| byte == b'\n').next().unwrap_or_default()
    }

    /// What was read since `start`, with continued lines joined. Nothing if an alias has ended in between.
    pub(super) fn since(&self, start: Place) -> Vec<u8> {
        let (text, position) = self.current();
        let same = self.place().text == start.text;
        let text = text
            .get(start.position..position)
            .filter(|_| same)
            .unwrap_or_default();
        let mut out = Vec::with_capacity(text.len());
        let mut rest = text;
        while let [first, after @ ..] = rest {
            rest = match (first, after) {
                (b'\\', [b'\n', after @ ..]) => after,
                (b'\\', [escaped, after @ ..]) => {
                    out.extend([*first, *escaped]);
                    after
                }
                _ => {
                    out.push(*first);
                    after
                }
            };
        }
        out
    }

    fn current(&self) -> (&[u8], usize) {
        match self.aliases.last() {
            Some(alias) => (
                alias.text.get(..alias.end).unwrap_or_default(),
                alias.position,
            ),
            None => (&self.source, self.position),
        }
    }

    fn skip(&mut self, length: usize) {
        match self.aliases.last_mut() {
            Some(alias) => alias.position += length,
            None => self.position += length,
        }
    }

    /// Whether a backslash that is next has a newline behind it. The one that was added at the end does not count.
    fn continues(&self) -> bool {
        let (text, position) = self.current();
        let added = self.aliases.is_empty() && position + 1 >= self.length;
        !added && text.get(position + 1) == Some(&b'\n')
    }

    fn skip_continuation(&mut self) {
        self.advance();
        self.advance();
    }
}

fn without_continuation(mut text: &[u8]) -> &[u8] {
    while let Some(after) = text.strip_prefix(b"\\\n") {
        text = after;
    }
    text
}

fn count_lines(text: &[u8]) -> u32 {
    u32::try_from(memchr_iter(b'\n', text).count()).unwrap_or(u32::MAX)
}
