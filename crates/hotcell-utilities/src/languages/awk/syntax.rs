//! A program, with its names resolved.

use std::rc::Rc;

use super::{regexes::Constant, text::Text};

/// A whole program.
#[derive(Default)]
pub(crate) struct Program {
    pub(crate) begin: Vec<Block>,
    pub(crate) end: Vec<Block>,
    pub(crate) begin_file: Vec<Block>,
    pub(crate) end_file: Vec<Block>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) functions: Vec<Function>,
    /// Names of the global variables, by number.
    pub(crate) globals: Vec<String>,
}

/// Statements in a row.
pub(crate) type Block = Vec<Statement>;

/// `pattern { action }`.
pub(crate) struct Rule {
    pub(crate) pattern: Pattern,
    /// `None` prints the record.
    pub(crate) action: Option<Block>,
}

/// When a rule applies.
pub(crate) enum Pattern {
    Always,
    When(Expr),
    /// From a record to another; the number finds whether it is inside.
    Range(Expr, Expr, usize),
}

/// A function of the program.
#[derive(Default)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Block,
    pub(crate) is_defined: bool,
    /// Where it was first called.
    pub(crate) called_at: Place,
}

/// A parameter of a function, or a local variable, which is the same in this language.
pub(crate) struct Parameter {
    pub(crate) name: String,
    /// The body uses it as an array.
    pub(crate) is_array: bool,
}

/// Where in the source something stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) source: u16,
    pub(crate) line: u32,
}

/// A statement, and where it stands.
pub(crate) struct Statement {
    pub(crate) place: Place,
    pub(crate) kind: StatementKind,
}

pub(crate) enum StatementKind {
    Nothing,
    Expression(Expr),
    Print(Vec<Expr>, Option<Redirect>),
    Printf(Vec<Expr>, Option<Redirect>),
    If(Expr, Block, Block),
    While(Expr, Block),
    DoWhile(Block, Expr),
    For(Box<For>),
    ForIn(Box<ForIn>),
    Switch(Box<Switch>),
    Block(Block),
    Break,
    Continue,
    Next,
    NextFile,
    Exit(Option<Expr>),
    Return(Option<Expr>),
    Delete(ArrayExpr, Option<Subscript>),
}

pub(crate) struct For {
    pub(crate) first: Option<Statement>,
    pub(crate) condition: Option<Expr>,
    pub(crate) step: Option<Statement>,
    pub(crate) body: Block,
}

pub(crate) struct ForIn {
    pub(crate) target: Target,
    pub(crate) array: ArrayExpr,
    pub(crate) body: Block,
}

pub(crate) struct Switch {
    pub(crate) subject: Expr,
    pub(crate) cases: Vec<Case>,
}

pub(crate) struct Case {
    pub(crate) label: Label,
    pub(crate) body: Block,
}

pub(crate) enum Label {
    Default,
    Value(Expr),
    Regex(Rc<Constant>),
}

/// Where `print` prints to.
pub(crate) struct Redirect {
    pub(crate) kind: RedirectKind,
    pub(crate) to: Expr,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RedirectKind {
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `|`
    Pipe,
    /// `|&`
    Both,
}

/// A scalar variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variable {
    Global(usize),
    Local(usize),
    Special(Special),
}

/// Variables that mean something to the interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    Argind,
    Convfmt,
    Errno,
    Fieldwidths,
    Filename,
    Fnr,
    Fpat,
    Fs,
    Ignorecase,
    Nf,
    Nr,
    Ofmt,
    Ofs,
    Ors,
    Rlength,
    Rs,
    Rstart,
    Rt,
    Subsep,
}

impl Special {
    pub(crate) const ALL: [(&'static str, Self); 19] = [
        ("ARGIND", Self::Argind),
        ("CONVFMT", Self::Convfmt),
        ("ERRNO", Self::Errno),
        ("FIELDWIDTHS", Self::Fieldwidths),
        ("FILENAME", Self::Filename),
        ("FNR", Self::Fnr),
        ("FPAT", Self::Fpat),
        ("FS", Self::Fs),
        ("IGNORECASE", Self::Ignorecase),
        ("NF", Self::Nf),
        ("NR", Self::Nr),
        ("OFMT", Self::Ofmt),
        ("OFS", Self::Ofs),
        ("ORS", Self::Ors),
        ("RLENGTH", Self::Rlength),
        ("RS", Self::Rs),
        ("RSTART", Self::Rstart),
        ("RT", Self::Rt),
        ("SUBSEP", Self::Subsep),
    ];

    pub(crate) fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, special)| *special)
    }

    pub(crate) fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, special)| *special == self);
        found.map_or("", |(name, _)| name)
    }
}

