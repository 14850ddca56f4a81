//! Matching by following all places of the text that can be reached at once.
//!
//! Each element of a pattern takes the places where it may begin to the places where it may end. That is done for all of
//! them together, so a `*` or a group costs one walk over the text, however many ways there are to match. Only `!(…)` has
//! to look at each place for itself; what it found is kept. From the end to the start it works the same way.

use std::collections::{HashMap, HashSet};

use super::{Element, Group, GroupKind, Pattern, is_boundary, match_one, unit_length_before};

/// Is told of every step of work.
pub(crate) type Spend<'s> = &'s dyn Fn(usize);

/// How many places are kept of those that `!(…)` rejects: nobody is charged for them.
const MOST_KEPT: usize = 1 << 20;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Direction {
    Forward,
    Backward,
}

/// Places in a text, between characters.
#[derive(Debug, Clone, Default)]
struct Places {
    /// In ascending order.
    list: Vec<usize>,
    /// And all places from one to another.
    range: Option<(usize, usize)>,
}

impl Places {
    fn one(place: usize) -> Self {
        Self {
            list: vec![place],
            range: None,
        }
    }

    fn is_empty(&self) -> bool {
        self.list.is_empty() && self.range.is_none()
    }

    fn first(&self) -> Option<usize> {
        let range = self.range.map(|(from, _)| from);
        self.list.first().copied().into_iter().chain(range).min()
    }

    fn last(&self) -> Option<usize> {
        let range = self.range.map(|(_, to)| to);
        self.list.last().copied().into_iter().chain(range).max()
    }

    fn contains(&self, place: usize) -> bool {
        self.list.binary_search(&place).is_ok()
            || self
                .range
                .is_some_and(|(from, to)| (from..=to).contains(&place))
    }

    fn union(mut self, other: Self) -> Self {
        if !other.list.is_empty() {
            if self.list.is_empty() {
                self.list = other.list;
            } else {
                self.list.extend(other.list);
                self.list.sort_unstable();
                self.list.dedup();
            }
        }
        // All ranges of one direction reach to the same end of the text, so the longer one holds the other.
        self.range = match (self.range, other.range) {
            (Some((from, to)), Some((other_from, other_to))) => {
                Some((from.min(other_from), to.max(other_to)))
            }
            (one, other) => one.or(other),
        };
        self
    }
}

/// A pattern on a text.
pub(super) struct Search<'p> {
    pattern: &'p Pattern,
    text: &'p [u8],
    /// A dot at the start is matched by nothing but a dot.
    explicit_dot: bool,
    /// What `!(…)` with this number does not match from a place.
    rejected: HashMap<(u32, usize, Direction), Places>,
    /// How many places that is. Beyond [`MOST_KEPT`] they are found anew each time.
    kept: usize,
    spend: Spend<'p>,
}

impl<'p> Search<'p> {
    pub(super) fn new(pattern: &'p Pattern, text: &'p [u8], spend: Spend<'p>) -> Self {
        Self {
            pattern,
            text,
            explicit_dot: false,
            rejected: HashMap::new(),
            kept: 0,
            spend,
        }
    }

    pub(super) fn with_explicit_dot(mut self) -> Self {
        self.explicit_dot = true;
        self
    }

    pub(super) fn matches(&mut self) -> bool {
        let ends = self.through(&self.pattern.elements, Places::one(0), Direction::Forward);
        ends.contains(self.text.len())
    }

    pub(super) fn end_from(&mut self, start: usize, longest: bool) -> Option<usize> {
        let start = Places::one(start);
        let ends = self.through(&self.pattern.elements, start, Direction::Forward);
        if longest { ends.last() } else { ends.first() }
    }

    pub(super) fn start_before_end(&mut self, longest: bool) -> Option<usize> {
        let end = Places::one(self.text.len());
        let starts = self.through(&self.pattern.elements, end, Direction::Backward);
        if longest {
            starts.first()
        } else {
            starts.last()
        }
    }

