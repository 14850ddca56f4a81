//! Where in a JSON text a value is wrong.

use std::fmt::{self, Write as _};

/// Why JSON is not a value, and where: `items[3].$: unknown kind "foo"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonValueError(
    /// In a box, because results with it are on the stack at every level of a value.
    Box<Inner>,
);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    /// From the inside out, since that is how an error travels.
    steps: Vec<Step>,
    problem: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
    /// A text of the caller's, put before everything else.
    Base(String),
}

impl JsonValueError {
    pub(super) fn new(problem: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            steps: Vec::new(),
            problem: problem.into(),
        }))
    }

    pub(super) fn in_key(mut self, key: &str) -> Self {
        self.0.steps.push(Step::Key(key.to_owned()));
        self
    }

    pub(super) fn at_index(mut self, index: usize) -> Self {
        self.0.steps.push(Step::Index(index));
        self
    }

    /// The same error, told from further out: `base` is where the JSON was found, such as `variables.x`.
    #[must_use]
    pub fn within(mut self, base: impl Into<String>) -> Self {
        self.0.steps.push(Step::Base(base.into()));
        self
    }

    /// Where: `variables.x.items[3]`; empty for the value itself.
    pub fn path(&self) -> String {
        let mut path = String::new();
        for step in self.0.steps.iter().rev() {
            match step {
                Step::Key(key) if is_plain(key) => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(key);
                }
                // Writing to a string cannot fail.
                Step::Key(key) => _ = write!(path, "[{key:?}]"),
                Step::Index(index) => _ = write!(path, "[{index}]"),
                Step::Base(base) => path.push_str(base),
            }
        }
        path
    }

    /// What is wrong there.
    pub fn problem(&self) -> &str {
        &self.0.problem
    }
}

/// Whether a key can follow a dot.
fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && key
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '-'))
        && !key.starts_with(|c: char| c.is_ascii_digit())
}

impl fmt::Display for JsonValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path();
        if path.is_empty() {
            f.write_str(&self.0.problem)
        } else {
            write!(f, "{path}: {}", self.0.problem)
        }
    }
}

impl std::error::Error for JsonValueError {}
