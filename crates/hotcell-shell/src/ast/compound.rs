//! Commands that hold other commands.

use super::{Arithmetic, Command, Condition, List, Redirect, Text, Word};

/// A compound command and the redirections around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompoundCommand {
    /// What it does.
    pub kind: CompoundKind,
    /// What applies to all of it, in order.
    pub redirects: Box<[Redirect]>,
    /// The line of `for`, `select` or `case`; the last line of anything else, as in bash.
    pub line: u32,
}

/// The kinds of [`CompoundCommand`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompoundKind {
    /// `{ list; }`
    Group(List),
    /// `( list )`
    Subshell(List),
    /// `if … fi`
    If(If),
    /// `while condition; do body; done`
    While(Loop),
    /// `until condition; do body; done`
    Until(Loop),
    /// `for name in words; do body; done`
    For(For),
    /// `for ((initial; condition; step)); do body; done`
    ArithmeticFor(Box<ArithmeticFor>),
    /// `select name in words; do body; done`
    Select(For),
    /// `case … esac`
    Case(Case),
    /// `[[ … ]]`
    Condition(Condition),
    /// `(( … ))`
    Arithmetic(Arithmetic),
}

/// `if … then … elif … then … else … fi`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct If {
    /// The `if` and each `elif`, never empty: the first whose condition succeeds runs.
    pub branches: Box<[IfBranch]>,
    /// After `else`.
    pub otherwise: Option<List>,
}

/// A condition and what depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IfBranch {
    /// Whose status decides.
    pub condition: List,
    /// What follows `then`.
    pub body: List,
}

/// The body of `while` or `until`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// Whose status decides.
    pub condition: List,
    /// What is repeated.
    pub body: List,
}

/// `for` or `select` over words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct For {
    /// The variable, as written. bash complains when the command runs if it is not a name.
    pub variable: Word,
    /// What to go through; `None` without `in`, which means `"$@"`.
    pub words: Option<Box<[Word]>>,
    /// What is repeated.
    pub body: List,
}

/// `for ((initial; condition; step))`. An expression that is left out is an empty word; an empty condition holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArithmeticFor {
    /// Evaluated once.
    pub initial: Arithmetic,
    /// Evaluated before each round; zero ends the loop.
    pub condition: Arithmetic,
    /// Evaluated after each round.
    pub step: Arithmetic,
    /// What is repeated.
    pub body: List,
}

/// `case word in … esac`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// What is matched.
    pub word: Word,
    /// In order.
    pub clauses: Box<[CaseClause]>,
}

/// `pattern | pattern ) list ;;`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseClause {
    /// Any of these matches.
    pub patterns: Box<[Word]>,
    /// What runs; empty if there is nothing.
    pub body: List,
    /// What happens after it has run.
    pub terminator: CaseTerminator,
}

/// How a clause of `case` ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseTerminator {
    /// `;;`, or nothing after the last clause.
    Break,
    /// `;&`: the next body runs, too.
    FallThrough,
    /// `;;&`: the patterns that follow are tried.
    Continue,
}

/// `name () body` or `function name body`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionDefinition {
    /// The name, as written. bash refuses a quoted one or one with a `$` when the definition runs.
    pub name: Word,
    /// What runs, with the redirections that apply to each call.
    pub body: std::sync::Arc<CompoundCommand>,
    /// The line of the name.
    pub line: u32,
    /// About how many bytes the body takes.
    pub weight: Weight,
}

/// A number of bytes that says nothing of what a tree means: all are equal.
#[derive(Debug, Clone, Copy, Default)]
pub struct Weight(pub usize);

impl PartialEq for Weight {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Weight {}

/// `coproc [NAME] command`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coproc {
    /// The array variable; `COPROC` if none is given.
    pub name: Text,
    /// What runs.
    pub command: Command,
    /// The line of `coproc`.
    pub line: u32,
}
