//! What a pattern means.

use crate::set::{Alphabet, Set, has_foreign_case};
use regex_syntax::hir::{self, Capture, Class, ClassUnicode, ClassUnicodeRange, Hir, Repetition};

/// A piece of a pattern.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Empty,
    Char(char),
    /// A byte of the pattern that is not UTF-8, or any byte of it in the C locale.
    Byte(u8),
    /// One of several characters.
    Set(Box<Set>),
    Look(Look),
    Group(u32, Box<Node>),
    Reference(u32),
    Concat(Vec<Node>),
    Alternate(Vec<Node>),
    Repeat {
        node: Box<Node>,
        min: u32,
        max: Option<u32>,
    },
}

/// A condition on a place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// `^`, which may match after newlines.
    LineStart,
    /// `$`
    LineEnd,
    /// `` \` ``
    TextStart,
    /// `\'`
    TextEnd,
    /// `\<`
    WordStart,
    /// `\>`
    WordEnd,
    /// `\b`
    WordEdge,
    /// `\B`
    NotWordEdge,
}

/// How nodes become what the automata are made from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lowering {
    pub(crate) alphabet: Alphabet,
    pub(crate) icase: bool,
    pub(crate) newline: bool,
    /// Nothing matches a newline.
    pub(crate) within_lines: bool,
}

impl Node {
    pub(crate) fn concat(mut nodes: Vec<Self>) -> Self {
        match nodes.len() {
            0 => Self::Empty,
            1 => nodes.pop().unwrap_or(Self::Empty),
            _ => Self::Concat(nodes),
        }
    }

    pub(crate) fn alternate(mut nodes: Vec<Self>) -> Self {
        match nodes.len() {
            0 => Self::Empty,
            1 => nodes.pop().unwrap_or(Self::Empty),
            _ => Self::Alternate(nodes),
        }
    }

    /// The nodes directly below.
    fn children(&self) -> &[Self] {
        match self {
            Self::Group(_, node) | Self::Repeat { node, .. } => std::slice::from_ref(node),
            Self::Concat(nodes) | Self::Alternate(nodes) => nodes,
            _ => &[],
        }
    }

    /// Whether this node or one below it is such.
    pub(crate) fn any(&self, is_such: &impl Fn(&Self) -> bool) -> bool {
        is_such(self) || self.children().iter().any(|node| node.any(is_such))
    }

    /// Whether every match of it is one character long.
    fn is_single(&self) -> bool {
        match self {
            Self::Char(_) | Self::Byte(_) | Self::Set(_) => true,
            Self::Group(_, node) => node.is_single(),
            Self::Alternate(nodes) => nodes.iter().all(Self::is_single),
            _ => false,
        }
    }

    /// Whether the first way to match that a backtracking matcher finds is the longest one.
    ///
    /// That holds for single characters, each repeated or not, one after the other. Such a pattern is a chain of states
    /// in which a step goes to the same state or the next. Of two ways through the chain, let one take a character
    /// where the other does not: it is then not ahead of the other. Were it at the end earlier, it would have met the
    /// other on its way, and could have gone on as that did. So taking a character never makes the match shorter.
    pub(crate) fn is_chain(&self) -> bool {
        match self {
            Self::Empty | Self::Look(_) => true,
            Self::Group(_, node) => node.is_chain(),
            Self::Concat(nodes) => nodes.iter().all(Self::is_chain),
            Self::Repeat { node, min, max } => {
                node.is_single() || (*max == Some(*min) && node.is_chain())
            }
            Self::Reference(_) => false,
            _ => self.is_single(),
        }
    }

    pub(crate) fn has_reference(&self) -> bool {
        self.any(&|node| matches!(node, Self::Reference(_)))
    }

    /// Whether it means something else in text that is not ASCII than it does in ASCII.
    pub(crate) fn is_beyond_ascii(&self, icase: bool) -> bool {
        self.any(&|node| match node {
            Self::Char(char) => icase && (!char.is_ascii() || has_foreign_case(*char, *char)),
            Self::Set(set) => set.is_beyond_ascii(),
            Self::Look(look) => look.is_about_words(),
            _ => false,
        })
    }
}

