//! What stands above a page.

use std::io;

use bstr::BString;
use hotcell_process::Process;

use super::{input::Source, options::Options, pen::Pen};
use crate::{calendar, characters};

/// What headers of one file have in common.
pub(super) struct Header {
    date: Vec<u8>,
    title: BString,
    margin: i64,
    /// What is left of the line.
    room: i64,
}

/// A width in a date's format is cut at this.
const MAX_WIDTH: usize = 1 << 10;

impl Header {
    pub(super) fn new(
        process: &Process,
        options: &Options,
        file: Option<&BString>,
        source: Option<&Source<'_>>,
    ) -> Self {
        let modified = file.and(source).and_then(|source| source.modified);
        let shown = modified.unwrap_or_else(|| process.now());
        let zone = calendar::zone_of(process);
        let mut date = Vec::new();
        match calendar::at(shown.seconds(), shown.subsec_nanos(), &zone) {
            Some(time) => calendar::format(&mut date, &options.date_format, &time, MAX_WIDTH),
            None => date = format!("{}.{:09}", shown.seconds(), shown.subsec_nanos()).into(),
        }
        let title = match (&options.header, modified) {
            (Some(given), _) => given.clone(),
            (None, Some(_)) => file.cloned().unwrap_or_default(),
            (None, None) => BString::default(),
        };
        let room = options.width - width(&date) - width(&title);
        Self {
            date,
            title,
            margin: options.margin,
            room,
        }
    }

    pub(super) fn print(&self, pen: &mut Pen<'_, '_>, page: u64) -> io::Result<()> {
        let page = format!("Page {page}");
        let room = (self.room - width(page.as_bytes())).max(0);
        // The title has a space on each side, however long it is.
        let (before, after) = ((room / 2).max(1), (room - room / 2).max(1));
        pen.start();
        pen.advance_to(self.margin)?;
        pen.flush()?;
        pen.raw(b"\n\n")?;
        pen.repeat(b' ', self.margin)?;
        pen.raw(&self.date)?;
        pen.repeat(b' ', before)?;
        pen.raw(&self.title)?;
        pen.repeat(b' ', after)?;
        pen.raw(page.as_bytes())?;
        pen.raw(b"\n\n\n")?;
        pen.start();
        Ok(())
    }
}

fn width(text: &[u8]) -> i64 {
    i64::try_from(characters::count(text)).unwrap_or(i64::MAX)
}
