//! What separates records: a text, or whatever a pattern matches.

use std::io;

use bstr::ByteSlice;
use hotcell_meter::Pace;
use hotcell_process::Process;
use hotcell_regex::{Flavor, Options, Regex};

use crate::list::List;
use crate::regexes::compile;

pub(super) enum Separator {
    Text(Vec<u8>),
    Regex(Box<Regex>),
}

impl Separator {
    /// A pattern; a wrong one is told, and ends the process.
    pub(super) fn regex(process: &Process, pattern: &[u8]) -> Self {
        match compile(process, pattern, Flavor::Basic, Options::default()) {
            Ok(regex) => Self::Regex(Box::new(regex)),
            Err(error) => {
                process.complain(error.to_string());
                process.exit(1)
            }
        }
    }

    /// Where it is in a text, from the end on.
    pub(super) fn each_from_end(
        &self,
        process: &Process,
        text: &[u8],
        mut found: impl FnMut(usize, usize) -> io::Result<()>,
    ) -> io::Result<()> {
        match self {
            // There is no list of them: it would take more than the text.
            Self::Text(separator) => {
                for start in text.rfind_iter(separator) {
                    process.spend(4);
                    found(start, start + separator.len())?;
                }
            }
            Self::Regex(regex) => {
                let mut all = List::new(process)?;
                let mut pace = Pace::new(process.stop_token());
                let subject = regex.on(text).map_err(io::Error::other)?;
                let mut at = 0;
                while let Some(next) = subject.find_at(at, &mut pace).map_err(io::Error::other)? {
                    process.spend(16);
                    if !next.is_empty() {
                        all.push((next.start, next.end))?;
                    }
                    at = next.end.max(at + 1);
                }
                for (start, end) in all.iter().rev() {
                    found(*start, *end)?;
                }
            }
        }
        Ok(())
    }
}
