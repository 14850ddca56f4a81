//! What a program of `bc` is made of.

use std::cell::OnceCell;

use crate::languages::decimal::Decimal;

/// The number of a variable, an array or a function, which have names of their own each.
pub(super) type Id = usize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variable {
    Named(Id),
    Scale,
    Ibase,
    Obase,
    Last,
}

pub(super) enum Target {
    Variable(Variable),
    Element(Id, Box<Expr>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Builtin {
    Length,
    Scale,
    Sqrt,
}

pub(super) enum Argument {
    Value(Expr),
    Array(Id),
}

pub(super) enum Expr {
    /// As it is written: what it stands for depends on `ibase`. Kept once it was read as a decimal number.
    Number(Vec<u8>, OnceCell<Decimal>),
    Get(Target),
    Assign(Option<Operator>, Box<(Target, Expr)>),
    Step {
        target: Box<Target>,
        is_up: bool,
        is_prefix: bool,
    },
    Binary(Operator, Box<(Expr, Expr)>),
    Compare(Relation, Box<(Expr, Expr)>),
    And(Box<(Expr, Expr)>),
    Or(Box<(Expr, Expr)>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    /// In parentheses.
    Group(Box<Expr>),
    Call(Id, Vec<Argument>),
    Builtin(Builtin, Box<Expr>),
    Read,
    Random,
}

pub(super) enum Printed {
    Text(Vec<u8>),
    Value(Expr),
}

pub(super) enum Statement {
    Nothing,
    Expression { expr: Expr, prints: bool },
    Text(Vec<u8>),
    Print(Vec<Printed>),
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    While(Expr, Box<Statement>),
    For(Box<For>),
    Block(Vec<Statement>),
    Break,
    Continue,
    Return(Option<Expr>),
    Halt,
    Limits,
    Warranty,
}

pub(super) struct For {
    pub(super) first: Option<Expr>,
    pub(super) condition: Option<Expr>,
    pub(super) step: Option<Expr>,
    pub(super) body: Statement,
}

/// A parameter or a local variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Local {
    Variable(Id),
    Array(Id),
    /// An array that is passed as it is, not as a copy.
    Reference(Id),
}

pub(super) struct Function {
    pub(super) parameters: Vec<Local>,
    pub(super) locals: Vec<Local>,
    pub(super) body: Vec<Statement>,
    pub(super) is_void: bool,
}

/// Something that is read and then run.
pub(super) enum Item {
    Statements(Vec<Statement>),
    Define(Id, Function),
    Quit,
}
