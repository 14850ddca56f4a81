//! Code that is made at run time: `eval`, `Function` and its kin, modules that the host registers.
//!
//! The engine parses that code itself and reports its errors. What it must not decide alone is checked here: that the
//! parameters and the body of a function are each complete, that no import and no reserved name comes in this way, and
//! that the nesting is bearable.

use hotcell_meter::{Pace, Stopped, Unwatched, Watch};
use oxc_allocator::Allocator;
use oxc_ast::ast::{Expression, Function, Program, Statement};

use crate::aside::{aside, is_for_aside};
use crate::audit::audit;
use crate::collect::{Wanted, collect};
use crate::diagnostic::{Diagnostic, Location};
use crate::findings::shorten;
use crate::lines::LineIndex;
use crate::options::PrepareOptions;
use crate::program::{describe_cost, describe_depth, describe_steps, refusal, too_large};
use crate::scan::{scan, stack_bound, too_costly};
use crate::stack::{NoRoom, with_room};
use crate::syntax::{Goal, SyntaxError, analyze, parse};
use crate::view::{Facts, IMPORT_META, ImportKind};
use crate::{rule, rules};

/// What evaluates the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DynamicKind {
    /// `(0, eval)(text)`
    IndirectEval,
    /// `eval(text)`, which sees the scope around it.
    DirectEval,
    /// `Function(params, body)`
    Function,
    /// The constructor of generator functions.
    GeneratorFunction,
    /// The constructor of async functions.
    AsyncFunction,
    /// The constructor of async generator functions.
    AsyncGeneratorFunction,
    /// The source of a module that the host registered.
    Module,
}

impl DynamicKind {
    /// How a function of this kind begins, if it is one.
    fn function_head(self) -> Option<&'static str> {
        match self {
            Self::Function => Some("function anonymous("),
            Self::GeneratorFunction => Some("function* anonymous("),
            Self::AsyncFunction => Some("async function anonymous("),
            Self::AsyncGeneratorFunction => Some("async function* anonymous("),
            Self::IndirectEval | Self::DirectEval | Self::Module => None,
        }
    }
}

/// Checks code for an evaluator and returns the source text that it may evaluate: for an `eval` or a module the text
/// itself, for a function the text that `toString()` shows (`function anonymous(a,b⏎) {⏎…⏎}`). Nothing is ever rewritten.
///
/// `params` are the parameters joined by commas; they are ignored where there can be none. TypeScript is not accepted.
/// Locations are relative to the text that is at fault, the parameters or the body.
///
/// ```
/// use hotcell_prepare::{DynamicKind, PrepareOptions, prepare_dynamic};
///
/// let options = PrepareOptions::default();
/// let source = prepare_dynamic(DynamicKind::Function, Some("a,b"), "return a + b", &options);
/// assert_eq!(source.unwrap(), "function anonymous(a,b\n) {\nreturn a + b\n}");
///
/// // Joined blindly these would be a function that does something else.
/// assert!(prepare_dynamic(DynamicKind::Function, Some("/*"), "*/){", &options).is_err());
/// ```
pub fn prepare_dynamic(
    kind: DynamicKind,
    params: Option<&str>,
    body: &str,
    options: &PrepareOptions,
) -> Result<String, Diagnostic> {
    // Nobody stops what nobody watches; if somebody did, the code would not have been checked.
    shown(prepare(
        kind,
        params.unwrap_or(""),
        body,
        options,
        &Unwatched,
    ))
    .unwrap_or_else(|stopped| Err(syntax_error(stopped.to_string())))
}

/// Like [`prepare_dynamic`], for a run that has to end: gives up as soon as `watch` says so.
///
/// Code that is large or deep is looked at on a thread of its own, which may go on for a moment.
pub fn prepare_dynamic_watched(
    kind: DynamicKind,
    params: Option<&str>,
    body: &str,
    options: &PrepareOptions,
    watch: &dyn Watch,
) -> Result<Result<String, Diagnostic>, Stopped> {
    let params = params.unwrap_or("");
    if let Err(too_large) = check_size(params, body, options) {
        return Ok(Err(too_large));
    }
    let stack = stack_bound(params).max(stack_bound(body)) + AROUND_STACK;
    if !is_for_aside(params.len() + body.len(), stack) {
        return shown(prepare(kind, params, body, options, watch));
    }
    let (params, body, options) = (params.to_owned(), body.to_owned(), options.clone());
    let prepared = aside(stack, watch, move |watch| {
        shown(prepare(kind, &params, &body, &options, watch))
    })?;
    Ok(prepared.unwrap_or_else(|| Err(refusal(&NoRoom::Panicked))))
}

