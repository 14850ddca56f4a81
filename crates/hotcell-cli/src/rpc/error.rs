//! Errors of JSON-RPC.

use hotcell::ExecutorError;
use serde::Serialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

/// Why a request has no result.
#[derive(Debug, Serialize)]
pub(crate) struct RpcError {
    code: i32,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Box<RawValue>>,
}

impl RpcError {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// The text is no JSON.
    pub(crate) fn parse(message: impl Into<String>) -> Self {
        Self::new(-32700, message)
    }

    /// The JSON is no message.
    pub(crate) fn request(message: impl Into<String>) -> Self {
        Self::new(-32600, message)
    }

    pub(crate) fn method(name: &str, known: impl Iterator<Item = &'static str>) -> Self {
        let shown: String = name.chars().take(80).collect();
        let known: Vec<&str> = known.collect();
        Self::new(
            -32601,
            format!("unknown method {shown:?}: there are {}", known.join(", ")),
        )
    }

    pub(crate) fn params(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }

    /// A mistake of ours.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(-32603, message)
    }

    /// A file tool failed.
    pub(crate) fn file(error: &hotcell::cell::ToolError) -> Self {
        let error = error.as_value();
        let message = error.message.to_string();
        let code = error.properties.iter().find(|(key, _)| key == "code");
        let code = code.and_then(|(_, code)| code.as_str()).unwrap_or("EINVAL");
        Self {
            data: to_raw_value(&json!({ "code": code, "message": message })).ok(),
            ..Self::new(-32000, message)
        }
    }

    /// Something failed, in the way that `data` says.
    pub(super) fn failed(message: impl Into<String>, data: &serde_json::Value) -> Self {
        Self {
            data: to_raw_value(data).ok(),
            ..Self::new(-32000, message)
        }
    }

    /// What a request of a batch came to is too large to wait there for the others.
    pub(super) fn too_large(most: usize) -> Self {
        let words = "is lost: those of one batch may have";
        Self::new(
            -32000,
            format!(
                "this answer {words} {most} bytes together (--max-unread); ask for less at once, or without a batch"
            ),
        )
    }

    /// More than the server is willing to do at once.
    pub(crate) fn busy(what: impl std::fmt::Display) -> Self {
        let message = format!("{what} are under way already");
        Self {
            data: to_raw_value(&json!({
                "code": "ERR_INVALID_STATE",
                "severity": "ERROR",
                "message": message,
                "retryable": true,
            }))
            .ok(),
            ..Self::new(-32000, message)
        }
    }
}

impl RpcError {
    /// As JSON. What was written before becomes a part of it, and is not copied.
    pub(crate) fn into_text(mut self) -> String {
        let data = self.data.take().map(Box::<str>::from);
        // A number and a text: there is nothing to fail with.
        let words = serde_json::to_string(&self).unwrap_or_default();
        let Some(data) = data else {
            return words;
        };
        let mut text = String::from(data);
        let head = words.strip_suffix('}').unwrap_or_default();
        text.insert_str(0, &format!(r#"{head},"data":"#));
        text.push('}');
        text
    }
}

impl From<ExecutorError> for RpcError {
    fn from(error: ExecutorError) -> Self {
        Self {
            data: to_raw_value(&error).ok(),
            ..Self::new(-32000, error.message)
        }
    }
}
