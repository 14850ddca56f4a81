//! Tools as an agent's host describes them.

use std::{future::Future, sync::Arc};

use hotcell_cell::{Reply, Tool, ToolCall, ToolError, ToolKind, Value};
use hotcell_prompt::{ToolMode, ToolSpec};
use serde_json::Value as Json;

use crate::{approval::Permission, files::Files};

/// A [`Tool`] with what the model has to know of it, and what the boundary has to check.
///
/// ```
/// use hotcell_cell::Value;
/// use hotcell_executor::AgentTool;
/// use serde_json::json;
///
/// let add = AgentTool::sync(|call| {
///     let sum: f64 = call.arguments.iter().filter_map(Value::as_f64).sum();
///     Ok(Value::from(sum))
/// })
/// .description("Adds two numbers")
/// .parameters(json!({
///     "type": "object",
///     "properties": { "a": { "type": "number" }, "b": { "type": "number" } },
///     "required": ["a", "b"],
/// }))
/// .positional();
/// ```
#[derive(Debug, Clone)]
#[must_use]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a word of its own that a host can say of a tool"
)]
pub struct AgentTool {
    pub(crate) tool: Tool,
    /// Its name is given when it is sent.
    pub(crate) spec: ToolSpec,
    pub(crate) permission: Permission,
    /// Whether it checks its arguments itself.
    pub(crate) is_self_checking: bool,
    /// Whether its calls end with the run that made them.
    pub(crate) ends_with_run: bool,
    /// Whether it is known to return a promise, though its kind does not say so.
    pub(crate) is_promising: bool,
    /// Whether the prompt leaves it out.
    pub(crate) is_hidden: bool,
    /// Whether it is only known by name, from a snapshot, until it is sent again.
    pub(crate) is_unconnected: bool,
    /// The files that it works on, and how to make it for others.
    pub(crate) on_files: Option<OnFiles>,
    /// Whether it is one of those that an executor brings itself: see `catalog.rs`.
    pub(crate) is_catalog: bool,
    /// Whether an option brought it: see `grants.rs`.
    pub(crate) is_own: bool,
}

/// What a tool works on.
#[derive(Clone)]
pub(crate) struct OnFiles {
    pub(crate) files: Files,
    /// Which of ours it is, by the name that it has there.
    pub(crate) file_tool: Option<&'static str>,
    make: Arc<dyn Fn(&Files) -> Tool + Send + Sync>,
}

impl std::fmt::Debug for OnFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.files.fmt(f)
    }
}

impl AgentTool {
    /// A tool that works on files. It follows them: in a fork of an executor it is made again for the fork's own files.
    pub fn on_files(files: &Files, make: impl Fn(&Files) -> Tool + Send + Sync + 'static) -> Self {
        let mut tool = Self::from(make(files));
        tool.on_files = Some(OnFiles {
            files: files.clone(),
            file_tool: None,
            make: Arc::new(make),
        });
        tool
    }

    /// One of the tools that this crate has for files, by its name there: it can be made again wherever the files are seen.
    pub(crate) fn named_file_tool(mut self, name: &'static str) -> Self {
        if let Some(on_files) = &mut self.on_files {
            on_files.file_tool = Some(name);
        }
        self
    }

    /// The same tool on other files.
    pub(crate) fn moved_to(mut self, files: &Files) -> Self {
        if let Some(on_files) = &mut self.on_files {
            self.tool = (on_files.make)(files);
            on_files.files = files.clone();
        }
        self
    }

    /// A function that has its answer when it returns, see [`Tool::sync`].
    pub fn sync(
        function: impl Fn(ToolCall) -> Result<Value, ToolError> + Send + Sync + 'static,
    ) -> Self {
        Tool::sync(function).into()
    }

    /// A function that takes its time; inside it returns a promise. See [`Tool::asynchronous`].
    pub fn asynchronous<F>(function: impl Fn(ToolCall) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        Tool::asynchronous(function).into()
    }

    /// A function that takes its time; inside it returns a plain value. See [`Tool::blocking`].
    pub fn blocking<F>(function: impl Fn(ToolCall) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        Tool::blocking(function).into()
    }

    /// A function that returns a value or a promise, as it turns out. See [`Tool::maybe_async`].
    pub fn maybe_async<F>(function: impl Fn(ToolCall) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Reply, ToolError>> + Send + 'static,
    {
        Tool::maybe_async(function).into()
    }

    /// A tool without a function: each call suspends the run, and who resumes it gives the answer. See
    /// [`Executor::start`](crate::Executor::start).
    pub fn suspending() -> Self {
        Tool::deferred().into()
    }

    /// Says what it does, for the prompt.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.spec.description = Some(description.into());
        self
    }

    /// Says what it takes, as a JSON Schema of one object. Calls are checked against it: with the object, or with its
    /// properties one by one.
    pub fn parameters(mut self, schema: Json) -> Self {
        self.spec.parameters = Some(schema);
        self
    }

    /// Says what it gives back, as a JSON Schema, for the prompt.
    pub fn returns(mut self, schema: Json) -> Self {
        self.spec.returns = Some(schema);
        self
    }

    /// The prompt shows its arguments one by one and not as one object.
    pub fn positional(mut self) -> Self {
        self.spec.positional = true;
        self
    }

    /// Whether code may call it (it may).
    pub fn permission(mut self, permission: Permission) -> Self {
        self.permission = permission;
        self
    }

    /// It checks its arguments itself: the schema is only for the prompt.
    pub fn self_checking(mut self) -> Self {
        self.is_self_checking = true;
        self
    }

    /// Its calls end with the run that made them: what code has not awaited by then is dropped, and an error for who awaits it
    /// later. Calls of other tools go on with the next run. For tools that hold something while they work, such as the turn of a
    /// sandbox or a thread.
    pub fn ends_with_run(mut self) -> Self {
        self.ends_with_run = true;
        self
    }

    /// Says of a [maybe asynchronous](AgentTool::maybe_async) tool that it returns a promise every time: code that does not await it is warned.
    pub fn promising(mut self) -> Self {
        self.is_promising = true;
        self
    }

    /// Leaves it out of [`Executor::tools`](crate::Executor::tools), say because it is a second name of another tool.
    pub fn hidden(mut self) -> Self {
        self.is_hidden = true;
        self
    }

    /// Prompts leave its declaration out, and the code finds it with `searchTools` and `describeTool`, which are there as soon as
    /// one tool is deferred: for hosts with more tools than a model should read of.
    pub fn deferred(mut self) -> Self {
        self.spec.deferred = true;
        self
    }

    /// What the model is told, all but the function itself.
    pub fn with_spec(tool: impl Into<Self>, spec: ToolSpec) -> Self {
        let mut tool = tool.into();
        let mode = tool.spec.mode;
        tool.spec = spec;
        tool.spec.mode = mode;
        tool
    }
}

impl From<Tool> for AgentTool {
    fn from(tool: Tool) -> Self {
        let mut spec = ToolSpec::default();
        match tool.kind() {
            ToolKind::Sync | ToolKind::Blocking => spec.mode = ToolMode::Sync,
            ToolKind::Paged => spec.mode = ToolMode::Stream,
            _ => {}
        }
        Self {
            tool,
            spec,
            permission: Permission::Allow,
            is_self_checking: false,
            ends_with_run: false,
            is_promising: false,
            is_hidden: false,
            is_unconnected: false,
            on_files: None,
            is_catalog: false,
            is_own: false,
        }
    }
}
