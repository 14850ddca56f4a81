//! What is remembered of an exchange.

use std::time::{Duration, Instant};

use crate::{
    error::NetError,
    event::{Listener, NetworkEvent},
};

/// When parts of a request were done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) began: Instant,
    pub(crate) resolved: Option<Instant>,
    pub(crate) connected: Option<Instant>,
    pub(crate) secured: Option<Instant>,
    pub(crate) sent: Option<Instant>,
    pub(crate) first_byte: Option<Instant>,
}

impl Times {
    pub(crate) fn new() -> Self {
        Self {
            began: Instant::now(),
            resolved: None,
            connected: None,
            secured: None,
            sent: None,
            first_byte: None,
        }
    }

    /// How long it took until then; nothing if it never was.
    pub(crate) fn until(&self, then: Option<Instant>) -> Duration {
        then.map_or(Duration::ZERO, |then| {
            then.saturating_duration_since(self.began)
        })
    }
}

/// What the host is told when an exchange is over, however that comes.
pub(crate) struct Ledger {
    request: u64,
    listener: Listener,
    began: Instant,
    pub(crate) status: Option<u16>,
    pub(crate) sent: u64,
    pub(crate) received: u64,
    error: Option<String>,
}

impl Ledger {
    pub(crate) fn new(request: u64, listener: Listener) -> Self {
        Self {
            request,
            listener,
            began: Instant::now(),
            status: None,
            sent: 0,
            received: 0,
            error: None,
        }
    }

    pub(crate) fn failed(&mut self, error: &NetError) {
        self.error = Some(error.to_string());
    }

    pub(crate) fn record<T>(&mut self, result: Result<T, NetError>) -> Result<T, NetError> {
        if let Err(error) = &result {
            self.failed(error);
        }
        result
    }

    pub(crate) fn is_fine(&self) -> bool {
        self.error.is_none()
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        self.listener.tell(|| NetworkEvent::Ended {
            request: self.request,
            status: self.status,
            sent: self.sent,
            received: self.received,
            duration_ms: u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
            error: self.error.take(),
        });
    }
}
