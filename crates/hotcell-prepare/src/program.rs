//! From a text to a program that can run, or to the reasons why not.

use std::borrow::Cow;
use std::sync::Arc;

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;

use crate::collect::collect;
use crate::diagnostic::{Diagnostic, Location};
use crate::fence::{self, Fences};
use crate::options::PrepareOptions;
use crate::position::{LineIndex, PositionMap, column_of_byte, push_blank};
use crate::scan::{Scan, TooDeep, scan, stack_need};
use crate::stack::{NoRoom, with_room};
use crate::syntax::{Goal, SyntaxError, analyze, parse};
use crate::view::{Declaration, Facts, ProgramView};
use crate::{rule, rules, typescript};

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
    outcome
        .diagnostics
        .sort_by_key(|one| (one.location.is_some(), one.location));
    outcome.diagnostics.truncate(MAX_DIAGNOSTICS);
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

/// Syntax errors after the first are mostly consequences of it.
const MAX_SYNTAX_ERRORS: usize = 3;

pub(crate) fn too_large(bytes: usize, options: &PrepareOptions) -> Diagnostic {
    let limit = options.max_code_bytes;
    Diagnostic::error(
        rule::CODE_TOO_LARGE,
        format!("the code has {bytes} bytes, more than the limit of {limit}"),
    )
    .with_fix("split it into several runs: top-level declarations stay available to later ones")
}

/// What became of a text, in types that no arena holds together.
#[derive(Debug, Default)]
struct Outcome {
    transformed: Option<String>,
    diagnostics: Vec<Diagnostic>,
    map: PositionMap,
    declarations: Vec<Declaration>,
    language: Option<Language>,
    tagged_templates: Vec<u32>,
}

impl Outcome {
    fn refused(diagnostic: Diagnostic) -> Self {
        Self {
            diagnostics: vec![diagnostic],
            ..Self::default()
        }
    }

    fn syntax_errors(text: &str, errors: &[SyntaxError], map: &PositionMap) -> Self {
        let lines = LineIndex::new(text);
        let diagnostics = errors
            .iter()
            .take(MAX_SYNTAX_ERRORS)
            .map(|error| describe(error, &lines, map));
        Self {
            diagnostics: diagnostics.collect(),
            ..Self::default()
        }
    }
}

fn describe(error: &SyntaxError, lines: &LineIndex<'_>, map: &PositionMap) -> Diagnostic {
    let location = map.original(lines.locate(error.offset as usize));
    let diagnostic =
        Diagnostic::error(rule::SYNTAX_VALID, error.message.clone()).with_location(location);
    match &error.help {
        Some(help) => diagnostic.with_fix(help.clone()),
        None => diagnostic,
    }
}

fn unfence(code: &str, options: &PrepareOptions) -> Outcome {
    match fence::find(code) {
        Fences::None => prepare_text(code, options),
        Fences::Certain(stripped) => prepare_text(&stripped, options),
        Fences::Foreign { language, offset } => Outcome::refused(
            Diagnostic::error(
                rule::SYNTAX_VALID,
                format!("the code block is marked as {language:?}, only JavaScript and TypeScript can run"),
            )
            .with_location(LineIndex::new(code).locate(offset))
            .with_fix("write JavaScript in a block marked as `js`"),
        ),
        Fences::Possible { stripped, lines } => {
            let whole = prepare_text(code, options);
            let meant = whole.language.is_some()
                && !lines.iter().any(|line| {
                    whole.tagged_templates.iter().any(|start| *start as usize == *line)
                });
            if meant { whole } else { prepare_text(&stripped, options) }
        }
    }
}

fn prepare_text(text: &str, options: &PrepareOptions) -> Outcome {
    if text
        .trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
        .is_empty()
    {
        return Outcome::refused(
            Diagnostic::error(rule::CODE_NON_EMPTY, "the code is empty")
                .with_fix("write at least one statement"),
        );
    }
    let text = match without_hashbang(text) {
        Some(blanked) => Cow::Owned(blanked),
        None => Cow::Borrowed(text),
    };
    let found = match scan(&text, options.max_nesting) {
        Ok(found) => found,
        Err(too_deep) => return Outcome::refused(describe_depth(&too_deep, &text, options)),
    };
    let text = match without_html_comments(&text, &found) {
        Some(blanked) => Cow::Owned(blanked),
        None => text,
    };
    let mut outcome = in_room(&text, || translate(&text, !found.too_angular, options));
    if outcome.transformed.is_none() {
        outcome.transformed = Some(text.into_owned());
    }
    for transform in &options.transforms {
        if outcome.diagnostics.iter().any(Diagnostic::is_error) {
            break;
        }
        outcome = apply(transform.as_ref(), outcome, options);
    }
    outcome
}

