//! From a text to a program that can run, or to the reasons why not.

mod limits;
mod outcome;
mod text;
mod translate;

pub(crate) use limits::{describe_depth, refusal, too_large};

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Location};
use crate::options::PrepareOptions;
use crate::position::{PositionMap, column_of_byte};
use crate::rules;
use crate::view::Declaration;
use outcome::Outcome;
use text::unfence;

/// The language that a program turned out to be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Language {
    /// Valid JavaScript.
    JavaScript,
    /// Valid TypeScript that is not JavaScript.
    TypeScript,
}

/// A text, what was made of it, and what there is to say about it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PreparedProgram {
    /// The code as it was given.
    pub original: Arc<str>,
    /// The code to run. The same as `original` unless Markdown, a hashbang, an HTML-like comment or types were taken off.
    /// If there are errors it is not to be run.
    pub transformed: Arc<str>,
    /// What the rules found; errors forbid the run. Findings about options come first, then those about the code, in
    /// its order.
    pub diagnostics: Vec<Diagnostic>,
    /// The way back from `transformed` to `original`.
    pub map: PositionMap,
    /// The names that the code declares at its top level, in its order.
    pub declarations: Vec<Declaration>,
    /// What the code is written in; `None` if it does not parse.
    pub language: Option<Language>,
}

impl PreparedProgram {
    /// Whether any diagnostic is an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// The place in the original of a place in `transformed`.
    pub fn original_location(&self, place: Location) -> Location {
        self.map.original(place)
    }

    /// The place in the original of a place that QuickJS reports: line and column from 1, the column counted in bytes.
    pub fn engine_location(&self, line: u32, byte_column: u32) -> Location {
        let column = if self.transformed.is_ascii() {
            byte_column
        } else {
            column_of_byte(&self.transformed, line, byte_column)
        };
        self.map.original(Location { line, column })
    }

    /// Bytes that this program keeps in memory, about.
    pub(crate) fn weight(&self) -> usize {
        let text = |diagnostic: &Diagnostic| {
            diagnostic.message.len() + diagnostic.fix.as_ref().map_or(0, String::len) + 160
        };
        let transformed = if Arc::ptr_eq(&self.original, &self.transformed) {
            0
        } else {
            self.transformed.len()
        };
        self.original.len()
            + transformed
            + self.map.weight()
            + self.diagnostics.iter().map(text).sum::<usize>()
            + self
                .declarations
                .iter()
                .map(|one| one.name.len() + 48)
                .sum::<usize>()
            + 256
    }
}

/// What is wrong with this code, and with the options it is to run with.
///
/// ```
/// use hotcell_prepare::{PrepareOptions, validate_code};
///
/// let found = validate_code("const fs = require('fs')", &PrepareOptions::default());
/// assert_eq!(found[0].rule, "forbidden_global_access");
/// ```
pub fn validate_code(code: &str, options: &PrepareOptions) -> Vec<Diagnostic> {
    prepare_program(code, options).diagnostics
}

/// Checks the code and makes of it what a cell can run.
pub fn prepare_program(code: &str, options: &PrepareOptions) -> PreparedProgram {
    let mut diagnostics = rules::check_options(options);
    let mut outcome = if code.len() > options.max_code_bytes {
        Outcome::refused(too_large(code.len(), options))
    } else {
        unfence(code, options)
    };
    // What is cut must never be what forbids the run.
    outcome.diagnostics.sort_by_key(|one| one.severity);
    outcome.diagnostics.truncate(MAX_DIAGNOSTICS);
    outcome
        .diagnostics
        .sort_by_key(|one| (one.location.is_some(), one.location));
    diagnostics.append(&mut outcome.diagnostics);

    let original: Arc<str> = code.into();
    let transformed = match outcome.transformed {
        Some(text) if text != code => text.into(),
        _ => Arc::clone(&original),
    };
    PreparedProgram {
        original,
        transformed,
        diagnostics,
        map: outcome.map,
        declarations: outcome.declarations,
        language: outcome.language,
    }
}

/// More than this nobody reads.
const MAX_DIAGNOSTICS: usize = 50;