/// Global arrays that mean something to the interpreter, in the order of their numbers.
pub(crate) const ARRAYS: [&str; 3] = ["ARGV", "ENVIRON", "PROCINFO"];
pub(crate) const ARGV: usize = 0;
pub(crate) const ENVIRON: usize = 1;
pub(crate) const PROCINFO: usize = 2;
/// The number of `ARGC`, which is an ordinary variable.
pub(crate) const ARGC: usize = 3;

/// What stands where an array must be.
pub(crate) enum ArrayExpr {
    Variable(Variable),
    /// An element that is an array itself.
    Element(Box<(ArrayExpr, Subscript)>),
}

/// What stands between brackets: several expressions are one key, joined by `SUBSEP`.
pub(crate) type Subscript = Vec<Expr>;

/// What can be assigned to.
pub(crate) enum Target {
    Variable(Variable),
    Field(Box<Expr>),
    Element(Box<(ArrayExpr, Subscript)>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
}

/// A regular expression: one that is written down, or a value that is taken for one.
pub(crate) enum Regex {
    Constant(Rc<Constant>),
    Dynamic(Box<Expr>),
}

/// Where `getline` reads from.
pub(crate) enum Source {
    /// The next record of the input.
    Input,
    /// `< file`
    File(Expr),
    /// `command |`
    Command(Expr),
    /// `command |&`
    Both(Expr),
}

pub(crate) enum Expr {
    Number(f64),
    Text(Text),
    /// `$0` matches it.
    Matches(Rc<Constant>),
    Variable(Variable),
    /// A field by a constant number.
    FieldAt(usize),
    Field(Box<Expr>),
    Element(Box<(ArrayExpr, Subscript)>),
    Assign(Box<(Target, Expr)>),
    /// `x = x …`, as long as nothing behind it has side effects.
    Append(Variable, Box<Expr>),
    Update(Arithmetic, Box<(Target, Expr)>),
    /// `++` and `--`.
    Step {
        target: Box<Target>,
        by: f64,
        is_prefix: bool,
    },
    Arithmetic(Arithmetic, Box<(Expr, Expr)>),
    Concat(Vec<Expr>),
    Compare(Relation, Box<(Expr, Expr)>),
    Match {
        text: Box<Expr>,
        regex: Regex,
        is_negated: bool,
    },
    And(Box<(Expr, Expr)>),
    Or(Box<(Expr, Expr)>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Plus(Box<Expr>),
    Conditional(Box<(Expr, Expr, Expr)>),
    In(Subscript, Box<ArrayExpr>),
    Call(usize, Vec<Expr>),
    /// `@name(…)`: the function that a variable names.
    CallNamed(Variable, Vec<Expr>),
    Builtin(Builtin, Vec<Argument>),
    Getline(Box<(Option<Target>, Source)>),
    /// In parentheses: what may be needed to tell `(a, b) > c` from a comparison is gone by then.
    Group(Box<Expr>),
}

/// An argument of a function that is built in.
pub(crate) enum Argument {
    Value(Expr),
    Regex(Regex),
    Array(ArrayExpr),
    Target(Target),
}

/// Functions that are built in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Builtin {
    And,
    Asort,
    Asorti,
    Atan2,
    Close,
    Compl,
    Cos,
    Exp,
    Fflush,
    Gensub,
    Gsub,
    Index,
    Int,
    Isarray,
    Length,
    Log,
    Lshift,
    Match,
    Mktime,
    Or,
    Patsplit,
    Rand,
    Rshift,
    Sin,
    Split,
    Sprintf,
    Sqrt,
    Srand,
    Strftime,
    Strtonum,
    Sub,
    Substr,
    System,
    Systime,
    Tolower,
    Toupper,
    Typeof,
    Xor,
}

/// What an argument of a built-in function is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Value,
    Regex,
    Array,
    Target,
    /// A value or an array.
    Any,
}

