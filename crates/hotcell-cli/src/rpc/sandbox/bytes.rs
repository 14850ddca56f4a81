//! Bytes in JSON: text where they are text, base64 otherwise.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes, as a string if they are valid UTF-8, else as `{"base64": "…"}`.
pub(super) struct Bytes(pub(super) Vec<u8>);

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "bytes are a string, or {\"base64\": \"…\"}")]
enum Either {
    Text(String),
    Encoded(Encoded),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Encoded {
    base64: String,
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => to.serialize_str(text),
            Err(_) => Encoded {
                base64: STANDARD.encode(&self.0),
            }
            .serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match Either::deserialize(from)? {
            Either::Text(text) => Ok(Self(text.into_bytes())),
            Either::Encoded(Encoded { base64 }) => {
                let bytes = STANDARD.decode(base64);
                bytes.map(Self).map_err(serde::de::Error::custom)
            }
        }
    }
}
