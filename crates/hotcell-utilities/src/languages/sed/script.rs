//! A script, ready to be run.

use std::rc::Rc;

use bstr::BString;
use hotcell_meter::Charge;
use hotcell_regex::Regex;

/// All commands in a row; blocks and branches are jumps.
#[derive(Default)]
pub(crate) struct Script {
    pub(crate) commands: Vec<Command>,
    /// `#n` on its first line: nothing is printed by itself.
    pub(crate) is_quiet: bool,
    /// Files that `w` writes, by number.
    pub(crate) files: Vec<BString>,
    /// For what it takes.
    pub(crate) held: Vec<Charge>,
}

pub(crate) struct Command {
    pub(crate) first: Option<Address>,
    pub(crate) last: Option<Address>,
    pub(crate) is_negated: bool,
    pub(crate) action: Action,
}

pub(crate) enum Address {
    Line(u64),
    /// `first~step`, with a step that is not zero.
    Step(u64, u64),
    Last,
    Regex(Pattern),
    /// `,+N`
    Plus(u64),
    /// `,~N`
    Multiple(u64),
}

/// A regular expression; the empty one is the last that was used.
pub(crate) type Pattern = Option<Rc<Regex>>;

/// The number of a file in [`Script::files`], or one of the streams that have names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sink {
    Stdout,
    Stderr,
    File(usize),
}

pub(crate) enum Action {
    /// `{`: goes to behind the block unless it is selected.
    Block(usize),
    /// `}`, `:`
    Nothing,
    /// `=`
    LineNumber,
    /// `a`
    Append(Vec<u8>),
    /// `i`
    Insert(Vec<u8>),
    /// `c`
    Change(Vec<u8>),
    /// `b`
    Branch(usize),
    /// `t`
    BranchIf(usize),
    /// `T`
    BranchUnless(usize),
    /// `d`
    Delete,
    /// `D`
    DeleteFirst,
    /// `e`, with a command or without.
    Execute(Option<Vec<u8>>),
    /// `F`
    FileName,
    /// `g`
    Get,
    /// `G`
    GetAppend,
    /// `h`
    Hold,
    /// `H`
    HoldAppend,
    /// `x`
    Exchange,
    /// `l`, with the width.
    List(Option<usize>),
    /// `n`
    Next,
    /// `N`
    NextAppend,
    /// `p`
    Print,
    /// `P`
    PrintFirst,
    /// `q`
    Quit(i32),
    /// `Q`
    QuitSilently(i32),
    /// `r`
    Read(BString),
    /// `R`
    ReadLine(BString),
    /// `s`
    Substitute(Box<Substitution>),
    /// `w`
    Write(Sink),
    /// `W`
    WriteFirst(Sink),
    /// `y`
    Translate(Box<Translation>),
    /// `z`
    Zap,
}

pub(crate) struct Substitution {
    pub(crate) pattern: Pattern,
    pub(crate) replacement: Vec<Part>,
    /// A group is needed, or the replacement changes the case of letters.
    pub(crate) needs_groups: bool,
    pub(crate) changes_case: bool,
    pub(crate) is_global: bool,
    /// The first match that is replaced.
    pub(crate) number: usize,
    pub(crate) prints: bool,
    /// `p` stands before `e`.
    pub(crate) prints_first: bool,
    pub(crate) executes: bool,
    pub(crate) writes: Option<Sink>,
}

/// A part of a replacement.
pub(crate) enum Part {
    Text(Vec<u8>),
    /// 0 is the whole match.
    Group(usize),
    Case(Case),
}

/// What becomes of the letters that follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// `\U`
    Upper,
    /// `\L`
    Lower,
    /// `\u`: of one letter.
    UpperOne,
    /// `\l`: of one letter.
    LowerOne,
    /// `\E`
    End,
}

/// What `y` does.
pub(crate) enum Translation {
    Bytes([u8; 256]),
    Characters(Vec<(BString, BString)>),
}
