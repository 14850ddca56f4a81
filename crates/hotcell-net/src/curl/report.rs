//! What is known of a transfer when it is over: what `-w` tells.

use std::{net::SocketAddr, time::Duration};

use bstr::BString;
use url::Url;

use super::failure::Failure;
use crate::{exchange::Exchange, http::response::ResponseHead};

/// A transfer that is over.
#[derive(Debug, Clone, Default)]
pub(super) struct Report {
    pub(super) failure: Option<Failure>,
    pub(super) given: BString,
    pub(super) number: u64,
    pub(super) url: Option<Url>,
    pub(super) redirect_url: Option<Url>,
    pub(super) method: String,
    pub(super) head: Option<ResponseHead>,
    /// Heads of this transfer together.
    pub(super) head_bytes: usize,
    pub(super) request_bytes: usize,
    pub(super) redirects: u32,
    pub(super) connections: u32,
    pub(super) received: u64,
    pub(super) to_receive: Option<u64>,
    pub(super) sent: u64,
    pub(super) to_send: Option<u64>,
    pub(super) remote: Option<SocketAddr>,
    pub(super) local: Option<SocketAddr>,
    pub(super) file: Option<BString>,
    pub(super) referer: Option<BString>,
    pub(super) times: Spans,
}

/// How long parts of a transfer took, from its beginning.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spans {
    pub(super) resolved: Duration,
    pub(super) connected: Duration,
    pub(super) secured: Duration,
    pub(super) sent: Duration,
    pub(super) first_byte: Duration,
    pub(super) redirects: Duration,
    pub(super) total: Duration,
}

impl Report {
    pub(super) fn code(&self) -> i32 {
        self.failure.as_ref().map_or(0, |failure| failure.code)
    }

    pub(super) fn status(&self) -> u16 {
        self.head.as_ref().map_or(0, |head| head.status)
    }

    pub(super) fn scheme(&self) -> &str {
        self.url.as_ref().map_or("", Url::scheme)
    }

    /// Takes down what an exchange says of its connection.
    pub(super) fn connected(&mut self, exchange: &Exchange) {
        self.remote = Some(exchange.address());
        self.local = exchange.local();
        self.request_bytes += exchange.shown().len();
        if !exchange.is_reused() {
            self.connections += 1;
        }
    }

    /// Takes down times, `before` of which went by before the exchange.
    pub(super) fn took(&mut self, exchange: &Exchange, before: Duration) {
        let times = &exchange.times;
        let span = |then| before + times.until(then);
        self.times.resolved = span(times.resolved);
        self.times.connected = span(times.connected);
        self.times.secured = times
            .secured
            .map_or(Duration::ZERO, |then| span(Some(then)));
        self.times.sent = span(times.sent);
        self.times.first_byte = span(times.first_byte);
    }
}
