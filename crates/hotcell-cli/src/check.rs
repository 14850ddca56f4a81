//! `hotcell check`: what is wrong with code, without running it.

use hotcell::cell::{Tool, Value};
use hotcell::prepare::{Diagnostic, rule};
use hotcell::prompt::{ToolMode, ToolSpec};
use hotcell::{AgentTool, Executor, ExecutorOptions, Module};
use serde_json::json;

use crate::args::CheckArgs;
use crate::exit::{CliError, Exit};
use crate::paint::Paint;
use crate::{print, prompt, report, setup, source};

pub(crate) fn check(args: &CheckArgs) -> Result<Exit, CliError> {
    let source = source::read(&args.file)?;
    let diagnostics = findings(args, &source.text)?;
    let is_ok = !diagnostics.iter().any(Diagnostic::is_error);

    if args.json {
        print::line(json!({"version": 1, "ok": is_ok, "diagnostics": diagnostics}));
    } else {
        let paint = Paint::stdout();
        for diagnostic in &diagnostics {
            print::line(report::finding(
                diagnostic,
                &source.name,
                &source.text,
                paint,
            ));
            print::line("");
        }
        if diagnostics.is_empty() {
            print::line(format_args!("{}: nothing to complain about", source.name));
        } else {
            print::line(format_args!(
                "{}: {}",
                source.name,
                report::summary(&diagnostics)
            ));
        }
    }
    Ok(if is_ok { Exit::Success } else { Exit::Failed })
}

/// What an executor with these tools and names would say.
fn findings(args: &CheckArgs, code: &str) -> Result<Vec<Diagnostic>, CliError> {
    let mut options = ExecutorOptions::default()
        .authorized_imports(args.imports.iter().map(|import| import.name.clone()));
    for import in &args.imports {
        if let Some(path) = &import.path {
            options = options.module(&*import.name, Module::source(setup::module_source(path)?));
        }
    }
    let mut tools: Vec<ToolSpec> = args.tool_names.iter().map(ToolSpec::new).collect();
    if let Some(path) = &args.tools {
        tools.extend(prompt::tools_of(path)?);
    }
    let files = setup::files(&args.files)?;
    let names: Vec<&str> = args
        .variables
        .iter()
        .map(|text| text.split_once('=').map_or(&**text, |(name, _)| name))
        .collect();
    // Of code whose surroundings nobody told of, no name is wrong.
    let is_told = !tools.is_empty() || files.is_some() || !names.is_empty();
    let executor = Executor::with_engine(&setup::engine(1)?, options);
    pollster::block_on(async {
        executor.init().await?;
        if let Some(files) = &files {
            executor.enable_files(files).await?;
        }
        let tools = tools.into_iter();
        let tools = tools.map(|spec| (spec.name.clone(), described(spec)));
        executor.send_tools(tools).await?;
        let variables = names.iter().map(|name| (*name, Value::Undefined));
        executor.send_variables(variables).await?;
        let mut diagnostics = executor.validate(code);
        if !is_told {
            diagnostics.retain(|one| one.rule != rule::UNKNOWN_NAME);
        }
        Ok(diagnostics)
    })
}

/// A tool that nobody will call.
fn described(spec: ToolSpec) -> AgentTool {
    let tool = match spec.mode {
        ToolMode::Sync => Tool::sync(|_| Ok(Value::Undefined)),
        ToolMode::Stream => Tool::paged(|_| async { Ok(Value::Undefined) }),
        ToolMode::Async => Tool::asynchronous(|_| async { Ok(Value::Undefined) }),
    };
    AgentTool::with_spec(tool, spec)
}
