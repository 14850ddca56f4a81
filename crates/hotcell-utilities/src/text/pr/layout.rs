//! Where things go on a page.

use bstr::BString;
use hotcell_process::Process;

use super::options::{Numbers, Options};

/// What follows from the options for a page: how many columns, how wide, how many lines.
pub(super) struct Layout {
    pub(super) columns: usize,
    /// Columns are filled from top to bottom, so that a page has to be read before it is printed.
    pub(super) is_down: bool,
    pub(super) body: i64,
    pub(super) has_header: bool,
    pub(super) keeps_form_feeds: bool,
    pub(super) separator: Option<BString>,
    pub(super) truncates: bool,
    pub(super) expands: bool,
    pub(super) compresses: bool,
    pub(super) numbers: Option<Numbers>,
    /// How much room a line number and what separates it take.
    pub(super) number_width: i64,
    pub(super) column_width: i64,
}

/// Lines of a header or a trailer.
pub(super) const EXTREMITY: i64 = 5;

impl Layout {
    /// The layout; where there is no room for it, that is said, and the process ends.
    pub(super) fn new(process: &Process, options: &Options, columns: usize) -> Self {
        let mut layout = Self {
            columns,
            is_down: columns > 1 && !options.merges && !options.is_across,
            body: options.page_length - 2 * EXTREMITY,
            has_header: options.has_header,
            keeps_form_feeds: options.keeps_form_feeds,
            separator: options.separator.clone(),
            truncates: options.truncates,
            expands: options.expands,
            compresses: options.compresses,
            numbers: options.numbers,
            number_width: 0,
            column_width: 0,
        };
        if layout.body <= 0 {
            layout.has_header = false;
            layout.keeps_form_feeds = true;
        }
        if !layout.has_header {
            layout.body = options.page_length;
        }
        if options.is_double {
            layout.body /= 2;
        }
        // A page has a line, however short it is.
        layout.body = layout.body.max(1);
        if columns > 1 {
            layout.separate(options.joins);
        }
        if options.joins {
            layout.truncates = false;
        }
        if let Some(numbers) = options.numbers {
            layout.number_width = if numbers.separator == b'\t' {
                numbers.digits + 8 - numbers.digits % 8
            } else {
                numbers.digits + 1
            };
        }
        // Of files beside each other only the first has numbers, which stand before its column.
        let numbers = if options.merges {
            layout.number_width
        } else {
            0
        };
        let count = i64::try_from(columns).unwrap_or(i64::MAX);
        let separators = (count - 1).saturating_mul(layout.separator_width());
        layout.column_width = (options.width - numbers).saturating_sub(separators) / count.max(1);
        if layout.column_width < 1 {
            process.complain("page width too narrow");
            process.exit(1);
        }
        layout
    }

    /// Several columns have something between them, and are aligned by spaces that may become tabs.
    fn separate(&mut self, joins: bool) {
        let is_tab = |text: &BString| text == "\t";
        match &self.separator {
            None => self.separator = Some(if joins { "\t" } else { " " }.into()),
            Some(given) if is_tab(given) && !joins => self.separator = Some(" ".into()),
            Some(_) => {}
        }
        self.truncates = true;
        self.expands |= !self.separator.as_ref().is_some_and(is_tab);
        self.compresses = true;
    }

    pub(super) fn separator_width(&self) -> i64 {
        let length = self.separator.as_ref().map_or(0, |text| text.len());
        i64::try_from(length).unwrap_or(i64::MAX)
    }
}
