//! `$x`, `${x…}`.

use super::{Arithmetic, Text, Word};

/// An expansion of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterExpansion {
    /// What is expanded.
    pub parameter: Parameter,
    /// `${!x…}`: the parameter that the value of this one names is expanded instead.
    ///
    /// `${!prefix*}` and `${!array[@]}` are operations of their own, not this.
    pub indirect: bool,
    /// `${x}` and not `$x`.
    pub braced: bool,
    /// What is done with the value.
    pub operation: ParameterOperation,
}

/// What can be expanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parameter {
    /// A variable.
    Variable(Text),
    /// `${name[subscript]}`
    Element {
        /// The variable.
        name: Text,
        /// Which element.
        subscript: Subscript,
    },
    /// `$1`, `${12}`; 0 is [`Special::Zero`]. A number that is too large is `u32::MAX`, which no argument has.
    Positional(u32),
    /// `$@`, `$?`…
    Special(Special),
}

/// What stands between `[` and `]` after the name of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subscript {
    /// `[@]`
    All,
    /// `[*]`
    Joined,
    /// Anything else.
    ///
    /// Whether it is a key or an arithmetic expression depends on the variable. The word is that of the key: quotes are
    /// quotes, blanks are literal. Arithmetic treats it as if in double quotes, where `'` stands for itself; an
    /// expression with [`super::Part::SingleQuoted`] is therefore an error there.
    Index(Word),
}

/// The parameters that have no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// `$@`
    At,
    /// `$*`
    Star,
    /// `$#`
    Count,
    /// `$?`
    Status,
    /// `$-`
    Flags,
    /// `$$`
    ProcessId,
    /// `$!`
    BackgroundId,
    /// `$0`
    Zero,
}

/// What `${…}` does with the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParameterOperation {
    /// `$x`, `${x}`
    None,
    /// `${#x}`: characters of the value, or elements for `@` and `*`.
    Length,
    /// `${!prefix@}`, or `${!prefix*}` if joined; the parameter is the prefix.
    Names {
        /// `*`
        joined: bool,
    },
    /// `${!array[@]}`, `${!array[*]}`: the keys; the parameter tells which of the two.
    Keys,
    /// `${x-word}`, `${x=word}`, `${x?word}`, `${x+word}`
    Fallback {
        /// Which of the four.
        kind: Fallback,
        /// With a colon: an empty value counts as unset.
        or_empty: bool,
        /// The word. Within double quotes it is parsed as part of them: `'` is an ordinary character.
        word: Word,
    },
    /// `${x:offset}`, `${x:offset:length}`
    Substring {
        /// Where it begins.
        offset: Arithmetic,
        /// How long it is.
        length: Option<Arithmetic>,
    },
    /// `${x#pattern}`, `${x##pattern}`
    RemovePrefix {
        /// `##`
        longest: bool,
        /// What is taken off.
        pattern: Word,
    },
    /// `${x%pattern}`, `${x%%pattern}`
    RemoveSuffix {
        /// `%%`
        longest: bool,
        /// What is taken off.
        pattern: Word,
    },
    /// `${x/pattern/replacement}` and its kin
    Replace {
        /// Where the pattern may match.
        scope: ReplaceScope,
        /// What is replaced.
        pattern: Word,
        /// By what; `None` without the second slash, which means nothing.
        replacement: Option<Word>,
    },
    /// `${x^}`, `${x,,pattern}`…
    Case {
        /// What happens to letters.
        change: CaseChange,
        /// To every letter instead of the first.
        all: bool,
        /// To which; `None` means any.
        pattern: Option<Word>,
    },
    /// `${x@Q}`: one of `Q E P A a K k U u L`, or what else is between `@` and `}`, which is a bad substitution unless
    /// the parameter is unset.
    Transform(Text),
}

/// Which of `-` `=` `?` `+`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// `-`: the word instead of no value.
    Default,
    /// `=`: and it is assigned.
    Assign,
    /// `?`: an error instead of no value.
    Error,
    /// `+`: the word instead of a value.
    Alternative,
}

/// Where the pattern of [`ParameterOperation::Replace`] may match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaceScope {
    /// `/`: the first match.
    First,
    /// `//`: every match.
    All,
    /// `/#`: only at the start.
    Prefix,
    /// `/%`: only at the end.
    Suffix,
}

/// What [`ParameterOperation::Case`] does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseChange {
    /// `^`
    Upper,
    /// `,`
    Lower,
    /// `~`
    Toggle,
}
