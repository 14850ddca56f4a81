//! How much of the network there is.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Limits of a [`NetworkPolicy`](super::NetworkPolicy). Programs may ask for less, never for more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct NetworkLimits {
    /// Bytes of the body of a request.
    pub request_bytes: u64,
    /// Bytes of the body of a response, before and after decompression.
    pub response_bytes: u64,
    /// Time until a connection stands: looking up the name, connecting, shaking hands.
    #[serde(rename = "connectTimeoutMs", with = "milliseconds")]
    pub connect_timeout: Duration,
    /// Time for a request from its beginning to the last byte of its response. Each redirect is a request.
    #[serde(rename = "timeoutMs", with = "milliseconds")]
    pub timeout: Duration,
    /// Redirects that are followed.
    pub redirects: u32,
    /// Requests and connections under way at once; more wait for their turn.
    pub concurrent: usize,
}

impl Default for NetworkLimits {
    /// 32 MiB to send, 256 MiB to receive, 10 s to connect, 5 min in all, 20 redirects, 16 at once.
    fn default() -> Self {
        Self {
            request_bytes: 32 << 20,
            response_bytes: 256 << 20,
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_mins(5),
            redirects: 20,
            concurrent: 16,
        }
    }
}

mod milliseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        time: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_millis)
    }
}
