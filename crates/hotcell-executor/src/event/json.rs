//! Events as every front door that is not Rust writes them.

use std::time::SystemTime;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Serialize, Serializer, ser::SerializeMap};

use super::{Event, EventKind};
use crate::{content::ContentBody, json::date::to_iso, output::millis};

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("number", &self.number)?;
        object.serialize_entry("at", &iso(self.at))?;
        object.serialize_entry("run", &*self.run)?;
        if let Some(call) = &self.call {
            object.serialize_entry("call", call)?;
            object.serialize_entry("parent", &*self.run)?;
        }
        object.serialize_entry("type", self.kind.name())?;
        match &self.kind {
            EventKind::RunStarted { name, trace } => {
                object.serialize_entry("name", name)?;
                if let Some(trace) = trace {
                    object.serialize_entry("traceparent", &trace.to_string())?;
                }
            }
            EventKind::Log(entry) => {
                object.serialize_entry("level", entry.level.as_str())?;
                object.serialize_entry("message", &entry.message)?;
            }
            EventKind::Content {
                index,
                mime,
                bytes,
                body,
            } => {
                object.serialize_entry("index", index)?;
                object.serialize_entry("mime", mime)?;
                object.serialize_entry("bytes", bytes)?;
                match body {
                    Some(ContentBody::Text(text)) => object.serialize_entry("text", &**text)?,
                    Some(ContentBody::Data(data)) => {
                        object.serialize_entry("data", &STANDARD.encode(data))?;
                    }
                    None => {}
                }
            }
            EventKind::Notify(text) => object.serialize_entry("text", text)?,
            EventKind::CallStarted {
                tool,
                arguments,
                trace,
            } => {
                object.serialize_entry("tool", &**tool)?;
                object.serialize_entry("arguments", arguments)?;
                if let Some(trace) = trace {
                    object.serialize_entry("traceparent", &trace.to_string())?;
                }
            }
            EventKind::CallEnded {
                tool,
                duration,
                outcome,
            } => {
                object.serialize_entry("tool", &**tool)?;
                object.serialize_entry("durationMs", &millis(*duration))?;
                let (outcome, message) = outcome.told();
                object.serialize_entry("outcome", outcome)?;
                if let Some(message) = message {
                    object.serialize_entry("message", message)?;
                }
            }
            EventKind::CallSuspended { tool, reason } => {
                object.serialize_entry("tool", &**tool)?;
                object.serialize_entry("reason", reason)?;
            }
            EventKind::Suspended { calls } | EventKind::Resumed { calls } => {
                object.serialize_entry("calls", calls)?;
            }
            EventKind::Ended {
                error,
                is_final_answer,
                stats,
            } => {
                object.serialize_entry("ok", &error.is_none())?;
                if let Some((code, message)) = error {
                    object.serialize_entry("code", code)?;
                    object.serialize_entry("message", message)?;
                }
                object.serialize_entry("is_final_answer", is_final_answer)?;
                object.serialize_entry("stats", stats)?;
            }
            EventKind::Missed { events } => object.serialize_entry("events", events)?,
        }
        object.end()
    }
}

fn iso(at: SystemTime) -> String {
    let since = at.duration_since(SystemTime::UNIX_EPOCH);
    let millis = since.unwrap_or_default().as_secs_f64() * 1000.0;
    to_iso(millis.floor()).unwrap_or_default()
}
