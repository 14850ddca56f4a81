//! The automata for one alphabet.

use std::sync::{Mutex, OnceLock, PoisonError};

use hotcell_meter::{Account, Charge, Pace};
use regex_automata::{
    Input,
    meta::{self, Cache, Regex as Meta},
    nfa::thompson::{self, NFA, WhichCaptures},
};
use regex_syntax::hir::{Dot, Hir, Repetition};

use crate::{
    captures::{captures, span},
    error::RegexError,
    references::References,
    regex::{Captures, Match, SearchError},
    simulate::leftmost_longest,
    tree::{Lowering, Node},
    weight::{MAX_TABLE, STATE_SIZE, Weight, table_row},
};

/// What an automaton may take.
const MAX_SIZE: usize = 4 << 20;

/// Steps that a search may take without being asked whether to go on, some tens of milliseconds at worst. Beyond that a
/// slower matcher does it.
const MAX_STEPS: usize = 1 << 25;

/// What a search remembers of the automaton for each direction, and for groups.
const MAX_CACHE: usize = 1 << 20;
const MAX_ONE_PASS: usize = 1 << 20;

pub(crate) struct Engine {
    /// Leftmost, but of those the first in order of preference, not the longest.
    fast: Meta,
    /// The first is the longest, too.
    is_chain: bool,
    hir: Hir,
    /// Without groups: only for where a match begins and ends.
    plain: OnceLock<Result<NFA, RegexError>>,
    /// With groups, and references as groups beyond the last.
    grouped: OnceLock<Result<NFA, RegexError>>,
    states: usize,
    groups: usize,
    referred: Vec<usize>,
    icase: bool,
    account: Account,
    /// For what is compiled.
    held: Mutex<Charge>,
    /// What the last search remembered, for the next.
    idle: Mutex<Option<Memory>>,
}

/// What searches remember, and the charge for it.
type Memory = (Box<Cache>, Charge);

impl Engine {
    pub(crate) fn new(
        node: &Node,
        groups: u32,
        lowering: Lowering,
        weight: Weight,
        account: &Account,
    ) -> Result<Self, RegexError> {
        if weight.is_too_large() {
            return Err(RegexError::TooBig);
        }
        let mut held = weight.charge(account, MAX_SIZE)?;
        let referred = referred(node, groups);
        // Where the text of a group stands once more is any text, until it is looked at closely.
        let anything = |_| {
            Hir::repetition(Repetition {
                min: 0,
                max: None,
                greedy: true,
                sub: Box::new(Hir::dot(Dot::AnyByte)),
            })
        };
        let relaxed = lowering.lower(node, &anything);
        let config = meta::Config::new()
            .utf8_empty(false)
            .nfa_size_limit(Some(MAX_SIZE))
            .onepass_size_limit(Some(MAX_ONE_PASS))
            .hybrid_cache_capacity(MAX_CACHE)
            // Compiling one ahead takes longer than most searches.
            .dfa(false);
        let fast = Meta::builder()
            .configure(config)
            .build_from_hir(&relaxed)
            .map_err(|_| RegexError::TooBig)?;
        let states = fast.memory_usage() / STATE_SIZE + 1;
        let groups = groups as usize;
        if states.saturating_mul(table_row(groups)) > MAX_TABLE {
            return Err(RegexError::TooBig);
        }
        held.resize(weight.tree() + fast.memory_usage())?;
        let hir = if referred.is_empty() {
            relaxed
        } else {
            let marker = |index: u32| {
                Hir::capture(regex_syntax::hir::Capture {
                    index: u32::try_from(groups).unwrap_or(u32::MAX) + index,
                    name: None,
                    sub: Box::new(Hir::empty()),
                })
            };
            lowering.lower(node, &marker)
        };
        Ok(Self {
            fast,
            is_chain: node.is_chain(),
            hir,
            plain: OnceLock::new(),
            grouped: OnceLock::new(),
            states,
            groups,
            referred,
            icase: lowering.icase,
            account: account.clone(),
            held: Mutex::new(held),
            idle: Mutex::new(None),
        })
    }

