//! One line of a file, cut and shown as it is to be.

use std::io;

use super::{
    input::Status,
    options::{Numbers, Shows},
    page::Printer,
    pen::next_stop,
};

/// Where text goes.
pub(super) enum Sink<'s> {
    /// To the page at once.
    Page,
    /// To where it waits for the rest of the page.
    Store(&'s mut Vec<u8>),
}

/// What a byte of the input becomes.
enum Clump {
    /// So many spaces.
    Spaces(i64),
    Bytes([u8; 4], usize),
}

/// How wide a tab is that is not the one that was asked for.
const TAB: i64 = 8;

impl Printer<'_, '_> {
    /// Prints or stores the next line of a column; tells how wide it became. `is_first` says that it is the column's
    /// first line on this page.
    pub(super) fn line(
        &mut self,
        column: usize,
        is_first: bool,
        sink: &mut Sink<'_>,
    ) -> io::Result<i64> {
        let mut position = 0;
        let mut byte = match self.first_byte(column, is_first)? {
            None => {
                self.set_status(column, Status::Closed);
                return Ok(position);
            }
            Some(b'\x0c') => {
                self.row.is_form_feed = true;
                if self.needs_header && matches!(sink, Sink::Page) {
                    self.row.is_there = true;
                    self.print_header()?;
                }
                self.end_page(column)?;
                return Ok(position);
            }
            byte => byte,
        };
        let mut before = position;
        let mut clump = self.clump(byte, &mut position);
        if self.is_cut(position) {
            self.rest_of_line(column)?;
            return Ok(before);
        }
        if matches!(sink, Sink::Page) {
            self.row.is_there = true;
            if self.needs_header {
                self.print_header()?;
            }
            self.pass_gap()?;
            self.go_to(column)?;
        }
        if let Some(numbers) = self.numbers(column) {
            self.add_number(numbers, sink)?;
            if self.layout.truncates && !self.options.merges {
                position += self.layout.number_width;
            }
        }
        self.row.is_empty = false;
        let mut length = 0;
        loop {
            match byte {
                None => {
                    self.set_status(column, Status::Closed);
                    break;
                }
                Some(b'\n') => break,
                Some(b'\x0c') => {
                    self.end_page(column)?;
                    break;
                }
                Some(_) => {}
            }
            // The first one was looked at before its line had a number.
            if length > 0 {
                before = position;
                clump = self.clump(byte, &mut position);
                if self.is_cut(position) {
                    position = before;
                    self.rest_of_line(column)?;
                    break;
                }
            }
            self.put_clump(&clump, sink)?;
            length += 1;
            byte = self.byte(column)?;
        }
        self.process.spend(length);
        Ok(position)
    }

    fn is_cut(&self, position: i64) -> bool {
        self.layout.truncates && position > self.layout.column_width
    }

    fn byte(&mut self, column: usize) -> io::Result<Option<u8>> {
        let index = self.source_of(column);
        match self.sources.get_mut(index) {
            Some(source) => source.byte(),
            None => Ok(None),
        }
    }

    fn first_byte(&mut self, column: usize, is_first: bool) -> io::Result<Option<u8>> {
        let index = self.source_of(column);
        match self.sources.get_mut(index) {
            Some(source) if is_first => source.first_byte(),
            Some(source) => source.byte(),
            None => Ok(None),
        }
    }

    fn set_status(&mut self, column: usize, status: Status) {
        let index = self.source_of(column);
        if let Some(source) = self.sources.get_mut(index) {
            source.status = status;
        }
    }

    /// A form feed was read.
    fn end_page(&mut self, column: usize) -> io::Result<()> {
        let index = self.source_of(column);
        if let Some(source) = self.sources.get_mut(index) {
            source.pass_newline()?;
        }
        self.owes_form_feed |= self.layout.keeps_form_feeds;
        self.set_status(column, Status::Held);
        Ok(())
    }

    fn rest_of_line(&mut self, column: usize) -> io::Result<()> {
        let mut length = 0;
        loop {
            length += 1;
            match self.byte(column)? {
                None => self.set_status(column, Status::Closed),
                Some(b'\n') => {}
                Some(b'\x0c') => self.end_page(column)?,
                Some(_) => continue,
            }
            self.process.spend(length);
            return Ok(());
        }
    }

    /// Passes over a line of a page that is not wanted.
    pub(super) fn skip_line(&mut self, column: usize, is_first: bool) -> io::Result<()> {
        let byte = self.first_byte(column, is_first)?;
        match byte {
            None => self.set_status(column, Status::Closed),
            Some(b'\n') => {}
            Some(b'\x0c') => self.end_page(column)?,
            Some(_) => self.rest_of_line(column)?,
        }
        self.owes_form_feed = false;
        let counts = self.options.first_number.is_none() && byte != Some(b'\x0c');
        if counts && (!self.options.merges || column == 0) {
            self.number = self.number.saturating_add(1);
        }
        Ok(())
    }

    /// Where a column begins, its separator included; nowhere in particular if lines are joined.
    pub(super) fn start(&self, column: usize) -> Option<i64> {
        let separator = self.layout.separator_width();
        let margin = self.options.margin;
        if column == 0 {
            return Some(margin + separator);
        }
        if !self.layout.truncates {
            return None;
        }
        let numbers = if self.options.merges {
            self.layout.number_width
        } else {
            0
        };
        let count = i64::try_from(column).unwrap_or(i64::MAX);
        let width = self.layout.column_width.saturating_add(separator);
        Some(count.saturating_mul(width).saturating_add(margin + numbers))
    }

