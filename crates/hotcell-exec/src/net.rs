//! `net.tcp.connect.v1`: connections, if the host's policy gives them.
//!
//! A [`Network`] opens sockets, and decides: it is given what the guest asks for, and answers with a connection or with a
//! refusal. Without one the capability is denied. `hotcell_net::Network` is one ([`NetPolicy::checked`]): its rules for `tcp` say
//! what can be reached, and names that lead to addresses inside are refused.

#[cfg(feature = "net")]
mod checked;

use std::{
    fmt, io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

pub use hotcell_hopper::selector::net::connect_flags;

/// A connection that is being made.
pub type Connecting =
    Pin<Box<dyn Future<Output = Result<Box<dyn Connection>, ConnectError>> + Send>>;

/// What a guest asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// A name or an address.
    pub host: String,
    /// From 1 on.
    pub port: u16,
    /// See [`connect_flags`]. Without [`connect_flags::ALLOW_DNS`] a name must not be looked up.
    pub flags: u32,
}

/// Where connections come from, and who may have which.
pub trait Network: Send + Sync {
    /// Connects, or refuses to. The future may be dropped at any time.
    fn connect(&self, destination: Destination) -> Connecting;
}

/// A connection of bytes. Nothing here blocks.
pub trait Connection: Send {
    /// Reads some bytes; none at the end.
    fn poll_read(&mut self, context: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>>;

    /// Writes some of the bytes.
    fn poll_write(&mut self, context: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>>;

    /// Says that nothing more will be written; what comes from the other side can still be read. False if it cannot be
    /// said, and the connection stays as it is.
    fn end(&mut self) -> bool {
        false
    }

    /// Whether [`Connection::end`] does something.
    fn can_end(&self) -> bool {
        false
    }
}

/// Why there is no connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// The policy says no: the destination, or looking up its name.
    #[error("destination not allowed")]
    Denied,
    /// Nobody answers there.
    #[error("destination not reachable")]
    Unreachable,
    /// The network's own time for it was over.
    #[error("connecting took too long")]
    TimedOut,
}

/// The network of a guest.
#[derive(Clone)]
pub struct NetPolicy {
    /// Where connections come from.
    pub network: Arc<dyn Network>,
    /// What the description tells of whom can be reached; the [`Network`] decides.
    pub allowlist: Vec<String>,
    /// The longest name.
    pub max_host_len: usize,
    /// Connections at once.
    pub max_conns: usize,
    /// How long making one may take.
    pub connect_timeout: Duration,
}

impl NetPolicy {
    /// With this network and the usual limits.
    pub fn new(network: Arc<dyn Network>) -> Self {
        Self {
            network,
            allowlist: Vec::new(),
            max_host_len: 253,
            max_conns: 16,
            connect_timeout: Duration::from_secs(10),
        }
    }
}

impl fmt::Debug for NetPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetPolicy")
            .field("allowlist", &self.allowlist)
            .finish_non_exhaustive()
    }
}
