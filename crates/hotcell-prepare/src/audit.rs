//! What a tree would cost the passes that come after the parser.
//!
//! Those are linear in the code as people write it. Some of what they do is not: for every name they look through the scopes
//! around it, for every private name through the elements of the class, for every misspelt one through all names that are
//! like it. The tree is the code beyond doubt, so that here the steps are counted and not guessed.

mod enums;
mod hashes;
mod lowering;

pub(crate) use lowering::audit_lowering;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use oxc_ast::AstKind;
use oxc_ast::ast::{ClassElement, Function, ModuleExportName, Program, PropertyKey};
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::{ScopeFlags, ScopeId};

use hashes::Hashes;

/// Steps of some nanoseconds each that a pass may take beyond those that it takes for every node. Code as people write it
/// needs a few for each of its names.
const MAX_STEPS: usize = 32_000_000;

/// What takes too many steps, and where it came to light.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooManySteps {
    pub(crate) offset: u32,
    pub(crate) cause: Cause,
}

/// What there is too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Names that the parser's tables do not tell apart.
    Names,
    /// Names inside many scopes, or statements inside many others.
    Depth,
    /// Uses of private names in classes with many elements.
    PrivateNames,
    /// Jumps to labels that do not exist.
    Labels,
    /// Exports of names that do not exist.
    Exports,
    /// Namespaces, or what is inside them.
    Namespaces,
    /// Enums that refer to each other, or the text that they make of it.
    Enums,
}

/// Bytes of code that cannot take too many steps whatever it is, as there are at most as many as it has pairs of names.
const HARMLESS: usize = 8 * 1024;
const _: () = assert!(HARMLESS * HARMLESS / 4 < MAX_STEPS);

/// Counts the steps of the semantic analysis.
pub(crate) fn audit(program: &Program<'_>) -> Result<(), TooManySteps> {
    if program.source_text.len() <= HARMLESS {
        return Ok(());
    }
    let mut auditor = Auditor::default();
    auditor.visit_program(program);
    auditor.count_exports();
    auditor.steps.result()
}

/// A sum that knows what made it too large.
#[derive(Debug, Default)]
struct Steps {
    taken: usize,
    exceeded: Option<TooManySteps>,
}

impl Steps {
    fn add(&mut self, steps: usize, cause: Cause, at: Span) {
        self.taken = self.taken.saturating_add(steps);
        if self.taken > MAX_STEPS && self.exceeded.is_none() {
            let offset = at.start;
            self.exceeded = Some(TooManySteps { offset, cause });
        }
    }

    fn result(self) -> Result<(), TooManySteps> {
        self.exceeded.map_or(Ok(()), Err)
    }
}

/// Names that are known at a place, how many each and how long they are together.
#[derive(Debug, Default)]
struct Known<'a> {
    names: HashMap<&'a str, usize>,
    bytes: usize,
}

impl<'a> Known<'a> {
    fn add(&mut self, name: &'a str) {
        *self.names.entry(name).or_default() += 1;
        self.bytes += name.len();
    }

    fn remove(&mut self, name: &str) {
        if let Some(times) = self.names.get_mut(name) {
            *times -= 1;
            if *times == 0 {
                self.names.remove(name);
            }
            self.bytes -= name.len();
        }
    }

    /// Steps that it takes to compare a name with all of them, character by character, to suggest another: none if it
    /// is one of them.
    fn to_suggest(&self, name: &str) -> usize {
        if self.names.contains_key(name) {
            0
        } else {
            name.len().saturating_mul(self.bytes)
        }
    }
}

#[derive(Default)]
struct Auditor<'a> {
    steps: Steps,
    /// Nodes and scopes around the one that is visited.
    depth: usize,
    scopes: usize,
    /// Elements of the classes around it.
    elements: usize,
    private_names: Known<'a>,
    labels: Known<'a>,
    top_level: Known<'a>,
    hashes: Hashes<'a>,
    exports: Vec<(u32, &'a str)>,
}

