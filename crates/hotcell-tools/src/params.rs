//! What the tools take, for callers in Rust.

/// What [`read`](crate::FileTools::read) takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadParams {
    /// The file.
    pub path: String,
    /// The first line to show, counted from 1; 0 means the same as 1.
    pub offset: Option<u64>,
    /// How many lines to show at most.
    pub limit: Option<u64>,
}

/// What [`write`](crate::FileTools::write) takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteParams {
    /// The file; directories above it are made.
    pub path: String,
    /// What the file is to contain.
    pub content: String,
}

/// What [`edit`](crate::FileTools::edit) takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditParams {
    /// The file.
    pub path: String,
    /// One replacement, or several that are made together or not at all.
    pub edits: Edits,
}

/// The replacements of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edits {
    /// `oldText` and `newText`.
    One(Replacement),
    /// `edits`.
    Many(Vec<Replacement>),
}

/// One text in place of another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replacement {
    /// What is there now, exactly once.
    pub old_text: String,
    /// What is to be there.
    pub new_text: String,
}

/// What [`grep`](crate::FileTools::grep) takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrepParams {
    /// A regular expression, or plain text if `literal` is set.
    pub pattern: String,
    /// A file or a directory; the workspace if there is none.
    pub path: Option<String>,
    /// Only files that match this glob; with a `!` before it, only files that do not.
    pub glob: Option<String>,
    /// Whether upper and lower case are the same.
    pub ignore_case: bool,
    /// Whether the pattern is plain text.
    pub literal: bool,
    /// How many lines to show before and after each match.
    pub context: Option<u64>,
    /// How many matches to show at most.
    pub limit: Option<u64>,
}

/// What [`find`](crate::FileTools::find) takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindParams {
    /// A glob. With a slash it is compared with the path below the directory, otherwise with the name.
    pub pattern: String,
    /// The directory; the workspace if there is none.
    pub path: Option<String>,
    /// How many paths to show at most.
    pub limit: Option<u64>,
}

/// What [`ls`](crate::FileTools::ls) takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LsParams {
    /// The directory; the workspace if there is none.
    pub path: Option<String>,
    /// How many names to show at most.
    pub limit: Option<u64>,
}

impl Default for Edits {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl Edits {
    /// The replacements in the order they were given.
    pub fn as_slice(&self) -> &[Replacement] {
        match self {
            Self::One(edit) => std::slice::from_ref(edit),
            Self::Many(edits) => edits,
        }
    }
}
