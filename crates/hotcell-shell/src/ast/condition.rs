//! The expression of `[[ … ]]`.

use super::Word;

/// An expression inside `[[` and `]]`.
///
/// Words are expanded without splitting and without file names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// `a || b || …`, at least two.
    Or(Box<[Condition]>),
    /// `a && b && …`, at least two.
    And(Box<[Condition]>),
    /// `! a`
    Not(Box<Condition>),
    /// `( a )`
    Group(Box<Condition>),
    /// A word alone: whether it is not empty.
    Word(Word),
    /// `-e word`: the letter of the operator (any that `test` knows) and its operand.
    Unary(u8, Word),
    /// `left operator right`
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// The left side.
        left: Word,
        /// The right side: a pattern for `==` and `!=`, whose unquoted parts are special and where `@(a|b)` always is;
        /// a regular expression for `=~`, whose quoted parts match themselves.
        right: Word,
    },
}

/// An operator between two words in [`Condition::Binary`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `=`: matches a pattern.
    Equal,
    /// `==`: the same.
    DoubleEqual,
    /// `!=`: does not match a pattern.
    NotEqual,
    /// `=~`: matches a regular expression.
    Matches,
    /// `<`: sorts before.
    Less,
    /// `>`: sorts after.
    Greater,
    /// `-eq`: numbers, which are arithmetic expressions.
    NumberEqual,
    /// `-ne`
    NumberNotEqual,
    /// `-lt`
    NumberLess,
    /// `-le`
    NumberLessOrEqual,
    /// `-gt`
    NumberGreater,
    /// `-ge`
    NumberGreaterOrEqual,
    /// `-nt`: files, by time.
    NewerThan,
    /// `-ot`
    OlderThan,
    /// `-ef`: the same file.
    SameFile,
}
