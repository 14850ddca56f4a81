//! `fetch`: the network, as far as the host lets a worker have it.

use serde::{Deserialize, Serialize};

/// What a worker wants from the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FetchRequest {
    /// Where.
    pub url: String,
    /// How, such as `GET`.
    #[serde(default = "get")]
    pub method: String,
    /// Names and values.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// What is sent along.
    #[serde(skip)]
    pub body: Vec<u8>,
}

fn get() -> String {
    "GET".to_owned()
}

impl FetchRequest {
    /// A request without headers or a body.
    pub fn new(method: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            method: method.into(),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchResponse {
    /// Such as 200.
    pub status: u16,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// The content.
    #[serde(skip)]
    pub body: Vec<u8>,
}

/// Why nothing came back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FetchError {
    /// Such as `EACCES` for what is not allowed, `ECONNREFUSED`, `ETIMEDOUT`.
    pub code: String,
    /// What happened, and what to do.
    pub message: String,
}

/// Who fetches for a worker: the host's network policy stands here, in the parent process.
pub trait Fetch: Send + Sync {
    /// Fetches, or says why not. `is_over` says that nobody waits for the answer any more.
    fn fetch(
        &self,
        request: FetchRequest,
        is_over: &dyn Fn() -> bool,
    ) -> Result<FetchResponse, FetchError>;
}
