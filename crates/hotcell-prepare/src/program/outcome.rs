//! What became of a text.

use super::names::Names;
use crate::diagnostic::Diagnostic;
use crate::findings::Findings;
use crate::lines::LineIndex;
use crate::position::PositionMap;
use crate::program::Language;
use crate::rule;
use crate::splice::Splice;
use crate::syntax::SyntaxError;
use crate::view::Declaration;

/// Syntax errors after the first are mostly consequences of it.
pub(super) const MAX_SYNTAX_ERRORS: usize = 3;

/// What became of a text, in types that no arena holds together.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) transformed: Option<String>,
    pub(super) findings: Findings,
    pub(super) map: PositionMap,
    pub(super) declarations: Vec<Declaration>,
    pub(super) names: Names,
    pub(super) language: Option<Language>,
    pub(super) tagged_templates: Vec<u32>,
    /// What has to stand in the place of what before this can run.
    pub(super) rewrites: Vec<Splice>,
}

impl Outcome {
    pub(super) fn refused(diagnostic: Diagnostic) -> Self {
        Self {
            findings: Findings::from_iter([diagnostic]),
            ..Self::default()
        }
    }

    pub(super) fn syntax_errors(text: &str, errors: &[SyntaxError], map: &PositionMap) -> Self {
        let lines = LineIndex::new(text);
        let diagnostics = errors
            .iter()
            .take(MAX_SYNTAX_ERRORS)
            .map(|error| describe(error, &lines, map));
        Self {
            findings: diagnostics.collect(),
            map: map.clone(),
            ..Self::default()
        }
    }
}

pub(super) fn describe(
    error: &SyntaxError,
    lines: &LineIndex<&str>,
    map: &PositionMap,
) -> Diagnostic {
    let location = map.original(lines.locate(error.offset as usize));
    let diagnostic =
        Diagnostic::error(rule::SYNTAX_VALID, error.message.clone()).with_location(location);
    match &error.help {
        Some(help) => diagnostic.with_fix(help.clone()),
        None => diagnostic,
    }
}
