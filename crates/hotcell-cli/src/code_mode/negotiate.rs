//! The first two messages: what the client wants, and whether it can have that.

use serde_json::Value as Json;

use super::client::Client;
use super::message::{FromClient, Rejection, ToClient};

/// The version of the protocol that there is.
const VERSION: u32 = 1;
/// `session/open` may say how much a cell may take.
const LIMITS: &str = "session-cell-execution-resource-limits";

/// Answers the first message. False if there is nothing to be talked about.
pub(super) fn greet(first: Json, client: &Client) -> Result<bool, String> {
    let hello = match FromClient::of(first) {
        Ok(FromClient::Hello(hello)) => hello,
        Ok(_) => {
            let message = "the first message must be connection/hello";
            client.send(&ToClient::Rejected {
                reason: Rejection::InvalidHello { message },
            })?;
            return Ok(false);
        }
        Err(problem) => {
            client.send(&ToClient::Rejected {
                reason: Rejection::InvalidHello { message: &problem },
            })?;
            return Ok(false);
        }
    };
    if !hello.supported_versions.contains(&VERSION) {
        client.send(&ToClient::Rejected {
            reason: Rejection::NoCompatibleVersion {
                supported_versions: [VERSION],
            },
        })?;
        return Ok(false);
    }
    if let Some(capability) = hello
        .required_capabilities
        .iter()
        .find(|one| *one != LIMITS)
    {
        client.send(&ToClient::Rejected {
            reason: Rejection::MissingRequiredCapability { capability },
        })?;
        return Ok(false);
    }
    let mut wanted = hello
        .required_capabilities
        .iter()
        .chain(&hello.optional_capabilities);
    let capabilities: &[&str] = if wanted.any(|one| one == LIMITS) {
        &[LIMITS]
    } else {
        &[]
    };
    client.send(&ToClient::Ready {
        selected_version: VERSION,
        capabilities,
    })?;
    Ok(true)
}
