//! Filling in the templates.

use handlebars::template::{HelperTemplate, Parameter, TemplateElement};
use handlebars::{Handlebars, Path, PathSeg, RenderErrorReason, Template};
use serde_json::{Value, json};

use crate::declare::{Declarations, FINAL_ANSWER};
use crate::{PromptContext, PromptError, ToolSpec};

/// The template of [`render_system_prompt`], to start a template of your own from.
pub const SYSTEM_PROMPT_TEMPLATE: &str = include_str!("system_prompt.hbs");

/// Every placeholder a template can use.
pub const PLACEHOLDERS: &[&str] = &[
    "authorized_imports",
    "clock",
    "code_block_closing_tag",
    "code_block_opening_tag",
    "cpu_seconds",
    "custom_instructions",
    "deferred_tools",
    "has_imports",
    "max_log_bytes",
    "max_operations",
    "max_steps",
    "modules_prompt",
    "random",
    "timeout_ms",
    "timeout_seconds",
    "timers",
    "tool_names",
    "tools_prompt",
    "variables_prompt",
];

/// Nesting of blocks and subexpressions in a template; the engine's own code recurses over them.
const MAX_NESTING: usize = 32;

/// The system prompt of a `CodeAgent` that writes JavaScript.
pub fn render_system_prompt(context: &PromptContext) -> Result<String, PromptError> {
    render_template(SYSTEM_PROMPT_TEMPLATE, context)
}

/// Fills in a template of your own. It is Handlebars; values are never HTML-escaped; the placeholders are
/// [`PLACEHOLDERS`], and any other is an error, also in a branch that is not taken.
///
/// ```
/// use hotcell_prompt::{PromptContext, PromptError, render_template};
///
/// let context = PromptContext::default();
/// assert_eq!(render_template("Write {{code_block_opening_tag}}", &context)?, "Write <code>");
/// assert!(matches!(
///     render_template("{{#if toolz}}x{{/if}}", &context),
///     Err(PromptError::UnknownPlaceholder { name, .. }) if name == "toolz"
/// ));
/// # Ok::<(), PromptError>(())
/// ```
pub fn render_template(template: &str, context: &PromptContext) -> Result<String, PromptError> {
    check_nesting(template)?;
    let values = values(context)?;
    let compiled = Template::compile(template).map_err(|error| {
        let position = error.pos();
        PromptError::TemplateSyntax {
            message: error.reason().to_string(),
            line: position.map(|(line, _)| line),
            column: position.map(|(_, column)| column),
        }
    })?;
    check_placeholders(&compiled)?;

    let mut engine = Handlebars::new();
    engine.set_strict_mode(true);
    engine.register_escape_fn(handlebars::no_escape);
    engine.register_template("prompt", compiled);
    engine
        .render("prompt", &values)
        .map_err(|error| match error.reason() {
            RenderErrorReason::MissingVariable(Some(name)) => unknown(name),
            reason => PromptError::Render {
                message: reason.to_string(),
                line: error.line_no,
                column: error.column_no,
            },
        })
}

fn values(context: &PromptContext) -> Result<Value, PromptError> {
    context.tags.check()?;
    for (index, name) in context.authorized_imports.iter().enumerate() {
        if name.trim().is_empty() {
            return Err(PromptError::EmptyImport {
                position: index + 1,
            });
        }
    }
    let imports = if context.authorized_imports.is_empty() {
        "none (there is nothing to import)".to_owned()
    } else {
        let quoted = context
            .authorized_imports
            .iter()
            .map(|name| Value::from(name.as_str()).to_string());
        quoted.collect::<Vec<_>>().join(", ")
    };
    let is_declared = |tool: &&ToolSpec| !tool.deferred;
    let declared: Vec<ToolSpec> = context.tools.iter().filter(is_declared).cloned().collect();
    let mut declarations = Declarations::default().with_tools(&declared)?;
    let mut tools = declarations.take();
    if !tools.is_empty() {
        tools.push_str("\n\n");
    }
    tools.push_str(FINAL_ANSWER);
    let mut declarations = declarations.with_variables(&context.variables)?;
    let variables = declarations.take();
    let modules = declarations.with_modules(&context.modules)?.finish();
    let names: Vec<&str> = declared
        .iter()
        .map(|tool| tool.name.as_str())
        .chain(["final_answer"])
        .collect();
    Ok(json!({
        "authorized_imports": imports,
        "clock": context.clock,
        "code_block_closing_tag": context.tags.closing,
        "code_block_opening_tag": context.tags.opening,
        "cpu_seconds": context.limits.cpu_time_ms.map(seconds),
        "custom_instructions": context.custom_instructions.as_deref().map(str::trim).unwrap_or_default(),
        "deferred_tools": deferred(&context.tools),
        "has_imports": !context.authorized_imports.is_empty(),
        "max_log_bytes": context.limits.max_log_bytes,
        "max_operations": context.limits.max_operations,
        "max_steps": context.limits.max_steps,
        "modules_prompt": modules,
        "random": context.random,
        "timeout_ms": context.limits.timeout_ms,
        "timeout_seconds": context.limits.timeout_ms.map(seconds),
        "timers": context.timers,
        "tool_names": names.join(", "),
        "tools_prompt": tools,
        "variables_prompt": variables,
    }))
}

