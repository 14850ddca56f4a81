//! Patterns, ready to be searched for.

use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

use hotcell_meter::{Account, Charge, Pace, Stopped};

use crate::{
    engine::{Engine, kept},
    error::RegexError,
    flavor::{Flavor, Options},
    means::Means,
    parse::parse,
    set::Alphabet,
    tree::{Lowering, Node},
    weight::{self, Weight},
};

/// A compiled pattern. A clone is cheap.
#[derive(Clone)]
pub struct Regex(Arc<Inner>);

struct Inner {
    node: Node,
    groups: u32,
    options: Options,
    /// For text that is ASCII, and for any if the pattern means the same there.
    narrow: Engine,
    /// For other text, made when it is met.
    wide: OnceLock<Result<Engine, RegexError>>,
    /// What the wide one weighs, if there may be one.
    wide_weight: Option<Weight>,
    warnings: Vec<&'static str>,
    account: Account,
    /// For the tree.
    _held: Charge,
}

/// Where a match is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// Its first byte.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// Where a match and its groups are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captures(Vec<Option<(usize, usize)>>);

/// Why a search ended without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The run has to end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A pattern with back-references has too many ways to match this text.
    #[error("Regular expression with back-references too complex for this text")]
    TooComplex,
    /// The pattern is too large for text that is not ASCII.
    #[error(transparent)]
    Pattern(#[from] RegexError),
}

impl Regex {
    /// Compiles a pattern.
    pub fn new(
        pattern: &[u8],
        flavor: Flavor,
        options: Options,
        means: &Means<'_>,
    ) -> Result<Self, RegexError> {
        let is_list = flavor.syntax().newline_alternates;
        weight::admit(pattern, is_list, means)?;
        let held = means.account().charge(weight::read(pattern.len()))?;
        let parsed = parse(pattern, flavor, options)?;
        let alphabet = if options.bytes {
            Alphabet::Bytes
        } else {
            Alphabet::Ascii
        };
        let weigh = |is_wide| Weight::of(&parsed.node, parsed.groups, options, is_wide);
        let narrow_weight = weigh(false)?;
        let needs_wide = !options.bytes && parsed.node.is_beyond_ascii(options.icase);
        // Too large for other text is known now, but matters only if there is such text.
        let wide_weight = needs_wide.then(|| weigh(true).unwrap_or(weight::TOO_LARGE));
        means.spend(narrow_weight.units());
        let narrow = Engine::new(
            &parsed.node,
            parsed.groups,
            lowering(alphabet, options),
            narrow_weight,
            means.account(),
        )?;
        // And once more behind: whoever compiles in a loop is looked at. What may be compiled later is paid for now.
        let wide_units = wide_weight.map_or(0, Weight::units);
        means.spend(narrow_weight.units().saturating_add(wide_units));
        Ok(Self(Arc::new(Inner {
            node: parsed.node,
            groups: parsed.groups,
            options,
            narrow,
            wide: OnceLock::new(),
            wide_weight,
            warnings: parsed.warnings,
            account: means.account().clone(),
            _held: held,
        })))
    }

    /// What is odd about the pattern, in the words of GNU `grep`: an operator without an operand.
    pub fn warnings(&self) -> &[&'static str] {
        &self.0.warnings
    }

    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.0.groups as usize
    }

    /// Whether the pattern refers back to its groups, which makes searching slower.
    pub fn has_references(&self) -> bool {
        self.0.node.has_reference()
    }

    /// Bytes that the compiled pattern takes.
    pub fn memory_usage(&self) -> usize {
        let wide = self.0.wide.get().and_then(|wide| wide.as_ref().ok());
        self.0.narrow.memory_usage() + wide.map_or(0, Engine::memory_usage)
    }

    /// Gets ready to search one text, several times.
    pub fn on<'r, 'h>(&'r self, haystack: &'h [u8]) -> Result<Subject<'r, 'h>, RegexError> {
        let engine = if self.0.wide_weight.is_some() && !haystack.is_ascii() {
            self.0.wide()?
        } else {
            &self.0.narrow
        };
        Ok(Subject { engine, haystack })
    }

    /// Whether it matches anywhere.
    pub fn is_match(&self, haystack: &[u8], pace: &mut Pace<'_>) -> Result<bool, SearchError> {
        self.on(haystack)?.is_match(pace)
    }

    /// The leftmost-longest match that begins at `start` or later. What is before `start` is text before the match: `^`
    /// does not match there.
    ///
    /// To search the same text again and again, use [`Regex::on`], which looks at all of it once.
    pub fn find_at(
        &self,
        haystack: &[u8],
        start: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Match>, SearchError> {
        self.on(haystack)?.find_at(start, pace)
    }

    /// As [`Regex::find_at`], with the groups.
    pub fn captures_at(
        &self,
        haystack: &[u8],
        start: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Captures>, SearchError> {
        self.on(haystack)?.captures_at(start, pace)
    }
}

impl Inner {
    fn wide(&self) -> Result<&Engine, RegexError> {
        let make = || {
            Engine::new(
                &self.node,
                self.groups,
                lowering(Alphabet::Unicode, self.options),
                self.wide_weight.unwrap_or(weight::TOO_LARGE),
                &self.account,
            )
        };
        kept(&self.wide, make)
    }
}

fn lowering(alphabet: Alphabet, options: Options) -> Lowering {
    Lowering {
        alphabet,
        icase: options.icase,
        newline: options.newline,
        within_lines: options.within_lines,
    }
}

/// A text that is searched with a [`Regex`].
pub struct Subject<'r, 'h> {
    engine: &'r Engine,
    haystack: &'h [u8],
}

impl Subject<'_, '_> {
    /// Whether the pattern matches anywhere.
    pub fn is_match(&self, pace: &mut Pace<'_>) -> Result<bool, SearchError> {
        self.engine.is_match(self.haystack, 0, pace)
    }

    /// See [`Regex::find_at`].
    pub fn find_at(&self, start: usize, pace: &mut Pace<'_>) -> Result<Option<Match>, SearchError> {
        self.engine.find(self.haystack, start, pace)
    }

    /// See [`Regex::captures_at`].
    pub fn captures_at(
        &self,
        start: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Captures>, SearchError> {
        self.engine.captures(self.haystack, start, pace)
    }
}

impl Match {
    /// As a range.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// Whether it matched nothing.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl From<(usize, usize)> for Match {
    fn from((start, end): (usize, usize)) -> Self {
        Self { start, end }
    }
}

impl Captures {
    pub(crate) fn new(spans: Vec<Option<(usize, usize)>>) -> Self {
        Self(spans)
    }

    /// Where a group is, if it took part in the match; 0 is the whole match.
    pub fn get(&self, group: usize) -> Option<Match> {
        self.0.get(group).copied().flatten().map(Match::from)
    }

    /// The number of groups, the whole match included.
    #[expect(
        clippy::len_without_is_empty,
        reason = "the whole match is always there"
    )]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}
