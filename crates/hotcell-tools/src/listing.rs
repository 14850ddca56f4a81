//! Output that is one line for each thing found, within the limit of bytes.

use crate::limits::{MAX_BYTES, size};
use crate::result::{Details, ToolResult, Truncation};

/// Lines, as many as fit.
#[derive(Default)]
pub(crate) struct Listing {
    text: String,
    lines: u64,
    full: bool,
}

impl Listing {
    /// Adds a line that `line` appends to the text; false, and without it, if it does not fit.
    pub(crate) fn add(&mut self, line: impl FnOnce(&mut String)) -> bool {
        let before = self.text.len();
        if self.lines > 0 {
            self.text.push('\n');
        }
        line(&mut self.text);
        if self.text.len() > MAX_BYTES {
            self.text.truncate(before);
            self.full = true;
        } else {
            self.lines += 1;
        }
        !self.full
    }

    /// Whether something did not fit.
    pub(crate) const fn is_full(&self) -> bool {
        self.full
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.lines == 0
    }

    /// The result: the lines, or `nothing` if there are none, and below them what the reader has to know.
    pub(crate) fn finish(
        self,
        nothing: &str,
        mut notices: Vec<String>,
        advice: &str,
    ) -> ToolResult {
        let mut text = if self.lines == 0 && !self.full {
            nothing.to_owned()
        } else {
            self.text
        };
        let details = self.full.then(|| {
            let limit = size(MAX_BYTES as u64);
            notices.push(format!("{limit} limit reached. {advice}"));
            Details::Truncated {
                truncation: Truncation::of_search(self.lines, text.len() as u64),
            }
        });
        if !notices.is_empty() {
            text.push_str("\n\n[");
            text.push_str(&notices.join(". "));
            text.push(']');
        }
        ToolResult::text(text).with_details(details)
    }
}
