//! Words: what is between blanks, with its quotes and expansions.

use std::sync::Arc;

use super::{List, ParameterExpansion, Text};
use crate::parse::SyntaxError;

/// A word, exactly as it was written except for continued lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word(Repr);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Repr {
    /// [`Part::Literal`], and constant.
    Plain(Part),
    /// Constant, but quoted.
    Quoted(Box<QuotedWord>),
    /// Something is left to do at run time.
    Expanding(Box<[Part]>),
    /// The same, and brace expansion may be part of it.
    Braced(Box<[Part]>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct QuotedWord {
    value: Text,
    parts: Box<[Part]>,
}

/// A piece of a [`Word`] or of what is between double quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text without quotes, in which braces, tildes and `* ? [` have their meaning outside of double quotes, and so has
    /// `@(a|b)` (and `?( *( +( !(`) where the parser was told of `extglob`, or in `[[`. Its parentheses and bars are in
    /// literals, its patterns may be of any parts.
    Literal(Text),
    /// A character (its first byte, if it has several) after a backslash that quotes it.
    Escaped(u8),
    /// `'…'`
    SingleQuoted(Text),
    /// `$'…'`: what it stands for. bash itself keeps nothing else, and prints it in single quotes.
    AnsiQuoted(Text),
    /// `"…"`, whose parts are literals, escapes and expansions.
    DoubleQuoted(Box<[Part]>),
    /// `$"…"`
    Translated(Box<[Part]>),
    /// `$x`, `${…}`
    Parameter(Box<ParameterExpansion>),
    /// `$(…)` or backquotes
    Command(Arc<CommandSubstitution>),
    /// `$((…))`, or `$[…]` if `brackets`
    Arithmetic {
        /// The expression.
        expression: Box<Arithmetic>,
        /// The old form.
        brackets: bool,
    },
    /// `<(…)` or `>(…)`
    Process(Arc<ProcessSubstitution>),
    /// `${…}` that is not an expansion: the text of it, which bash reports as `bad substitution` when it expands the
    /// word.
    BadSubstitution(Text),
    /// A substitution in a here-document that does not parse: the rest of the document, and the error that bash reports
    /// when it expands it.
    Broken(Box<(Text, SyntaxError)>),
}

/// An arithmetic expression.
///
/// bash expands it as if in double quotes (and drops double quotes in it), then parses the result. So all that is known
/// before is a word, of one [`Part::DoubleQuoted`] (or of none, if it is empty); if it is constant, the result of parsing
/// can be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arithmetic {
    /// The expression.
    pub word: Word,
}

/// `$(…)` or backquotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandSubstitution {
    /// `$(…)`, parsed with the word it is in.
    ///
    /// As in bash, aliases are not expanded in it then. A shell that expands aliases has to parse the printed commands
    /// anew when it runs them.
    Dollar(List),
    /// Backquotes: bash parses what is in them when it expands them.
    Backquoted {
        /// What is between the backquotes, as written.
        source: Text,
        /// What is to be run, up to the complete command that does not parse.
        list: List,
        /// What is wrong after that, to be reported when the list has run.
        error: Option<Box<SyntaxError>>,
    },
}

/// `<(…)` or `>(…)`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessSubstitution {
    /// `>(…)`: the commands read what is written to the file.
    pub output: bool,
    /// What runs.
    pub list: List,
}

impl Word {
    /// A word of unquoted text.
    pub fn from_literal(text: Text) -> Self {
        if may_expand(&text) {
            let braces = may_be_braces(&text);
            return Self::expanding([Part::Literal(text)].into(), braces);
        }
        Self(Repr::Plain(Part::Literal(text)))
    }

    /// A word of these parts.
    pub fn new(parts: Vec<Part>) -> Self {
        let Some((value, quoted)) = constant(&parts) else {
            let braces = may_have_braces(&parts);
            return Self::expanding(parts.into(), braces);
        };
        match <[Part; 1]>::try_from(parts) {
            Ok([part]) if !quoted => Self(Repr::Plain(part)),
            Ok(part) => Self(Repr::Quoted(Box::new(QuotedWord {
                value,
                parts: part.into(),
            }))),
            Err(parts) => Self(Repr::Quoted(Box::new(QuotedWord {
                value,
                parts: parts.into(),
            }))),
        }
    }

