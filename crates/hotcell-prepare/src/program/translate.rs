//! From the text of a program to JavaScript that was checked.

use hotcell_meter::{Pace, Stopped};
use oxc_allocator::Allocator;
use oxc_ast::ast::Program;

use super::limits::{describe_steps, refusal, too_large_lowered};
use super::names::Names;
use super::outcome::{MAX_SYNTAX_ERRORS, Outcome, describe};
use crate::audit::{audit, audit_lowering};
use crate::collect::{Wanted, collect};
use crate::diagnostic::Severity;
use crate::findings::Findings;
use crate::lines::LineIndex;
use crate::options::PrepareOptions;
use crate::position::PositionMap;
use crate::program::Language;
use crate::rewrite::rewrites;
use crate::scan::{has_jsx, may_be_typed, stack_bound};
use crate::stack::with_room;
use crate::syntax::{Goal, SyntaxError, analyze, parse};
use crate::view::{Facts, ProgramView};
use crate::{rules, typescript};

/// Runs work on `text` where there is stack enough for it.
pub(super) fn in_room(
    text: &str,
    work: impl FnOnce() -> Result<Outcome, Stopped> + Send,
) -> Result<Outcome, Stopped> {
    with_room(stack_bound(text), work)
        .unwrap_or_else(|no_room| Ok(Outcome::refused(refusal(&no_room))))
}

/// JavaScript is taken as it is. Only what is not JavaScript is tried as TypeScript, so that `a < b > (c)` keeps its
/// meaning.
pub(super) fn translate(
    text: &str,
    options: &PrepareOptions,
    pace: &mut Pace<'_>,
) -> Result<Outcome, Stopped> {
    let allocator = Allocator::default();
    let errors = match parse(&allocator, text, Goal::Script, pace.watch())? {
        Ok(program) => {
            let map = PositionMap::default();
            match examine(
                &allocator,
                program,
                text,
                map,
                Language::JavaScript,
                options,
                pace,
            )? {
                Ok(outcome) => return Ok(outcome),
                Err(NotJavaScript) => vec![SyntaxError::typescript()],
            }
        }
        Err(errors) => errors,
    };
    if !may_be_typed(text, options.max_nesting) {
        return Ok(Outcome::syntax_errors(
            text,
            &errors,
            &PositionMap::default(),
        ));
    }
    let program = match parse(&allocator, text, Goal::TypeScript, pace.watch())? {
        Ok(program) => program,
        Err(typed) => return Ok(neither(text, &errors, &typed, options)),
    };
    let modules = typescript::module_statements(&program);
    if !modules.is_empty() {
        return module_statements(text, &modules, options, pace);
    }
    if let Some(blanked) = typescript::blank(text, &program) {
        let inner = Allocator::default();
        if let Ok(program) = parse(&inner, &blanked, Goal::Script, pace.watch())? {
            let map = PositionMap::default();
            let examined = examine(
                &inner,
                program,
                &blanked,
                map,
                Language::TypeScript,
                options,
                pace,
            )?;
            if let Ok(mut outcome) = examined {
                outcome.transformed = Some(blanked.clone());
                return Ok(outcome);
            }
        }
    }
    pace.watch().check()?;
    let limit = options.max_code_bytes.saturating_mul(MAX_GROWTH);
    match audit_lowering(&program) {
        Ok(bytes) if bytes > limit => {
            return Ok(Outcome::refused(too_large_lowered(bytes, limit)));
        }
        Ok(_) => {}
        Err(too_many) => {
            let location = LineIndex::new(text).locate(too_many.offset as usize);
            return Ok(Outcome::refused(describe_steps(&too_many, location)));
        }
    }
    let (lowered, map) = match typescript::lower(text, pace.watch())? {
        Ok(lowered) => lowered,
        Err(errors) => {
            return Ok(Outcome::syntax_errors(
                text,
                &errors,
                &PositionMap::default(),
            ));
        }
    };
    if lowered.len() > limit {
        return Ok(Outcome::refused(too_large_lowered(lowered.len(), limit)));
    }
    let mut outcome = in_room(&lowered, || {
        check(&lowered, map, Language::TypeScript, options, pace)
    })?;
    outcome.transformed = Some(lowered);
    Ok(outcome)
}

