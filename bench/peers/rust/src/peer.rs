//! What a peer has to be, and what is asked of it.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An executor of a peer. Dropping it is part of what is measured.
pub(crate) trait Peer: Sized {
    fn about() -> About;
    fn create(request: &Request) -> Self;
    /// Runs the body of an async function.
    fn run(&mut self, code: &str) -> Result<Value, String>;
}

#[derive(Serialize)]
pub(crate) struct About {
    pub(crate) title: &'static str,
    pub(crate) version: String,
    /// Measurements that it cannot do, and why.
    pub(crate) lacks: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Request {
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) code: String,
    pub(crate) setup: Option<String>,
    pub(crate) value: Option<Value>,
    pub(crate) tools: Option<Tools>,
    #[serde(default = "many")]
    pub(crate) operations: u64,
    #[serde(default = "minute")]
    pub(crate) timeout_ms: u64,
    #[serde(default = "roomy")]
    pub(crate) memory_mb: u64,
    #[serde(default)]
    pub(crate) budget_ms: u64,
}

fn many() -> u64 {
    1_000_000_000
}

fn minute() -> u64 {
    60_000
}

fn roomy() -> u64 {
    256
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Tools {
    Async,
    Sync,
}

impl Request {
    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }

    pub(crate) fn memory(&self) -> usize {
        usize::try_from(self.memory_mb << 20).unwrap()
    }
}