/// The stack that the text takes which is put around the parts of a function, at most.
const AROUND_STACK: usize = 64 * 1024;

/// What a caller gets to see.
fn shown(prepared: Result<String, Refusal>) -> Result<Result<String, Diagnostic>, Stopped> {
    match prepared {
        Ok(source) => Ok(Ok(source)),
        Err(Refusal::Found(mut diagnostic)) => {
            shorten(&mut diagnostic);
            Ok(Err(*diagnostic))
        }
        Err(Refusal::Stopped(stopped)) => Err(stopped),
    }
}

/// The diagnostic for code that is larger than any that is looked at.
pub(crate) fn check_size(
    params: &str,
    body: &str,
    options: &PrepareOptions,
) -> Result<(), Diagnostic> {
    let bytes = params.len().saturating_add(body.len());
    if bytes > options.max_code_bytes {
        return Err(too_large(bytes, options));
    }
    Ok(())
}

/// Why there is no source text.
enum Refusal {
    Found(Box<Diagnostic>),
    Stopped(Stopped),
}

impl From<Diagnostic> for Refusal {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Found(Box::new(diagnostic))
    }
}

impl From<Stopped> for Refusal {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

fn prepare(
    kind: DynamicKind,
    params: &str,
    body: &str,
    options: &PrepareOptions,
    watch: &dyn Watch,
) -> Result<String, Refusal> {
    check_size(params, body, options)?;
    let Some(head) = kind.function_head() else {
        check_text(body, kind, options, watch)?;
        return Ok(body.to_owned());
    };
    check_function(
        &Part {
            before: head,
            text: params,
            after: "\n) {\n}",
            kind: "parameters",
        },
        options,
        watch,
    )?;
    let opening = format!("{head}\n) {{\n");
    check_function(
        &Part {
            before: &opening,
            text: body,
            after: "\n}",
            kind: "body",
        },
        options,
        watch,
    )?;
    Ok(format!("{head}{params}\n) {{\n{body}\n}}"))
}

fn check_text(
    text: &str,
    kind: DynamicKind,
    options: &PrepareOptions,
    watch: &dyn Watch,
) -> Result<(), Refusal> {
    watch.check()?;
    bearable(text, text, options)?;
    let goal = if kind == DynamicKind::Module {
        Goal::Module
    } else {
        Goal::Eval
    };
    with_room(stack_bound(text), || {
        let locate = |offset: u32| LineIndex::new(text).locate(offset as usize);
        let allocator = Allocator::default();
        let program =
            parse(&allocator, text, goal, watch)?.map_err(|errors| first(&errors, locate))?;
        let program = allocator.alloc(program);
        if goal == Goal::Module {
            watch.check()?;
            audit(program)
                .map_err(|too_many| describe_steps(&too_many, locate(too_many.offset)))?;
            let (program, scoping, errors) = analyze(&allocator, program, goal, watch)?;
            if !errors.is_empty() {
                return Err(first(&errors, locate).into());
            }
            watch.check()?;
            check_facts(
                &collect(program, Some(&scoping), Wanted::default()),
                kind,
                locate,
                options,
                watch,
            )
        } else {
            watch.check()?;
            let facts = collect(program, None, Wanted::default());
            if let Some(&offset) = facts.returns_at_top.first() {
                let message = "`return` is only allowed inside a function";
                return Err(syntax_error(message).with_location(locate(offset)).into());
            }
            check_facts(&facts, kind, locate, options, watch)
        }
    })
    .unwrap_or_else(|no_room| Err(refusal(&no_room).into()))
}

/// A part of a function, and complete text around it.
struct Part<'t> {
    before: &'t str,
    text: &'t str,
    after: &'t str,
    kind: &'static str,
}

