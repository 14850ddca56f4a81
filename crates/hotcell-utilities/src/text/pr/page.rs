//! Page after page.

use std::io;

use hotcell_meter::Charge;
use hotcell_process::{Output, Process, limit_error};

use super::{
    header::Header,
    input::{Source, Status},
    layout::{EXTREMITY, Layout},
    line::Sink,
    options::Options,
    pen::Pen,
};

/// Prints one file, or several beside each other.
pub(super) struct Printer<'a, 'p> {
    pub(super) process: &'p Process,
    pub(super) options: &'a Options,
    pub(super) layout: &'a Layout,
    pub(super) header: Header,
    pub(super) sources: Vec<Source<'p>>,
    pub(super) pen: Pen<'a, 'p>,
    page: u64,
    /// The number of the next line.
    pub(super) number: i64,
    /// The header of this page was not printed yet.
    pub(super) needs_header: bool,
    /// A form feed of the input is to end this page.
    pub(super) owes_form_feed: bool,
    pub(super) row: Row,
    store: Store,
}

/// What is known of the row that is printed.
pub(super) struct Row {
    /// It ends with a newline.
    pub(super) is_there: bool,
    /// Nothing was printed yet.
    pub(super) is_empty: bool,
    /// Columns at its beginning are empty, and have to be passed if another one follows.
    pub(super) has_gap: bool,
    /// Separators that were not printed yet.
    pub(super) separators: usize,
    /// The last column that was read had a form feed and nothing else.
    pub(super) is_form_feed: bool,
}

const NEW_ROW: Row = Row {
    is_there: false,
    is_empty: true,
    has_gap: false,
    separators: 0,
    is_form_feed: false,
};

/// A page that was read before it is printed.
struct Store {
    bytes: Vec<u8>,
    /// Where each line begins, and the column where it ends on paper.
    lines: Vec<(usize, i64)>,
    charge: Charge,
}

impl<'a, 'p> Printer<'a, 'p> {
    pub(super) fn new(
        process: &'p Process,
        options: &'a Options,
        layout: &'a Layout,
        header: Header,
        sources: Vec<Source<'p>>,
        out: &'a mut Output<'p>,
    ) -> io::Result<Self> {
        Ok(Self {
            process,
            options,
            layout,
            header,
            sources,
            pen: Pen::new(out, layout.compresses.then_some(options.output_tabs)),
            page: options.first_page,
            number: options.first_number.unwrap_or(1),
            needs_header: false,
            owes_form_feed: false,
            row: NEW_ROW,
            store: Store {
                bytes: Vec::new(),
                lines: Vec::new(),
                charge: process.charge(0)?,
            },
        })
    }

    pub(super) fn print(mut self) -> io::Result<()> {
        if !self.skip_pages()? {
            return Ok(());
        }
        loop {
            let goes_on = if self.layout.is_down {
                self.stored_page()?
            } else {
                self.rows_page()?
            };
            if !goes_on {
                return Ok(());
            }
        }
    }

    /// Which file a column shows.
    pub(super) fn source_of(&self, column: usize) -> usize {
        if self.options.merges { column } else { 0 }
    }

    pub(super) fn status(&self, column: usize) -> Status {
        let source = self.sources.get(self.source_of(column));
        source.map_or(Status::Closed, |source| source.status)
    }

    pub(super) fn is_open(&self) -> bool {
        let mut sources = self.sources.iter();
        sources.any(|source| source.status == Status::Open)
    }

