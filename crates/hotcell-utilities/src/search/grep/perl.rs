//! Patterns of Perl's kind.

use std::io;

use bstr::ByteSlice;
use hotcell_process::Process;

use crate::perl::{self, Switches};

pub(super) struct Perl(perl::Perl);

impl Perl {
    pub(super) fn new(process: &Process, pattern: &[u8], icase: bool) -> Result<Self, String> {
        let pattern = pattern
            .to_str()
            .map_err(|_| "-P supports only patterns of valid UTF-8".to_owned())?;
        let switches = Switches {
            icase,
            multi_line: true,
            ..Switches::default()
        };
        perl::Perl::new(process, pattern, switches).map(Self)
    }

    pub(super) fn find(
        &self,
        process: &Process,
        text: &[u8],
        start: usize,
    ) -> io::Result<Option<(usize, usize)>> {
        // Bytes that are no text match nothing: what is before and after them is searched.
        let mut at = 0;
        for chunk in text.utf8_chunks() {
            let valid = chunk.valid();
            let from = start.saturating_sub(at);
            if from <= valid.len()
                && valid.is_char_boundary(from)
                && let Some((start, end)) = self.0.find(process, valid, from)?
            {
                return Ok(Some((at + start, at + end)));
            }
            at += valid.len() + chunk.invalid().len();
        }
        Ok(None)
    }
}
