//! What a prompt is made from.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CodeTags, ToolSpec};

/// Everything a prompt tells about one executor.
///
/// In JSON the names are those of the executor's options where both have the same thing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PromptContext {
    /// The tools the code can call. `final_answer` is added by itself.
    pub tools: Vec<ToolSpec>,
    /// Variables that exist before the first step.
    pub variables: Vec<VariableSpec>,
    /// Modules that `import(...)` accepts.
    pub authorized_imports: Vec<String>,
    /// What those of them export, as far as it is to be told.
    pub modules: Vec<ModuleSpec>,
    /// What marks code in an answer.
    pub tags: CodeTags,
    /// Text of the host's own, near the end of the prompt.
    pub custom_instructions: Option<String>,
    /// What a step may use up.
    pub limits: Limits,
    /// Whether the code can read the time.
    pub clock: bool,
    /// Whether the code can draw random numbers.
    pub random: bool,
    /// Whether the code has `setTimeout` and its like.
    pub timers: bool,
}

/// What a step may use up; the defaults are those of the executor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Limits {
    /// Loop iterations in one step, all loops together.
    pub max_operations: u64,
    /// Time for one step in milliseconds; `None` for as long as it waits.
    pub timeout_ms: Option<u64>,
    /// Computing time for one step in milliseconds; not told to the model if absent.
    pub cpu_time_ms: Option<u64>,
    /// Bytes of console output kept from one step.
    pub max_log_bytes: u64,
    /// Steps until the task is given up; not told to the model if absent.
    pub max_steps: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_operations: 50_000,
            timeout_ms: Some(10_000),
            cpu_time_ms: None,
            max_log_bytes: 262_144,
            max_steps: None,
        }
    }
}

/// A module that code can import.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModuleSpec {
    /// What it is imported by.
    pub name: String,
    /// The functions that it exports.
    #[serde(default)]
    pub functions: Vec<ToolSpec>,
    /// What else it exports.
    #[serde(default)]
    pub values: Vec<VariableSpec>,
}

impl ModuleSpec {
    /// A module that exports nothing that is told.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }
}

/// A variable that the host defined.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VariableSpec {
    /// The name code refers to it by; a JavaScript identifier.
    pub name: String,
    /// Its type as TypeScript text, shown as it is; goes before `schema`.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub type_text: Option<String>,
    /// Its type as a JSON Schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// What it holds, for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl VariableSpec {
    /// A variable of unknown type.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Gives the type as TypeScript text.
    #[must_use]
    pub fn type_text(mut self, text: impl Into<String>) -> Self {
        self.type_text = Some(text.into());
        self
    }

    /// Gives the type as a JSON Schema.
    #[must_use]
    pub fn schema(mut self, schema: Value) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Says what the variable holds.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}
