//! The parser, set up for the script that the engine runs.

mod explain;

use std::cell::LazyCell;

use hotcell_meter::{Stopped, Watch};
use oxc_allocator::Allocator;
use oxc_ast::ast::{Directive, Program, Statement, StringLiteral};
use oxc_ast::builder::AstBuilder;
use oxc_diagnostics::Diagnostics;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::{Scoping, SemanticBuilder};
use oxc_span::{SourceType, Span};

use crate::lines::LineIndex;
use explain::explain;

/// How a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// What a run is: a strict script with `await` and `return` at the top level. Parsed as a module, which knows
    /// top-level `await`; imports and exports are found in the tree and refused by a rule.
    Script,
    /// The same, in TypeScript.
    TypeScript,
    /// A module.
    Module,
    /// The text of an evaluator. Sloppy, because the engine knows the mode and reports what strict mode forbids; with
    /// `new.target` and `return`, which the place of the evaluator may allow.
    Eval,
}

impl Goal {
    pub(crate) fn source_type(self) -> SourceType {
        match self {
            Self::Script | Self::Module => SourceType::mjs(),
            Self::TypeScript => SourceType::ts().with_module(true),
            Self::Eval => SourceType::cjs(),
        }
    }
}

/// Why a text is not a program.
#[derive(Clone, Debug)]
pub(crate) struct SyntaxError {
    pub(crate) offset: u32,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl SyntaxError {
    /// For code that may only be JavaScript.
    pub(crate) fn typescript() -> Self {
        Self {
            offset: 0,
            message: "the code contains TypeScript, which cannot be used here".into(),
            help: Some("write plain JavaScript, without types and modifiers".into()),
        }
    }

    /// For code with elements of JSX in it, or that is no code but such elements.
    pub(crate) fn jsx(offset: u32, text: &str) -> Self {
        let is_all = text
            .get(..offset as usize)
            .is_some_and(|before| before.trim().is_empty());
        let help = if is_all {
            "the code begins with a mark (<…>): write JavaScript without marks around it; HTML and XML stand in strings"
        } else {
            "build strings or plain objects instead of JSX elements"
        };
        Self {
            offset,
            message: "JSX is not supported".into(),
            help: Some(help.into()),
        }
    }

    /// Whether a parser for JavaScript says that this is TypeScript.
    pub(crate) fn is_about_typescript(&self) -> bool {
        self.message.contains("TypeScript file")
    }
}

/// Errors that are looked at: there can be one for every byte.
const MAX_ERRORS: usize = 32;

/// The first errors among some diagnostics about `text`.
pub(crate) fn errors_of(diagnostics: &Diagnostics, text: &str) -> Vec<SyntaxError> {
    let lines = LazyCell::new(|| LineIndex::new(text));
    diagnostics
        .errors()
        .take(MAX_ERRORS)
        .map(|error| explain(error, text, &lines))
        .collect()
}

/// Parses; a program comes back only if there is nothing to complain about.
pub(crate) fn parse<'a>(
    allocator: &'a Allocator,
    text: &'a str,
    goal: Goal,
    watch: &dyn Watch,
) -> Result<Result<Program<'a>, Vec<SyntaxError>>, Stopped> {
    watch.check()?;
    let options = ParseOptions {
        parse_regular_expression: true,
        allow_return_outside_function: goal != Goal::Module,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(allocator, text, goal.source_type())
        .with_options(options)
        .parse();
    let mut errors = errors_of(&parsed.diagnostics, text);
    if parsed.panicked && errors.is_empty() {
        errors.push(SyntaxError {
            offset: 0,
            message: "the code cannot be parsed".into(),
            help: None,
        });
    }
    Ok(if errors.is_empty() {
        Ok(parsed.program)
    } else {
        Err(errors)
    })
}

/// Resolves names and checks the early errors of a strict script (or of a module).
pub(crate) fn analyze<'a>(
    allocator: &'a Allocator,
    program: &'a mut Program<'a>,
    goal: Goal,
    watch: &dyn Watch,
) -> Result<(&'a Program<'a>, Scoping, Vec<SyntaxError>), Stopped> {
    watch.check()?;
    if goal == Goal::Script && !program.body.iter().any(Statement::is_module_declaration) {
        // At the top level of a script functions may be declared twice, in a module they may not.
        program.source_type = program.source_type.with_script(true);
        let builder = AstBuilder::new(allocator);
        let span = Span::empty(0);
        let text = StringLiteral::new(span, "use strict", None, &builder);
        program
            .directives
            .push(Directive::new(span, text, "use strict", &builder));
    }
    if goal == Goal::Eval {
        program.source_type = program.source_type.with_script(true);
    }
    let program = &*program;
    let analyzed = SemanticBuilder::new_compiler()
        .with_check_syntax_error(goal != Goal::Eval)
        .build(program);
    let errors = errors_of(&analyzed.diagnostics, program.source_text);
    Ok((program, analyzed.semantic.into_scoping(), errors))
}