/// How much larger code may get by lowering; enums, the worst that people write, grow about fourfold.
const MAX_GROWTH: usize = 4;

/// TypeScript's own ways to import and export.
fn module_statements(
    text: &str,
    statements: &[typescript::ModuleStatement],
    options: &PrepareOptions,
    pace: &mut Pace<'_>,
) -> Result<Outcome, Stopped> {
    let lines = LineIndex::new(text);
    let mut findings = Findings::default();
    for statement in statements {
        pace.spend(1)?;
        findings.add(Severity::Error, || {
            let diagnostic = match &statement.import {
                Some((module, instead)) => rules::static_import(module, instead, options),
                None => rules::export(None),
            };
            diagnostic.with_location(lines.locate(statement.offset as usize))
        });
    }
    Ok(Outcome {
        findings,
        language: Some(Language::TypeScript),
        ..Outcome::default()
    })
}

/// Parses and examines text that must be JavaScript by now.
pub(super) fn check(
    text: &str,
    map: PositionMap,
    language: Language,
    options: &PrepareOptions,
    pace: &mut Pace<'_>,
) -> Result<Outcome, Stopped> {
    let allocator = Allocator::default();
    let program = match parse(&allocator, text, Goal::Script, pace.watch())? {
        Ok(program) => program,
        Err(errors) => return Ok(Outcome::syntax_errors(text, &errors, &map)),
    };
    let examined = examine(&allocator, program, text, map, language, options, pace)?;
    Ok(examined.unwrap_or_else(|NotJavaScript| {
        let errors = [SyntaxError::typescript()];
        Outcome::syntax_errors(text, &errors, &PositionMap::default())
    }))
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
    pace: &mut Pace<'_>,
) -> Result<Result<Outcome, NotJavaScript>, Stopped> {
    let program = allocator.alloc(program);
    pace.watch().check()?;
    if let Err(too_many) = audit(program) {
        let found = LineIndex::new(text).locate(too_many.offset as usize);
        let diagnostic = describe_steps(&too_many, map.original(found));
        return Ok(Ok(Outcome::refused(diagnostic)));
    }
    let (program, scoping, errors) = analyze(allocator, program, Goal::Script, pace.watch())?;
    pace.watch().check()?;
    let lines = LineIndex::new(text);
    let wanted = Wanted {
        strings: !options.rules.is_empty(),
        arguments: !options.signatures.is_empty(),
    };
    let mut facts: Facts<'_> = collect(program, Some(&scoping), wanted);
    if facts.typed {
        return Ok(Err(NotJavaScript));
    }
    let view = ProgramView {
        code: text,
        facts: &facts,
        lines: &lines,
        map: &map,
    };
    let mut findings: Findings = errors
        .iter()
        .take(MAX_SYNTAX_ERRORS)
        .map(|error| describe(error, &lines, &map))
        .collect();
    rules::check(&view, options, &mut findings, pace)?;
    let rewrites = if findings.has_errors() {
        Vec::new()
    } else {
        rewrites(&facts, options)
    };
    let names = Names::of(&view);
    Ok(Ok(Outcome {
        transformed: None,
        findings,
        rewrites,
        names,
        declarations: std::mem::take(&mut facts.declarations),
        tagged_templates: std::mem::take(&mut facts.tagged_templates),
        map,
        language: Some(language),
    }))
}

/// The text is neither language: reports as the one in which the parser came further.
fn neither(
    text: &str,
    plain: &[SyntaxError],
    typed: &[SyntaxError],
    options: &PrepareOptions,
) -> Outcome {
    let first = |errors: &[SyntaxError]| errors.iter().map(|error| error.offset).min();
    let is_typed = plain.iter().any(SyntaxError::is_about_typescript);
    let jsx = first(plain).filter(|_| has_jsx(text, options.max_nesting));
    let errors = match jsx {
        Some(offset) => &[SyntaxError::jsx(offset, text)],
        None if is_typed || first(typed) > first(plain) => typed,
        None => plain,
    };
    Outcome::syntax_errors(text, errors, &PositionMap::default())
}
