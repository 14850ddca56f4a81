//! A sandbox in the hands of an agent: the tools `bash`, `read`, `write`, `edit`, `grep`, `find` and `ls` on the same files.

use std::sync::Arc;

use hotcell_cell::{ToolCall, ToolError, Value};
use hotcell_executor::{AgentTool, Companion, Files, file_tools};
use hotcell_vfs::VfsPath;
use serde_json::json;

use crate::{
    command::Command,
    error::SandboxError,
    options::SandboxOptions,
    result::{RunResult, Truncated},
    sandbox::Sandbox,
};

/// The name of the tool.
const BASH: &str = "bash";

const DESCRIPTION: &str = "Run a command in a bash-like shell with the usual utilities. It works on the same files as the file \
    tools; variables, functions and the working directory stay from call to call. The answer has the exit code and what was \
    printed; a command that fails does not throw.";

impl Sandbox {
    /// `bash(command)`, and the file tools on the directory that commands begin in: for
    /// [`Executor::send_tools`](hotcell_executor::Executor::send_tools), or, so that forks and snapshots of the executor take the
    /// sandbox along, [`Executor::attach`](hotcell_executor::Executor::attach).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hotcell_executor::{Executor, ExecutorOptions};
    /// use hotcell_sandbox::{Sandbox, SandboxOptions};
    ///
    /// # pollster::block_on(async {
    /// let sandbox = Sandbox::create(SandboxOptions::default()).unwrap();
    /// let executor = Executor::new(ExecutorOptions::default());
    /// executor.init().await?;
    /// executor.attach(Arc::new(sandbox)).await?;
    /// let step = executor.run("
    ///     await write('names.txt', 'tea\\ncake\\n');
    ///     const sorted = await bash('sort names.txt | tee sorted.txt');
    ///     final_answer([sorted.exitCode, sorted.stdout, (await read('sorted.txt')).content])
    /// ").await?;
    /// assert_eq!(step.output.at(1).and_then(|text| text.as_str()), Some("cake\ntea\n"));
    /// # Ok::<(), hotcell_executor::ExecutorError>(()) }).unwrap();
    /// ```
    pub fn tools(&self) -> Vec<(String, AgentTool)> {
        let mut tools = vec![(BASH.to_owned(), self.bash())];
        if let Ok(world) = self.world() {
            let root = VfsPath::ROOT.join(&self.0.options.cwd);
            tools.extend(file_tools(&Files::of(world.tree, root)));
        }
        tools
    }

    fn bash(&self) -> AgentTool {
        let sandbox = self.clone();
        AgentTool::asynchronous(move |call: ToolCall| {
            let sandbox = sandbox.clone();
            async move {
                let command = command_of(&call)?;
                let result = sandbox.run(command).await;
                result.map(|result| answer(&result)).map_err(refused)
            }
        })
        .ends_with_run()
        .description(DESCRIPTION)
        .parameters(json!({
            "type": "object",
            "properties": {
                "command": { "type": "string", "description": "A line, or a whole script" },
                "stdin": { "type": "string", "description": "What it reads from standard input" },
                "timeoutMs": { "type": "number", "description": "How long it may take" },
            },
            "required": ["command"],
        }))
        .returns(json!({
            "type": "object",
            "properties": {
                "exitCode": { "type": "integer" },
                "stdout": { "type": "string" },
                "stderr": { "type": "string" },
                "error": { "type": "string", "description": "What the sandbox has to say: a limit, a refusal" },
                "truncated": { "type": "boolean", "description": "Whether a part of the output is missing" },
            },
            "required": ["exitCode", "stdout", "stderr"],
        }))
    }

    /// What makes a sandbox with these options of the bytes that a snapshot of an executor has of one: for
    /// [`ExecutorOptions::on_companion`](hotcell_executor::ExecutorOptions::on_companion).
    pub fn restorer(
        options: SandboxOptions,
    ) -> impl Fn(&[u8]) -> Result<Arc<dyn Companion>, String> + Send + Sync + 'static {
        move |bytes| match Self::restore(bytes, options.clone()) {
            Ok(sandbox) => Ok(Arc::new(sandbox) as Arc<dyn Companion>),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Companion for Sandbox {
    fn tools(&self) -> Vec<(String, AgentTool)> {
        Self::tools(self)
    }

    fn fork(&self) -> Result<Arc<dyn Companion>, String> {
        match Self::fork(self) {
            Ok(fork) => Ok(Arc::new(fork)),
            Err(error) => Err(error.to_string()),
        }
    }

    fn snapshot(&self) -> Result<Vec<u8>, String> {
        Self::snapshot(self).map_err(|error| error.to_string())
    }
}

/// `bash(command, stdin, timeoutMs)`, or one object. The boundary has made an object of positions, and checked it.
fn command_of(call: &ToolCall) -> Result<Command, ToolError> {
    let given = call.argument(0);
    let text = |name: &str| given.get(name).and_then(Value::as_str).map(str::to_owned);
    let command = text("command").or_else(|| given.as_str().map(str::to_owned));
    let Some(command) = command else {
        return Err(ToolError::new(
            "TypeError",
            "bash: the command is a string, as in bash('ls')",
        ));
    };
    let mut command = Command::new(command);
    if let Some(stdin) = text("stdin") {
        command = command.stdin(stdin);
    }
    if let Some(timeout) = given.get("timeoutMs").and_then(Value::as_f64) {
        let timeout = std::time::Duration::try_from_secs_f64(timeout / 1000.0);
        let timeout = timeout.map_err(|_| {
            ToolError::new("RangeError", "bash: timeoutMs is a number of milliseconds")
        })?;
        command = command.timeout(timeout);
    }
    Ok(command)
}

fn answer(result: &RunResult) -> Value {
    let text = |bytes: &[u8]| Value::from(&*String::from_utf8_lossy(bytes));
    let mut answer = vec![
        ("exitCode", Value::from(result.exit_code)),
        ("stdout", text(&result.stdout)),
        ("stderr", text(&result.stderr)),
    ];
    if let Some(error) = &result.error {
        answer.push(("error", Value::from(&**error)));
    }
    if result.truncated != Truncated::default() {
        answer.push(("truncated", Value::from(true)));
    }
    Value::object(answer)
}

#[expect(clippy::needless_pass_by_value, reason = "made for map_err")]
fn refused(error: SandboxError) -> ToolError {
    ToolError::from(format!("bash: {error}"))
}
