//! A TypeScript type, and how it is written down.

use std::fmt::Write as _;

use super::doc::Doc;

/// Lines longer than this are broken where they can be.
const WIDTH: usize = 96;

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
        let mut flat: Vec<Self> = Vec::new();
        for member in members {
            let parts = match member {
                Self::Union(parts) => parts,
                other => vec![other],
            };
            for part in parts {
                if part.is_word("unknown") {
                    return part;
                }
                if !part.is_word("never") && !flat.contains(&part) {
                    flat.push(part);
                }
            }
        }
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
        let mut flat: Vec<Self> = Vec::new();
        for member in members {
            let parts = match member {
                Self::Both(parts) => parts,
                other => vec![other],
            };
            for part in parts {
                if part.is_word("never") {
                    return part;
                }
                if !part.is_word("unknown") && !flat.contains(&part) {
                    flat.push(part);
                }
            }
        }
        Self::collapse(flat, Self::unknown(), Self::Both)
    }

    fn collapse(mut flat: Vec<Self>, none: Self, many: fn(Vec<Self>) -> Self) -> Self {
        if flat.len() > 1 {
            return many(flat);
        }
        flat.pop().unwrap_or(none)
    }

    /// The type as text; lines after the first are indented by `indent` levels.
    pub(crate) fn write(&self, indent: usize) -> String {
        match self {
            Self::Word(word) => word.clone(),
            Self::Array(item) => format!("{}[]", item.write_operand(indent)),
            Self::Tuple { items, rest } => write_tuple(items, rest.as_deref(), indent),
            Self::Object(members) => write_object(members, indent),
            Self::Union(parts) => write_joined(parts, '|', indent),
            Self::Both(parts) => write_joined(parts, '&', indent),
        }
    }

    fn write_operand(&self, indent: usize) -> String {
        let text = self.write(indent);
        if matches!(self, Self::Union(_) | Self::Both(_)) {
            format!("({text})")
        } else {
            text
        }
    }
}

/// Joins `parts` by an operator: on one line, or one line each with the operator in front if that is too long.
fn write_joined(parts: &[Ty], operator: char, indent: usize) -> String {
    let inline = parts
        .iter()
        .map(|part| part.write_operand(indent))
        .collect::<Vec<_>>()
        .join(&format!(" {operator} "));
    let flat = parts.iter().all(|part| matches!(part, Ty::Word(_)));
    if !flat || inline.len() <= WIDTH {
        return inline;
    }
    let mut out = String::new();
    for part in parts {
        let _ = write!(
            out,
            "\n{}{operator} {}",
            pad(indent + 1),
            part.write_operand(indent + 1)
        );
    }
    out
}

fn write_tuple(items: &[TupleItem], rest: Option<&Ty>, indent: usize) -> String {
    let mut parts: Vec<String> = items
        .iter()
        .map(|item| {
            if item.optional {
                format!("{}?", item.ty.write_operand(indent))
            } else {
                item.ty.write(indent)
            }
        })
        .collect();
    if let Some(rest) = rest {
        parts.push(format!("...{}[]", rest.write_operand(indent)));
    }
    format!("[{}]", parts.join(", "))
}

fn write_object(members: &[Member], indent: usize) -> String {
    if members.is_empty() {
        return "{}".to_owned();
    }
    if members.iter().all(|member| member.doc.is_empty()) {
        let inline = members
            .iter()
            .map(|member| format!("{}: {}", member.key, member.ty.write(indent)))
            .collect::<Vec<_>>()
            .join("; ");
        if inline.len() <= WIDTH * 2 / 3 && !inline.contains('\n') {
            return format!("{{ {inline} }}");
        }
    }
    let mut out = "{\n".to_owned();
    for member in members {
        out.push_str(&member.doc.write(indent + 1));
        let _ = writeln!(
            out,
            "{}{}: {};",
            pad(indent + 1),
            member.key,
            member.ty.write(indent + 1)
        );
    }
    out.push_str(&pad(indent));
    out.push('}');
    out
}

pub(crate) fn pad(indent: usize) -> String {
    "  ".repeat(indent)
}
