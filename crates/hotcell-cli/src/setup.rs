//! From the command line to an executor that is ready.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use hotcell::cell::{Engine, EngineOptions, SnapshotKey};
use hotcell::prompt::ToolSpec;
use hotcell::vfs::Access;
use hotcell::{Executor, ExecutorError, ExecutorOptions, Files, file_tool_specs as specs_of};

use crate::args::{CellArgs, ChangesArgs, FilesArgs};
use crate::exit::CliError;
use crate::{changes, source};

/// The options that the command line asks for.
pub(crate) fn options(args: &CellArgs) -> Result<ExecutorOptions, CliError> {
    args.isolation.check()?;
    if args.timeout.0.is_none() && args.cpu_time.is_none() {
        let problem = "--timeout none needs --cpu-time: one of both has to end a run";
        return Err(CliError::Usage(problem.into()));
    }
    let mut options = args
        .isolation
        .of_executor(ExecutorOptions::default())
        .timeout(args.timeout.0)
        .max_operations(args.max_operations)
        .memory_limit(args.memory)
        .max_log_bytes(usize::try_from(args.max_log).unwrap_or(usize::MAX))
        .clock(args.clock)
        .random(args.random)
        .content(args.content)
        .timers(args.timers)
        .authorized_imports(args.imports.iter().map(|import| import.name.clone()));
    if let Some(time) = args.cpu_time {
        options = options.cpu_time(time);
    }
    if let Some(bytes) = args.max_host_memory {
        options = options.max_host_memory(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
    if let Some(path) = &args.snapshot_key {
        options = options.snapshot_key(snapshot_key(path)?);
    }
    for import in &args.imports {
        options = options.module(&*import.name, module_source(&import.path)?);
    }
    Ok(options)
}

/// The longest file that is taken for a key.
const MAX_KEY_BYTES: u64 = 64 << 10;

/// The key that a file holds, without the line break that editors put at its end.
pub(crate) fn snapshot_key(path: &Path) -> Result<SnapshotKey, CliError> {
    let secret = read_at_most(path, MAX_KEY_BYTES)?;
    let secret = secret.trim_ascii_end();
    if secret.len() < 16 {
        return Err(CliError::Content {
            file: path.display().to_string(),
            problem: "a key has at least 16 bytes that are hard to guess".into(),
        });
    }
    Ok(SnapshotKey::from_secret(secret))
}

/// What a file holds, unless it is longer: there are files without an end.
pub(crate) fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, CliError> {
    let failed = CliError::file("read", path);
    let mut bytes = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(most.saturating_add(1)).read_to_end(&mut bytes));
    if let Err(error) = read {
        return Err(failed(error));
    }
    if bytes.len() as u64 > most {
        return Err(CliError::Content {
            file: path.display().to_string(),
            problem: format!("it has more than {most} bytes"),
        });
    }
    Ok(bytes)
}

/// An engine for at most so many cells.
pub(crate) fn engine(cells: u32) -> Result<Engine, CliError> {
    Ok(Engine::with_options(
        &EngineOptions::default().max_cells(cells),
    )?)
}

/// An executor with everything that the command line gives it.
pub(crate) async fn executor(
    engine: &Engine,
    args: &CellArgs,
    options: ExecutorOptions,
) -> Result<Executor, CliError> {
    let executor = if let Some(path) = &args.snapshot_in {
        // Nothing that is larger fits into the cell, however well it is packed.
        let snapshot = read_at_most(path, args.memory.saturating_mul(2))?;
        Executor::restore_with_engine(engine, &snapshot, Some(options))
            .map_err(|error| no_snapshot(path, &error))?
    } else {
        let executor = Executor::with_engine(engine, options);
        executor.init().await?;
        executor
    };
    furnish(&executor, args).await?;
    Ok(executor)
}

/// A file does not hold what was expected.
pub(crate) fn no_snapshot(path: &Path, error: &ExecutorError) -> CliError {
    let finding = error
        .diagnostics()
        .first()
        .and_then(|one| one.get("message"));
    let problem = finding.and_then(|message| message.as_str());
    let problem = problem.unwrap_or(&error.message);
    CliError::Content {
        file: path.display().to_string(),
        problem: match error.hint() {
            Some(hint) => format!("{problem} ({hint})"),
            None => problem.to_owned(),
        },
    }
}

/// Sends tools and variables, which a fresh cell does not have.
pub(crate) async fn furnish(executor: &Executor, args: &CellArgs) -> Result<(), CliError> {
    if let Some(files) = files(&args.files)? {
        executor.enable_files(&files).await?;
    }
    send_variables(executor, args).await
}

/// Sends the variables of the command line.
pub(crate) async fn send_variables(executor: &Executor, args: &CellArgs) -> Result<(), CliError> {
    if !args.variables.is_empty() {
        let variables = args
            .variables
            .iter()
            .map(|one| (one.name.clone(), one.value.clone()));
        executor.send_variables(variables).await?;
    }
    Ok(())
}

/// The files that the command line gives to code.
pub(crate) fn files(args: &FilesArgs) -> Result<Option<Files>, CliError> {
    if args.scratch {
        return Ok(Some(Files::memory()));
    }
    let Some(dir) = &args.workspace else {
        return Ok(None);
    };
    let opened = if args.overlay {
        Files::overlay(dir)
    } else if args.read_only {
        Files::directory(dir, Access::ReadOnly)
    } else {
        Files::directory(dir, Access::ReadWrite)
    };
    Ok(Some(opened.map_err(CliError::file("open", dir))?))
}

/// What a model is told of the file tools. The directory must be there: a prompt for one that is not is a mistake.
pub(crate) fn file_tool_specs(args: &FilesArgs) -> Result<Vec<ToolSpec>, CliError> {
    let files = files(args)?;
    Ok(files.as_ref().map(specs_of).unwrap_or_default())
}

/// Does with changes that were kept apart what the command line says.
pub(crate) fn conclude(executor: &Executor, args: &ChangesArgs) -> Result<(), CliError> {
    for files in executor.files() {
        let Some(lower) = files.lower() else {
            continue;
        };
        if args.diff {
            changes::print_diff(lower, files.vfs())?;
        }
        if args.commit {
            files
                .apply()
                .map_err(|error| CliError::Usage(error.to_string()))?;
        }
    }
    Ok(())
}

/// The source of a module. One of a JSON file is its content.
pub(crate) fn module_source(path: &Path) -> Result<String, CliError> {
    let text = source::read(path)?.text;
    if path.extension().is_none_or(|ending| ending != "json") {
        return Ok(text);
    }
    let json: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| CliError::Content {
            file: path.display().to_string(),
            problem: error.to_string(),
        })?;
    let quoted = serde_json::Value::from(json.to_string());
    Ok(format!("export default JSON.parse({quoted});"))
}
