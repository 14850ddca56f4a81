//! What goes wrong on the network.

use std::{fmt, io, time::Duration};

use hotcell_meter::OverLimit;

use crate::decide::Denial;

/// Why a request or a connection failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// The policy does not allow it.
    #[error(transparent)]
    Denied(#[from] Denial),
    /// The URL is none.
    #[error("not a URL: {0}")]
    Url(String),
    /// A part of the request cannot be sent.
    #[error("{0}")]
    Request(String),
    /// The name leads nowhere.
    #[error("could not resolve host: {host}")]
    Resolve {
        /// The name.
        host: String,
        /// What the lookup said.
        source: io::Error,
    },
    /// There is no connection to be had.
    #[error("failed to connect to {host} port {port}")]
    Connect {
        /// The host.
        host: String,
        /// The port.
        port: u16,
        /// What the system said of the last address.
        source: io::Error,
    },
    /// The server's certificate is not one to trust.
    #[error("the certificate of {host} cannot be trusted: {why}")]
    Certificate {
        /// The host.
        host: String,
        /// What is wrong with it.
        why: String,
    },
    /// The server and we do not understand each other.
    #[error("TLS with {host} failed: {why}")]
    Tls {
        /// The host.
        host: String,
        /// What happened.
        why: String,
    },
    /// It took too long.
    #[error("{phase} took longer than {} ms", limit.as_millis())]
    Timeout {
        /// What was going on.
        phase: Phase,
        /// How long it could have taken.
        limit: Duration,
    },
    /// The server closed the connection without a word.
    #[error("empty reply from server")]
    EmptyReply,
    /// Sending failed.
    #[error("sending failed")]
    Send(#[source] io::Error),
    /// Receiving failed.
    #[error("receiving failed")]
    Receive(#[source] io::Error),
    /// The server closed the connection in the middle of its answer.
    #[error("the connection was closed in the middle of the response")]
    Partial {
        /// Bytes of the body that came.
        received: u64,
        /// Bytes that were missing, if the server said how many there would be.
        missing: Option<u64>,
    },
    /// The server's answer is no HTTP.
    #[error("not an HTTP response: {0}")]
    Protocol(&'static str),
    /// The body is not compressed as the server says.
    #[error("the body cannot be decompressed: {0}")]
    Encoding(&'static str),
    /// More bytes than allowed.
    #[error("the {what} is larger than {limit} bytes")]
    TooLarge {
        /// `request` or `response`.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// One redirect too many.
    #[error("more than {limit} redirects")]
    Redirects {
        /// The limit.
        limit: u32,
    },
    /// The guest's account has no room for it.
    #[error(transparent)]
    Memory(#[from] OverLimit),
}

/// Parts of a request that take time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Waiting for a turn.
    Queue,
    /// Looking up the name.
    Resolve,
    /// Connecting.
    Connect,
    /// Shaking hands.
    Handshake,
    /// Sending and receiving.
    Transfer,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Queue => "waiting for other requests",
            Self::Resolve => "resolving the host",
            Self::Connect => "connecting",
            Self::Handshake => "the TLS handshake",
            Self::Transfer => "the transfer",
        })
    }
}
