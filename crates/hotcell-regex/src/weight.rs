//! What compiling a pattern will take, known before it is done.
//!
//! The automata have limits of their own, but those are met only once much is made: groups and classes take memory before
//! any automaton does, and repetitions multiply.

use hotcell_meter::{Account, Charge, OverLimit};

use crate::{
    error::RegexError,
    flavor::Options,
    means::Means,
    set::{Item, Set},
    tree::Node,
};

/// The longest pattern in bytes.
pub const MAX_PATTERN: usize = 64 << 10;

/// The longest list of patterns in bytes: `grep` takes as many as there are lines in a file.
pub const MAX_LIST: usize = 128 << 10;

/// States of one automaton, more than fit within its limit in bytes.
const MAX_STATES: usize = 1 << 17;

/// Pieces of the tree.
const MAX_NODES: usize = 1 << 16;

/// What the table of groups of a matcher may take: it holds every group for every state.
pub(crate) const MAX_TABLE: usize = 8 << 20;

/// About what a state of an automaton takes.
pub(crate) const STATE_SIZE: usize = 32;

/// The weight of what is not compiled.
pub(crate) const TOO_LARGE: Weight = Weight {
    states: MAX_STATES + 1,
    nodes: 0,
};

/// What a byte of a pattern takes once it is read, and what a piece of the tree takes.
const PER_BYTE: usize = 64;
const PER_NODE: usize = 320;

/// Ranges of a class that take about what a piece of the tree does.
const RANGES_PER_NODE: usize = 32;

/// A named class is put together from its characters one by one, which takes as long as some pieces.
const PER_NAME: usize = 3;

/// Units of work: for a byte that is read, and for a state or a piece of the tree that is made.
const UNITS_PER_BYTE: usize = 64;
const UNITS_PER_STATE: usize = 256;

/// About what a named class of Unicode or a long range whatever the case comes to.
const RANGES_OF_CLASS: usize = 700;
const STATES_OF_CLASS: usize = 350;

/// About what a class of other characters than ASCII comes to: sequences of bytes.
const STATES_OF_RANGE: usize = 10;

/// How large a pattern is, at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    /// Of an automaton: what is repeated counts as often.
    pub(crate) states: usize,
    /// Of the tree: what is repeated counts once.
    pub(crate) nodes: usize,
}

/// Pays for reading a pattern, or refuses one that is too long.
pub(crate) fn admit(pattern: &[u8], is_list: bool, means: &Means<'_>) -> Result<(), RegexError> {
    let limit = if is_list { MAX_LIST } else { MAX_PATTERN };
    if pattern.len() > limit {
        return Err(RegexError::TooLong { limit });
    }
    means.spend(pattern.len() * UNITS_PER_BYTE);
    Ok(())
}

/// What a pattern of this length holds once it is read.
pub(crate) fn read(length: usize) -> usize {
    length * PER_BYTE
}

impl Weight {
    /// The weight of a pattern, unless it is too large to be compiled.
    pub(crate) fn of(
        node: &Node,
        groups: u32,
        options: Options,
        is_wide: bool,
    ) -> Result<Self, RegexError> {
        let scale = Scale {
            icase: options.icase,
            is_wide,
        };
        let weight = scale.weigh(node);
        let table = weight.states.saturating_mul(table_row(groups as usize));
        if weight.is_too_large() || table > MAX_TABLE {
            return Err(RegexError::TooBig);
        }
        Ok(weight)
    }

    /// A piece of the tree that becomes so many states.
    const fn piece(states: usize) -> Self {
        Self { states, nodes: 1 }
    }

    /// Units of work that compiling takes.
    pub(crate) fn units(self) -> usize {
        (self.states + self.nodes) * UNITS_PER_STATE
    }

    /// Bytes that the tree takes.
    pub(crate) fn tree(self) -> usize {
        self.nodes * PER_NODE
    }

