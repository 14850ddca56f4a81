//! From the command line to an executor that is ready.

use std::path::Path;
use std::sync::Arc;

use hotcell_cell::{Engine, EngineOptions, SnapshotKey};
use hotcell_executor::{AgentTool, Executor, ExecutorOptions, file_tools};
use hotcell_prompt::ToolSpec;
use hotcell_tools::FileTools;
use hotcell_vfs::{Access, HostVfs, Vfs, VfsPath, View};

use crate::args::CellArgs;
use crate::exit::CliError;
use crate::source;

/// The tools that change files.
const WRITING: [&str; 4] = ["write", "writeTool", "edit", "editTool"];

/// The options that the command line asks for.
pub(crate) fn options(args: &CellArgs) -> Result<ExecutorOptions, CliError> {
    let mut options = ExecutorOptions::default()
        .timeout(args.timeout)
        .max_operations(args.max_operations)
        .memory_limit(args.memory)
        .clock(args.clock)
        .random(args.random)
        .authorized_imports(args.imports.iter().map(|import| import.name.clone()));
    if let Some(bytes) = args.max_host_memory {
        options = options.max_host_memory(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
    if let Some(path) = &args.snapshot_key {
        options = options.snapshot_key(snapshot_key(path)?);
    }
    for import in &args.imports {
        options = options.module(&*import.name, source::read(&import.path)?.text);
    }
    Ok(options)
}

/// The key that a file holds, without the line break that editors put at its end.
fn snapshot_key(path: &Path) -> Result<SnapshotKey, CliError> {
    let secret = std::fs::read(path).map_err(CliError::file("read", path))?;
    let secret = secret.trim_ascii_end();
    if secret.len() < 16 {
        return Err(CliError::Content {
            file: path.display().to_string(),
            problem: "a key has at least 16 bytes that are hard to guess".into(),
        });
    }
    Ok(SnapshotKey::from_secret(secret))
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
        let snapshot = std::fs::read(path).map_err(CliError::file("read", path))?;
        Executor::restore_with_engine(engine, &snapshot, Some(options)).map_err(|error| {
            let finding = error
                .diagnostics()
                .first()
                .and_then(|one| one.get("message"));
            let problem = finding.and_then(|message| message.as_str());
            CliError::Content {
                file: path.display().to_string(),
                problem: problem.unwrap_or(&error.message).to_owned(),
            }
        })?
    } else {
        let executor = Executor::with_engine(engine, options);
        executor.init().await?;
        executor
    };
    furnish(&executor, args).await?;
    Ok(executor)
}

/// Sends tools and variables, which a fresh cell does not have.
pub(crate) async fn furnish(executor: &Executor, args: &CellArgs) -> Result<(), CliError> {
    if let Some(dir) = &args.workspace {
        executor
            .send_tools(workspace_tools(dir, args.read_only)?)
            .await?;
    }
    if !args.variables.is_empty() {
        let variables = args
            .variables
            .iter()
            .map(|one| (one.name.clone(), one.value.clone()));
        executor.send_variables(variables).await?;
    }
    Ok(())
}

/// The file tools on a directory of this machine, by all their names.
fn workspace_tools(dir: &Path, read_only: bool) -> Result<Vec<(String, AgentTool)>, CliError> {
    let access = if read_only {
        Access::ReadOnly
    } else {
        Access::ReadWrite
    };
    let host = HostVfs::open(dir, access).map_err(CliError::file("open", dir))?;
    let view =
        View::confined(Arc::new(host) as Arc<dyn Vfs>, VfsPath::new("/")).map_err(|error| {
            CliError::Content {
                file: dir.display().to_string(),
                problem: error.to_string(),
            }
        })?;
    let mut tools = file_tools(&FileTools::new(Arc::new(view), "/"));
    if read_only {
        tools.retain(|(name, _)| !WRITING.contains(&name.as_str()));
    }
    Ok(tools)
}

/// What a model is told of the file tools. The directory must be there: a prompt for one that is not is a mistake.
pub(crate) fn file_tool_specs(dir: &Path, read_only: bool) -> Result<Vec<ToolSpec>, CliError> {
    HostVfs::open(dir, Access::ReadOnly).map_err(CliError::file("open", dir))?;
    let specs = FileTools::list()
        .into_iter()
        .filter(|info| !read_only || !WRITING.contains(&info.name))
        .map(|info| {
            ToolSpec::new(info.name)
                .description(info.description)
                .parameters(info.arguments)
                .returns(info.result)
        });
    Ok(specs.collect())
}
