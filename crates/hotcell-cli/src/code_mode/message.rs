//! The messages. Their names and forms are those of version 1 of the protocol.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// What a client sends.
#[derive(Deserialize)]
#[serde(tag = "type", deny_unknown_fields)]
pub(super) enum FromClient {
    #[serde(rename = "connection/hello")]
    Hello(Hello),
    #[serde(rename = "operation/request")]
    Request { id: i64, request: Request },
    #[serde(rename = "operation/cancel")]
    Cancel { id: i64 },
    #[serde(rename = "delegate/response")]
    Answer {
        id: i64,
        result: Outcome<DelegateAnswer>,
    },
}

impl FromClient {
    pub(super) fn of(message: Json) -> Result<Self, String> {
        serde_json::from_value(message)
            .map_err(|error| format!("the client sent no message: {error}"))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Hello {
    pub(super) supported_versions: Vec<u32>,
    pub(super) required_capabilities: Vec<String>,
    pub(super) optional_capabilities: Vec<String>,
}

#[derive(Deserialize)]
#[serde(tag = "method", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(super) enum Request {
    #[serde(rename = "session/open")]
    Open {
        session_id: String,
        #[serde(default)]
        cell_execution_limits: Option<SessionLimits>,
    },
    #[serde(rename = "session/execute")]
    Execute {
        session_id: String,
        request: Execute,
    },
    #[serde(rename = "session/wait")]
    Wait { session_id: String, request: Wait },
    #[serde(rename = "session/terminate")]
    Terminate { session_id: String, cell_id: String },
    #[serde(rename = "session/shutdown")]
    Shutdown { session_id: String },
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SessionLimits {
    pub(super) max_yield_time_ms: Option<u64>,
    pub(super) max_heap_size_bytes: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Execute {
    pub(super) tool_call_id: String,
    pub(super) enabled_tools: Vec<ToolDefinition>,
    pub(super) source: String,
    #[serde(default)]
    pub(super) yield_time_ms: Option<u64>,
    /// For who shows the output to a model. It is not cut here.
    #[serde(default, rename = "max_output_tokens")]
    pub(super) _max_output_tokens: Option<i32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolDefinition {
    pub(super) name: String,
    pub(super) tool_name: ToolName,
    pub(super) description: String,
    pub(super) kind: ToolKind,
    // What the code may pass is for the client to check: it has the tool.
    #[serde(default, rename = "input_schema")]
    pub(super) _input_schema: Option<Json>,
    #[serde(default, rename = "output_schema")]
    pub(super) _output_schema: Option<Json>,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolName {
    pub(super) name: String,
    #[serde(default)]
    pub(super) namespace: Option<String>,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ToolKind {
    Function,
    Freeform,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wait {
    pub(super) cell_id: String,
    pub(super) yield_time_ms: u64,
}

/// What the host sends.
#[derive(Serialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub(super) enum ToClient<'a> {
    #[serde(rename = "connection/ready")]
    Ready {
        selected_version: u32,
        capabilities: &'a [&'a str],
    },
    #[serde(rename = "connection/rejected")]
    Rejected { reason: Rejection<'a> },
    #[serde(rename = "operation/response")]
    Response { id: i64, result: Outcome<Response> },
    #[serde(rename = "execute/initialResponse")]
    Initial { id: i64, result: Outcome<Report> },
    #[serde(rename = "delegate/request")]
    Delegate {
        id: i64,
        session_id: &'a str,
        request: DelegateRequest<'a>,
    },
    #[serde(rename = "delegate/cancel")]
    CancelDelegate { id: i64 },
    #[serde(rename = "cell/closed")]
    Closed {
        session_id: &'a str,
        cell_id: &'a str,
    },
}

#[derive(Serialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub(super) enum Rejection<'a> {
    NoCompatibleVersion { supported_versions: [u32; 1] },
    MissingRequiredCapability { capability: &'a str },
    InvalidHello { message: &'a str },
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Outcome<T> {
    Ok { value: T },
    Error { message: String },
}

impl<T> From<Result<T, String>> for Outcome<T> {
    fn from(result: Result<T, String>) -> Self {
        match result {
            Ok(value) => Self::Ok { value },
            Err(message) => Self::Error { message },
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub(super) enum Response {
    #[serde(rename = "session/ready")]
    Ready { session_id: String },
    #[serde(rename = "execution/started")]
    Started { cell_id: String },
    #[serde(rename = "wait/completed")]
    Waited { outcome: Waited },
    #[serde(rename = "session/closed")]
    Closed { session_id: String },
}

#[derive(Serialize)]
pub(super) enum Waited {
    LiveCell(Report),
    MissingCell(Report),
}

/// How far a cell has come, with what its code has shown since the last report.
#[derive(Serialize)]
pub(super) enum Report {
    Yielded {
        cell_id: String,
        content_items: Vec<Item>,
    },
    Terminated {
        cell_id: String,
        content_items: Vec<Item>,
    },
    Result {
        cell_id: String,
        content_items: Vec<Item>,
        error_text: Option<String>,
    },
}

/// Something that code showed.
#[expect(clippy::enum_variant_names, reason = "the protocol's names")]
#[derive(Clone, Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Item {
    InputText { text: String },
    InputImage { image_url: String, detail: Detail },
    InputAudio { audio_url: String },
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Detail {
    Auto,
    Low,
    High,
    Original,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub(super) enum DelegateRequest<'a> {
    #[serde(rename = "tool/invoke")]
    Invoke { invocation: Invocation<'a> },
    #[serde(rename = "notification/send")]
    Notify {
        call_id: &'a str,
        cell_id: &'a str,
        text: &'a str,
    },
}

#[derive(Serialize)]
pub(super) struct Invocation<'a> {
    pub(super) cell_id: &'a str,
    pub(super) runtime_tool_call_id: &'a str,
    pub(super) tool_name: &'a ToolName,
    pub(super) tool_kind: ToolKind,
    pub(super) input: Option<&'a serde_json::value::RawValue>,
}

#[derive(Deserialize)]
#[serde(tag = "type", deny_unknown_fields)]
pub(super) enum DelegateAnswer {
    #[serde(rename = "tool/result")]
    Tool { result: Json },
    #[serde(rename = "notification/delivered")]
    Delivered,
}
