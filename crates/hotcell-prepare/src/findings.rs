//! What the rules found, as much of it as anybody reads.

use crate::diagnostic::{Diagnostic, Severity};

/// More than this nobody reads.
const MAX_SHOWN: usize = 50;

/// Characters of a message or a remedy that are shown. Both may quote the code, which has names of any length.
const MAX_CHARS: usize = 1_000;

/// Characters of them that are the last ones.
const TAIL_CHARS: usize = 200;

/// A list of findings that grows no further than it is shown: code can have one for every few of its bytes.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    remarks: Vec<Diagnostic>,
    left_out: usize,
}

impl Findings {
    /// Adds what `make` makes, unless there is enough of its severity already.
    pub(crate) fn add(&mut self, severity: Severity, make: impl FnOnce() -> Diagnostic) {
        let list = match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
            Severity::Info => &mut self.remarks,
        };
        if list.len() < MAX_SHOWN {
            list.push(make());
        } else {
            self.left_out += 1;
        }
    }

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.add(diagnostic.severity, || diagnostic);
    }

    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// The findings in the order of the code. What is left out is never what forbids the run, as long as there is
    /// anything else, and the last one that is shown tells how much it is.
    pub(crate) fn into_shown(self) -> Vec<Diagnostic> {
        let mut shown = self.errors;
        shown.extend(self.warnings);
        shown.extend(self.remarks);
        let left_out = self.left_out + shown.len().saturating_sub(MAX_SHOWN);
        shown.truncate(MAX_SHOWN);
        shown.sort_by_key(|one| (one.location.is_some(), one.location));
        shown.iter_mut().for_each(shorten);
        if left_out > 0
            && let Some(last) = shown.last_mut()
        {
            let and_more = format!(" (and {left_out} more findings, which are not shown)");
            last.message.push_str(&and_more);
        }
        shown
    }
}

impl FromIterator<Diagnostic> for Findings {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(diagnostics: I) -> Self {
        let mut findings = Self::default();
        diagnostics.into_iter().for_each(|one| findings.push(one));
        findings
    }
}

/// Leaves the middle out of texts that nobody reads to the end.
pub(crate) fn shorten(diagnostic: &mut Diagnostic) {
    shorten_text(&mut diagnostic.message);
    if let Some(fix) = &mut diagnostic.fix {
        shorten_text(fix);
    }
}

fn shorten_text(text: &mut String) {
    // Counting bytes first keeps all but the longest texts from being looked at.
    if text.len() <= MAX_CHARS {
        return;
    }
    let cut = text.char_indices().nth(MAX_CHARS - TAIL_CHARS);
    let tail = text.char_indices().nth_back(TAIL_CHARS - 1);
    if let (Some((cut, _)), Some((tail, _))) = (cut, tail)
        && cut < tail
    {
        text.replace_range(cut..tail, " … ");
    }
}
