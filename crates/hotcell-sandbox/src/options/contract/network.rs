//! The option `network`: a policy of `hotcell-net`, with the values of its secrets.

use hotcell_net::{InjectedSecret, Network, NetworkPolicy};
use serde_json::{Map, Value as Json};

use super::OptionsError;

/// What a secret is.
const SECRET: &str = "a secret is {\"name\": text, \"hosts\": [\"api.example.com\"], \"value\": text}, and may have \"allowHttp\": true and a \"place\": {\"in\": \"header\", \"name\": text, \"prefix\": text}, {\"in\": \"query\", \"name\": text} or {\"in\": \"basic\", \"user\": text}";

/// The network that a policy allows.
pub(super) fn read(json: &Json) -> Result<Network, OptionsError> {
    let Json::Object(given) = json else {
        return Err(OptionsError::Value {
            name: "network".into(),
            // It might be a secret.
            value: "not usable".into(),
            expected: "a network policy, an object",
        });
    };
    let network = policy(given).and_then(|policy| {
        let network = Network::new(policy);
        network.map_err(|error| error.to_string())
    });
    network.map_err(|problem| OptionsError::Part {
        name: "network",
        problem,
    })
}

fn policy(given: &Map<String, Json>) -> Result<NetworkPolicy, String> {
    let rest = given
        .iter()
        .filter(|(name, value)| *name != "secrets" && !value.is_null())
        .map(|(name, value)| (name.clone(), value.clone()));
    let mut policy: NetworkPolicy =
        serde_json::from_value(rest.collect()).map_err(|error| error.to_string())?;
    policy.secrets = match given.get("secrets") {
        None | Some(Json::Null) => Vec::new(),
        Some(Json::Array(secrets)) => secrets
            .iter()
            .enumerate()
            .map(|(index, given)| secret(index, given))
            .collect::<Result<_, _>>()?,
        Some(_) => return Err(format!("secrets are not a list: {SECRET}")),
    };
    Ok(policy)
}

/// What serde finds wrong is not told: it repeats what was given, which may be the secret.
fn secret(index: usize, given: &Json) -> Result<InjectedSecret, String> {
    serde_json::from_value(given.clone())
        .map_err(|_| format!("secrets[{index}] cannot be read: {SECRET}"))
}
