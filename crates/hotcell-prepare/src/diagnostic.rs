//! What the rules report.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// How much a diagnostic weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Severity {
    /// The code must not run.
    Error,
    /// The code runs, and probably does not do what its writer wanted.
    Warning,
    /// Good to know.
    Info,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "ERROR",
            Self::Warning => "WARNING",
            Self::Info => "INFO",
        })
    }
}

/// A place in the code: both numbers start at 1, the column counts UTF-16 code units.
///
/// Lines end where JavaScript's do: at `\n`, `\r\n`, a lone `\r`, U+2028 and U+2029.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Location {
    /// The line, from 1.
    pub line: u32,
    /// The column in UTF-16 code units, from 1.
    pub column: u32,
}

/// One finding about a program or about the options it was to run with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The rule's id, such as `syntax_valid`; see [`rule`](crate::rule).
    pub rule: Cow<'static, str>,
    /// Whether the code may run.
    pub severity: Severity,
    /// What is wrong, for a model that will write the code again.
    pub message: String,
    /// Where, in the code as it was given. Absent if the finding is about an option.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// What to do instead, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// The module that an import rule refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
}

impl Diagnostic {
    /// A finding without a place or a remedy; add those with the `with_…` methods.
    pub fn new(
        rule: impl Into<Cow<'static, str>>,
        severity: Severity,
        message: impl Into<String>,
    ) -> Self {
        Self {
            rule: rule.into(),
            severity,
            message: message.into(),
            location: None,
            fix: None,
            module: None,
        }
    }

    /// An [`Severity::Error`].
    pub fn error(rule: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(rule, Severity::Error, message)
    }

    /// A [`Severity::Warning`].
    pub fn warning(rule: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(rule, Severity::Warning, message)
    }

    /// The same finding, at a place.
    #[must_use]
    pub fn with_location(mut self, location: Location) -> Self {
        self.location = Some(location);
        self
    }

    /// The same finding, with a remedy.
    #[must_use]
    pub fn with_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// The same finding, naming the module it is about.
    #[must_use]
    pub fn with_module(mut self, module: impl Into<String>) -> Self {
        self.module = Some(module.into());
        self
    }

    /// Whether this finding alone keeps the code from running.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Location { line, column }) = self.location {
            write!(f, "{line}:{column} ")?;
        }
        write!(f, "{} {}: {}", self.severity, self.rule, self.message)?;
        if let Some(fix) = &self.fix {
            write!(f, " (fix: {fix})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}
