//! Redirections.

use std::sync::{Arc, OnceLock};

#[cfg(doc)]
use super::Part;
use super::{Subscript, Text, Word};

/// A redirection, such as `2>> file`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// What is in front of the operator; `None` means the operator's own: 0 for those that begin with `<`, else 1.
    pub descriptor: Option<RedirectDescriptor>,
    /// What is done.
    pub operator: RedirectOperator,
    /// What is behind it.
    pub target: RedirectTarget,
}

/// What is redirected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RedirectDescriptor {
    /// `2>`
    Number(i32),
    /// `{name}>` or `{name[subscript]}>`: the shell picks a number and assigns it.
    Variable {
        /// The variable.
        name: Text,
        /// Which element of it.
        subscript: Option<Subscript>,
    },
}

/// The operator of a [`Redirect`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectOperator {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `>|`: writes even under `noclobber`.
    Clobber,
    /// `<>`
    ReadWrite,
    /// `<&`: the word expands to a number, a number and `-` (move), or `-` (close).
    DuplicateInput,
    /// `>&`: likewise; without a descriptor, a word that is none of these is a file, as for [`Self::WriteBoth`].
    DuplicateOutput,
    /// `&>`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `<<`, or `<<-` if [`HereDocument::strip_tabs`]
    HereDocument,
    /// `<<<`
    HereString,
}

/// What follows the operator of a [`Redirect`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RedirectTarget {
    /// A word.
    Word(Word),
    /// The document of [`RedirectOperator::HereDocument`].
    HereDocument(Arc<HereDocument>),
}

/// The lines after a command that it gets as input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HereDocument {
    /// The line that ends it, without quotes.
    pub delimiter: Text,
    /// A part of the delimiter was quoted: the document is taken as it is.
    pub quoted: bool,
    /// `<<-`: tabs at the start of lines were taken off.
    pub strip_tabs: bool,
    /// The document stands behind the command that it belongs to, so it is read when the tree of that is made already.
    content: OnceLock<Content>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Content {
    text: Text,
    body: Word,
}

impl HereDocument {
    /// A document that is yet to be read.
    pub(crate) fn new(delimiter: Text, quoted: bool, strip_tabs: bool) -> Self {
        Self {
            delimiter,
            quoted,
            strip_tabs,
            content: OnceLock::new(),
        }
    }

    pub(crate) fn fill(&self, text: Text, body: Word) {
        // Each document is read once.
        let _ = self.content.set(Content { text, body });
    }

    /// The document as it is in the script, without continued lines unless it is quoted.
    pub fn text(&self) -> &[u8] {
        self.content.get().map_or(&[], |content| &content.text)
    }

    /// What it expands to: one [`Part::SingleQuoted`] if it is quoted, else one [`Part::DoubleQuoted`], in which `"`
    /// stands for itself. `None` if it is empty.
    pub fn body(&self) -> Option<&Word> {
        self.content.get().map(|content| &content.body)
    }
}
