//! Matchers of our own on the automata of `regex-automata`, for what its matchers do not do: the longest match, groups
//! of a match that is known, and work that can be stopped.

use hotcell_meter::{Pace, Stopped};
use regex_automata::{
    nfa::thompson::{NFA, State},
    util::primitives::StateID,
};

/// The leftmost match in `haystack` from `start` on, and of those that begin there the longest.
///
/// All ways to match are followed at once, so the time is proportional to the text times the size of the automaton.
pub(crate) fn leftmost_longest(
    nfa: &NFA,
    haystack: &[u8],
    start: usize,
    is_anchored: bool,
    pace: &mut Pace<'_>,
) -> Result<Option<(usize, usize)>, Stopped> {
    let mut now = Threads::new(nfa);
    let mut then = Threads::new(nfa);
    let mut best: Option<(usize, usize)> = None;
    let mut stack = Vec::new();
    let mut at = start;
    loop {
        if best.is_none() && (at == start || !is_anchored) {
            now.add(nfa, nfa.start_anchored(), at, haystack, at, &mut stack);
        }
        if now.list.is_empty() && (best.is_some() || is_anchored) {
            return Ok(best);
        }
        pace.spend(now.list.len() + 1)?;
        let byte = haystack.get(at).copied();
        for &(state, began) in &now.list {
            // Threads are in the order of where they began.
            if best.is_some_and(|(start, _)| began > start) {
                break;
            }
            if matches!(nfa.state(state), State::Match { .. }) {
                best = Some((began, at));
            } else if let Some(next) = byte.and_then(|byte| step(nfa, state, byte)) {
                then.add(nfa, next, began, haystack, at + 1, &mut stack);
            }
        }
        if byte.is_none() {
            return Ok(best);
        }
        now.clear();
        std::mem::swap(&mut now, &mut then);
        at += 1;
    }
}

/// Where a byte leads, if anywhere.
pub(crate) fn step(nfa: &NFA, state: StateID, byte: u8) -> Option<StateID> {
    match nfa.state(state) {
        State::ByteRange { trans } => trans.matches_byte(byte).then_some(trans.next),
        State::Sparse(transitions) => transitions.matches_byte(byte),
        State::Dense(transitions) => transitions.matches_byte(byte),
        _ => None,
    }
}

/// States that are reached, each with where its match began, in that order.
struct Threads {
    list: Vec<(StateID, usize)>,
    /// For each state the step it was reached last in.
    seen: Vec<u32>,
    generation: u32,
}

impl Threads {
    fn new(nfa: &NFA) -> Self {
        Self {
            list: Vec::new(),
            seen: vec![0; nfa.states().len()],
            generation: 1,
        }
    }

    fn clear(&mut self) {
        self.list.clear();
        if self.generation == u32::MAX {
            self.seen.fill(0);
            self.generation = 0;
        }
        self.generation += 1;
    }

    /// Adds a state and all that are reached from it without a byte.
    fn add(
        &mut self,
        nfa: &NFA,
        state: StateID,
        began: usize,
        haystack: &[u8],
        at: usize,
        stack: &mut Vec<StateID>,
    ) {
        stack.push(state);
        while let Some(state) = stack.pop() {
            match self.seen.get_mut(state.as_usize()) {
                Some(seen) if *seen != self.generation => *seen = self.generation,
                _ => continue,
            }
            match nfa.state(state) {
                State::Look { look, next } => {
                    if nfa.look_matcher().matches(*look, haystack, at) {
                        stack.push(*next);
                    }
                }
                State::Union { alternates } => stack.extend(alternates.iter().rev()),
                State::BinaryUnion { alt1, alt2 } => stack.extend([*alt2, *alt1]),
                State::Capture { next, .. } => stack.push(*next),
                State::Fail => {}
                _ => self.list.push((state, began)),
            }
        }
    }
}
