//! `hotcell resume`.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hotcell::cell::ToolError;
use hotcell::{AgentTool, Answer, Executor, ExecutorOptions, Started, inspect_snapshot};

use crate::args::ResumeArgs;
use crate::exit::{CliError, Exit};
use crate::source::Source;
use crate::{inspect, run, setup, wait};

pub(crate) fn resume(args: &ResumeArgs) -> Result<Exit, CliError> {
    if !args.has_answers() {
        let snapshot = read(&args.file, args)?;
        return inspect::show(&snapshot, &args.file, &options(args)?, args.output.json);
    }
    let claim = Claim::take(&args.file)?;
    let snapshot = read(&claim.path, args)?;
    let options = options(args)?;
    let no_snapshot = |error| setup::no_snapshot(&args.file, &error);
    let info = inspect_snapshot(&snapshot, &options).map_err(no_snapshot)?;
    let Some(suspended) = info.run else {
        return Err(CliError::Content {
            file: args.file.display().to_string(),
            problem: "no run waits in it: --snapshot-in takes it".into(),
        });
    };
    let source = Source {
        name: suspended.name,
        text: suspended.code,
    };
    pollster::block_on(async {
        let engine = setup::engine(2)?;
        let executor = Executor::restore_with_engine(&engine, &snapshot, Some(options))
            .map_err(|error| setup::no_snapshot(&args.file, &error))?;
        connect(&executor, args, info.tools).await?;
        run::cancel_on_interrupt(&executor);
        let started = match executor.resume(answers(args)).await {
            Ok(started) => started,
            // Nothing was taken, and the file gets its name back.
            Err(error) => return Err(CliError::Usage(error.message)),
        };
        match started {
            Started::Complete(execution) => {
                // It is over, whatever is said of it.
                claim.spend()?;
                let exit = run::conclude(&execution, &source, &args.output);
                if let Some(path) = &args.output.snapshot_out {
                    run::write_snapshot(&executor, path).await?;
                }
                setup::conclude(&executor, &args.cell.changes)?;
                Ok(exit)
            }
            started => {
                let file = args.wait.suspend_to.as_ref().unwrap_or(&args.file);
                let exit = wait::keep(&executor, started, file, &args.output).await?;
                claim.spend()?;
                Ok(exit)
            }
        }
    })
}

fn options(args: &ResumeArgs) -> Result<ExecutorOptions, CliError> {
    run::options(&args.output, &args.cell)
}

fn read(path: &Path, args: &ResumeArgs) -> Result<Vec<u8>, CliError> {
    setup::read_at_most(path, args.cell.memory.saturating_mul(2))
}

fn answers(args: &ResumeArgs) -> Vec<(String, Answer)> {
    let values = args.answers.iter();
    let mut answers: Vec<_> = values
        .map(|one| (one.call.clone(), Answer::Value(one.value.clone())))
        .collect();
    answers.extend(args.failures.iter().map(|one| {
        let error = ToolError::from(one.text.as_str());
        (one.call.clone(), Answer::Error(error))
    }));
    let approved = args.approvals.iter();
    answers.extend(approved.map(|call| (call.clone(), Answer::Approve)));
    let denied = args.denials.iter();
    answers.extend(denied.map(|one| (one.call.clone(), Answer::Deny(one.text.clone()))));
    answers
}

/// Connects the tools of the snapshot again: those on files, and all others as what they can only be here, functions that somebody
/// answers. What options bring is there already.
async fn connect(
    executor: &Executor,
    args: &ResumeArgs,
    names: Vec<String>,
) -> Result<(), CliError> {
    let names: BTreeSet<String> = names.into_iter().collect();
    let mut known = executor.tools();
    known.retain(|spec| names.contains(&spec.name));
    setup::furnish(executor, &args.cell).await?;
    let of_files = setup::file_tool_specs(&args.cell.files)?;
    let others = known
        .into_iter()
        .filter(|spec| !of_files.iter().any(|own| own.name == spec.name));
    let others: Vec<_> = others
        .map(|spec| {
            let name = spec.name.clone();
            (name, AgentTool::with_spec(AgentTool::suspending(), spec))
        })
        .collect();
    executor.send_tools(others).await?;
    if args.wait.ask.is_empty() {
        return Ok(());
    }
    let wait = crate::args::WaitArgs {
        suspend_to: Some(args.file.clone()),
        ask: args.wait.ask.clone(),
    };
    wait::ask(executor, &wait, &args.cell).await
}

/// A file that this process has taken, so that no other goes on with the same run.
struct Claim {
    file: PathBuf,
    path: PathBuf,
    is_spent: bool,
}

impl Claim {
    fn take(file: &Path) -> Result<Self, CliError> {
        let mut path = file.as_os_str().to_owned();
        path.push(".resuming");
        let path = PathBuf::from(path);
        // A name that is there already is not taken over: a link is made of the file, or not.
        let taken = fs::hard_link(file, &path).and_then(|()| fs::remove_file(file));
        match taken {
            Ok(()) => Ok(Self {
                file: file.to_owned(),
                path,
                is_spent: false,
            }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists || path.exists() => {
                Err(CliError::Usage(format!(
                    "{} is being resumed by another process; if that is gone, give {} its name back",
                    file.display(),
                    path.display()
                )))
            }
            Err(error) => Err(CliError::file("take", file)(error)),
        }
    }

    /// What was in it has happened.
    fn spend(mut self) -> Result<(), CliError> {
        self.is_spent = true;
        fs::remove_file(&self.path).map_err(CliError::file("remove", &self.path))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if !self.is_spent {
            // If that fails, the file is there under its other name, and is not lost.
            let _ = fs::rename(&self.path, &self.file);
        }
    }
}
