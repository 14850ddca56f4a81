//! What requests carry.

use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::error::RpcError;

/// Reads params. An unknown member, a missing one or one of a wrong kind is an error that names it.
pub(super) fn params<T: DeserializeOwned>(params: Json) -> Result<T, RpcError> {
    serde_json::from_value(params).map_err(|error| RpcError::params(error.to_string()))
}

/// The executor or sandbox that a request is for.
pub(super) fn id_of<'p>(params: &'p Json, what: &str) -> Result<&'p str, RpcError> {
    match params.get(what) {
        Some(Json::String(id)) => Ok(id),
        Some(_) => Err(RpcError::params(format!(
            "{what} is the id that {what}.create gave: a string"
        ))),
        None => Err(RpcError::params(format!("missing field `{what}`"))),
    }
}
