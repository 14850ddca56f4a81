//! A program, with its names resolved.

use crate::languages::budget::Held;

use super::value::Value;

/// A filter. Variables are counted from the innermost one outwards.
pub(crate) enum Term {
    Identity,
    /// A filter that has one result, or fails.
    Single(Box<Term>),
    Recurse,
    Constant(Value),
    Variable(usize),
    /// A string with parts to put in; the format changes these.
    Text(Option<String>, Vec<Part>),
    Array(Option<Box<Term>>),
    Object(Vec<(Term, Term)>),
    Negate(Box<Term>),
    Pipe(Box<Term>, Box<Term>),
    Comma(Box<Term>, Box<Term>),
    Binary(Operator, Box<Term>, Box<Term>),
    And(Box<Term>, Box<Term>),
    Or(Box<Term>, Box<Term>),
    Alternative(Box<Term>, Box<Term>),
    Assign(Box<Term>, Box<Term>),
    Update(Box<Term>, Box<Term>),
    /// `+=` and its like; `None` is `//=`.
    Operate(Option<Operator>, Box<Term>, Box<Term>),
    Index(Box<Term>, Box<Term>),
    Slice(Box<Term>, Option<Box<Term>>, Option<Box<Term>>),
    Each(Box<Term>),
    Try(Box<Term>, Option<Box<Term>>),
    If(Box<Term>, Box<Term>, Box<Term>),
    Reduce(Box<Term>, Box<Binding>, Box<Term>, Box<Term>),
    Foreach(
        Box<Term>,
        Box<Binding>,
        Box<Term>,
        Box<Term>,
        Option<Box<Term>>,
    ),
    As(Box<Term>, Box<Binding>, Box<Term>),
    Label(Box<Term>),
    Break(usize),
    /// A function, how many variables lie between here and where it was defined, and arguments.
    Call(usize, usize, Vec<Term>),
    /// An argument of the function that this is in.
    Parameter(usize),
    /// What we do ourselves, with values as arguments.
    Native(super::natives::Native, Vec<Term>),
    /// What we do ourselves, with filters as arguments.
    Special(Special, Vec<Term>),
    Format(String),
}

pub(crate) enum Part {
    Text(String),
    Term(Term),
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Patterns for a value, one of which must match, and how many variables they set together.
pub(crate) struct Binding {
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) count: usize,
}

pub(crate) enum Pattern {
    Variable(usize),
    Array(Vec<Pattern>),
    Object(Vec<Entry>),
}

/// `{$name: pattern}`: a key, seen with so many of the variables; the variable it sets; the pattern for the value.
pub(crate) struct Entry {
    pub(crate) key: Term,
    pub(crate) visible: usize,
    pub(crate) variable: Option<usize>,
    pub(crate) pattern: Option<Pattern>,
}

pub(crate) struct Function {
    pub(crate) body: Term,
}

pub(crate) struct Program {
    pub(crate) functions: Vec<Function>,
    pub(crate) main: Term,
    /// What all of it takes.
    pub(crate) _held: Held,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Special {
    Empty,
    Error,
    Path,
    Range,
    RangeBy,
    RecurseBy,
    First,
    Limit,
    Until,
    While,
    Repeat,
    IsEmpty,
    Any,
    All,
    GetPath,
    Paths,
    Delete,
    Input,
    Inputs,
    Key,
    Last,
    Select,
    Skip,
}

impl Special {
    /// What has this name and takes so many arguments.
    pub(crate) fn find(name: &str, arity: usize) -> Option<Self> {
        Some(match (name, arity) {
            ("empty", 0) => Self::Empty,
            ("error", 1) => Self::Error,
            ("path", 1) => Self::Path,
            ("range", 2) => Self::Range,
            ("range", 3) => Self::RangeBy,
            ("recurse", 1) => Self::RecurseBy,
            ("first", 1) => Self::First,
            ("_key", 1) => Self::Key,
            ("last", 1) => Self::Last,
            ("limit", 2) => Self::Limit,
            ("skip", 2) => Self::Skip,
            ("until", 2) => Self::Until,
            ("while", 2) => Self::While,
            ("repeat", 1) => Self::Repeat,
            ("isempty", 1) => Self::IsEmpty,
            ("any", 2) => Self::Any,
            ("all", 2) => Self::All,
            ("getpath", 1) => Self::GetPath,
            ("paths", 0) => Self::Paths,
            ("del", 1) => Self::Delete,
            ("input", 0) => Self::Input,
            ("inputs", 0) => Self::Inputs,
            ("select", 1) => Self::Select,
            _ => return None,
        })
    }
}

impl Term {
    fn is_single(&self) -> bool {
        matches!(self, Self::Single(_))
    }

