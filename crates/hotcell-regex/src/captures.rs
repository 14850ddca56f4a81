//! The groups of a match whose ends are known.
//!
//! The C library finds the longest match first and then goes through the pattern as a backtracking matcher would, taking
//! the first way that leads to that end. This does the same, with all ways followed at once in order of preference.

use hotcell_meter::{Pace, Stopped};
use regex_automata::{
    nfa::thompson::{NFA, State},
    util::primitives::StateID,
};

use crate::simulate::step;

/// No place in any text.
const UNSET: usize = usize::MAX;

/// For each group where it begins and ends, for the match of `start..end`.
pub(crate) fn captures(
    nfa: &NFA,
    haystack: &[u8],
    (start, end): (usize, usize),
    pace: &mut Pace<'_>,
) -> Result<Vec<usize>, Stopped> {
    let slots = nfa.group_info().slot_len();
    let mut now = Threads::new(nfa, slots);
    let mut then = Threads::new(nfa, slots);
    let mut stack = Vec::new();
    let mut scratch = vec![UNSET; slots];
    now.add(
        nfa,
        nfa.start_anchored(),
        &mut scratch,
        haystack,
        start,
        &mut stack,
    );
    for at in start..=end {
        pace.spend((now.list.len() + 1) * (slots + 1))?;
        for index in 0..now.list.len() {
            let Some(&state) = now.list.get(index) else {
                break;
            };
            if at == end {
                if matches!(nfa.state(state), State::Match { .. }) {
                    return Ok(now.slots_of(state).to_vec());
                }
                continue;
            }
            let byte = haystack.get(at).copied();
            if let Some(next) = byte.and_then(|byte| step(nfa, state, byte)) {
                scratch.copy_from_slice(now.slots_of(state));
                then.add(nfa, next, &mut scratch, haystack, at + 1, &mut stack);
            }
        }
        now.clear();
        std::mem::swap(&mut now, &mut then);
    }
    Ok(vec![UNSET; slots])
}

/// The span of a group out of what [`captures`] gives.
pub(crate) fn span(slots: &[usize], group: usize) -> Option<(usize, usize)> {
    let start = *slots.get(group * 2)?;
    let end = *slots.get(group * 2 + 1)?;
    (start != UNSET && end != UNSET).then_some((start, end))
}

enum Frame {
    Explore(StateID),
    Restore { slot: usize, value: usize },
}

/// States that are reached, in order of preference, with the groups on the way there.
struct Threads {
    list: Vec<StateID>,
    seen: Vec<bool>,
    reached: Vec<StateID>,
    table: Vec<usize>,
    slots: usize,
}

impl Threads {
    fn new(nfa: &NFA, slots: usize) -> Self {
        let states = nfa.states().len();
        Self {
            list: Vec::new(),
            seen: vec![false; states],
            reached: Vec::new(),
            table: vec![UNSET; states * slots],
            slots,
        }
    }

    fn clear(&mut self) {
        self.list.clear();
        for state in self.reached.drain(..) {
            if let Some(seen) = self.seen.get_mut(state.as_usize()) {
                *seen = false;
            }
        }
    }

    fn slots_of(&self, state: StateID) -> &[usize] {
        let from = state.as_usize() * self.slots;
        self.table.get(from..from + self.slots).unwrap_or_default()
    }

    fn add(
        &mut self,
        nfa: &NFA,
        state: StateID,
        slots: &mut [usize],
        haystack: &[u8],
        at: usize,
        stack: &mut Vec<Frame>,
    ) {
        stack.push(Frame::Explore(state));
        while let Some(frame) = stack.pop() {
            let state = match frame {
                Frame::Explore(state) => state,
                Frame::Restore { slot, value } => {
                    if let Some(place) = slots.get_mut(slot) {
                        *place = value;
                    }
                    continue;
                }
            };
            match self.seen.get_mut(state.as_usize()) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            self.reached.push(state);
            match nfa.state(state) {
                State::Look { look, next } => {
                    if nfa.look_matcher().matches(*look, haystack, at) {
                        stack.push(Frame::Explore(*next));
                    }
                }
                State::Union { alternates } => {
                    stack.extend(alternates.iter().rev().copied().map(Frame::Explore));
                }
                State::BinaryUnion { alt1, alt2 } => {
                    stack.extend([Frame::Explore(*alt2), Frame::Explore(*alt1)]);
                }
                State::Capture { next, slot, .. } => {
                    let slot = slot.as_usize();
                    if let Some(place) = slots.get_mut(slot) {
                        stack.push(Frame::Restore {
                            slot,
                            value: *place,
                        });
                        *place = at;
                    }
                    stack.push(Frame::Explore(*next));
                }
                State::Fail => {}
                _ => {
                    self.list.push(state);
                    let from = state.as_usize() * self.slots;
                    if let Some(kept) = self.table.get_mut(from..from + self.slots) {
                        kept.copy_from_slice(slots);
                    }
                }
            }
        }
    }
}
