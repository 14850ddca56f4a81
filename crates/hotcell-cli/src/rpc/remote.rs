//! What an executor asks its client while it runs: answers of tools, and whether a call may take place.

use std::sync::{Arc, OnceLock};

use hotcell::cell::Arguments;
use hotcell::json::{from_json, to_text};
use hotcell::meter::{Stopped, Unwatched, Watch};
use hotcell::{Approval, ApprovalRequest};
use serde_json::Value as Json;

use super::call::Calls;
use super::message;
use super::run_id;
use super::session::Message;

/// The client, as one executor knows it.
#[derive(Clone)]
pub(super) struct Remote {
    calls: Arc<Calls>,
    /// The executor's id, which it has once it is made.
    executor: Arc<OnceLock<String>>,
}

impl Remote {
    pub(super) fn new(calls: &Arc<Calls>) -> Self {
        Self {
            calls: Arc::clone(calls),
            executor: Arc::default(),
        }
    }

    /// Says which executor asks.
    pub(super) fn is_of(&self, executor: &str) {
        // An executor has one id.
        let _ = self.executor.set(executor.to_owned());
    }

    /// A request with what a tool was called with, which holds on to the arguments: until it is written, the code has to pay for
    /// them.
    pub(super) fn request(
        &self,
        method: &str,
        tool: &str,
        arguments: &Arguments,
        watch: &dyn Watch,
    ) -> Result<(String, Message), Stopped> {
        let mut texts = String::new();
        for value in arguments {
            let text = to_text(value, watch)?;
            if !texts.is_empty() {
                texts.push(',');
            }
            texts.push_str(&text);
        }
        let executor = self.executor.get().map(String::as_str).unwrap_or_default();
        let (run, tool) = (run_id::current(), Json::from(tool));
        let params =
            format!(r#"{{"executor":"{executor}","run":"{run}","tool":{tool},"args":[{texts}]}}"#);
        let id = self.calls.next_id();
        let text = message::request(&id, method, &params);
        Ok((id, Message::of_cell(text, arguments.clone())))
    }

    /// The client's answer, or its error. `None` if it is gone.
    pub(super) async fn ask(&self, id: String, request: Message) -> Option<Result<Json, Json>> {
        self.calls.call(id, request).await
    }

    /// Asks whether a call may take place: `true` allows it, a text denies it with that reason.
    pub(super) async fn approve(self, request: ApprovalRequest) -> Approval {
        let asked = self.request(
            "tool.approval",
            &request.tool,
            &request.arguments,
            &Unwatched,
        );
        let answer = match asked {
            Ok((id, message)) => self.ask(id, message).await,
            Err(stopped) => return Approval::Deny(stopped.to_string()),
        };
        Approval::Deny(match answer {
            Some(Ok(Json::Bool(true))) => return Approval::Allow,
            Some(Ok(Json::String(reason))) => reason,
            Some(Ok(_)) => "it was not approved".into(),
            Some(Err(error)) => match error.get("message").and_then(Json::as_str) {
                Some(reason) => format!("asking for approval failed: {reason}"),
                None => "asking for approval failed".into(),
            },
            None => "nobody was there to approve it".into(),
        })
    }
}

/// What the client answered, as a value.
pub(super) fn value_of(json: &Json) -> Result<hotcell::cell::Value, String> {
    from_json(json).map_err(|error| error.to_string())
}