impl Auditor<'_> {
    fn name(&mut self, name: &str, at: Span) {
        // Of some names it depends on the statements around them whether they may be used.
        let depth = if is_restricted(name) { self.depth } else { 0 };
        self.steps.add(self.scopes + depth, Cause::Depth, at);
    }

    fn private_name(&mut self, name: &str, at: Span) {
        let steps = self.elements + self.private_names.to_suggest(name);
        self.steps.add(steps, Cause::PrivateNames, at);
    }

    fn jump(&mut self, label: Option<&str>, at: Span) {
        let to_suggest = label.map_or(0, |label| self.labels.to_suggest(label));
        let steps = self.depth + to_suggest;
        self.steps.add(steps, Cause::Labels, at);
    }

    fn count_exports(&mut self) {
        let exports: HashSet<_> = std::mem::take(&mut self.exports).into_iter().collect();
        for (offset, name) in exports {
            let steps = self.top_level.to_suggest(name);
            let at = oxc_span::Span::empty(offset);
            self.steps.add(steps, Cause::Exports, at);
        }
    }
}

fn is_restricted(name: &str) -> bool {
    matches!(
        name,
        "arguments"
            | "await"
            | "eval"
            | "implements"
            | "interface"
            | "let"
            | "package"
            | "private"
            | "protected"
            | "public"
            | "static"
            | "yield"
    )
}

fn private_name<'a>(element: &ClassElement<'a>) -> Option<&'a str> {
    match element.property_key()? {
        PropertyKey::PrivateIdentifier(name) => Some(name.name.as_str()),
        _ => None,
    }
}

impl<'a> Visit<'a> for Auditor<'a> {
    fn enter_scope(&mut self, _: ScopeFlags, _: &Cell<Option<ScopeId>>) {
        self.scopes += 1;
    }

    fn leave_scope(&mut self) {
        self.scopes -= 1;
    }

    fn enter_node(&mut self, kind: AstKind<'a>) {
        self.depth += 1;
        match kind {
            AstKind::IdentifierReference(it) => {
                let steps = self.hashes.steps_for(it.name.as_str(), &it.name);
                self.steps.add(steps, Cause::Names, it.span);
                self.name(it.name.as_str(), it.span);
            }
            AstKind::BindingIdentifier(it) => {
                let steps = self.hashes.steps_for(it.name.as_str(), &it.name);
                self.steps.add(steps, Cause::Names, it.span);
                // A `var` is looked for in every scope that it is hoisted through, and that takes longer.
                self.steps.add(4 * self.scopes, Cause::Depth, it.span);
                self.name(it.name.as_str(), it.span);
                if self.scopes <= 1 {
                    self.top_level.add(it.name.as_str());
                }
            }
            AstKind::Function(Function { id: Some(id), .. }) if self.scopes <= 1 => {
                self.top_level.add(id.name.as_str());
            }
            AstKind::AwaitExpression(_)
            | AstKind::YieldExpression(_)
            | AstKind::Super(_)
            | AstKind::ForOfStatement(_) => self.steps.add(self.depth, Cause::Depth, kind.span()),
            AstKind::BreakStatement(it) => {
                self.jump(it.label.as_ref().map(|label| label.name.as_str()), it.span);
            }
            AstKind::ContinueStatement(it) => {
                self.jump(it.label.as_ref().map(|label| label.name.as_str()), it.span);
            }
            AstKind::LabeledStatement(it) => {
                self.steps.add(self.depth, Cause::Depth, it.span);
                self.labels.add(it.label.name.as_str());
            }
            AstKind::Class(it) => {
                self.elements += it.body.body.len();
                let names = it.body.body.iter().filter_map(private_name);
                names.for_each(|name| self.private_names.add(name));
            }
            AstKind::PrivateFieldExpression(it) => {
                self.private_name(it.field.name.as_str(), it.span);
            }
            AstKind::PrivateInExpression(it) => self.private_name(it.left.name.as_str(), it.span),
            AstKind::ExportNamedDeclaration(it) => {
                for specifier in &it.specifiers {
                    if let ModuleExportName::IdentifierReference(name) = &specifier.local {
                        self.exports.push((name.span.start, name.name.as_str()));
                    }
                }
            }
            _ => {}
        }
    }

    fn leave_node(&mut self, kind: AstKind<'a>) {
        self.depth -= 1;
        match kind {
            AstKind::LabeledStatement(it) => self.labels.remove(it.label.name.as_str()),
            AstKind::Class(it) => {
                self.elements -= it.body.body.len();
                let names = it.body.body.iter().filter_map(private_name);
                names.for_each(|name| self.private_names.remove(name));
            }
            _ => {}
        }
    }
}
