//! What a host can add: rules and transforms of its own.

use std::fmt;

use crate::diagnostic::Diagnostic;
use crate::view::ProgramView;

/// A rule of the host, run on code that parses.
pub trait Rule: Send + Sync {
    /// A name for debugging; diagnostics carry ids of their own.
    fn name(&self) -> &str;

    /// Looks at the program and reports what it finds.
    fn check(&self, program: &ProgramView<'_>) -> Vec<Diagnostic>;
}

/// A transform of the host, from text to text. What it returns is parsed and checked like any other code.
///
/// Positions in text that the transform left alone are traced back to the original; inside a changed region they are
/// exact to the line if the region kept its number of lines.
pub trait Transform: Send + Sync {
    /// A name for error messages.
    fn name(&self) -> &str;

    /// The code to run instead, or why there is none.
    fn transform(&self, code: &str) -> Result<String, String>;
}

impl fmt::Debug for dyn Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rule({})", self.name())
    }
}

impl fmt::Debug for dyn Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Transform({})", self.name())
    }
}
