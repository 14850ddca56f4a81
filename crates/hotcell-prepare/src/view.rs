//! A program as rules see it: flat lists instead of a tree, so that no parser's types leak.

use crate::diagnostic::{Diagnostic, Location, Severity};
use crate::lines::LineIndex;
use crate::position::PositionMap;
use crate::signature::Argument;

/// A program that parses, taken apart.
#[derive(Debug)]
pub struct ProgramView<'a> {
    pub(crate) code: &'a str,
    pub(crate) facts: &'a Facts<'a>,
    pub(crate) lines: &'a LineIndex<&'a str>,
    pub(crate) map: &'a PositionMap,
}

/// Said of `import.meta`, which only modules have.
pub(crate) const IMPORT_META: &str = "`import.meta` exists only in modules";

/// What the walk over the tree collected.
#[derive(Debug, Default)]
pub(crate) struct Facts<'a> {
    pub(crate) identifiers: Vec<Identifier<'a>>,
    pub(crate) calls: Vec<Call<'a>>,
    /// Variables that hold what a call returned, where something is done with them.
    pub(crate) results_used: Vec<ResultUsed<'a>>,
    /// Calls of async functions that the program declares.
    pub(crate) async_calls: Vec<AsyncCall<'a>>,
    pub(crate) callbacks: Vec<Callback<'a>>,
    /// Locales that are asked for by name.
    pub(crate) locales: Vec<(u32, &'a str)>,
    pub(crate) strings: Vec<StringText<'a>>,
    pub(crate) imports: Vec<Import<'a>>,
    pub(crate) declarations: Vec<Declaration>,
    pub(crate) unsupported: Vec<(u32, &'static str)>,
    /// Where templates start that are tagged by something, or that tag something.
    pub(crate) tagged_templates: Vec<u32>,
    pub(crate) returns_at_top: Vec<u32>,
    /// There is TypeScript in the tree, which a parser for JavaScript let pass.
    pub(crate) typed: bool,
    /// Comparisons that look like type arguments.
    pub(crate) like_type_arguments: Vec<u32>,
    /// The whole code is a function.
    pub(crate) lone_function: Option<LoneFunction>,
    /// The first statement that is no `import`.
    pub(crate) first_statement: Option<u32>,
}

/// A name, where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identifier<'a> {
    /// The name, escapes resolved.
    pub name: &'a str,
    /// The byte offset in the code the rule sees.
    pub offset: u32,
    /// What the name does there.
    pub role: Role,
}

/// What a name does where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// It declares a variable, parameter, function or class.
    Binding,
    /// It refers to something.
    Reference {
        /// Nothing in the program declares it.
        global: bool,
        /// It refers to a declaration at the top level of the program.
        top_level: bool,
        /// It is assigned to.
        write: bool,
        /// It is only the operand of `typeof`, which a missing name survives.
        type_test: bool,
    },
    /// It is a property of the global object, as in `globalThis.name`.
    GlobalMember {
        /// It is assigned to.
        write: bool,
        /// It is only the operand of `typeof`.
        type_test: bool,
    },
    /// It is the label of a statement.
    Label,
}

/// A call of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call<'a> {
    /// The callee if it is a name or a path of names, such as `console.log`; else empty.
    pub callee: String,
    /// The byte offset of the call.
    pub offset: u32,
    /// What becomes of the result.
    pub result: CallResult<'a>,
    /// Whether the callee's first name is declared nowhere in the program.
    pub global: bool,
    /// What it is called with, if somebody wants to know.
    pub(crate) arguments: Vec<Argument<'a>>,
}

/// What becomes of a call's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallResult<'a> {
    /// It is a value like any other.
    Used,
    /// It is awaited.
    Awaited,
    /// It is thrown away by a statement outside of any function.
    Discarded,
    /// It is the value of the program.
    Completion,
    /// A property of it is read.
    Member(&'a str),
    /// It becomes part of a string or goes to the console.
    Printed,
    /// An operator takes it: `+`, `<`, `!`, a condition.
    Operand,
    /// It is taken apart: destructured, spread, iterated.
    Parts,
}

/// A string literal, or a template literal without substitutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StringText<'a> {
    /// The text, escapes resolved.
    pub text: &'a str,
    /// The byte offset of the literal.
    pub offset: u32,
}

/// How a variable comes to hold what a call returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The call stands in its declaration.
    Call,
    /// It stands for an element of an array of such results.
    Element,
    /// It is such an array.
    List,
}

/// A variable that holds what a call returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResultUsed<'a> {
    pub(crate) offset: u32,
    pub(crate) name: &'a str,
    /// Which function was called.
    pub(crate) callee: String,
    pub(crate) origin: Origin,
    pub(crate) how: CallResult<'a>,
}

/// A call of an async function that the program declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AsyncCall<'a> {
    pub(crate) offset: u32,
    pub(crate) name: &'a str,
    pub(crate) result: CallResult<'a>,
}

/// A function that is given to a method of arrays and cannot do there what it was meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Callback<'a> {
    pub(crate) offset: u32,
    pub(crate) method: &'a str,
    pub(crate) fault: CallbackFault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallbackFault {
    /// It is async, and nobody waits for it.
    NotAwaited,
    /// It is async, and its promise is taken for an answer.
    AlwaysTrue,
    /// It is asked for a value and has none.
    NoValue,
}

/// Code that is nothing but a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoneFunction {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) is_async: bool,
    /// It has a name, and later runs can call it.
    pub(crate) is_declaration: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Import<'a> {
    pub(crate) offset: u32,
    pub(crate) end: u32,
    pub(crate) kind: ImportKind,
    pub(crate) module: Option<&'a str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ImportKind {
    /// `import()`.
    Dynamic,
    /// An `import` declaration, the dynamic import that says the same, and the names that the module has to export.
    Static { instead: String, names: Vec<String> },
    /// An `export` of any kind.
    Export,
}

/// A name that the program declares at its top level.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Declaration {
    /// The name.
    pub name: String,
    /// What it was declared with.
    pub kind: DeclarationKind,
    #[serde(skip)]
    pub(crate) offset: u32,
}

/// What a name was declared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DeclarationKind {
    /// `var`
    Var,
    /// `let`
    Let,
    /// `const`
    Const,
    /// `function`, of every kind
    Function,
    /// `class`
    Class,
}

impl<'a> ProgramView<'a> {
    /// The code, after Markdown and types were taken off.
    pub fn code(&self) -> &'a str {
        self.code
    }

    /// Every name, in the order of the code.
    pub fn identifiers(&self) -> impl Iterator<Item = &Identifier<'a>> {
        self.facts.identifiers.iter()
    }

    /// Every call, in the order of the code.
    pub fn calls(&self) -> impl Iterator<Item = &Call<'a>> {
        self.facts.calls.iter()
    }

    /// Every string without substitutions, in the order of the code.
    pub fn string_literals(&self) -> impl Iterator<Item = &StringText<'a>> {
        self.facts.strings.iter()
    }

    /// The names that the program declares at its top level.
    pub fn declarations(&self) -> impl Iterator<Item = &Declaration> {
        self.facts.declarations.iter()
    }

    /// The place of a byte offset, in the code as it was given.
    pub fn locate(&self, offset: u32) -> Location {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        self.map.original(self.lines.locate(offset))
    }

    /// A diagnostic at a byte offset.
    pub fn diagnostic(
        &self,
        rule: impl Into<std::borrow::Cow<'static, str>>,
        severity: Severity,
        offset: u32,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(rule, severity, message).with_location(self.locate(offset))
    }
}
