//! A TypeScript type, and how it is written down.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::doc::Doc;

/// Lines longer than this are broken where they can be.
const WIDTH: usize = 96;

/// Objects longer than this get a line per member.
const OBJECT_WIDTH: usize = 64;

/// A TypeScript type. Its depth is bounded by whoever builds it, so that writing it may recurse.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ty {
    /// A keyword, a literal or the name of a declared type.
    Word(String),
    Array(Box<Ty>),
    Tuple {
        items: Vec<TupleItem>,
        rest: Option<Box<Ty>>,
    },
    Object(Vec<Member>),
    /// Made by [`Ty::union`] only: at least two members, none of them a union.
    Union(Vec<Ty>),
    /// Made by [`Ty::both`] only: at least two members, none of them an intersection.
    Both(Vec<Ty>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TupleItem {
    pub(crate) ty: Ty,
    pub(crate) optional: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) doc: Doc,
    /// The key as written before the colon: `name`, `name?`, `"odd name"`, `[key: string]`.
    pub(crate) key: String,
    pub(crate) ty: Ty,
}

impl Ty {
    pub(crate) fn word(text: impl Into<String>) -> Self {
        Self::Word(text.into())
    }

    pub(crate) fn unknown() -> Self {
        Self::word("unknown")
    }

    pub(crate) fn never() -> Self {
        Self::word("never")
    }

    pub(crate) fn is_word(&self, text: &str) -> bool {
        matches!(self, Self::Word(word) if word == text)
    }

    pub(crate) fn array(item: Self) -> Self {
        Self::Array(Box::new(item))
    }

    /// Any of `members`. `unknown` takes in all others, `never` adds nothing.
    pub(crate) fn union(members: impl IntoIterator<Item = Self>) -> Self {
        let parts = members.into_iter().flat_map(|member| match member {
            Self::Union(parts) => parts,
            other => vec![other],
        });
        let Some(mut flat) = distinct(parts, "unknown", "never") else {
            return Self::unknown();
        };
        if let Some(at) = flat.iter().position(|ty| ty.is_word("true"))
            && flat.iter().any(|ty| ty.is_word("false"))
        {
            flat[at] = Self::word("boolean");
            flat.retain(|ty| !ty.is_word("false"));
        }
        Self::collapse(flat, Self::never(), Self::Union)
    }

    /// All of `members` at once. `never` takes in all others, `unknown` adds nothing.
    pub(crate) fn both(members: impl IntoIterator<Item = Self>) -> Self {
        let parts = members.into_iter().flat_map(|member| match member {
            Self::Both(parts) => parts,
            other => vec![other],
        });
        match distinct(parts, "never", "unknown") {
            Some(flat) => Self::collapse(flat, Self::unknown(), Self::Both),
            None => Self::never(),
        }
    }

    fn collapse(mut flat: Vec<Self>, none: Self, many: fn(Vec<Self>) -> Self) -> Self {
        if flat.len() > 1 {
            return many(flat);
        }
        flat.pop().unwrap_or(none)
    }

    /// The type as text; lines after the first are indented by `indent` levels.
    pub(crate) fn write(&self, indent: usize) -> String {
        self.inline(WIDTH).unwrap_or_else(|| self.broken(indent))
    }

    /// The type on one line, if it has at most `room` characters. Gives up early: each level tries this for all below it.
    fn inline(&self, room: usize) -> Option<String> {
        let text = match self {
            Self::Word(word) => word.clone(),
            Self::Array(item) => format!("{}[]", item.inline_operand(room)?),
            Self::Tuple { items, rest } => {
                let mut parts = List::new(", ", room);
                for item in items {
                    parts.push(&item.inline(room)?)?;
                }
                if let Some(rest) = rest {
                    parts.push(&format!("...{}[]", rest.inline_operand(room)?))?;
                }
                format!("[{}]", parts.text)
            }
            Self::Object(members) if members.is_empty() => "{}".to_owned(),
            Self::Object(members) => {
                let room = room.min(OBJECT_WIDTH);
                let mut parts = List::new("; ", room);
                for member in members {
                    let room = member.doc.is_empty().then_some(room)?;
                    parts.push(&format!("{}: {}", member.key, member.ty.inline(room)?))?;
                }
                format!("{{ {} }}", parts.text)
            }
            Self::Union(members) => join_inline(members, " | ", room)?,
            Self::Both(members) => join_inline(members, " & ", room)?,
        };
        (text.len() <= room).then_some(text)
    }