    pub(super) fn find_all(&mut self, only_first: bool) -> Vec<(usize, usize)> {
        // Where a match can begin at all is found in one walk, so that no place is tried in vain.
        let everywhere = Places {
            list: Vec::new(),
            range: Some((0, self.text.len())),
        };
        let starts = self.through(&self.pattern.elements, everywhere, Direction::Backward);
        let mut found = Vec::new();
        let mut at = 0;
        for start in self.expand(&starts) {
            // Nothing is matched behind the last character, unless there is none.
            if start < at || (start == self.text.len() && start > 0) {
                continue;
            }
            (self.spend)(1);
            let Some(end) = self.end_from(start, true) else {
                continue;
            };
            found.push((start, end));
            if only_first {
                break;
            }
            at = end.max(start + 1);
        }
        found
    }

    /// All places one by one.
    fn expand(&self, places: &Places) -> Vec<usize> {
        let Some((from, to)) = places.range else {
            return places.list.clone();
        };
        (self.spend)(to - from + 1);
        let mut all: Vec<usize> = (from..=to)
            .filter(|place| is_boundary(self.text, *place))
            .collect();
        if !places.list.is_empty() {
            all.extend(&places.list);
            all.sort_unstable();
            all.dedup();
        }
        all
    }

    fn through(&mut self, elements: &'p [Element], from: Places, direction: Direction) -> Places {
        let mut places = from;
        for step in 0..elements.len() {
            let index = match direction {
                Direction::Forward => step,
                Direction::Backward => elements.len() - 1 - step,
            };
            if places.is_empty() {
                break;
            }
            if let Some(element) = elements.get(index) {
                places = self.step(element, &places, direction);
            }
        }
        places
    }

    fn step(&mut self, element: &'p Element, from: &Places, direction: Direction) -> Places {
        match element {
            Element::Star => self.star(from, direction),
            Element::Group(group) => self.group(group, from, direction),
            _ => self.one(element, from, direction),
        }
    }

    fn one(&mut self, element: &Element, from: &Places, direction: Direction) -> Places {
        let places = self.expand(from);
        (self.spend)(places.len());
        let icase = self.pattern.icase;
        let list = places.into_iter().filter_map(|place| match direction {
            Direction::Forward => {
                if self.is_explicit_dot(place) && !matches!(element, Element::Text(_)) {
                    return None;
                }
                Some(place + match_one(element, self.text, place, icase)?)
            }
            Direction::Backward => {
                let length = match element {
                    Element::Text(text) => text.len(),
                    _ => unit_length_before(self.text, place)?,
                };
                let start = place.checked_sub(length)?;
                let matched = match_one(element, self.text, start, icase)?;
                (matched == length).then_some(start)
            }
        });
        Places {
            list: list.collect(),
            range: None,
        }
    }

    fn star(&self, from: &Places, direction: Direction) -> Places {
        let mut list = Vec::new();
        let reach = match direction {
            Direction::Forward => {
                let mut first = from.first();
                if first.is_some_and(|first| self.is_explicit_dot(first)) {
                    list.push(0);
                    first = from
                        .list
                        .get(1)
                        .copied()
                        .or(from.range.map(|range| range.0));
                }
                first.map(|first| (first, self.text.len()))
            }
            Direction::Backward => from.last().map(|last| (0, last)),
        };
        Places { list, range: reach }
    }

    fn is_explicit_dot(&self, place: usize) -> bool {
        self.explicit_dot && place == 0
    }

    fn group(&mut self, group: &'p Group, from: &Places, direction: Direction) -> Places {
        match group.kind {
            GroupKind::One => self.alternatives(group, from, direction),
            GroupKind::Optional => {
                let taken = self.alternatives(group, from, direction);
                from.clone().union(taken)
            }
            GroupKind::Any => self.repeated(group, from.clone(), direction),
            GroupKind::Some => {
                let once = self.alternatives(group, from, direction);
                self.repeated(group, once, direction)
            }
            GroupKind::Not => self.negated(group, from, direction),
        }
    }

    fn alternatives(&mut self, group: &'p Group, from: &Places, direction: Direction) -> Places {
        let mut all = Places::default();
        for alternative in &group.alternatives {
            let ends = self.through(alternative, from.clone(), direction);
            all = all.union(ends);
        }
        all
    }

