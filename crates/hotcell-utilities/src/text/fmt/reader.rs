//! Words, lines and paragraphs of the input.

use std::io::{self, BufRead, BufReader, Write};

use hotcell_meter::Charge;
use hotcell_process::{Input, Output, Process};

use super::{
    Style, Word,
    layout::{Layout, Margins},
    pen::{Pen, TAB},
};

/// How much is read at once.
const PIECE: usize = 4 << 10;

/// The words of a paragraph that are kept, and their bytes; of a longer one a part is printed before the rest is read.
const MOST_WORDS: usize = 1000;
const MOST_BYTES: usize = 5000;

pub(super) struct Reader<'p, 's> {
    process: &'p Process,
    style: &'s Style,
    input: BufReader<Input<'p>>,
    _charge: Charge,
    pen: Pen,
    /// The byte that comes next, behind the blanks that a line begins with; none at the end.
    next: Option<u8>,
    /// The column of the byte that comes next.
    column: usize,
    /// Where the prefix of the line that comes next begins.
    next_prefix: usize,
    /// Where the prefix of the paragraph begins.
    prefix: usize,
    first_indent: usize,
    other_indent: usize,
    /// How long the line is that was printed last, if it is of the same paragraph.
    last_length: usize,
    words: Vec<Word>,
    /// The bytes of all words, and of the one that is being read.
    bytes: usize,
}

impl<'p, 's> Reader<'p, 's> {
    pub(super) fn new(
        process: &'p Process,
        input: Input<'p>,
        style: &'s Style,
    ) -> io::Result<Self> {
        let charge = process.charge(PIECE + MOST_BYTES + MOST_WORDS * size_of::<Word>())?;
        Ok(Self {
            process,
            style,
            input: BufReader::with_capacity(PIECE, input),
            _charge: charge,
            pen: Pen::default(),
            next: None,
            column: 0,
            next_prefix: 0,
            prefix: 0,
            first_indent: 0,
            other_indent: 0,
            last_length: 0,
            words: Vec::new(),
            bytes: 0,
        })
    }

    /// All of the file.
    pub(super) fn format(mut self, out: &mut Output<'_>) -> io::Result<()> {
        self.begin_line()?;
        while self.paragraph(out)? {
            let layout = self.layout();
            self.put(&layout, self.words.len(), out)?;
        }
        Ok(())
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        let byte = self.input.fill_buf()?.first().copied();
        self.input.consume(usize::from(byte.is_some()));
        Ok(byte)
    }

    fn advance(&mut self) -> io::Result<()> {
        self.next = self.byte()?;
        Ok(())
    }

    fn is_at_end_of_line(&self) -> bool {
        matches!(self.next, None | Some(b'\n'))
    }

    /// Goes over blanks.
    fn skip_blanks(&mut self) -> io::Result<()> {
        loop {
            self.process.spend(1);
            match self.next {
                Some(b' ') => self.column += 1,
                Some(b'\t') => {
                    self.pen.uses_tabs = true;
                    self.column = (self.column / TAB + 1) * TAB;
                }
                _ => return Ok(()),
            }
            self.advance()?;
        }
    }

    /// Goes over what a line begins with: blanks, and the prefix if there is one.
    fn begin_line(&mut self) -> io::Result<()> {
        self.column = 0;
        self.advance()?;
        self.skip_blanks()?;
        let prefix = &self.style.prefix;
        if prefix.text.is_empty() {
            self.next_prefix = prefix.lead.min(self.column);
            return Ok(());
        }
        self.next_prefix = self.column;
        for byte in &prefix.text {
            if self.next != Some(*byte) {
                return Ok(());
            }
            self.column += 1;
            self.advance()?;
        }
        self.skip_blanks()
    }

    /// Whether the line that comes next can go on with the paragraph.
    fn goes_on(&self) -> bool {
        self.next_prefix == self.prefix
            && self.column >= self.next_prefix + self.style.prefix.whole
            && !self.is_at_end_of_line()
    }

    /// Reads a paragraph; false at the end of the file.
    fn paragraph(&mut self, out: &mut Output<'_>) -> io::Result<bool> {
        self.last_length = 0;
        let prefix = &self.style.prefix;
        while self.is_at_end_of_line()
            || self.next_prefix < prefix.lead
            || self.column < self.next_prefix + prefix.whole
        {
            self.copy_line(out)?;
            if self.next.is_none() {
                return Ok(false);
            }
            out.write_all(b"\n")?;
            self.begin_line()?;
        }
        self.prefix = self.next_prefix;
        self.first_indent = self.column;
        self.words.clear();
        self.bytes = 0;
        self.line(out)?;
        self.set_other_indent(self.goes_on());
        let is_joined = !self.style.split
            && (self.style.crown || !self.style.tagged || self.column != self.first_indent);
        let mut is_first = self.style.crown;
        while is_joined
            && self.goes_on()
            && (std::mem::take(&mut is_first) || self.column == self.other_indent)
        {
            self.line(out)?;
        }
        if let Some(last) = self.words.last_mut() {
            last.has_period = true;
            last.is_final = true;
        }
        Ok(true)
    }

