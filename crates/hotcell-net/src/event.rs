//! What a host is told of the network's use.

use std::{
    net::SocketAddr,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use serde::Serialize;
use url::Url;

use crate::decide::Denial;

/// Something that happened on the network, told where it was decided or done. No event has a secret of the host's in it, or a
/// password of a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum NetworkEvent {
    /// Something was asked for that is not allowed. Nothing was sent.
    Denied {
        /// The number of the request.
        request: u64,
        /// What was asked for.
        target: Target,
        /// Why it is not allowed.
        denial: Denial,
    },
    /// Something was asked for that is allowed.
    Allowed {
        /// The number of the request.
        request: u64,
        /// What was asked for.
        target: Target,
        /// The rule that allows it.
        rule: String,
        /// The names of the secrets that are added.
        secrets: Vec<String>,
    },
    /// A connection stands, to an address that was checked.
    Connected {
        /// The number of the request.
        request: u64,
        /// The host that it is for.
        host: String,
        /// Where it leads.
        address: SocketAddr,
        /// Whether a connection of an earlier request is used again.
        is_reused: bool,
    },
    /// A request is over.
    Ended {
        /// The number of the request.
        request: u64,
        /// The status, if there was an answer.
        status: Option<u16>,
        /// Bytes of the body that were sent.
        sent: u64,
        /// Bytes of the body that were received.
        received: u64,
        /// How long it took.
        duration_ms: u64,
        /// What went wrong. A request that was given up, because its program was killed or wanted no more, has neither all
        /// bytes nor an error.
        error: Option<String>,
    },
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// The method; `CONNECT` for a connection without HTTP.
    pub method: String,
    /// The URL, without a user and a password.
    pub url: String,
}

impl Target {
    pub(crate) fn new(method: &str, url: &Url) -> Self {
        let mut url = url.clone();
        // Neither fails for a URL that has a host, and without one there is nothing to hide.
        let _ = url.set_password(None);
        let _ = url.set_username("");
        Self {
            method: method.to_owned(),
            url: url.into(),
        }
    }
}

type Callback = dyn Fn(&NetworkEvent) + Send + Sync;

/// Who is told.
#[derive(Clone, Default)]
pub(crate) struct Listener(Option<Arc<Callback>>);

impl Listener {
    pub(crate) fn new(callback: impl Fn(&NetworkEvent) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(callback)))
    }

    /// Tells it. Events also come from destructors, where a panic of the host's code would end the program.
    pub(crate) fn tell(&self, event: impl FnOnce() -> NetworkEvent) {
        if let Some(callback) = &self.0 {
            let event = event();
            let _ = catch_unwind(AssertUnwindSafe(|| callback(&event)));
        }
    }
}