    /// Goes to where a column begins.
    pub(super) fn go_to(&mut self, column: usize) -> io::Result<()> {
        let separator = self.layout.separator_width();
        if let Some(start) = self.start(column).filter(|start| *start > separator) {
            self.pen.advance_to(start - separator)?;
        }
        let layout = self.layout;
        if let Some(separator) = &layout.separator {
            if self.row.separators > 0 {
                self.row.separators = 0;
                for byte in separator.iter() {
                    self.pen.put_separator(*byte)?;
                }
            }
            self.pen.flush()?;
        }
        Ok(())
    }

    /// Passes a column that is empty.
    pub(super) fn align(&mut self, column: usize) -> io::Result<()> {
        self.go_to(column)?;
        match self.numbers(column) {
            Some(numbers) => self.add_number(numbers, &mut Sink::Page),
            None => Ok(()),
        }
    }

    /// Passes the empty columns at the beginning of the row.
    fn pass_gap(&mut self) -> io::Result<()> {
        if !std::mem::take(&mut self.row.has_gap) {
            return Ok(());
        }
        for column in 0..std::mem::take(&mut self.row.separators) {
            self.align(column)?;
            self.row.separators += 1;
        }
        self.pen.blanks = if self.layout.truncates {
            self.layout.column_width
        } else {
            0
        };
        Ok(())
    }

    /// How a column's lines are numbered, if they are.
    fn numbers(&self, column: usize) -> Option<Numbers> {
        let is_numbered = !self.options.merges || column == 0;
        self.layout.numbers.filter(|_| is_numbered)
    }

    fn add_number(&mut self, numbers: Numbers, sink: &mut Sink<'_>) -> io::Result<()> {
        let text = self.number.to_string();
        self.number = self.number.saturating_add(1);
        let digits = usize::try_from(numbers.digits).unwrap_or(usize::MAX);
        let spaces = i64::try_from(digits.saturating_sub(text.len())).unwrap_or(0);
        self.put_clump(&Clump::Spaces(spaces), sink)?;
        let cut = text.len().saturating_sub(digits);
        for byte in text.bytes().skip(cut) {
            self.put(byte, sink)?;
        }
        if self.layout.columns > 1 && numbers.separator == b'\t' {
            let spaces = self.layout.number_width - numbers.digits;
            return self.put_clump(&Clump::Spaces(spaces), sink);
        }
        self.put(numbers.separator, sink)?;
        if self.layout.columns == 1 && numbers.separator == b'\t' {
            self.pen.column = next_stop(self.pen.column, self.options.output_tabs.1);
        }
        Ok(())
    }

    /// What a byte becomes, and where that leads.
    fn clump(&self, byte: Option<u8>, position: &mut i64) -> Clump {
        let Some(byte) = byte.filter(|byte| *byte != b'\n') else {
            return Clump::Spaces(0);
        };
        let (letter, distance) = self.options.input_tabs;
        if byte == letter || byte == b'\t' {
            let distance = if byte == letter { distance } else { TAB };
            let width = distance - *position % distance;
            *position += width;
            return if self.layout.expands {
                Clump::Spaces(width)
            } else {
                Clump::Bytes([byte, 0, 0, 0], 1)
            };
        }
        if matches!(byte, b' '..=b'~') {
            *position += 1;
            return Clump::Bytes([byte, 0, 0, 0], 1);
        }
        let octal = |shift: u32| b'0' + ((byte >> shift) & 7);
        match self.options.shows {
            Shows::Hats if byte < 0x80 => {
                *position += 2;
                Clump::Bytes([b'^', byte ^ 0x40, 0, 0], 2)
            }
            Shows::Hats | Shows::Octal => {
                *position += 4;
                Clump::Bytes([b'\\', octal(6), octal(3), octal(0)], 4)
            }
            Shows::AsItIs if byte == b'\x08' => {
                // Nothing leads beyond the beginning.
                let length = usize::from(*position > 0);
                *position = (*position - 1).max(0);
                Clump::Bytes([byte, 0, 0, 0], length)
            }
            Shows::AsItIs => Clump::Bytes([byte, 0, 0, 0], 1),
        }
    }

    fn put_clump(&mut self, clump: &Clump, sink: &mut Sink<'_>) -> io::Result<()> {
        match clump {
            Clump::Bytes(bytes, length) => {
                for byte in bytes.iter().take(*length) {
                    self.put(*byte, sink)?;
                }
            }
            Clump::Spaces(count) => {
                for _ in 0..*count {
                    self.put(b' ', sink)?;
                }
            }
        }
        Ok(())
    }

    fn put(&mut self, byte: u8, sink: &mut Sink<'_>) -> io::Result<()> {
        match sink {
            Sink::Page => self.pen.put(byte),
            Sink::Store(bytes) => {
                if bytes.len() == bytes.capacity() {
                    self.charge_store(bytes.len().max(256) * 2)?;
                    bytes.reserve(bytes.len().max(256));
                }
                bytes.push(byte);
                Ok(())
            }
        }
    }
}