    fn repeated(&mut self, group: &'p Group, from: Places, direction: Direction) -> Places {
        let range = from.range;
        let is_in_range =
            |place: usize| range.is_some_and(|(first, last)| (first..=last).contains(&place));
        let mut seen: HashSet<usize, foldhash::fast::RandomState> =
            from.list.iter().copied().collect();
        let mut fresh = from;
        while !fresh.is_empty() {
            let reached = self.alternatives(group, &fresh, direction);
            let mut new = self.expand(&reached);
            (self.spend)(new.len() + 1);
            new.retain(|place| !is_in_range(*place) && seen.insert(*place));
            fresh = Places {
                list: new,
                range: None,
            };
        }
        let mut list: Vec<usize> = seen.into_iter().collect();
        list.sort_unstable();
        Places { list, range }
    }

    /// Where `!(…)` may end: wherever at least one of the places that reach it does not reject it.
    fn negated(&mut self, group: &'p Group, from: &Places, direction: Direction) -> Places {
        // By how much more places count there than just before.
        let mut changes = vec![0isize; self.text.len() + 2];
        let mut count = |(first, last): (usize, usize), by: isize| {
            if let Some(change) = changes.get_mut(first) {
                *change += by;
            }
            if let Some(change) = changes.get_mut(last + 1) {
                *change -= by;
            }
        };
        for place in self.expand(from) {
            let key = (group.id, place, direction);
            let rejected = match self.rejected.remove(&key) {
                Some(rejected) => {
                    self.kept -= rejected.list.len();
                    rejected
                }
                None => self.alternatives(group, &Places::one(place), direction),
            };
            (self.spend)(rejected.list.len() + 1);
            let reach = match direction {
                Direction::Forward if self.is_explicit_dot(place) => (place, place),
                Direction::Forward => (place, self.text.len()),
                Direction::Backward => (0, place),
            };
            count(reach, 1);
            let within = |(first, last): (usize, usize)| {
                let part = (first.max(reach.0), last.min(reach.1));
                (part.0 <= part.1).then_some(part)
            };
            let range = rejected.range.and_then(within);
            if let Some(range) = range {
                count(range, -1);
            }
            for end in &rejected.list {
                let is_counted = range.is_some_and(|(from, to)| (from..=to).contains(end));
                if !is_counted && let Some(one) = within((*end, *end)) {
                    count(one, -1);
                }
            }
            if self.kept + rejected.list.len() < MOST_KEPT {
                self.kept += rejected.list.len();
                self.rejected.insert(key, rejected);
            }
        }
        (self.spend)(self.text.len() / 4);
        let mut accepting = 0;
        let list = changes
            .iter()
            .take(self.text.len() + 1)
            .enumerate()
            .filter_map(|(place, change)| {
                accepting += change;
                (accepting > 0 && is_boundary(self.text, place)).then_some(place)
            });
        Places {
            list: list.collect(),
            range: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        marked::Marked,
        pattern::{Pattern, PatternOptions},
    };

    fn pattern(text: &str) -> Pattern {
        let options = PatternOptions {
            extglob: true,
            icase: false,
        };
        Pattern::new(&Marked::unquoted(text), options)
    }

    #[test]
    fn no_pattern_takes_exponential_time() {
        let steps = std::cell::Cell::new(0usize);
        let spend = |units: usize| steps.set(steps.get() + units);
        let text = "a".repeat(200);
        for hostile in [
            "*(*(*(*(a))))b",
            "+(a|aa|+(a))b",
            "!(!(!(*(a))))b",
            "*a*a*a*a*a*a*a*a*b",
            "+(+(+(+(a|?))))b",
            "@(*|*a|!(b))@(*|*a|!(b))b",
        ] {
            assert!(!pattern(hostile).matches(text.as_bytes(), &spend));
        }
        assert!(steps.get() < 20_000_000, "{}", steps.get());
    }

    #[test]
    fn forwards_and_backwards_agree() {
        for (source, text) in [
            ("*(a|b)c", "ababc"),
            ("!(x)c", "ababc"),
            ("?é*", "aéb"),
            ("+([[:digit:]]).@(c|h)", "12.c"),
        ] {
            let pattern = pattern(source);
            assert!(pattern.matches(text.as_bytes(), &|_| ()), "{source}");
            assert_eq!(
                pattern.prefix(text.as_bytes(), true, &|_| ()),
                Some(text.len())
            );
            assert_eq!(
                pattern.suffix(text.as_bytes(), true, &|_| ()),
                Some(0),
                "{source}"
            );
        }
    }
}