    fn expanding(parts: Box<[Part]>, braces: bool) -> Self {
        Self(if braces {
            Repr::Braced(parts)
        } else {
            Repr::Expanding(parts)
        })
    }

    /// The pieces of the word, in order. There are none in an empty word, such as the value of `name=`.
    pub fn parts(&self) -> &[Part] {
        match &self.0 {
            Repr::Plain(part) => std::slice::from_ref(part),
            Repr::Quoted(word) => &word.parts,
            Repr::Expanding(parts) | Repr::Braced(parts) => parts,
        }
    }

    /// What the word stands for, quotes removed, if that does not depend on the state of the shell in any place where a
    /// word may be: as an argument it is this one field, as a pattern it matches this text only.
    ///
    /// The right side of `=~` is the exception: in a regular expression other characters are special.
    pub fn constant(&self) -> Option<&Text> {
        match &self.0 {
            Repr::Plain(Part::Literal(text)) => Some(text),
            Repr::Quoted(word) => Some(&word.value),
            Repr::Plain(_) | Repr::Expanding(_) | Repr::Braced(_) => None,
        }
    }

    /// The word itself, if it is nothing but unquoted text (which may be a pattern).
    pub fn literal(&self) -> Option<&Text> {
        match self.parts() {
            [Part::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether brace expansion may make something else of the word. It never does if this is false.
    pub fn may_have_braces(&self) -> bool {
        matches!(self.0, Repr::Braced(_))
    }
}

/// The value of constant parts, and whether any of them is quoted.
fn constant(parts: &[Part]) -> Option<(Text, bool)> {
    if let [Part::Literal(text)] = parts {
        return (!may_expand(text)).then(|| (Text::clone(text), false));
    }
    let mut value = Vec::new();
    let mut literal = Vec::new();
    for part in parts {
        if let Part::Literal(text) = part {
            literal.extend_from_slice(text);
        }
        append_constant(part, &mut value)?;
    }
    // An empty word without quotes expands to no field at all.
    let quoted = !parts.is_empty();
    (quoted && !may_expand(&literal)).then(|| (value.into(), true))
}

fn append_constant(part: &Part, value: &mut Vec<u8>) -> Option<()> {
    match part {
        Part::Literal(text) | Part::SingleQuoted(text) | Part::AnsiQuoted(text) => {
            value.extend_from_slice(text);
        }
        Part::Escaped(byte) => value.push(*byte),
        Part::DoubleQuoted(parts) => {
            for part in parts {
                append_constant(part, value)?;
            }
        }
        _ => return None,
    }
    Some(())
}

/// Whether unquoted text may be more than itself: a pattern, a tilde, a brace expansion.
fn may_expand(literal: &[u8]) -> bool {
    let is_special = |byte: &u8| matches!(byte, b'*' | b'?' | b'~' | b'(' | b'[' | b'{');
    // Most words are not special in any way.
    let Some(first) = literal.iter().position(is_special) else {
        return false;
    };
    let rest = literal.get(first..).unwrap_or_default();
    let bracket = rest.iter().position(|&byte| byte == b'[');
    rest.iter()
        .any(|byte| matches!(byte, b'*' | b'?' | b'~' | b'('))
        || bracket.is_some_and(|start| rest.iter().skip(start).any(|&byte| byte == b']'))
        || may_be_braces(rest)
}

fn may_be_braces(literal: &[u8]) -> bool {
    literal.contains(&b'{')
        && literal.contains(&b'}')
        && (literal.contains(&b',') || literal.windows(2).any(|pair| pair == b".."))
}

fn may_have_braces(parts: &[Part]) -> bool {
    let mut literal = Vec::new();
    for part in parts {
        if let Part::Literal(text) = part {
            literal.extend_from_slice(text);
        }
    }
    may_be_braces(&literal)
}
