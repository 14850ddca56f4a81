//! Runs that wait for answers, in files.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use hotcell::json::to_json;
use hotcell::{
    AgentTool, Event, Executor, Permission, Started, SuspendReason, Suspension, file_tools,
};
use serde_json::json;

use crate::args::{CellArgs, OutputArgs, WaitArgs};
use crate::exit::{CliError, Exit};
use crate::paint::{Ink, Paint};
use crate::{print, setup};

/// Of the arguments of a call so many characters are shown.
const SHOWN: usize = 200;

/// Gives the code what `--ask` names: file tools that need consent, or functions that somebody answers.
pub(crate) async fn ask(
    executor: &Executor,
    wait: &WaitArgs,
    cell: &CellArgs,
) -> Result<(), CliError> {
    if wait.ask.is_empty() {
        return Ok(());
    }
    if wait.suspend_to.is_none() {
        return Err(CliError::Usage(
            "--ask makes the run wait: say with --suspend-to where to keep it".into(),
        ));
    }
    let of_files = match executor.files().first() {
        Some(files) => file_tools(files),
        None => setup::files(&cell.files)?
            .map(|files| file_tools(&files))
            .unwrap_or_default(),
    };
    let tools = wait.ask.iter().map(|name| {
        let file_tool = of_files.iter().find(|(known, _)| known == name);
        let tool = match file_tool {
            Some((_, tool)) => tool.clone().permission(Permission::Ask),
            None => AgentTool::suspending(),
        };
        (name.clone(), tool)
    });
    executor.send_tools(tools.collect::<Vec<_>>()).await?;
    Ok(())
}

/// Keeps a run that waits in a file, and says what it waits for.
pub(crate) async fn keep(
    executor: &Executor,
    started: Started,
    file: &Path,
    output: &OutputArgs,
) -> Result<Exit, CliError> {
    let Started::Suspended(suspension) = started else {
        return Err(CliError::Usage("the run neither ended nor waits".into()));
    };
    let snapshot = executor.snapshot().await?;
    replace(file, &snapshot)?;
    if output.json {
        print::line(as_json(&suspension, file));
    } else {
        let paint = Paint::stderr();
        let mut text = format!(
            "{} the run waits for answers, and is kept in {}",
            paint.ink(Ink::Cyan, "suspended:"),
            file.display()
        );
        for call in &suspension.calls {
            let arguments: Vec<String> = call
                .arguments
                .iter()
                .map(|value| to_json(value).to_string())
                .collect();
            text.push_str("\n  ");
            let line = line(&call.id, &call.tool, &arguments.join(", "), call.reason);
            text.push_str(&print::for_stderr(&line));
        }
        print::error_line(text);
    }
    Ok(Exit::Suspended)
}

fn as_json(suspension: &Suspension, file: &Path) -> serde_json::Value {
    let calls = suspension.calls.iter().map(|call| {
        json!({
            "id": call.id,
            "tool": call.tool,
            "arguments": call.arguments.iter().map(to_json).collect::<Vec<_>>(),
            "reason": call.reason,
        })
    });
    json!({
        "version": 1,
        "ok": true,
        "exitCode": Exit::Suspended.code(),
        "status": "suspended",
        "file": file,
        "calls": calls.collect::<Vec<_>>(),
        "made": suspension.made,
        "logs": suspension.logs,
        "entries": suspension.entries,
        "content": suspension.content,
        "stats": suspension.stats,
    })
}

/// One call that waits, for a person.
pub(crate) fn line(id: &str, tool: &str, arguments: &str, reason: SuspendReason) -> String {
    let shown: String = arguments.chars().take(SHOWN).collect();
    let more = if shown.len() < arguments.len() {
        "…"
    } else {
        ""
    };
    let todo = match reason {
        SuspendReason::Approval => format!("needs consent: --approve {id}, or --deny {id}=REASON"),
        _ => format!("needs an answer: --answer {id}=JSON, or --fail {id}=MESSAGE"),
    };
    // Whoever wrote a snapshot wrote this, and must not make two lines of it.
    format!("{id}  {tool}({shown}{more})  {todo}").replace('\n', "\\n")
}

/// Puts a file in the place of another, all of it or nothing.
pub(crate) fn replace(file: &Path, content: &[u8]) -> Result<(), CliError> {
    let mut beside = file.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let beside = PathBuf::from(beside);
    let written = File::create(&beside)
        .and_then(|mut new| new.write_all(content).and_then(|()| new.sync_all()))
        .and_then(|()| std::fs::rename(&beside, file));
    if written.is_err() {
        // What is left of it is of no use.
        let _ = std::fs::remove_file(&beside);
    }
    written.map_err(CliError::file("write", file))
}

/// Writes each event as a line.
pub(crate) fn write_events(
    path: &Path,
) -> Result<impl Fn(&Event) + Send + Sync + 'static, CliError> {
    let file = File::create(path).map_err(CliError::file("write", path))?;
    let file = Mutex::new(BufWriter::new(file));
    Ok(move |event: &Event| {
        if let (Ok(mut file), Ok(text)) = (file.lock(), serde_json::to_string(event)) {
            // A file that cannot be written to any more is no reason to end the run.
            let _ = writeln!(file, "{text}").and_then(|()| file.flush());
        }
    })
}