/// How many tools are not declared, and in which namespaces they are: `120 tools (github: 80, slack: 40)`.
fn deferred(tools: &[ToolSpec]) -> String {
    let mut namespaces: Vec<(&str, usize)> = Vec::new();
    let mut count = 0;
    for tool in tools.iter().filter(|tool| tool.deferred) {
        count += 1;
        let Some((namespace, _)) = tool.name.split_once('.') else {
            continue;
        };
        match namespaces.iter_mut().find(|(known, _)| *known == namespace) {
            Some((_, count)) => *count += 1,
            None => namespaces.push((namespace, 1)),
        }
    }
    match count {
        0 => return String::new(),
        1 => return "1 more tool".to_owned(),
        _ => {}
    }
    let listed: Vec<String> = namespaces
        .iter()
        .map(|(name, count)| format!("{name}: {count}"))
        .collect();
    if listed.is_empty() {
        return format!("{count} more tools");
    }
    format!("{count} more tools ({})", listed.join(", "))
}

/// Milliseconds as seconds without needless zeros: `10`, `0.5`, `1.25`.
fn seconds(ms: u64) -> String {
    let fraction = format!("{:03}", ms % 1000);
    match fraction.trim_end_matches('0') {
        "" => (ms / 1000).to_string(),
        fraction => format!("{}.{fraction}", ms / 1000),
    }
}

fn unknown(name: &str) -> PromptError {
    PromptError::UnknownPlaceholder {
        name: name.to_owned(),
        known: PLACEHOLDERS,
    }
}

/// Counts blocks and parentheses that are open at once; a chain of `{{else if}}` nests like blocks do.
fn check_nesting(template: &str) -> Result<(), PromptError> {
    let (mut blocks, mut chain) = (0usize, 0usize);
    let mut expressions = template.split("{{");
    let mut line = expressions
        .next()
        .map_or(0, |text| text.matches('\n').count());
    for expression in expressions {
        let (inside, _) = expression.split_once("}}").unwrap_or((expression, ""));
        let inside = inside.trim_start_matches('~').trim();
        let parentheses = inside.matches('(').count();
        match inside.chars().next() {
            Some('#') => blocks += 1,
            Some('^') if inside.len() > 1 => blocks += 1,
            Some('/') => {
                blocks = blocks.saturating_sub(1);
                chain = 0;
            }
            _ if inside.starts_with("else ") => chain += 1,
            _ => {}
        }
        if blocks.max(chain).max(parentheses) > MAX_NESTING {
            return Err(PromptError::TemplateSyntax {
                message: format!("more than {MAX_NESTING} blocks or parentheses are open at once"),
                line: Some(line + 1),
                column: None,
            });
        }
        line += expression.matches('\n').count();
    }
    Ok(())
}

/// Checks names where they are written. Rendering alone would miss a branch not taken, and `{{#if typo}}`, which
/// Handlebars takes for false even in strict mode.
fn check_placeholders(template: &Template) -> Result<(), PromptError> {
    for element in &template.elements {
        match element {
            TemplateElement::Expression(helper) | TemplateElement::HtmlExpression(helper) => {
                if helper.params.is_empty() && helper.hash.is_empty() {
                    check_parameter(&helper.name)?;
                }
                check_arguments(helper)?;
            }
            TemplateElement::HelperBlock(helper) => {
                check_arguments(helper)?;
                // In these blocks plain names mean fields of an item; what is missing there shows when rendering.
                let rescoped = matches!(helper.name.as_name(), Some("each" | "with"));
                if !rescoped && let Some(inner) = &helper.template {
                    check_placeholders(inner)?;
                }
                if let Some(inverse) = &helper.inverse {
                    check_placeholders(inverse)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_arguments(helper: &HelperTemplate) -> Result<(), PromptError> {
    helper
        .params
        .iter()
        .chain(helper.hash.values())
        .try_for_each(check_parameter)
}

fn check_parameter(parameter: &Parameter) -> Result<(), PromptError> {
    match parameter {
        Parameter::Path(Path::Relative((segments, raw))) => match segments.first() {
            Some(PathSeg::Named(name)) if !PLACEHOLDERS.contains(&name.as_str()) => {
                Err(unknown(raw))
            }
            _ => Ok(()),
        },
        Parameter::Name(name) if !PLACEHOLDERS.contains(&name.as_str()) => Err(unknown(name)),
        Parameter::Subexpression(inner) => inner
            .params()
            .into_iter()
            .flatten()
            .chain(inner.hash().into_iter().flat_map(|hash| hash.values()))
            .try_for_each(check_parameter),
        _ => Ok(()),
    }
}
