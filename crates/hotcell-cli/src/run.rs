//! `hotcell run` and `hotcell eval`.

use std::path::Path;
use std::sync::OnceLock;

use hotcell::cell::{Level, Value};
use hotcell::meter::Unwatched;
use hotcell::prepare::{Diagnostic, Severity};
use hotcell::{
    CallRecord, ContentItem, Execution, Executor, ExecutorError, ExecutorOptions, LogEntry,
    ObservationOptions, Run, RunStats, Started, State, json::to_text,
};
use serde::Serialize;

use crate::args::{CellArgs, EvalArgs, OutputArgs, RunArgs, WaitArgs};
use crate::exit::{CliError, Exit};

use crate::paint::Paint;
use crate::source::Source;
use crate::{print, report, setup, source, wait};
use hotcell::inspect::inspect;

pub(crate) fn file(args: &RunArgs) -> Result<Exit, CliError> {
    let source = source::read(&args.file)?;
    run(&source, &args.wait, &args.output, &args.cell)
}

pub(crate) fn eval(args: &EvalArgs) -> Result<Exit, CliError> {
    let source = Source {
        name: "<eval>".into(),
        text: args.code.clone(),
    };
    run(&source, &args.wait, &args.output, &args.cell)
}

/// The options, with whoever listens.
pub(crate) fn options(output: &OutputArgs, cell: &CellArgs) -> Result<ExecutorOptions, CliError> {
    let mut options = setup::options(cell)?;
    if !output.json && !output.observation {
        options = options.on_log(show_log);
    }
    options = options.on_notify(show_progress);
    if let Some(path) = &output.events {
        options = options.on_event(wait::write_events(path)?);
    }
    Ok(options)
}

fn run(
    source: &Source,
    wait: &WaitArgs,
    output: &OutputArgs,
    cell: &CellArgs,
) -> Result<Exit, CliError> {
    let options = options(output, cell)?;
    pollster::block_on(async {
        // One for the code, one to compare snapshots with.
        let engine = setup::engine(2)?;
        let executor = setup::executor(&engine, cell, options).await?;
        wait::ask(&executor, wait, cell).await?;
        cancel_on_interrupt(&executor);
        let run = Run::new(&*source.text).name(&*source.name);
        let execution = match &wait.suspend_to {
            None => executor.execute(run).await,
            Some(file) => match executor.start(run).await {
                Started::Complete(execution) => execution,
                started => return wait::keep(&executor, started, file, output).await,
            },
        };
        let exit = conclude(&execution, source, output);
        if let Some(path) = &output.snapshot_out {
            match write_snapshot(&executor, path).await {
                // That the run failed says more than that nothing was kept of it.
                Err(error) if exit != Exit::Success => report::failure(&error),
                written => written?,
            }
        }
        setup::conclude(&executor, &cell.changes)?;
        Ok(exit)
    })
}

/// Shows what came of a run.
pub(crate) fn conclude(execution: &Execution, source: &Source, output: &OutputArgs) -> Exit {
    if output.json {
        show_json(execution)
    } else if output.observation {
        print::guest_line(&execution.observation(&observation_options(output)));
        execution.error.as_ref().map_or(Exit::Success, Exit::of)
    } else {
        show(execution, source)
    }
}

fn observation_options(output: &OutputArgs) -> ObservationOptions {
    let options = ObservationOptions::default();
    match output
        .max_characters
        .and_then(|most| usize::try_from(most).ok())
    {
        Some(most) => options.max_characters(most),
        None => options,
    }
}

/// Ctrl-C calls the run off. The second one does not wait for that.
pub(crate) fn cancel_on_interrupt(executor: &Executor) {
    static RUNNING: OnceLock<Executor> = OnceLock::new();
    let _ = RUNNING.set(executor.clone());
    // Without a handler Ctrl-C still ends the process, only with another exit code.
    let _ = ctrlc::set_handler(|| {
        let is_cancelled = RUNNING.get().is_some_and(Executor::cancel);
        if !is_cancelled {
            std::process::exit(i32::from(Exit::Cancelled.code()));
        }
    });
}

/// Shows a line of the console, as it comes.
pub(crate) fn show_log(entry: &LogEntry) {
    match entry.level {
        Level::Log | Level::Info => print::guest_line(&entry.message),
        Level::Warn | Level::Error => print::guest_error_line(&entry.message),
    }
}

fn show(execution: &Execution, source: &Source) -> Exit {
    show_content(execution);
    if let Some(error) = &execution.error {
        report::run_failure(error, &source.name, &source.text);
        return Exit::of(error);
    }
    show_warnings(execution, source);
    match &execution.output {
        Value::Undefined => {}
        Value::String(text) => print::guest_line(&text.to_str_lossy()),
        value => print::line(inspect(value, &Paint::stdout())),
    }
    Exit::Success
}

/// Shows what the code wanted to be seen: text as it is, of everything else its type and size.
pub(crate) fn show_content(execution: &Execution) {
    for item in &execution.content {
        print::guest_line(&item.note());
    }
}

/// Shows a line of progress, as it comes.
pub(crate) fn show_progress(text: &str) {
    print::guest_error_line(text);
}

/// Shows what there is to say about code that ran.
pub(crate) fn show_warnings(execution: &Execution, source: &Source) {
    let paint = Paint::stderr();
    for diagnostic in &execution.diagnostics {
        if diagnostic.severity != Severity::Info {
            print::error_line(report::finding(
                diagnostic,
                &source.name,
                &source.text,
                paint,
            ));
        }
    }
}

/// What is shown of a run beside its output.
#[derive(Serialize)]
struct Rest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a ExecutorError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logs: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_final_answer: Option<bool>,
    entries: &'a [LogEntry],
    content: &'a [ContentItem],
    diagnostics: &'a [Diagnostic],
    stats: &'a RunStats,
    calls: &'a [CallRecord],
}

fn show_json(execution: &Execution) -> Exit {
    // What was shown stands beside it, and not in it as well.
    let error = execution.error.clone().map(|mut error| {
        error.content = Vec::new();
        error
    });
    let error = error.as_ref();
    let is_ok = error.is_none();
    let exit = error.map_or(Exit::Success, Exit::of);
    let rest = serde_json::to_string(&Rest {
        error,
        logs: is_ok.then_some(&execution.logs),
        is_final_answer: is_ok.then_some(execution.is_final_answer),
        entries: &execution.entries,
        content: &execution.content,
        diagnostics: &execution.diagnostics,
        stats: &execution.stats,
        calls: &execution.calls,
    });
    // Texts and numbers, and a run that is over: there is nothing to fail with.
    let rest = rest.unwrap_or_default();
    let output = to_text(&execution.output, &Unwatched).unwrap_or_default();
    let output = if is_ok {
        format!(r#""output":{output},"#)
    } else {
        String::new()
    };
    let code = exit.code();
    // One object, written in parts: as a tree the output would take many times its room.
    print::line(format_args!(
        r#"{{"version":1,"ok":{is_ok},"exitCode":{code},{output}{}"#,
        rest.get(1..).unwrap_or_default()
    ));
    exit
}

/// Keeps the state in a file. After a run that was torn out there is none.
pub(crate) async fn write_snapshot(executor: &Executor, path: &Path) -> Result<(), CliError> {
    if executor.state() != State::Ready {
        return Err(CliError::Usage(format!(
            "there is no state to keep in {}: the run had to be torn out of the cell",
            path.display()
        )));
    }
    let snapshot = executor.snapshot().await?;
    std::fs::write(path, snapshot).map_err(CliError::file("write", path))
}
