//! `hotcell prompt`: what a model is told before it writes code.

use std::path::Path;
use std::time::Duration;

use hotcell::Module;
use hotcell::cell::{Clock, Random, Timers};
use hotcell::prompt::{
    CodeTags, Limits, PromptContext, ToolSpec, VariableSpec, render_system_prompt, render_template,
};
use serde_json::Value as Json;

use crate::args::PromptArgs;
use crate::exit::{CliError, Exit};
use crate::{print, setup, source};

pub(crate) fn prompt(args: &PromptArgs) -> Result<Exit, CliError> {
    let context = context(args)?;
    let prompt = match &args.template {
        None => render_system_prompt(&context),
        Some(template) => render_template(&source::read(template)?.text, &context),
    };
    let prompt = prompt.map_err(|error| CliError::Usage(error.to_string()))?;
    print::text(prompt);
    Ok(Exit::Success)
}

fn context(args: &PromptArgs) -> Result<PromptContext, CliError> {
    let mut tools = match &args.tools {
        Some(path) => tools_of(path)?,
        None => Vec::new(),
    };
    tools.extend(setup::file_tool_specs(&args.files)?);
    let mut modules = Vec::new();
    for import in &args.imports {
        if let Some(path) = &import.path {
            let module = Module::source(setup::module_source(path)?);
            modules.push(module.spec(&import.name));
        }
    }
    let custom_instructions = match args.instructions.as_deref() {
        Some(text) => Some(match text.strip_prefix('@') {
            Some(path) => source::read(Path::new(path))?.text.trim_end().to_owned(),
            None => text.to_owned(),
        }),
        None => None,
    };
    let tags = match args.tags.as_deref() {
        Some([opening, closing]) => CodeTags::new(opening, closing),
        _ => CodeTags::default(),
    };
    let variables = args
        .variables
        .iter()
        .map(|text| match text.split_once(':') {
            Some((name, of)) => VariableSpec::new(name.trim()).type_text(of.trim()),
            None => VariableSpec::new(text.trim()),
        });
    Ok(PromptContext {
        tools,
        variables: variables.collect(),
        authorized_imports: args.imports.iter().map(|one| one.name.clone()).collect(),
        modules,
        tags,
        custom_instructions,
        limits: Limits {
            max_operations: args.max_operations,
            timeout_ms: args.timeout.0.map(millis),
            cpu_time_ms: args.cpu_time.map(millis),
            max_steps: args.max_steps,
            max_log_bytes: args.max_log,
        },
        clock: args.clock != Clock::Off,
        random: args.random != Random::Off,
        timers: args.timers != Timers::Off,
    })
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A list of tools, alone or as what an MCP server answers to `tools/list`.
pub(crate) fn tools_of(path: &Path) -> Result<Vec<ToolSpec>, CliError> {
    let source = source::read(path)?;
    let wrong = |error: serde_json::Error| CliError::Content {
        file: source.name.clone(),
        problem: error.to_string(),
    };
    let mut json: Json = serde_json::from_str(&source.text).map_err(wrong)?;
    if let Some(tools) = json.get_mut("tools") {
        json = tools.take();
    }
    serde_json::from_value(json).map_err(wrong)
}
