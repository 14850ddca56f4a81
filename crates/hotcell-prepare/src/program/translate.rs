//! From the text of a program to JavaScript that was checked.

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;

use super::limits::{refusal, too_large};
use super::outcome::{MAX_SYNTAX_ERRORS, Outcome, describe};
use crate::collect::collect;
use crate::options::PrepareOptions;
use crate::position::{LineIndex, PositionMap};
use crate::program::Language;
use crate::scan::stack_need;
use crate::stack::with_room;
use crate::syntax::{Goal, SyntaxError, analyze, parse};
use crate::view::{Facts, ProgramView};
use crate::{rules, typescript};

/// Runs work on `text` where there is stack enough for it.
pub(super) fn in_room(text: &str, work: impl FnOnce() -> Outcome + Send) -> Outcome {
    with_room(stack_need(text), work).unwrap_or_else(|no_room| Outcome::refused(refusal(&no_room)))
}

/// JavaScript is taken as it is. Only what is not JavaScript is tried as TypeScript, so that `a < b > (c)` keeps its
/// meaning.
pub(super) fn translate(text: &str, may_be_typed: bool, options: &PrepareOptions) -> Outcome {
    let allocator = Allocator::default();
    let errors = match parse(&allocator, text, Goal::Script) {
        Ok(program) => {
            let map = PositionMap::default();
            match examine(
                &allocator,
                program,
                text,
                map,
                Language::JavaScript,
                options,
            ) {
                Ok(outcome) => return outcome,
                Err(NotJavaScript) => vec![SyntaxError::typescript()],
            }
        }
        Err(errors) => errors,
    };
    if !may_be_typed {
        return Outcome::syntax_errors(text, &errors, &PositionMap::default());
    }
    let program = match parse(&allocator, text, Goal::TypeScript) {
        Ok(program) => program,
        Err(typed) => return neither(text, &errors, &typed),
    };
    let modules = typescript::module_statements(&program);
    if !modules.is_empty() {
        return module_statements(text, &modules, options);
    }
    if let Some(blanked) = typescript::blank(text, &program) {
        let inner = Allocator::default();
        if let Ok(program) = parse(&inner, &blanked, Goal::Script) {
            let map = PositionMap::default();
            let examined = examine(
                &inner,
                program,
                &blanked,
                map,
                Language::TypeScript,
                options,
            );
            if let Ok(mut outcome) = examined {
                outcome.transformed = Some(blanked.clone());
                return outcome;
            }
        }
    }
    let (lowered, map) = match typescript::lower(text) {
        Ok(lowered) => lowered,
        Err(errors) => return Outcome::syntax_errors(text, &errors, &PositionMap::default()),
    };
    if lowered.len() > options.max_code_bytes.saturating_mul(MAX_GROWTH) {
        return Outcome::refused(too_large(lowered.len(), options));
    }
    let mut outcome = in_room(&lowered, || {
        check(&lowered, map, Language::TypeScript, options)
    });
    outcome.transformed = Some(lowered);
    outcome
}

/// How much larger code may get by lowering; enums, the worst, grow about fourfold.
const MAX_GROWTH: usize = 8;

/// TypeScript's own ways to import and export.
fn module_statements(
    text: &str,
    statements: &[typescript::ModuleStatement],
    options: &PrepareOptions,
) -> Outcome {
    let lines = LineIndex::new(text);
    let diagnostics = statements.iter().map(|statement| {
        let diagnostic = match &statement.import {
            Some((module, instead)) => rules::static_import(module, instead, options),
            None => rules::export(None),
        };
        diagnostic.with_location(lines.locate(statement.offset as usize))
    });
    Outcome {
        diagnostics: diagnostics.collect(),
        language: Some(Language::TypeScript),
        ..Outcome::default()
    }
}

/// Parses and examines text that must be JavaScript by now.
pub(super) fn check(
    text: &str,
    map: PositionMap,
    language: Language,
    options: &PrepareOptions,
) -> Outcome {
    let allocator = Allocator::default();
    match parse(&allocator, text, Goal::Script) {
        Ok(program) => examine(&allocator, program, text, map, language, options).unwrap_or_else(
            |NotJavaScript| {
                let errors = [SyntaxError::typescript()];
                Outcome::syntax_errors(text, &errors, &PositionMap::default())
            },
        ),
        Err(errors) => Outcome::syntax_errors(text, &errors, &map),
    }
}

/// The parser took for JavaScript what is TypeScript.
struct NotJavaScript;

fn examine<'a>(
    allocator: &'a Allocator,
    program: Program<'a>,
    text: &'a str,
    map: PositionMap,
    language: Language,
    options: &PrepareOptions,
) -> Result<Outcome, NotJavaScript> {
    let program = allocator.alloc(program);
    let (program, scoping, errors) = analyze(allocator, program, Goal::Script);
    let lines = LineIndex::new(text);
    let mut facts: Facts<'_> = collect(program, Some(&scoping), !options.rules.is_empty());
    if facts.typed {
        return Err(NotJavaScript);
    }
    let view = ProgramView {
        code: text,
        facts: &facts,
        lines: &lines,
        map: &map,
    };
    let mut diagnostics: Vec<_> = errors
        .iter()
        .take(MAX_SYNTAX_ERRORS)
        .map(|error| describe(error, &lines, &map))
        .collect();
    diagnostics.extend(rules::check(&view, options));
    Ok(Outcome {
        transformed: None,
        diagnostics,
        declarations: std::mem::take(&mut facts.declarations),
        tagged_templates: std::mem::take(&mut facts.tagged_templates),
        map,
        language: Some(language),
    })
}

/// The text is neither language: reports as the one in which the parser came further.
fn neither(text: &str, plain: &[SyntaxError], typed: &[SyntaxError]) -> Outcome {
    let first = |errors: &[SyntaxError]| errors.iter().map(|error| error.offset).min();
    let allocator = Allocator::default();
    if text.contains('<')
        && parse(&allocator, text, Goal::Jsx).is_ok()
        && let Some(offset) = first(plain)
    {
        let error = SyntaxError {
            offset,
            message: "JSX is not supported".into(),
            help: Some("build strings or plain objects instead of JSX elements".into()),
        };
        return Outcome::syntax_errors(text, &[error], &PositionMap::default());
    }
    let is_typed = plain.iter().any(SyntaxError::is_about_typescript);
    let errors = if is_typed || first(typed) > first(plain) {
        typed
    } else {
        plain
    };
    Outcome::syntax_errors(text, errors, &PositionMap::default())
}