    /// Finds the filters that have one result, from the inside outwards.
    pub(crate) fn mark(&mut self) {
        let mut all = true;
        let mut each = |term: &mut Self| {
            term.mark();
            all &= term.is_single();
        };
        let has_one = match self {
            Self::Identity
            | Self::Constant(_)
            | Self::Variable(_)
            | Self::Format(_)
            | Self::Array(None) => true,
            Self::Single(_) => return,
            Self::Recurse | Self::Break(_) | Self::Parameter(_) => false,
            Self::Text(_, parts) => {
                for part in parts {
                    if let Part::Term(term) = part {
                        each(term);
                    }
                }
                all
            }
            Self::Array(Some(body)) => {
                body.mark();
                true
            }
            Self::Object(entries) => {
                for (key, value) in entries {
                    each(key);
                    each(value);
                }
                all
            }
            Self::Negate(body) => {
                each(body);
                all
            }
            Self::Pipe(a, b)
            | Self::Binary(_, a, b)
            | Self::And(a, b)
            | Self::Or(a, b)
            | Self::Alternative(a, b)
            | Self::Index(a, b) => {
                each(a);
                each(b);
                all
            }
            Self::Comma(a, b) => {
                a.mark();
                b.mark();
                false
            }
            Self::Assign(a, b) | Self::Operate(_, a, b) => {
                a.mark();
                each(b);
                all
            }
            Self::Update(a, b) => {
                a.mark();
                b.mark();
                true
            }
            Self::Slice(base, from, to) => {
                each(base);
                from.iter_mut().chain(to).for_each(|term| each(term));
                all
            }
            Self::Each(base) | Self::Label(base) => {
                base.mark();
                false
            }
            Self::Try(body, handler) => {
                each(body);
                let is_caught = handler.is_some();
                handler.iter_mut().for_each(|term| each(term));
                all && is_caught
            }
            Self::If(a, b, c) => {
                each(a);
                each(b);
                each(c);
                all
            }
            Self::Reduce(source, binding, start, update) => {
                source.mark();
                binding.mark();
                update.mark();
                each(start);
                all
            }
            Self::Foreach(source, binding, start, update, extract) => {
                source.mark();
                binding.mark();
                start.mark();
                update.mark();
                extract.iter_mut().for_each(|term| term.mark());
                false
            }
            Self::As(source, binding, body) => {
                binding.mark();
                each(source);
                each(body);
                all && binding.is_plain()
            }
            Self::Call(_, _, args) => {
                args.iter_mut().for_each(Self::mark);
                false
            }
            Self::Native(_, args) => {
                args.iter_mut().for_each(each);
                all
            }
            Self::Special(special, args) => {
                args.iter_mut().for_each(each);
                match special {
                    Special::GetPath => all,
                    Special::Delete
                    | Special::IsEmpty
                    | Special::Key
                    | Special::Any
                    | Special::All => true,
                    _ => false,
                }
            }
        };
        if has_one {
            let inner = std::mem::replace(self, Self::Identity);
            *self = Self::Single(Box::new(inner));
        }
    }
}

impl Binding {
    /// One variable for the whole value: that cannot fail.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.patterns.as_slice(), [Pattern::Variable(_)])
    }

    fn mark(&mut self) {
        self.patterns.iter_mut().for_each(Pattern::mark);
    }
}

impl Pattern {
    fn mark(&mut self) {
        match self {
            Self::Variable(_) => {}
            Self::Array(items) => items.iter_mut().for_each(Self::mark),
            Self::Object(entries) => {
                for entry in entries {
                    entry.key.mark();
                    entry.pattern.iter_mut().for_each(Self::mark);
                }
            }
        }
    }
}
