//! Which fields are converted.

use bstr::{BStr, ByteSlice};
use hotcell_process::Process;

use crate::quote::quote;

/// Ranges of fields, from 1.
pub(super) struct Fields(Vec<(u64, u64)>);

impl Fields {
    pub(super) fn first() -> Self {
        Self(vec![(1, 1)])
    }

    /// `N`, `N-`, `N-M`, `-M` and `-`, between commas.
    pub(super) fn read(process: &Process, text: &BStr) -> Self {
        let wrong = |part: &[u8]| -> ! {
            let mut message = b"invalid field value ".to_vec();
            message.extend_from_slice(&quote(part));
            process.complain(message);
            process.exit(1)
        };
        let number = |digits: &[u8], missing: u64| match digits {
            b"" => Some(missing),
            digits => digits.to_str().ok().and_then(|digits| digits.parse().ok()),
        };
        let ranges = text.split(|byte| matches!(byte, b',' | b' ')).map(|part| {
            let (first, last) = match part.split_once_str("-") {
                Some((first, last)) => (number(first, 1), number(last, u64::MAX)),
                None if part.is_empty() => wrong(part),
                None => (number(part, 0), number(part, 0)),
            };
            match (first, last) {
                (Some(first @ 1..), Some(last)) if first <= last => (first, last),
                _ => wrong(part),
            }
        });
        Self(ranges.collect())
    }

    pub(super) fn contains(&self, number: u64) -> bool {
        self.0
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&number))
    }
}
