//! What messages look like.

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::error::RpcError;

/// What a request is answered with: a result as the text of JSON, or why there is none.
pub(super) type Reply = Result<String, RpcError>;

/// A result.
pub(super) fn result(value: &impl Serialize) -> Reply {
    serde_json::to_string(value)
        .map_err(|error| RpcError::internal(format!("a result could not be written: {error}")))
}

/// A message from the client.
pub(super) enum Message {
    Request(Request),
    /// To a request of ours.
    Answer {
        id: String,
        result: Result<Json, Json>,
    },
}

pub(super) struct Request {
    /// `None` for a notification, which gets no answer.
    pub(super) id: Option<Json>,
    pub(super) method: String,
    pub(super) params: Json,
}

/// Why JSON is no message, with the id to say so under.
pub(super) struct NoMessage {
    pub(super) id: Json,
    pub(super) error: RpcError,
}

impl Message {
    pub(super) fn of(json: Json) -> Result<Self, NoMessage> {
        let Json::Object(mut object) = json else {
            return Err(NoMessage {
                id: Json::Null,
                error: RpcError::request("a message is an object, or an array of such (a batch)"),
            });
        };
        let id = object.remove("id");
        Self::of_object(object, id.clone()).map_err(|error| NoMessage {
            id: id.filter(is_id).unwrap_or(Json::Null),
            error,
        })
    }

    fn of_object(mut object: Map<String, Json>, id: Option<Json>) -> Result<Self, RpcError> {
        if object.get("jsonrpc").is_none_or(|version| version != "2.0") {
            return Err(RpcError::request("the member jsonrpc must be \"2.0\""));
        }
        if id.as_ref().is_some_and(|id| !is_id(id)) {
            return Err(RpcError::request("an id is a string, a number or null"));
        }
        if let Some(method) = object.remove("method") {
            let Json::String(method) = method else {
                return Err(RpcError::request("the member method must be a string"));
            };
            return match object.remove("params").unwrap_or(Json::Null) {
                Json::Null => Ok(json!({})),
                params @ Json::Object(_) => Ok(params),
                Json::Array(_) => Err(RpcError::params("params are given by name, in an object")),
                _ => Err(RpcError::request("the member params must be an object")),
            }
            .map(|params| Self::Request(Request { id, method, params }));
        }
        let result = match (object.remove("result"), object.remove("error")) {
            (Some(result), None) => Ok(result),
            (None, Some(error)) => Err(error),
            (Some(_), Some(_)) => {
                return Err(RpcError::request(
                    "an answer has a result or an error, not both",
                ));
            }
            (None, None) => {
                return Err(RpcError::request(
                    "a message needs a method, a result or an error",
                ));
            }
        };
        match id {
            Some(Json::String(id)) => Ok(Self::Answer { id, result }),
            _ => Err(RpcError::request(
                "an answer repeats the id of its request, which was a string",
            )),
        }
    }
}

fn is_id(id: &Json) -> bool {
    matches!(id, Json::String(_) | Json::Number(_) | Json::Null)
}

/// A request of ours up to the end of what is given of its params.
pub(super) fn begin_request(id: &str, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"{method}","params":{params}"#)
}

/// What the client is told without being asked.
pub(super) fn notification(method: &str, params: &Json) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
}

/// The answer to a request of the client's. It may be large, so that it is put around what there is: no second copy is made.
pub(super) fn answer(id: &Json, reply: Reply) -> String {
    let (name, mut text) = match reply {
        Ok(result) => ("result", result),
        Err(error) => ("error", error.into_text()),
    };
    text.reserve_exact(ENVELOPE);
    text.insert_str(0, &format!(r#"{{"jsonrpc":"2.0","id":{id},"{name}":"#));
    text.push('}');
    text
}

/// Bytes of an answer beside its id and what it says, and the line break behind it.
const ENVELOPE: usize = 64;

/// The answer to what could not even be read.
pub(super) fn failure(error: RpcError) -> String {
    answer(&Json::Null, Err(error))
}