/// Runs work on `text` where there is stack enough for it.
fn in_room(text: &str, work: impl FnOnce() -> Outcome + Send) -> Outcome {
    with_room(stack_need(text), work).unwrap_or_else(|no_room| Outcome::refused(refusal(&no_room)))
}

pub(crate) fn refusal(no_room: &NoRoom) -> Diagnostic {
    match no_room {
        NoRoom::TooLarge => Diagnostic::error(
            rule::CODE_TOO_DEEP,
            "the code is too large and too dense to be parsed safely",
        )
        .with_fix("split it into several runs, and pass data in as variables"),
        NoRoom::Panicked => Diagnostic::error(rule::SYNTAX_VALID, "the parser failed on this code")
            .with_fix("write the code in a simpler way"),
    }
}

pub(crate) fn describe_depth(
    too_deep: &TooDeep,
    text: &str,
    options: &PrepareOptions,
) -> Diagnostic {
    let (offset, message, fix) = match *too_deep {
        TooDeep::Nesting { offset } => (
            offset,
            format!(
                "the code is nested more than {} levels deep",
                options.max_nesting
            ),
            "take the inner parts out into variables or functions",
        ),
        TooDeep::Chain { offset } => (
            offset,
            "one statement has too many operators".to_owned(),
            "split it into several statements, or use a loop",
        ),
    };
    Diagnostic::error(rule::CODE_TOO_DEEP, message)
        .with_location(LineIndex::new(text).locate(offset))
        .with_fix(fix)
}

/// A `#!` line is for a shell that never sees the code.
fn without_hashbang(text: &str) -> Option<String> {
    let rest = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if !rest.starts_with("#!") {
        return None;
    }
    let start = text.len() - rest.len();
    let length = rest
        .find(['\n', '\r', '\u{2028}', '\u{2029}'])
        .unwrap_or(rest.len());
    Some(blanked(text, &[(start, start + length)]))
}

/// The parser reads a module, in which there are no such comments; scripts have them.
fn without_html_comments(text: &str, found: &Scan) -> Option<String> {
    (!found.html_comments.is_empty()).then(|| blanked(text, &found.html_comments))
}

fn blanked(text: &str, ranges: &[(usize, usize)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for &(start, end) in ranges {
        out.push_str(text.get(at..start).unwrap_or(""));
        push_blank(&mut out, text.get(start..end).unwrap_or(""));
        at = end;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}

/// JavaScript is taken as it is. Only what is not JavaScript is tried as TypeScript, so that `a < b > (c)` keeps its
/// meaning.
fn translate(text: &str, may_be_typed: bool, options: &PrepareOptions) -> Outcome {
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
    let mut outcome = in_room(&lowered, || {
        check(&lowered, map, Language::TypeScript, options)
    });
    outcome.transformed = Some(lowered);
    outcome
}

/// Parses and examines text that must be JavaScript by now.
fn check(text: &str, map: PositionMap, language: Language, options: &PrepareOptions) -> Outcome {
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

fn apply(
    transform: &dyn crate::extend::Transform,
    mut before: Outcome,
    options: &PrepareOptions,
) -> Outcome {
    let name = transform.name();
    let fail = |why: String| {
        Outcome::refused(Diagnostic::error(
            rule::SYNTAX_VALID,
            format!("transform {name:?} failed: {why}"),
        ))
    };
    let text = before.transformed.take().unwrap_or_default();
    let transformed = match transform.transform(&text) {
        Ok(transformed) => transformed,
        Err(why) => return fail(why),
    };
    if transformed.len() > options.max_code_bytes {
        return Outcome::refused(too_large(transformed.len(), options));
    }
    if let Err(too_deep) = scan(&transformed, options.max_nesting) {
        return fail(describe_depth(&too_deep, &transformed, options).message);
    }
    before.map.push_edit(&text, &transformed);
    let language = before.language.unwrap_or(Language::JavaScript);
    let map = before.map;
    let mut outcome = in_room(&transformed, || check(&transformed, map, language, options));
    outcome.transformed = Some(transformed);
    outcome
}
