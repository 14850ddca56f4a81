//! The parser, set up for the script that the engine runs.

use oxc_allocator::Allocator;
use oxc_ast::ast::{Directive, Program, Statement, StringLiteral};
use oxc_ast::builder::AstBuilder;
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::{Scoping, SemanticBuilder};
use oxc_span::{LabeledSpan, SourceType, Span};

/// How a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// What a run is: a strict script with `await` and `return` at the top level. Parsed as a module, which knows
    /// top-level `await`; imports and exports are found in the tree and refused by a rule.
    Script,
    /// The same, in TypeScript.
    TypeScript,
    /// The same, in TypeScript with JSX; only to tell that JSX was meant.
    Jsx,
    /// A module.
    Module,
    /// The text of an evaluator. Sloppy, because the engine knows the mode and reports what strict mode forbids; with
    /// `new.target` and `return`, which the place of the evaluator may allow.
    Eval,
}

impl Goal {
    fn source_type(self) -> SourceType {
        match self {
            Self::Script | Self::Module => SourceType::mjs(),
            Self::TypeScript => SourceType::ts().with_module(true),
            Self::Jsx => SourceType::tsx().with_module(true),
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

    pub(crate) fn from_oxc(error: &OxcDiagnostic) -> Self {
        // A redeclaration is an error where the second declaration is.
        let label = if error.message.contains("already been declared") {
            error.labels.last()
        } else {
            error.labels.first()
        };
        let offset = label.map_or(0, LabeledSpan::offset);
        let mut message = in_our_style(&error.message);
        let mut help = error.help.as_ref().map(|help| in_our_style(help));
        if message.starts_with("`await` is only allowed") {
            message = "`await` is only allowed in async functions and at the top level".into();
            help = Some("add `async` to the function that contains this `await`".into());
        }
        Self {
            offset,
            message,
            help,
        }
    }

    /// Whether a parser for JavaScript says that this is TypeScript.
    pub(crate) fn is_about_typescript(&self) -> bool {
        self.message.contains("TypeScript file")
    }
}

/// The parser's sentences without the capital and the period, and in words for those who never saw a parser.
fn in_our_style(text: &str) -> String {
    let text = text
        .trim_end_matches('.')
        .replace("`EOF`", "the end of the code");
    let mut chars = text.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), Some(second))
            if first.is_ascii_uppercase() && !second.is_ascii_uppercase() =>
        {
            format!("{}{}", first.to_ascii_lowercase(), chars.as_str())
        }
        _ => text,
    }
}

/// Parses; a program comes back only if there is nothing to complain about.
pub(crate) fn parse<'a>(
    allocator: &'a Allocator,
    text: &'a str,
    goal: Goal,
) -> Result<Program<'a>, Vec<SyntaxError>> {
    let options = ParseOptions {
        parse_regular_expression: true,
        allow_return_outside_function: goal != Goal::Module,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(allocator, text, goal.source_type())
        .with_options(options)
        .parse();
    let mut errors: Vec<_> = parsed
        .diagnostics
        .errors()
        .map(SyntaxError::from_oxc)
        .collect();
    if parsed.panicked && errors.is_empty() {
        errors.push(SyntaxError {
            offset: 0,
            message: "the code cannot be parsed".into(),
            help: None,
        });
    }
    if errors.is_empty() {
        Ok(parsed.program)
    } else {
        Err(errors)
    }
}

/// Resolves names and checks the early errors of a strict script (or of a module).
pub(crate) fn analyze<'a>(
    allocator: &'a Allocator,
    program: &'a mut Program<'a>,
    goal: Goal,
) -> (&'a Program<'a>, Scoping, Vec<SyntaxError>) {
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
    let errors = analyzed
        .diagnostics
        .errors()
        .map(SyntaxError::from_oxc)
        .collect();
    (program, analyzed.semantic.into_scoping(), errors)
}
