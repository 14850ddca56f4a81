//! From a text to a program that can run, or to the reasons why not.

mod limits;
mod names;
mod outcome;
mod text;
mod translate;

pub(crate) use limits::{describe_cost, describe_depth, describe_steps, refusal, too_large};

use std::sync::{Arc, OnceLock};

use hotcell_meter::{Pace, Stopped, Unwatched, Watch};

use crate::aside::{aside, is_for_aside};
use crate::diagnostic::{Diagnostic, Location};
use crate::lines::{LineIndex, index_weight};
use crate::options::PrepareOptions;
use crate::position::PositionMap;
use crate::scan::stack_bound;
use crate::stack::NoRoom;
use crate::view::Declaration;
use crate::{rule, rules};
pub use names::GlobalName;
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
    /// Names that the code uses without declaring them, except those that every cell has, and those that other hosts have
    /// ([`is_foreign_global`](crate::is_foreign_global)); the first 200.
    pub globals_used: Vec<GlobalName>,
    /// Names that it gives to the global object, as in `globalThis.name = 1`.
    pub globals_made: Vec<String>,
    /// Whether it may make globals that nobody can foresee: by `eval`, `Function`, or the global object as a whole.
    pub makes_unknown_globals: bool,
    /// What the code is written in; `None` if it does not parse.
    pub language: Option<Language>,
    /// Lines and columns of `transformed`, made when the first place is asked for. `None` if all is ASCII.
    lines: OnceLock<Option<LineIndex<Arc<str>>>>,
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
    ///
    /// The first call looks at the whole code, every other takes logarithmic time.
    pub fn engine_location(&self, line: u32, byte_column: u32) -> Location {
        let lines = self.lines.get_or_init(|| {
            let text = &self.transformed;
            (!text.is_ascii()).then(|| LineIndex::new(Arc::clone(text)))
        });
        let column = match lines {
            Some(lines) => lines.column_of_byte(line, byte_column),
            None => byte_column,
        };
        self.map.original(Location { line, column })
    }

    /// The source of a module.
    pub(crate) fn of_module(
        original: &Arc<str>,
        transformed: Option<String>,
        map: PositionMap,
        language: Language,
    ) -> Self {
        Self {
            original: Arc::clone(original),
            transformed: transformed.map_or_else(|| Arc::clone(original), Into::into),
            diagnostics: Vec::new(),
            map,
            declarations: Vec::new(),
            globals_used: Vec::new(),
            globals_made: Vec::new(),
            makes_unknown_globals: false,
            language: Some(language),
            lines: OnceLock::new(),
        }
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
            + self.lines_weight()
            + self.diagnostics.iter().map(text).sum::<usize>()
            + self
                .declarations
                .iter()
                .map(|one| one.name.len() + 48)
                .sum::<usize>()
            + self
                .globals_used
                .iter()
                .map(|one| one.name.len() + 48)
                .sum::<usize>()
            + self
                .globals_made
                .iter()
                .map(|one| one.len() + 32)
                .sum::<usize>()
            + 256
    }

    /// What the index of lines and columns will take when somebody asks for a place, at most.
    fn lines_weight(&self) -> usize {
        if self.transformed.is_ascii() {
            0
        } else {
            index_weight(&self.transformed)
        }
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
    // Nobody stops what nobody watches; if somebody did, the code would not have been checked.
    let outcome = examine(code, options, &Unwatched).unwrap_or_else(|stopped| {
        Outcome::refused(Diagnostic::error(rule::SYNTAX_VALID, stopped.to_string()))
    });
    assemble(code, outcome, options)
}

/// Like [`prepare_program`], for a run that has to end: gives up as soon as `watch` says so.
///
/// Code that is large or deep is looked at on a thread of its own, which may go on for a moment.
pub fn prepare_program_watched(
    code: &str,
    options: &PrepareOptions,
    watch: &dyn Watch,
) -> Result<PreparedProgram, Stopped> {
    if code.len() > options.max_code_bytes {
        let outcome = examine(code, options, watch)?;
        return Ok(assemble(code, outcome, options));
    }
    let stack = stack_bound(code);
    let outcome = if is_for_aside(code.len(), stack) {
        let (text, rules) = (code.to_owned(), options.clone());
        aside(stack, watch, move |watch| examine(&text, &rules, watch))?
            .unwrap_or_else(|| Outcome::refused(refusal(&NoRoom::Panicked)))
    } else {
        examine(code, options, watch)?
    };
    Ok(assemble(code, outcome, options))
}

/// Whether the code can be prepared at once, so that it need not go where there is time for it.
pub fn is_quick(code: &str) -> bool {
    code.len() <= QUICK && !is_for_aside(code.len(), stack_bound(code))
}

/// A pass over less takes a millisecond at most, whatever it is.
const QUICK: usize = 2 * 1024;

fn examine(code: &str, options: &PrepareOptions, watch: &dyn Watch) -> Result<Outcome, Stopped> {
    if code.len() > options.max_code_bytes {
        return Ok(Outcome::refused(too_large(code.len(), options)));
    }
    unfence(code, options, &mut Pace::new(watch))
}

fn assemble(code: &str, mut outcome: Outcome, options: &PrepareOptions) -> PreparedProgram {
    let mut diagnostics = rules::check_options(options);
    diagnostics.extend(std::mem::take(&mut outcome.findings).into_shown());
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
        globals_used: outcome.names.used,
        globals_made: outcome.names.made,
        makes_unknown_globals: outcome.names.is_dynamic,
        language: outcome.language,
        lines: OnceLock::new(),
    }
}
