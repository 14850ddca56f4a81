//! What an executor asks its client while it runs: answers of tools, and whether a call may take place.

use std::sync::{Arc, OnceLock, Weak};

use hotcell::cell::{Arguments, Charge, Origin, OverLimit, ToolError, Value};
use hotcell::json::{from_json, text_length, to_text};
use hotcell::meter::{Stopped, Unwatched, Watch};
use hotcell::{Approval, ApprovalRequest, Store, StoreFuture};
use serde_json::{Value as Json, json};

use super::call::{Calls, Paid};
use super::entry::Entry;
use super::message;
use super::session::Message;
use super::tools::error_of;

/// What a request has beside the arguments and the name of the tool, at most.
const ENVELOPE: usize = 384;

/// The client, as one executor knows it.
#[derive(Clone)]
pub(super) struct Remote {
    calls: Arc<Calls>,
    /// The executor and its id, which it has once it is made.
    owner: Arc<OnceLock<(String, Weak<Entry>)>>,
}

impl Remote {
    pub(super) fn new(calls: &Arc<Calls>) -> Self {
        Self {
            calls: Arc::clone(calls),
            owner: Arc::default(),
        }
    }

    /// Says which executor asks.
    pub(super) fn is_of(&self, entry: &Arc<Entry>) {
        // An executor has one id.
        let _ = self.owner.set((entry.id.clone(), Arc::downgrade(entry)));
    }

    fn executor(&self) -> &str {
        self.owner.get().map_or("", |(id, _)| id)
    }

    /// The run that is polled here.
    fn run(&self) -> String {
        let entry = self.owner.get().and_then(|(_, entry)| entry.upgrade());
        let run = entry.and_then(|entry| entry.executor.run_under_way());
        run.unwrap_or_default()
    }

    /// A request with what a tool was called with. The code pays for its text, too, until that is written: it may be several times as
    /// long as the arguments, and the client may take its time to read it.
    pub(super) fn request(
        &self,
        method: &str,
        tool: &str,
        origin: Option<&Origin>,
        arguments: &Arguments,
        watch: &dyn Watch,
        charge: impl FnOnce(usize) -> Result<Option<Charge>, OverLimit>,
    ) -> Result<(String, Message), ToolError> {
        let stopped = |stopped: Stopped| ToolError::from(stopped.to_string());
        let mut length = ENVELOPE + tool.len();
        for value in arguments {
            length += text_length(value, watch).map_err(stopped)? + 1;
        }
        // While a long argument is put into its place it is there twice.
        let charge = charge(length).map_err(|over| {
            let words = format!("the arguments of {tool} cannot be sent: {over}");
            ToolError::new("RangeError", words)
        })?;
        let executor = self.executor();
        let tool = Json::from(tool);
        let run = origin.map(Origin::run).unwrap_or_default();
        let call = origin.map(Origin::call).unwrap_or_default();
        let trace = origin.and_then(Origin::trace);
        let trace = trace.map_or_else(String::new, |trace| format!(r#","traceparent":"{trace}""#));
        let id = self.calls.next_id();
        let head = format!(
            r#"{{"executor":"{executor}","run":"{run}","call":"{call}"{trace},"tool":{tool},"args":["#
        );
        let mut text = message::begin_request(&id, method, &head);
        text.reserve_exact(length);
        for (index, value) in arguments.into_iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            text.push_str(&to_text(value, watch).map_err(stopped)?);
        }
        text.push_str("]}}");
        Ok((id, Message::of_cell(text, arguments.clone(), charge)))
    }

    /// The client's answer, or its error. `None` if it is gone. `room` pays for it until it is taken.
    pub(super) async fn ask(
        &self,
        id: String,
        request: Message,
        room: Option<Charge>,
    ) -> Option<Paid> {
        self.calls.call(id, request, room).await
    }

    /// Asks whether a call may take place: `true` allows it, a text denies it with that reason.
    pub(super) async fn approve(self, request: ApprovalRequest) -> Approval {
        let asked = self.request(
            "tool.approval",
            &request.tool,
            request.origin.as_ref(),
            &request.arguments,
            &Unwatched,
            |bytes| request.charge(bytes).map(Some),
        );
        let answer = match asked {
            Ok((id, message)) => self.ask(id, message, None).await,
            Err(error) => return Approval::Deny(error.to_string()),
        };
        Approval::Deny(match answer.map(|paid| paid.answer) {
            Some(Ok(Json::Bool(true))) => return Approval::Allow,
            Some(Ok(answer)) if is_suspension(&answer) => return Approval::Later,
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

impl Remote {
    /// Tells of the progress of the run that is polled here.
    pub(super) fn notify(&self, text: &str) {
        let executor = self.executor();
        let params = json!({"executor": executor, "run": self.run(), "text": text});
        self.calls
            .tell(message::notification("executor.notify", &params));
    }

    /// Asks the client's store. What it is asked for code pays for until it is written, by its budget of one value.
    async fn ask_store(
        &self,
        method: &str,
        key: &str,
        value: Option<&Value>,
    ) -> Result<Json, ToolError> {
        let executor = self.executor();
        let (run, key) = (self.run(), Json::from(key));
        let mut params = format!(r#"{{"executor":"{executor}","run":"{run}","key":{key}"#);
        if let Some(value) = value {
            let text = to_text(value, &Unwatched).map_err(|stopped| stopped.to_string())?;
            params.push_str(r#","value":"#);
            params.push_str(&text);
        }
        params.push('}');
        let id = self.calls.next_id();
        let mut request = message::begin_request(&id, method, &params);
        request.push('}');
        let answer = self.ask(id, Message::from(request), None).await;
        match answer.map(|paid| paid.answer) {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(error)) => Err(error_of(&error)),
            None => Err(ToolError::from("the client is gone")),
        }
    }
}

impl Store for Remote {
    fn load<'s>(&'s self, key: &'s str) -> StoreFuture<'s, Option<Value>> {
        Box::pin(async move {
            let answer = self.ask_store("store.load", key, None).await?;
            let value = value_of(&answer).map_err(|error| {
                ToolError::new(
                    "TypeError",
                    format!("what the store gave is no value: {error}"),
                )
            })?;
            Ok(Some(value))
        })
    }

    fn store<'s>(&'s self, key: &'s str, value: Option<Value>) -> StoreFuture<'s, ()> {
        Box::pin(async move {
            let value = value.unwrap_or(Value::Undefined);
            self.ask_store("store.store", key, Some(&value)).await?;
            Ok(())
        })
    }
}

/// Whether an answer says that there is none yet: `{"$":"suspend"}`.
pub(super) fn is_suspension(answer: &Json) -> bool {
    let object = answer.as_object().filter(|object| object.len() == 1);
    object.is_some_and(|object| object.get("$").is_some_and(|kind| kind == "suspend"))
}

/// What the client answered, as a value.
pub(super) fn value_of(json: &Json) -> Result<Value, String> {
    from_json(json).map_err(|error| error.to_string())
}