impl Look {
    pub(crate) fn is_about_words(self) -> bool {
        matches!(
            self,
            Self::WordStart | Self::WordEnd | Self::WordEdge | Self::NotWordEdge
        )
    }
}

impl Lowering {
    /// The same pattern for the automata. A back-reference becomes whatever `reference` makes of it.
    pub(crate) fn lower(self, node: &Node, reference: &impl Fn(u32) -> Hir) -> Hir {
        match node {
            Node::Empty => Hir::empty(),
            Node::Char(char) => self.char(*char),
            Node::Byte(byte) => Hir::literal([*byte]),
            Node::Set(set) => set.to_hir(self.alphabet, self.within_lines),
            Node::Look(look) => Hir::look(self.look(*look)),
            Node::Group(index, node) => Hir::capture(Capture {
                index: *index,
                name: None,
                sub: Box::new(self.lower(node, reference)),
            }),
            Node::Reference(index) => reference(*index),
            Node::Concat(nodes) => Hir::concat(self.lower_row(nodes, reference)),
            Node::Alternate(nodes) => Hir::alternation(
                nodes
                    .iter()
                    .map(|node| self.lower(node, reference))
                    .collect(),
            ),
            Node::Repeat { node, min, max } => Hir::repetition(Repetition {
                min: *min,
                max: *max,
                greedy: true,
                sub: Box::new(self.lower(node, reference)),
            }),
        }
    }

    /// As each alone, but characters that follow one another take one piece: a piece takes a hundred times as much as a
    /// character.
    fn lower_row(self, nodes: &[Node], reference: &impl Fn(u32) -> Hir) -> Vec<Hir> {
        let mut row = Vec::new();
        let mut text = Vec::new();
        for node in nodes {
            match node {
                Node::Char(char) if self.is_literal(*char) => {
                    text.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                    continue;
                }
                Node::Byte(byte) => {
                    text.push(*byte);
                    continue;
                }
                _ => {}
            }
            if !text.is_empty() {
                row.push(Hir::literal(std::mem::take(&mut text)));
            }
            row.push(self.lower(node, reference));
        }
        if !text.is_empty() {
            row.push(Hir::literal(text));
        }
        row
    }

    /// Whether a character matches nothing but itself.
    fn is_literal(self, char: char) -> bool {
        !self.icase || (self.alphabet != Alphabet::Unicode && !char.is_ascii_alphabetic())
    }

    fn char(self, char: char) -> Hir {
        if self.icase && self.alphabet == Alphabet::Unicode {
            let mut class = ClassUnicode::new([ClassUnicodeRange::new(char, char)]);
            // Fails only without the tables, which are compiled in.
            let _ = class.try_case_fold_simple();
            return Hir::class(Class::Unicode(class));
        }
        if self.icase && char.is_ascii_alphabetic() {
            let mut set = Set::of([crate::set::Item::Range(char, char)]);
            set.icase = true;
            return set.to_hir(self.alphabet, false);
        }
        Hir::literal(char.encode_utf8(&mut [0; 4]).as_bytes())
    }

    fn look(self, look: Look) -> hir::Look {
        let unicode = self.alphabet == Alphabet::Unicode;
        match look {
            Look::LineStart if self.newline => hir::Look::StartLF,
            Look::LineEnd if self.newline => hir::Look::EndLF,
            Look::LineStart | Look::TextStart => hir::Look::Start,
            Look::LineEnd | Look::TextEnd => hir::Look::End,
            Look::WordStart if unicode => hir::Look::WordStartUnicode,
            Look::WordStart => hir::Look::WordStartAscii,
            Look::WordEnd if unicode => hir::Look::WordEndUnicode,
            Look::WordEnd => hir::Look::WordEndAscii,
            Look::WordEdge if unicode => hir::Look::WordUnicode,
            Look::WordEdge => hir::Look::WordAscii,
            Look::NotWordEdge if unicode => hir::Look::WordUnicodeNegate,
            Look::NotWordEdge => hir::Look::WordAsciiNegate,
        }
    }
}
