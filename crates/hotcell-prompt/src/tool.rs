//! What a host tells about a tool.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a call of the tool behaves in the sandbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolMode {
    /// The call returns a promise.
    #[default]
    Async,
    /// The call blocks and returns the plain value.
    Sync,
    /// The call returns an async iterator; what `returns` describes is one of its items.
    Stream,
}

/// A tool as the model gets to see it.
///
/// Reads the tool objects of `executor.sendTools`, and those of an MCP server (`inputSchema`, `outputSchema`).
///
/// ```
/// use hotcell_prompt::{ToolSpec, declare_tool};
/// use serde_json::json;
///
/// let tool = ToolSpec::new("add")
///     .description("Adds two numbers")
///     .parameters(json!({
///         "type": "object",
///         "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
///         "required": ["a", "b"],
///     }))
///     .returns(json!({"type": "number"}))
///     .sync()
///     .positional();
/// assert_eq!(
///     declare_tool(&tool)?,
///     "/** Adds two numbers */\ndeclare function add(a: number, b: number): number;"
/// );
/// # Ok::<(), hotcell_prompt::PromptError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// The name code calls it by; a JavaScript identifier, or several with dots between them: `Host.readDoc` is `readDoc` in
    /// the namespace `Host`.
    pub name: String,
    /// What it does, for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of what it takes; without one, any arguments.
    #[serde(
        default,
        alias = "inputSchema",
        alias = "input_schema",
        skip_serializing_if = "Option::is_none"
    )]
    pub parameters: Option<Value>,
    /// JSON Schema of what it gives back; without one, anything.
    #[serde(
        default,
        alias = "outputSchema",
        alias = "output_schema",
        skip_serializing_if = "Option::is_none"
    )]
    pub returns: Option<Value>,
    /// Whether a call returns a promise.
    #[serde(default)]
    pub mode: ToolMode,
    /// Whether the properties of `parameters` are passed one by one, in their order, and not as one object.
    #[serde(default)]
    pub positional: bool,
    /// Whether a prompt leaves its declaration out: the code finds it with `searchTools` and `describeTool`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deferred: bool,
}

impl ToolSpec {
    /// An async tool with this name that takes and returns anything.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Says what the tool does.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Says what the tool takes, as a JSON Schema.
    #[must_use]
    pub fn parameters(mut self, schema: Value) -> Self {
        self.parameters = Some(schema);
        self
    }

    /// Says what the tool gives back, as a JSON Schema.
    #[must_use]
    pub fn returns(mut self, schema: Value) -> Self {
        self.returns = Some(schema);
        self
    }

    /// Calls return the plain value and not a promise.
    #[must_use]
    pub fn sync(mut self) -> Self {
        self.mode = ToolMode::Sync;
        self
    }

    /// Arguments are passed one by one and not as one object.
    #[must_use]
    pub fn positional(mut self) -> Self {
        self.positional = true;
        self
    }

    /// Prompts leave its declaration out.
    #[must_use]
    pub fn deferred(mut self) -> Self {
        self.deferred = true;
        self
    }
}
