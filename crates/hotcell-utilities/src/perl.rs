//! Patterns of Perl's kind, with look-around and back-references, on the time and memory of a process.
//!
//! The library goes back as often as it is allowed to, and knows nobody to ask. But it asks the text for its bytes before it
//! does anything with them, and the text is ours: that is where the process spends, lets others run, and ends.

mod size;

use std::io;

use fancy_regex::{Expr, Input, Regex, RegexBuilder};
use hotcell_meter::Charge;
use hotcell_process::{Process, error_text};

use size::Size;

/// The longest pattern. The library follows it by recursion, and makes an automaton of every part between what it has to do
/// itself.
const MAX_PATTERN: usize = 8 << 10;

/// What the automata may take together, and what one may take however many there are: enough for some letters of Unicode.
const MAX_SIZE: usize = 1 << 20;
const LEAST_SIZE: usize = 48 << 10;

/// Going back so often is too much for one call. A place that is gone back to is remembered.
const MAX_BACKTRACKS: usize = 1_000_000;

/// About what a pattern takes for each of its bytes, for each piece that it has once calls are written out, and for each part
/// with an automaton of its own, with what that remembers.
const PER_BYTE: usize = 256;
const PER_NODE: usize = 256;
const PER_PART: usize = 64 << 10;

/// Units for each byte of a pattern that is read, and for each part that is compiled.
const UNITS_PER_BYTE: usize = 1024;
const UNITS_PER_PART: usize = 1 << 20;

/// A step of the library may go through all of the text, which is this much faster than what a unit stands for.
const BYTES_PER_UNIT: usize = 128;

/// A pattern, compiled.
pub(crate) struct Perl {
    regex: Regex,
    _held: Charge,
}

/// Switches of a pattern.
#[derive(Debug, Clone, Copy, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "these are independent switches"
)]
pub(crate) struct Switches {
    pub(crate) icase: bool,
    pub(crate) multi_line: bool,
    pub(crate) dot_matches_newline: bool,
    pub(crate) ignores_space: bool,
}

/// A pattern needs too much for this text.
pub(crate) struct TooMuch;

impl Perl {
    /// Compiles a pattern; an error is what is wrong with it.
    pub(crate) fn new(
        process: &Process,
        pattern: &str,
        switches: Switches,
    ) -> Result<Self, String> {
        if pattern.len() > MAX_PATTERN {
            return Err(format!(
                "regular expression is too large: more than {MAX_PATTERN} bytes"
            ));
        }
        let charge = |bytes| process.charge(bytes).map_err(|error| error_text(&error));
        let mut held = charge(PER_BYTE * pattern.len())?;
        process.spend(pattern.len() * UNITS_PER_BYTE);
        let flags = if switches.ignores_space { "(?x)" } else { "" };
        let tree =
            Expr::parse_tree(&format!("{flags}{pattern}")).map_err(|error| first_line(&error))?;
        let Some(size) = Size::of(&tree.expr) else {
            return Err("regular expression is too large".to_owned());
        };
        drop(tree);
        let parts = size.parts + 1;
        held.absorb(&mut charge(PER_NODE * size.nodes + PER_PART * parts)?);
        process.spend(parts * UNITS_PER_PART);
        let built = RegexBuilder::new(pattern)
            .case_insensitive(switches.icase)
            .multi_line(switches.multi_line)
            .dot_matches_new_line(switches.dot_matches_newline)
            .ignore_whitespace(switches.ignores_space)
            .delegate_size_limit((MAX_SIZE / parts).max(LEAST_SIZE))
            .delegate_dfa_size_limit(LEAST_SIZE)
            .backtrack_limit(MAX_BACKTRACKS)
            .build();
        process.spend(parts * UNITS_PER_PART);
        let regex = built.map_err(|error| first_line(&error))?;
        Ok(Self { regex, _held: held })
    }

    /// The names of the groups, the first of them being the whole match.
    pub(crate) fn names(&self) -> impl Iterator<Item = Option<&str>> {
        self.regex.capture_names()
    }

    /// Whether it matches anywhere.
    pub(crate) fn is_match(&self, process: &Process, text: &str) -> Result<bool, TooMuch> {
        self.regex
            .is_match(&Watched::new(process, text))
            .map_err(|_| TooMuch)
    }

    /// The first match that begins at `start` or later.
    pub(crate) fn find(
        &self,
        process: &Process,
        text: &str,
        start: usize,
    ) -> Result<Option<(usize, usize)>, TooMuch> {
        self.regex
            .find_from_pos(&Watched::new(process, text), start)
            .map_err(|_| TooMuch)
    }

    /// As [`Perl::find`], with the groups.
    pub(crate) fn captures(
        &self,
        process: &Process,
        text: &str,
        start: usize,
    ) -> Result<Option<Vec<Option<(usize, usize)>>>, TooMuch> {
        let watched = Watched::new(process, text);
        let found = self.regex.captures_from_pos(&watched, start);
        let found = found.map_err(|_| TooMuch)?;
        Ok(found.map(|found| (0..found.len()).map(|group| found.get(group)).collect()))
    }
}

impl From<TooMuch> for io::Error {
    fn from(_: TooMuch) -> Self {
        Self::other("exceeded PCRE's backtracking limit")
    }
}

fn first_line(error: &fancy_regex::Error) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or("invalid pattern").to_owned()
}

/// A text that is told of every look at it.
struct Watched<'t> {
    process: &'t Process,
    text: &'t str,
    units: usize,
}

impl<'t> Watched<'t> {
    fn new(process: &'t Process, text: &'t str) -> Self {
        process.spend(text.len() / 16 + 1);
        Self {
            process,
            text,
            units: text.len() / BYTES_PER_UNIT + 1,
        }
    }
}

impl Input for Watched<'_> {
    type Match<'m>
        = (usize, usize)
    where
        Self: 'm;

    fn len(&self) -> usize {
        self.text.len()
    }

    fn as_bytes(&self) -> &[u8] {
        self.process.spend(self.units);
        self.text.as_bytes()
    }

    fn is_char_boundary(&self, at: usize) -> bool {
        self.text.is_char_boundary(at)
    }

    fn is_ascii(&self) -> bool {
        self.text.is_ascii()
    }

    fn prev_codepoint_ix(&self, at: usize) -> usize {
        <str as Input>::prev_codepoint_ix(self.text, at)
    }

    fn make_match(&self, start: usize, end: usize) -> (usize, usize) {
        (start, end)
    }

    fn advance_position(&self, at: usize) -> usize {
        <str as Input>::advance_position(self.text, at)
    }
}