    fn set_other_indent(&mut self, goes_on: bool) {
        let style = self.style;
        if style.split || !(style.crown || style.tagged) {
            self.other_indent = self.first_indent;
        } else if style.crown {
            self.other_indent = if goes_on {
                self.column
            } else {
                self.first_indent
            };
        } else if goes_on && self.column != self.first_indent {
            self.other_indent = self.column;
        } else if self.other_indent == self.first_indent {
            // A line alone: what was there last, unless that says nothing.
            self.other_indent = if self.first_indent == 0 { 3 } else { 0 };
        }
    }

    /// A line that is no part of a paragraph, as it is, without its end.
    fn copy_line(&mut self, out: &mut Output<'_>) -> io::Result<()> {
        self.pen.column = 0;
        if self.column > self.next_prefix || !self.is_at_end_of_line() {
            self.pen.space(self.next_prefix, out)?;
            let length = self.column.saturating_sub(self.pen.column);
            let prefix = &self.style.prefix.text;
            let shown = prefix.get(..length).unwrap_or(prefix);
            self.pen.text(shown, out)?;
            if !self.is_at_end_of_line() {
                self.pen
                    .space(self.column.saturating_sub(self.pen.column), out)?;
            }
            if self.next.is_none() && self.column >= self.next_prefix + prefix.len() {
                out.write_all(b"\n")?;
            }
        }
        while !self.is_at_end_of_line() {
            self.process.spend(1);
            out.write_all(self.next.as_slice())?;
            self.advance()?;
        }
        Ok(())
    }

    /// The words of a line, and the beginning of the next.
    fn line(&mut self, out: &mut Output<'_>) -> io::Result<()> {
        loop {
            let mut text = Vec::new();
            loop {
                self.process.spend(1);
                if self.bytes >= MOST_BYTES {
                    self.make_room(&mut text, out)?;
                }
                text.extend(self.next);
                self.bytes += 1;
                self.advance()?;
                let is_blank = |byte: u8| byte.is_ascii_whitespace() || byte == 0x0b;
                if self.next.is_none_or(is_blank) {
                    break;
                }
            }
            self.column += text.len();
            let start = self.column;
            self.skip_blanks()?;
            let space = self.column - start;
            let word = self.word(text, space);
            self.words.push(word);
            if self.words.len() >= MOST_WORDS {
                self.make_room(&mut Vec::new(), out)?;
            }
            if self.is_at_end_of_line() {
                break;
            }
        }
        self.begin_line()
    }

    fn word(&self, text: Vec<u8>, space: usize) -> Word {
        let is_closing = |byte: &u8| b")]'\"".contains(byte);
        let closed = text.iter().rposition(|byte| !is_closing(byte)).unwrap_or(0);
        let has_period = text.get(closed).is_some_and(|byte| b".?!".contains(byte));
        let ends_line = self.next == Some(b'\n');
        let is_final = self.next.is_none() || has_period && (ends_line || space > 1);
        let space = if self.is_at_end_of_line() || self.style.uniform {
            1 + usize::from(is_final)
        } else {
            space
        };
        Word {
            has_period,
            is_final,
            space,
            has_punctuation: text.last().is_some_and(u8::is_ascii_punctuation),
            opens: text.first().is_some_and(|byte| b"(['`\"".contains(byte)),
            text,
        }
    }

    fn layout(&self) -> Layout {
        let margins = Margins {
            first: self.first_indent,
            other: self.other_indent,
            last_length: self.last_length,
        };
        Layout::new(self.process, &self.words, margins, self.style)
    }

    /// Prints a part of a paragraph that is too long to be kept.
    fn make_room(&mut self, text: &mut Vec<u8>, out: &mut Output<'_>) -> io::Result<()> {
        self.set_other_indent(true);
        if self.words.is_empty() {
            out.write_all(text)?;
            text.clear();
            self.bytes = 0;
            return Ok(());
        }
        let layout = self.layout();
        let cut = layout.cut();
        self.put(&layout, cut, out)?;
        let gone = self.words.drain(..cut).map(|word| word.text.len());
        self.bytes -= gone.sum::<usize>();
        // What is left goes on as any other line of the paragraph.
        self.first_indent = self.other_indent;
        Ok(())
    }

    /// Prints lines up to a word.
    fn put(&mut self, layout: &Layout, end: usize, out: &mut Output<'_>) -> io::Result<()> {
        let mut word = 0;
        while word < end {
            let next = layout.next(word);
            let indent = if word == 0 {
                self.first_indent
            } else {
                self.other_indent
            };
            self.put_line(word, next, indent, out)?;
            word = next;
        }
        Ok(())
    }

    fn put_line(
        &mut self,
        first: usize,
        end: usize,
        indent: usize,
        out: &mut Output<'_>,
    ) -> io::Result<()> {
        let pen = &mut self.pen;
        pen.column = 0;
        pen.space(self.prefix, out)?;
        pen.text(&self.style.prefix.text, out)?;
        pen.space(indent.saturating_sub(pen.column), out)?;
        let words = self.words.get(first..end).unwrap_or_default();
        for (at, word) in words.iter().enumerate() {
            pen.text(&word.text, out)?;
            if at + 1 < words.len() {
                pen.space(word.space, out)?;
            }
        }
        self.last_length = pen.column;
        out.write_all(b"\n")
    }
}