fn check_function(
    part: &Part<'_>,
    options: &PrepareOptions,
    watch: &dyn Watch,
) -> Result<(), Refusal> {
    watch.check()?;
    let source = format!("({}{}{})", part.before, part.text, part.after);
    bearable(&source, part.text, options)?;
    with_room(stack_bound(&source), || {
        let offset_of_part = part.before.len() + 1;
        let locate = |offset: u32| {
            LineIndex::new(part.text).locate((offset as usize).saturating_sub(offset_of_part))
        };
        let allocator = Allocator::default();
        let program = parse(&allocator, &source, Goal::Eval, watch)?
            .map_err(|errors| first(&errors, locate))?;
        if !is_whole(&program, part, source.len()) {
            let message = format!("the {} of a function end too early", part.kind);
            return Err(syntax_error(message).into());
        }
        watch.check()?;
        check_facts(
            &collect(&program, None, Wanted::default()),
            DynamicKind::Function,
            locate,
            options,
            watch,
        )
    })
    .unwrap_or_else(|no_room| Err(refusal(&no_room).into()))
}

/// Whether the text is nothing but the one function that was built, its brackets where they were put.
///
/// The parentheses make it an expression, so that nothing can follow it; that the body's braces are the ones around or
/// after the part shows that the part opened and closed nothing of the function itself.
fn is_whole(program: &Program<'_>, part: &Part<'_>, length: usize) -> bool {
    let [Statement::ExpressionStatement(statement)] = program.body.as_slice() else {
        return false;
    };
    let Expression::ParenthesizedExpression(outer) = &statement.expression else {
        return false;
    };
    let Expression::FunctionExpression(function) = &outer.expression else {
        return false;
    };
    let Function {
        body: Some(body), ..
    } = &**function
    else {
        return false;
    };
    let opening_brace = if part.kind == "body" {
        part.before.len() + 1 - "{\n".len()
    } else {
        length - "{\n})".len()
    };
    program.directives.is_empty()
        && outer.span.start == 0
        && outer.span.end as usize == length
        && function.span.start == 1
        && function.span.end as usize == length - 1
        && body.span.start as usize == opening_brace
        && body.span.end as usize == length - 1
}

fn bearable(source: &str, part: &str, options: &PrepareOptions) -> Result<(), Diagnostic> {
    if let Err(too_deep) = scan(source, options.max_nesting) {
        return Err(describe_depth(&too_deep, part, options));
    }
    too_costly(part, options.max_nesting).map_err(|costly| describe_cost(&costly, part))
}

fn check_facts(
    facts: &Facts<'_>,
    kind: DynamicKind,
    locate: impl Fn(u32) -> Location,
    options: &PrepareOptions,
    watch: &dyn Watch,
) -> Result<(), Refusal> {
    let mut pace = Pace::new(watch);
    if facts.typed {
        return Err(first(&[SyntaxError::typescript()], locate).into());
    }
    if let Some(name) = facts
        .identifiers
        .iter()
        .find(|one| one.name.starts_with(rules::RESERVED_PREFIX))
    {
        let diagnostic = rules::reserved(name.name);
        return Err(diagnostic.with_location(locate(name.offset)).into());
    }
    for import in &facts.imports {
        // Each is looked for among all that are authorised.
        pace.spend(1 + options.authorized_imports.len())?;
        let module = import.module;
        let checked = match (&import.kind, kind) {
            (ImportKind::Dynamic, _) | (_, DynamicKind::Module) => {
                module.map_or(Ok(()), |module| rules::import_is_allowed(module, options))
            }
            _ => Err(Diagnostic::error(
                rule::STATIC_IMPORT,
                "`import` and `export` declarations are only possible in modules",
            )),
        };
        checked.map_err(|diagnostic| diagnostic.with_location(locate(import.offset)))?;
    }
    let unsupported = facts
        .unsupported
        .iter()
        .find(|(_, what)| kind != DynamicKind::Module || *what != IMPORT_META);
    match unsupported {
        Some(&(offset, what)) => Err(syntax_error(what).with_location(locate(offset)).into()),
        None => Ok(()),
    }
}

fn first(errors: &[SyntaxError], locate: impl Fn(u32) -> Location) -> Diagnostic {
    match errors.iter().min_by_key(|error| error.offset) {
        Some(error) => {
            let diagnostic =
                syntax_error(error.message.clone()).with_location(locate(error.offset));
            match &error.help {
                Some(help) => diagnostic.with_fix(help.clone()),
                None => diagnostic,
            }
        }
        None => syntax_error("the code cannot be parsed"),
    }
}

fn syntax_error(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(rule::SYNTAX_VALID, message)
}
