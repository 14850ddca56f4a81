//! Tools as an agent's host describes them.

use std::future::Future;

use hotcell_cell::{Reply, Tool, ToolCall, ToolError, ToolKind, Value};
use hotcell_prompt::{ToolMode, ToolSpec};
use serde_json::Value as Json;

use crate::approval::Permission;

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
pub struct AgentTool {
    pub(crate) tool: Tool,
    /// Its name is given when it is sent.
    pub(crate) spec: ToolSpec,
    pub(crate) permission: Permission,
    /// Whether it checks its arguments itself.
    pub(crate) is_self_checking: bool,
    /// Whether the prompt leaves it out.
    pub(crate) is_hidden: bool,
}

impl AgentTool {
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

    /// A function that returns a value or a promise, as it turns out. See [`Tool::natural`].
    pub fn natural<F>(function: impl Fn(ToolCall) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Reply, ToolError>> + Send + 'static,
    {
        Tool::natural(function).into()
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

    /// Leaves it out of [`Executor::tools`](crate::Executor::tools), say because it is a second name of another tool.
    pub fn hidden(mut self) -> Self {
        self.is_hidden = true;
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
        if matches!(tool.kind(), ToolKind::Sync | ToolKind::Blocking) {
            spec.mode = ToolMode::Sync;
        }
        Self {
            tool,
            spec,
            permission: Permission::Allow,
            is_self_checking: false,
            is_hidden: false,
        }
    }
}