    /// Takes what compiling may take from the account, until it is known better.
    pub(crate) fn charge(self, account: &Account, size: usize) -> Result<Charge, OverLimit> {
        // Two automata, one for each direction, and what they are made from.
        let automata = (self.states * 4 * STATE_SIZE).min(4 * size);
        account.charge(self.tree() + automata)
    }

    /// Whether nothing of this weight is compiled.
    pub(crate) fn is_too_large(self) -> bool {
        self.states > MAX_STATES || self.nodes > MAX_NODES
    }
}

/// What the groups of a state take.
pub(crate) fn table_row(groups: usize) -> usize {
    groups * 2 * size_of::<usize>()
}

struct Scale {
    icase: bool,
    is_wide: bool,
}

impl Scale {
    fn weigh(&self, node: &Node) -> Weight {
        let all = |nodes: &[Node]| {
            nodes
                .iter()
                .fold(Weight::default(), |sum, node| sum + self.weigh(node))
        };
        match node {
            Node::Empty | Node::Look(_) | Node::Reference(_) => Weight {
                states: 3,
                nodes: 1,
            },
            Node::Byte(_) => Weight {
                states: 1,
                nodes: 0,
            },
            Node::Char(char) if self.icase && self.is_wide => Weight {
                states: char.len_utf8() * 2,
                nodes: 1,
            },
            Node::Char(char) if self.icase && char.is_ascii_alphabetic() => Weight {
                states: 1,
                nodes: 1,
            },
            // Characters in a row become one piece.
            Node::Char(char) => Weight {
                states: char.len_utf8(),
                nodes: 0,
            },
            Node::Set(set) => self.weigh_set(set),
            Node::Group(_, node) => {
                self.weigh(node)
                    + Weight {
                        states: 2,
                        nodes: 1,
                    }
            }
            Node::Concat(nodes) => {
                all(nodes)
                    + Weight {
                        states: 0,
                        nodes: 1,
                    }
            }
            Node::Alternate(nodes) => nodes.iter().fold(Weight::piece(1), |sum, node| {
                let branch = self.weigh(node);
                // Characters that are a piece of another row are one here.
                let nodes = branch.nodes.max(1);
                sum + Weight { nodes, ..branch }
            }),
            Node::Repeat { node, min, max } => {
                let inner = self.weigh(node);
                let times = max.unwrap_or(min + 1).max(1) as usize;
                Weight {
                    states: (inner.states.saturating_add(1)).saturating_mul(times),
                    nodes: inner.nodes.saturating_add(2),
                }
            }
        }
    }

    fn weigh_set(&self, set: &Set) -> Weight {
        let is_named = |item: &&Item| matches!(item, Item::Named(_));
        let named = set.items.iter().filter(is_named).count();
        let mut weight = Weight {
            states: 1,
            nodes: 1 + set.items.len() / RANGES_PER_NODE + PER_NAME * named,
        };
        if !self.is_wide || !set.is_beyond_ascii() {
            return weight;
        }
        weight.states = STATES_OF_RANGE;
        for item in &set.items {
            weight = weight
                + match item {
                    Item::Range(from, to) if self.icase && *to as u32 - *from as u32 > 100 => CLASS,
                    Item::Range(_, to) if !to.is_ascii() => Weight {
                        states: STATES_OF_RANGE,
                        nodes: 0,
                    },
                    Item::Named(_) => CLASS,
                    Item::Range(..) | Item::Byte(_) => Weight::default(),
                };
        }
        // However many items there are, the set is one.
        weight.states = weight.states.min(4 * STATES_OF_CLASS);
        weight
    }
}

const CLASS: Weight = Weight {
    states: STATES_OF_CLASS,
    nodes: RANGES_OF_CLASS / RANGES_PER_NODE,
};

impl std::ops::Add for Weight {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            states: self.states.saturating_add(other.states),
            nodes: self.nodes.saturating_add(other.nodes),
        }
    }
}