    /// Reads over what comes before the first page that is wanted; says whether there is one.
    fn skip_pages(&mut self) -> io::Result<bool> {
        for page in 1..self.options.first_page {
            for row in 0..self.layout.body {
                for column in 0..self.layout.columns {
                    if self.status(column) == Status::Open {
                        self.skip_line(column, row == 0)?;
                    } else if !self.options.merges {
                        break;
                    }
                }
                if !self.is_open() {
                    break;
                }
            }
            self.turn(true);
            if !self.is_open() {
                self.process.complain(format!(
                    "starting page number {} exceeds page count {page}",
                    self.options.first_page
                ));
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Files that a form feed held go on.
    fn turn(&mut self, is_full: bool) {
        for source in &mut self.sources {
            source.was_full = is_full && source.status == Status::Open;
            if source.status == Status::Held {
                source.status = Status::Open;
            }
        }
    }

    /// Lines of a page's body, with empty ones between them.
    fn lines(&self) -> i64 {
        if self.options.is_double {
            self.layout.body * 2
        } else {
            self.layout.body
        }
    }

    /// A page that is printed as it is read.
    fn rows_page(&mut self) -> io::Result<bool> {
        if !self.is_open() {
            return Ok(false);
        }
        self.needs_header = self.layout.has_header;
        let mut left = self.lines();
        let mut has_lines = false;
        for row in 0..self.layout.body {
            if left <= 0 || !self.is_open() {
                break;
            }
            self.process.spend(1);
            self.pen.start();
            self.row = NEW_ROW;
            for column in 0..self.layout.columns {
                if self.status(column) == Status::Open {
                    self.row.is_form_feed = false;
                    self.line(column, row == 0, &mut Sink::Page)?;
                    has_lines |= self.row.is_there;
                    if !self.is_open() {
                        break;
                    }
                    let ended = match self.status(column) {
                        Status::Open => false,
                        Status::Held => self.row.is_form_feed,
                        Status::Closed => true,
                    };
                    if self.options.merges && self.status(column) != Status::Open {
                        self.leave_empty(column, ended)?;
                    }
                } else if self.options.merges {
                    self.leave_empty(column, true)?;
                }
                if self.layout.separator.is_some() {
                    self.row.separators += 1;
                }
            }
            if self.row.is_there {
                self.pen.raw(b"\n")?;
                left -= 1;
            }
            if !self.is_open() && !self.layout.has_header {
                break;
            }
            if self.options.is_double && has_lines {
                self.pen.raw(b"\n")?;
                left -= 1;
            }
        }
        self.finish(has_lines, left)
    }

    /// A column of a file that has nothing for this row.
    fn leave_empty(&mut self, column: usize, aligns: bool) -> io::Result<()> {
        if self.row.is_empty {
            self.row.has_gap = true;
        } else if aligns {
            self.align(column)?;
        }
        Ok(())
    }

    /// A page whose columns are filled from top to bottom.
    fn stored_page(&mut self) -> io::Result<bool> {
        self.read_page()?;
        let lines = std::mem::take(&mut self.store.lines);
        let bytes = std::mem::take(&mut self.store.bytes);
        if lines.is_empty() && self.status(0) == Status::Closed {
            return Ok(false);
        }
        self.needs_header = self.layout.has_header;
        let mut left = self.lines();
        let has_lines = !lines.is_empty() || self.layout.has_header;
        if lines.is_empty() && self.layout.has_header {
            self.print_header()?;
            let blank = if self.options.is_double { 2 } else { 1 };
            self.pen.repeat(b'\n', blank)?;
            left -= blank;
        }
        let columns = self.layout.columns;
        let (whole, more) = (lines.len() / columns, lines.len() % columns);
        let rows = whole + usize::from(more > 0);
        for row in 0..rows {
            self.process.spend(1);
            self.pen.start();
            self.row = NEW_ROW;
            let filled = if row < whole { columns } else { more };
            for column in 0..filled {
                let index = column * whole + column.min(more) + row;
                let (start, width) = lines.get(index).copied().unwrap_or_default();
                let end = lines.get(index + 1).map_or(bytes.len(), |next| next.0);
                self.print_stored(column, bytes.get(start..end).unwrap_or_default(), width)?;
                self.row.separators += 1;
            }
            self.pen.raw(b"\n")?;
            left -= 1;
            if row + 1 == rows && self.status(0) != Status::Open && !self.layout.has_header {
                break;
            }
            if self.options.is_double {
                self.pen.raw(b"\n")?;
                left -= 1;
            }
        }
        self.store.lines = lines;
        self.store.bytes = bytes;
        self.finish(has_lines, left)
    }

    /// Reads what fits on a page.
    fn read_page(&mut self) -> io::Result<()> {
        let mut bytes = std::mem::take(&mut self.store.bytes);
        let mut lines = std::mem::take(&mut self.store.lines);
        bytes.clear();
        lines.clear();
        let body = usize::try_from(self.layout.body).unwrap_or(1);
        let room = body.saturating_mul(self.layout.columns);
        while lines.len() < room && self.status(0) == Status::Open {
            let start = bytes.len();
            let is_first = lines.len().is_multiple_of(body);
            let mut sink = Sink::Store(&mut bytes);
            let width = self.line(0, is_first, &mut sink)?;
            if self.status(0) == Status::Open || bytes.len() > start {
                lines.push((start, width));
            }
            self.charge_store(bytes.capacity() + lines.capacity() * size_of::<(usize, i64)>())?;
        }
        self.store.bytes = bytes;
        self.store.lines = lines;
        Ok(())
    }

    /// The page that is stored is about to hold so much.
    pub(super) fn charge_store(&mut self, bytes: usize) -> io::Result<()> {
        let charge = &mut self.store.charge;
        if bytes > charge.bytes() {
            charge.resize(bytes).map_err(limit_error)?;
        }
        Ok(())
    }

    fn print_stored(&mut self, column: usize, text: &[u8], width: i64) -> io::Result<()> {
        if self.needs_header {
            self.print_header()?;
        }
        self.go_to(column)?;
        for byte in text {
            self.pen.put(*byte)?;
        }
        if self.pen.blanks == 0 {
            let start = self.start(column).unwrap_or(0);
            let separator = self.layout.separator_width();
            let is_first = start - separator == self.options.margin;
            self.pen.column = start + width - if is_first { separator } else { 0 };
        }
        Ok(())
    }

    /// The end of a page; says whether another may follow.
    fn finish(&mut self, has_lines: bool, left: i64) -> io::Result<bool> {
        if has_lines && self.layout.has_header {
            if self.options.ends_with_form_feed {
                self.pen.raw(b"\x0c")?;
            } else {
                self.pen.repeat(b'\n', left + EXTREMITY)?;
            }
        } else if self.layout.keeps_form_feeds && self.owes_form_feed {
            self.pen.raw(b"\x0c")?;
            self.owes_form_feed = false;
        }
        if self.page >= self.options.last_page {
            return Ok(false);
        }
        self.page += 1;
        self.turn(left <= 0);
        Ok(true)
    }

    pub(super) fn print_header(&mut self) -> io::Result<()> {
        self.needs_header = false;
        self.header.print(&mut self.pen, self.page)
    }
}