    /// The type on several lines.
    fn broken(&self, indent: usize) -> String {
        match self {
            Self::Word(word) => word.clone(),
            Self::Array(item) => format!("{}[]", item.operand(indent)),
            Self::Tuple { items, rest } => {
                let mut parts: Vec<String> = items
                    .iter()
                    .map(|item| {
                        if item.optional {
                            format!("{}?", item.ty.operand(indent))
                        } else {
                            item.ty.write(indent)
                        }
                    })
                    .collect();
                parts.extend(
                    rest.iter()
                        .map(|rest| format!("...{}[]", rest.operand(indent))),
                );
                format!("[{}]", parts.join(", "))
            }
            Self::Object(members) => write_members(members, indent),
            Self::Union(members) => join_broken(members, '|', indent),
            Self::Both(members) => join_broken(members, '&', indent),
        }
    }

    fn inline_operand(&self, room: usize) -> Option<String> {
        let text = self.inline(room)?;
        Some(if self.is_compound() {
            format!("({text})")
        } else {
            text
        })
    }

    fn operand(&self, indent: usize) -> String {
        let text = self.write(indent);
        if self.is_compound() {
            format!("({text})")
        } else {
            text
        }
    }

    fn is_compound(&self) -> bool {
        matches!(self, Self::Union(_) | Self::Both(_))
    }
}

/// Each part once and in order, without `neutral`; none if one of them is `absorbing`.
fn distinct(parts: impl Iterator<Item = Ty>, absorbing: &str, neutral: &str) -> Option<Vec<Ty>> {
    let mut words = BTreeSet::new();
    let mut flat: Vec<Ty> = Vec::new();
    for part in parts {
        let is_new = match &part {
            Ty::Word(word) if word == absorbing => return None,
            Ty::Word(word) if word == neutral => false,
            Ty::Word(word) => words.insert(word.clone()),
            other => !flat.contains(other),
        };
        if is_new {
            flat.push(part);
        }
    }
    Some(flat)
}

impl TupleItem {
    fn inline(&self, room: usize) -> Option<String> {
        if self.optional {
            Some(format!("{}?", self.ty.inline_operand(room)?))
        } else {
            self.ty.inline(room)
        }
    }
}

/// Text that is given up as soon as it is too long.
struct List {
    text: String,
    separator: &'static str,
    room: usize,
}

impl List {
    fn new(separator: &'static str, room: usize) -> Self {
        Self {
            text: String::new(),
            separator,
            room,
        }
    }

    fn push(&mut self, part: &str) -> Option<()> {
        if !self.text.is_empty() {
            self.text.push_str(self.separator);
        }
        self.text.push_str(part);
        (self.text.len() <= self.room).then_some(())
    }
}

fn join_inline(members: &[Ty], separator: &'static str, room: usize) -> Option<String> {
    let mut parts = List::new(separator, room);
    for member in members {
        parts.push(&member.inline_operand(room)?)?;
    }
    Some(parts.text)
}

/// Plain words get a line each; types with lines of their own are joined where they end.
fn join_broken(members: &[Ty], operator: char, indent: usize) -> String {
    if members.iter().all(|member| matches!(member, Ty::Word(_))) {
        let mut out = String::new();
        for member in members {
            let _ = write!(
                out,
                "\n{}{operator} {}",
                pad(indent + 1),
                member.write(indent + 1)
            );
        }
        return out;
    }
    let parts: Vec<String> = members
        .iter()
        .map(|member| member.operand(indent))
        .collect();
    parts.join(&format!(" {operator} "))
}

fn write_members(members: &[Member], indent: usize) -> String {
    let mut out = "{\n".to_owned();
    for member in members {
        out.push_str(&member.doc.write(indent + 1));
        let ty = member.ty.write(indent + 1);
        let _ = writeln!(out, "{}{}: {ty};", pad(indent + 1), member.key);
    }
    out.push_str(&pad(indent));
    out.push('}');
    out
}

pub(crate) fn pad(indent: usize) -> String {
    "  ".repeat(indent)
}
