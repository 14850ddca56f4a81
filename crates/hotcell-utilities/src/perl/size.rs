//! How large a pattern of Perl's kind becomes.
//!
//! The library writes the text of a group down once more wherever it is called (`(?1)`, `(?R)`), up to nineteen times within
//! itself, and calls itself as deep. A few bytes can so become more than there is room for.

use fancy_regex::Expr;

/// Pieces, calls written out.
const MAX_NODES: usize = 16 << 10;

/// Parts with an automaton of their own.
const MAX_PARTS: usize = 128;

/// How deep pieces are within one another, calls written out.
const MAX_DEPTH: usize = 256;

/// A group is called so often within itself; then the library lets it fail.
const MAX_CALLS: usize = 19;

/// How large a pattern is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Size {
    pub(super) nodes: usize,
    /// Things that the library does itself. What is between two of them gets an automaton.
    pub(super) parts: usize,
}

impl Size {
    /// The size of a pattern, unless it is too large.
    pub(super) fn of(expr: &Expr) -> Option<Self> {
        let mut groups = vec![expr];
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            if let Expr::Group(inner) = expr {
                groups.push(inner);
            }
            if groups.len() + open.len() > MAX_NODES {
                return None;
            }
            // The first is the next that is looked at, so that groups come in the order of their parentheses.
            let children: Vec<&Expr> = expr.children_iter().collect();
            open.extend(children.into_iter().rev());
        }
        let mut measure = Measure {
            groups,
            calls: Vec::new(),
            size: Self::default(),
        };
        measure.add(expr, 0)?;
        Some(measure.size)
    }
}

struct Measure<'e> {
    groups: Vec<&'e Expr>,
    /// Groups that are being written out.
    calls: Vec<usize>,
    size: Size,
}

impl<'e> Measure<'e> {
    fn add(&mut self, expr: &'e Expr, depth: usize) -> Option<()> {
        self.size.nodes += 1;
        let is_part = matches!(
            expr,
            Expr::LookAround(..)
                | Expr::Backref { .. }
                | Expr::BackrefWithRelativeRecursionLevel { .. }
                | Expr::AtomicGroup(_)
                | Expr::Conditional { .. }
                | Expr::Absent(_)
                | Expr::SubroutineCall(_)
        );
        self.size.parts += usize::from(is_part);
        if self.size.nodes > MAX_NODES || self.size.parts > MAX_PARTS || depth > MAX_DEPTH {
            return None;
        }
        if let Expr::SubroutineCall(group) = expr {
            let within = self.calls.iter().filter(|call| *call == group).count();
            let called = self.groups.get(*group).copied();
            if let Some(called) = called.filter(|_| within < MAX_CALLS) {
                self.calls.push(*group);
                self.add(called, depth + 1)?;
                self.calls.pop();
            }
        }
        for child in expr.children_iter() {
            self.add(child, depth + 1)?;
        }
        Some(())
    }
}