    /// Bytes that the automata take.
    pub(crate) fn memory_usage(&self) -> usize {
        let nfa = |nfa: &OnceLock<Result<NFA, RegexError>>| {
            nfa.get()
                .and_then(|nfa| nfa.as_ref().ok())
                .map_or(0, NFA::memory_usage)
        };
        self.fast.memory_usage() + nfa(&self.plain) + nfa(&self.grouped)
    }

    pub(crate) fn is_match(
        &self,
        haystack: &[u8],
        start: usize,
        pace: &mut Pace<'_>,
    ) -> Result<bool, SearchError> {
        if self.referred.is_empty() && !self.is_long(haystack, start) {
            pace.spend(haystack.len().saturating_sub(start) / 16 + 1)?;
            let input = Input::new(haystack).range(start..).earliest(true);
            let found = self.remembering(|cache| self.fast.search_half_with(cache, &input))?;
            return Ok(found.is_some());
        }
        Ok(self.find(haystack, start, pace)?.is_some())
    }

    pub(crate) fn find(
        &self,
        haystack: &[u8],
        start: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Match>, SearchError> {
        if start > haystack.len() {
            return Ok(None);
        }
        if !self.referred.is_empty() {
            let captures = self.find_with_references(haystack, start, pace)?;
            return Ok(captures.and_then(|captures| captures.get(0)));
        }
        if self.is_long(haystack, start) {
            let found = leftmost_longest(self.plain()?, haystack, start, false, pace)?;
            return Ok(found.map(Match::from));
        }
        let Some(found) = self.find_fast(haystack, start, pace)? else {
            return Ok(None);
        };
        self.lengthen(haystack, found, pace).map(Some)
    }

    pub(crate) fn captures(
        &self,
        haystack: &[u8],
        start: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Captures>, SearchError> {
        if start > haystack.len() {
            return Ok(None);
        }
        if !self.referred.is_empty() {
            return self.find_with_references(haystack, start, pace);
        }
        if self.groups == 0 || self.is_long(haystack, start) {
            let Some(found) = self.find(haystack, start, pace)? else {
                return Ok(None);
            };
            return self.captures_of(haystack, found, pace).map(Some);
        }
        pace.spend(1)?;
        let mut slots = vec![None; (self.groups + 1) * 2];
        let input = Input::new(haystack).range(start..);
        let found =
            self.remembering(|cache| self.fast.search_slots_with(cache, &input, &mut slots))?;
        if found.is_none() {
            pace.spend(haystack.len().saturating_sub(start) / 16)?;
            return Ok(None);
        }
        let at = |slot: usize| {
            let value = slots.get(slot).copied().flatten();
            value.map(regex_automata::util::primitives::NonMaxUsize::get)
        };
        let (Some(start), Some(end)) = (at(0), at(1)) else {
            return Ok(None);
        };
        pace.spend(end.saturating_sub(start) / 4)?;
        let found = Match { start, end };
        let longest = self.lengthen(haystack, found, pace)?;
        // If the first way through the pattern gave the longest match, it is also the first that does.
        if longest.end == end {
            let spans = (0..=self.groups)
                .map(|group| at(group * 2).zip(at(group * 2 + 1)))
                .collect();
            return Ok(Some(Captures::new(spans)));
        }
        self.captures_of(haystack, longest, pace).map(Some)
    }

    fn captures_of(
        &self,
        haystack: &[u8],
        found: Match,
        pace: &mut Pace<'_>,
    ) -> Result<Captures, SearchError> {
        let whole = Some((found.start, found.end));
        if self.groups == 0 {
            return Ok(Captures::new(vec![whole]));
        }
        let nfa = self.grouped()?;
        // Two tables, for where it is and where it goes.
        let _table = self.charge(2 * nfa.states().len() * table_row(self.groups + 1))?;
        let slots = captures(nfa, haystack, (found.start, found.end), pace)?;
        let groups = (1..=self.groups).map(|group| span(&slots, group));
        Ok(Captures::new(
            std::iter::once(whole).chain(groups).collect(),
        ))
    }

    fn find_with_references(
        &self,
        haystack: &[u8],
        mut start: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Captures>, SearchError> {
        let references = References {
            account: &self.account,
            nfa: self.grouped()?,
            groups: self.groups,
            referred: &self.referred,
            icase: self.icase,
        };
        while start <= haystack.len() {
            if !self.is_long(haystack, start) {
                match self.find_fast(haystack, start, pace)? {
                    Some(found) => start = found.start,
                    None => break,
                }
            }
            if let Some(slots) = references.longest(haystack, start, pace)? {
                let spans = (0..=self.groups).map(|group| span(&slots, group));
                return Ok(Some(Captures::new(spans.collect())));
            }
            start += 1;
        }
        Ok(None)
    }

    fn find_fast(
        &self,
        haystack: &[u8],
        start: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Match>, SearchError> {
        let input = Input::new(haystack).range(start..);
        let found = self.remembering(|cache| self.fast.search_with(cache, &input))?;
        let end = found
            .as_ref()
            .map_or(haystack.len(), regex_automata::Match::end);
        pace.spend(end.saturating_sub(start) / 16 + 1)?;
        Ok(found.map(|found| Match {
            start: found.start(),
            end: found.end(),
        }))
    }

    /// The longest match that begins where this one does.
    fn lengthen(
        &self,
        haystack: &[u8],
        found: Match,
        pace: &mut Pace<'_>,
    ) -> Result<Match, SearchError> {
        if self.is_chain || found.end == haystack.len() {
            return Ok(found);
        }
        let longest = leftmost_longest(self.plain()?, haystack, found.start, true, pace)?;
        Ok(longest.map_or(found, Match::from))
    }

    /// Whether a search may take too long to be left alone.
    fn is_long(&self, haystack: &[u8], start: usize) -> bool {
        let length = haystack.len().saturating_sub(start);
        self.states.saturating_mul(length) > MAX_STEPS
    }

    /// Searches with what earlier searches remembered.
    ///
    /// The library would keep that itself, but would not tell how much it is.
    fn remembering<T>(&self, search: impl FnOnce(&mut Cache) -> T) -> Result<T, RegexError> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().take();
        let (mut cache, mut charge) = if let Some(memory) = taken {
            memory
        } else {
            let cache = self.fast.create_cache();
            let charge = self.account.charge(cache.memory_usage())?;
            (Box::new(cache), charge)
        };
        let found = search(&mut cache);
        let used = cache.memory_usage();
        if used != charge.bytes() {
            charge.resize(used)?;
        }
        *idle() = Some((cache, charge));
        Ok(found)
    }

    fn charge(&self, bytes: usize) -> Result<Charge, RegexError> {
        self.account.charge(bytes).map_err(RegexError::from)
    }

    fn plain(&self) -> Result<&NFA, SearchError> {
        self.compiled(&self.plain, WhichCaptures::None)
    }

    fn grouped(&self) -> Result<&NFA, SearchError> {
        self.compiled(&self.grouped, WhichCaptures::All)
    }

    fn compiled<'n>(
        &self,
        nfa: &'n OnceLock<Result<NFA, RegexError>>,
        captures: WhichCaptures,
    ) -> Result<&'n NFA, SearchError> {
        let make = || {
            let mut room = self.charge((self.states * 2 * STATE_SIZE).min(2 * MAX_SIZE))?;
            let config = thompson::Config::new()
                .utf8(false)
                .which_captures(captures)
                .nfa_size_limit(Some(MAX_SIZE));
            let nfa = NFA::compiler().configure(config).build_from_hir(&self.hir);
            let nfa = nfa.map_err(|_| RegexError::TooBig)?;
            room.resize(nfa.memory_usage())?;
            let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            held.absorb(&mut room);
            Ok(nfa)
        };
        kept(nfa, make).map_err(SearchError::Pattern)
    }
}

/// What was made before, or now. That it cannot be is remembered, too, but not that there was no memory just then.
pub(crate) fn kept<T>(
    place: &OnceLock<Result<T, RegexError>>,
    make: impl FnOnce() -> Result<T, RegexError>,
) -> Result<&T, RegexError> {
    let result = match place.get() {
        Some(result) => result,
        None => match make() {
            Err(error @ RegexError::OverLimit(_)) => return Err(error),
            result => place.get_or_init(|| result),
        },
    };
    result.as_ref().map_err(|error| *error)
}

fn referred(node: &Node, groups: u32) -> Vec<usize> {
    (1..=groups.min(9))
        .filter(|group| node.any(&|node| matches!(node, Node::Reference(index) if index == group)))
        .map(|group| group as usize)
        .collect()
}
