//! Patterns with back-references: the one thing that needs a matcher that goes back.
//!
//! What is left to match depends on the place in the pattern, the place in the text and the groups that are referred to.
//! A combination of these that was tried once is not tried again, so the work is bounded by their number; and every step
//! is spent.

use std::collections::{HashMap, HashSet};

use hotcell_meter::{Account, Charge, Pace};
use regex_automata::{
    nfa::thompson::{NFA, State},
    util::primitives::StateID,
};

use crate::{error::RegexError, regex::SearchError, simulate::step};

/// Combinations that are remembered: some sixteen megabytes.
const MAX_TRIED: usize = 1 << 19;

/// What is charged at a time, and what a combination and the groups of one take: hash tables are half empty.
const CHARGED: usize = 1024;
const PER_COMBINATION: usize = 64;
const PER_NUMBER: usize = 160;

/// No place in any text.
const UNSET: usize = usize::MAX;

/// An automaton in which a group beyond the last one of the pattern stands for a back-reference: group `groups + n` for
/// `\n`.
pub(crate) struct References<'n> {
    pub(crate) account: &'n Account,
    pub(crate) nfa: &'n NFA,
    pub(crate) groups: usize,
    /// Which groups are referred to.
    pub(crate) referred: &'n [usize],
    pub(crate) icase: bool,
}

enum Frame {
    Explore(StateID, usize),
    Restore { slot: usize, value: usize },
}

impl References<'_> {
    /// The longest match that begins at `start`: the places of its groups.
    pub(crate) fn longest(
        &self,
        haystack: &[u8],
        start: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Vec<usize>>, SearchError> {
        let mut slots = vec![UNSET; (self.groups + 1) * 2];
        let mut best: Option<(usize, Vec<usize>)> = None;
        let mut tried = Tried::new(self.account);
        let mut stack = vec![Frame::Explore(self.nfa.start_anchored(), start)];
        while let Some(frame) = stack.pop() {
            pace.spend(1)?;
            let (mut state, mut at) = match frame {
                Frame::Explore(state, at) => (state, at),
                Frame::Restore { slot, value } => {
                    self.set(&mut slots, slot, value, &mut tried);
                    continue;
                }
            };
            loop {
                pace.spend(1)?;
                match self.nfa.state(state) {
                    State::Look { look, next } => {
                        if !self.nfa.look_matcher().matches(*look, haystack, at) {
                            break;
                        }
                        state = *next;
                    }
                    State::Union { alternates } => {
                        if !tried.insert(state, at, &slots, self.referred)? {
                            break;
                        }
                        let rest = alternates.iter().skip(1).rev();
                        stack.extend(rest.map(|next| Frame::Explore(*next, at)));
                        match alternates.first() {
                            Some(first) => state = *first,
                            None => break,
                        }
                    }
                    State::BinaryUnion { alt1, alt2 } => {
                        if !tried.insert(state, at, &slots, self.referred)? {
                            break;
                        }
                        stack.push(Frame::Explore(*alt2, at));
                        state = *alt1;
                    }
                    State::Capture { next, slot, .. } => {
                        state = *next;
                        let slot = slot.as_usize();
                        if slot < slots.len() {
                            let value = slots.get(slot).copied().unwrap_or(UNSET);
                            stack.push(Frame::Restore { slot, value });
                            self.set(&mut slots, slot, at, &mut tried);
                        } else if slot % 2 == 0 {
                            let group = slot / 2 - self.groups;
                            pace.spend(haystack.len().saturating_sub(at) / 16)?;
                            match self.referred_at(haystack, at, &slots, group) {
                                Some(end) => at = end,
                                None => break,
                            }
                        }
                    }
                    State::Match { .. } => {
                        if best.as_ref().is_none_or(|(end, _)| at > *end) {
                            best = Some((at, slots.clone()));
                        }
                        if at == haystack.len() {
                            return Ok(best.map(|(_, slots)| slots));
                        }
                        break;
                    }
                    _ => {
                        let byte = haystack.get(at).copied();
                        match byte.and_then(|byte| step(self.nfa, state, byte)) {
                            Some(next) => state = next,
                            None => break,
                        }
                        at += 1;
                    }
                }
            }
        }
        Ok(best.map(|(_, slots)| slots))
    }

    fn set(&self, slots: &mut [usize], slot: usize, value: usize, tried: &mut Tried) {
        if let Some(place) = slots.get_mut(slot) {
            *place = value;
        }
        if self.referred.contains(&(slot / 2)) {
            tried.groups = None;
        }
    }

    /// Where the text of a group ends that stands at `at` once more.
    fn referred_at(
        &self,
        haystack: &[u8],
        at: usize,
        slots: &[usize],
        group: usize,
    ) -> Option<usize> {
        let (start, end) = crate::captures::span(slots, group)?;
        let text = haystack.get(start..end)?;
        let rest = haystack.get(at..)?;
        if self.icase {
            return folded_prefix(rest, text).map(|length| at + length);
        }
        rest.starts_with(text).then_some(at + text.len())
    }
}

/// How much of `rest` is `text` whatever the case.
fn folded_prefix(rest: &[u8], text: &[u8]) -> Option<usize> {
    if let Some(start) = rest.get(..text.len())
        && start.eq_ignore_ascii_case(text)
    {
        return Some(text.len());
    }
    let (mut wanted, mut given) = (text, 0);
    while !wanted.is_empty() {
        let (one, length) = crate::parse::decode(wanted)?;
        let (other, other_length) = crate::parse::decode(rest.get(given..)?)?;
        if !one.to_lowercase().eq(other.to_lowercase()) {
            return None;
        }
        wanted = wanted.get(length..)?;
        given += other_length;
    }
    Some(given)
}

/// What was tried already.
struct Tried {
    charge: Charge,
    combinations: HashSet<(StateID, usize, u32)>,
    /// Numbers for what the groups that are referred to were.
    numbers: HashMap<Vec<usize>, u32>,
    /// The number of what they are, if they have not changed since it was looked up.
    groups: Option<u32>,
}

impl Tried {
    fn new(account: &Account) -> Self {
        Self {
            charge: account.none(),
            combinations: HashSet::new(),
            numbers: HashMap::new(),
            groups: None,
        }
    }

    /// Whether this has not been tried.
    fn insert(
        &mut self,
        state: StateID,
        at: usize,
        slots: &[usize],
        referred: &[usize],
    ) -> Result<bool, SearchError> {
        if self.combinations.len() >= MAX_TRIED || self.numbers.len() >= MAX_TRIED {
            return Err(SearchError::TooComplex);
        }
        let needed = self.combinations.len() * PER_COMBINATION + self.numbers.len() * PER_NUMBER;
        if needed > self.charge.bytes() {
            let more = CHARGED * PER_NUMBER;
            self.charge.grow(more).map_err(RegexError::from)?;
        }
        let groups = *self.groups.get_or_insert_with(|| {
            let places = referred
                .iter()
                .flat_map(|group| [slots.get(group * 2), slots.get(group * 2 + 1)])
                .map(|place| place.copied().unwrap_or(UNSET))
                .collect();
            let number = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
            *self.numbers.entry(places).or_insert(number)
        });
        Ok(self.combinations.insert((state, at, groups)))
    }
}