impl Builtin {
    /// Names, the least and the most arguments, and of what kind they are; more are as the last one.
    #[rustfmt::skip]
    const ALL: [(&'static str, Self, usize, usize, &'static [Kind]); 38] = [
        ("and", Self::And, 2, usize::MAX, &[Kind::Value]),
        ("asort", Self::Asort, 1, 3, &[Kind::Array, Kind::Array, Kind::Value]),
        ("asorti", Self::Asorti, 1, 3, &[Kind::Array, Kind::Array, Kind::Value]),
        ("atan2", Self::Atan2, 2, 2, &[Kind::Value]),
        ("close", Self::Close, 1, 2, &[Kind::Value]),
        ("compl", Self::Compl, 1, 1, &[Kind::Value]),
        ("cos", Self::Cos, 1, 1, &[Kind::Value]),
        ("exp", Self::Exp, 1, 1, &[Kind::Value]),
        ("fflush", Self::Fflush, 0, 1, &[Kind::Value]),
        ("gensub", Self::Gensub, 3, 4, &[Kind::Regex, Kind::Value]),
        ("gsub", Self::Gsub, 2, 3, &[Kind::Regex, Kind::Value, Kind::Target]),
        ("index", Self::Index, 2, 2, &[Kind::Value]),
        ("int", Self::Int, 1, 1, &[Kind::Value]),
        ("isarray", Self::Isarray, 1, 1, &[Kind::Any]),
        ("length", Self::Length, 0, 1, &[Kind::Any]),
        ("log", Self::Log, 1, 1, &[Kind::Value]),
        ("lshift", Self::Lshift, 2, 2, &[Kind::Value]),
        ("match", Self::Match, 2, 3, &[Kind::Value, Kind::Regex, Kind::Array]),
        ("mktime", Self::Mktime, 1, 2, &[Kind::Value]),
        ("or", Self::Or, 2, usize::MAX, &[Kind::Value]),
        ("patsplit", Self::Patsplit, 2, 4, &[Kind::Value, Kind::Array, Kind::Regex, Kind::Array]),
        ("rand", Self::Rand, 0, 0, &[Kind::Value]),
        ("rshift", Self::Rshift, 2, 2, &[Kind::Value]),
        ("sin", Self::Sin, 1, 1, &[Kind::Value]),
        ("split", Self::Split, 2, 4, &[Kind::Value, Kind::Array, Kind::Regex, Kind::Array]),
        ("sprintf", Self::Sprintf, 1, usize::MAX, &[Kind::Value]),
        ("sqrt", Self::Sqrt, 1, 1, &[Kind::Value]),
        ("srand", Self::Srand, 0, 1, &[Kind::Value]),
        ("strftime", Self::Strftime, 0, 3, &[Kind::Value]),
        ("strtonum", Self::Strtonum, 1, 1, &[Kind::Value]),
        ("sub", Self::Sub, 2, 3, &[Kind::Regex, Kind::Value, Kind::Target]),
        ("substr", Self::Substr, 2, 3, &[Kind::Value]),
        ("system", Self::System, 1, 1, &[Kind::Value]),
        ("systime", Self::Systime, 0, 0, &[Kind::Value]),
        ("tolower", Self::Tolower, 1, 1, &[Kind::Value]),
        ("toupper", Self::Toupper, 1, 1, &[Kind::Value]),
        ("typeof", Self::Typeof, 1, 1, &[Kind::Any]),
        ("xor", Self::Xor, 2, usize::MAX, &[Kind::Value]),
    ];

    pub(crate) fn named(name: &[u8]) -> Option<Self> {
        let found = Self::ALL.iter().find(|row| row.0.as_bytes() == name);
        found.map(|row| row.1)
    }

    pub(crate) fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|row| row.1 == self);
        found.map_or("", |row| row.0)
    }

    /// The least and the most arguments.
    pub(crate) fn arity(self) -> (usize, usize) {
        let found = Self::ALL.iter().find(|row| row.1 == self);
        found.map_or((0, 0), |row| (row.2, row.3))
    }

    /// What the argument of this number is.
    pub(crate) fn kind(self, argument: usize) -> Kind {
        let found = Self::ALL.iter().find(|row| row.1 == self);
        let kinds = found.map_or(&[Kind::Value][..], |row| row.4);
        let kind = kinds.get(argument).or(kinds.last());
        kind.copied().unwrap_or(Kind::Value)
    }
}
