//! Requests of one program, which may share connections.

use std::{
    net::{IpAddr, SocketAddr},
    time::{Duration, Instant},
};

use hotcell_meter::Account;

use crate::{
    connect::connect,
    connection::{CONNECTION_BYTES, Connection, Io, Peer},
    deadline::Deadline,
    error::{NetError, Phase},
    event::{NetworkEvent, Target},
    exchange::{Exchange, Ledger, Times},
    http::wire::Head,
    network::Network,
    note::{Note, Notes},
    policy::NetworkPolicy,
    request::Request,
};

/// Connections that wait for the next request.
const MAX_IDLE: usize = 4;

/// For how long they wait. Servers close them at some time, and whoever writes then loses a request.
const IDLE_TIME: Duration = Duration::from_secs(10);

/// Requests of one program.
pub(crate) struct Session {
    network: Network,
    account: Account,
    notes: Notes,
    idle: Vec<Connection>,
    connections: u32,
}

/// What a program asks for beside the request itself. The policy may ask for less.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Terms {
    pub(crate) connect_timeout: Option<Duration>,
    /// When it has to be over.
    pub(crate) deadline: Option<Instant>,
    pub(crate) response_bytes: Option<u64>,
    /// Bodies are given as they were before they were compressed.
    pub(crate) decompresses: bool,
    /// Only addresses of this family are connected to.
    pub(crate) family: Option<Family>,
    /// TLS 1.2 will not do.
    pub(crate) needs_tls13: bool,
}

/// A family of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Four,
    Six,
}

/// Which addresses of a host are connected to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Families {
    /// These alone.
    pub(crate) only: Option<Family>,
    /// These before the others.
    pub(crate) first: Option<Family>,
}

impl Family {
    pub(crate) fn has(self, address: &IpAddr) -> bool {
        match self {
            Self::Four => address.is_ipv4(),
            Self::Six => address.is_ipv6(),
        }
    }
}

impl Session {
    pub(crate) fn new(network: &Network, account: &Account, notes: Notes) -> Self {
        Self {
            network: network.clone(),
            account: account.clone(),
            notes,
            idle: Vec::new(),
            connections: 0,
        }
    }

    pub(crate) fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Begins a request: asks the policy, connects, sends the head.
    pub(crate) async fn open(
        &mut self,
        request: &Request,
        terms: &Terms,
    ) -> Result<Exchange, NetError> {
        let network = self.network.clone();
        let id = network.next_id();
        let target = || Target::new(&request.method, &request.url);
        let policy = match network.allowed() {
            Ok(policy) => policy,
            Err(denial) => return Err(network.denied(id, target, denial.into())),
        };
        let rule = match policy.decide(request) {
            crate::Decision::Allowed(rule) => rule,
            crate::Decision::Denied(denial) => {
                return Err(network.denied(id, target, denial.into()));
            }
        };
        let head = Head::new(request, policy, terms.decompresses)?;
        network.tell(|| NetworkEvent::Allowed {
            request: id,
            target: target(),
            rule: rule.to_string(),
            secrets: head.secrets.clone(),
        });
        // From here on the end is told, whatever it is.
        let mut ledger = Ledger::new(id, network.listener().clone());
        let opened = self.begin(policy, id, request, terms, head).await;
        match opened {
            Ok(opened) => Ok(Exchange::new(opened, ledger)),
            Err(error) => {
                ledger.failed(&error);
                Err(network.denied(id, target, error))
            }
        }
    }

    async fn begin(
        &mut self,
        policy: &NetworkPolicy,
        id: u64,
        request: &Request,
        terms: &Terms,
        head: Head,
    ) -> Result<Opened, NetError> {
        let limits = &policy.limits;
        let mut deadline = Deadline::new(limits.timeout, terms.deadline);
        let mut times = Times::new();
        let slots = self.network.slots()?;
        let slot = deadline.wait(Phase::Queue, slots.acquire_arc()).await?;
        let connect_timeout = terms.connect_timeout.unwrap_or(limits.connect_timeout);
        let connect_timeout = connect_timeout.min(limits.connect_timeout);
        let mut connecting = deadline.within(connect_timeout);
        let (connection, is_reused) = self
            .connection(policy, request, terms, &mut connecting, &mut times)
            .await?;
        self.network.tell(|| NetworkEvent::Connected {
            request: id,
            host: connection.peer.host.clone(),
            address: connection.address,
            is_reused,
        });
        Ok(Opened {
            method: request.method.clone(),
            length: request.body,
            connection,
            is_reused,
            deadline,
            times,
            slot,
            request_bytes: limits.request_bytes,
            response_bytes: terms.response_bytes.map_or(limits.response_bytes, |bytes| {
                bytes.min(limits.response_bytes)
            }),
            decompresses: terms.decompresses,
            account: self.account.clone(),
            head,
        })
    }

    /// A connection for a request: one that waits, or a new one.
    async fn connection(
        &mut self,
        policy: &NetworkPolicy,
        request: &Request,
        terms: &Terms,
        deadline: &mut Deadline,
        times: &mut Times,
    ) -> Result<(Connection, bool), NetError> {
        let url = &request.url;
        let (Some(peer), Some(host)) = (
            Peer::of(url, request.is_insecure, terms.needs_tls13),
            url.host(),
        ) else {
            return Err(NetError::Url("it has no host".to_owned()));
        };
        if let Some(connection) = self.take_idle(&peer) {
            self.notes.take(|| Note::Reused);
            return Ok((connection, true));
        }
        let charge = self.account.charge(CONNECTION_BYTES)?;
        let connected = connect(
            &self.network,
            policy,
            &host,
            peer.port,
            Families {
                only: terms.family,
                first: None,
            },
            deadline,
            &self.notes,
        )
        .await?;
        times.resolved = Some(connected.resolved_at);
        times.connected = Some(connected.connected_at);
        let address: SocketAddr = connected.address;
        let io = if peer.is_tls {
            let tls = self.network.tls()?;
            let handshake = tls.connect(&peer, connected.stream);
            let stream = deadline.wait(Phase::Handshake, handshake).await??;
            times.secured = Some(Instant::now());
            let session = stream.get_ref().1;
            self.notes.take(|| {
                let version = session
                    .protocol_version()
                    .and_then(|version| version.as_str());
                let suite = session.negotiated_cipher_suite();
                let suite = suite.and_then(|suite| suite.suite().as_str());
                Note::Secured(
                    version.unwrap_or("TLS").replace('_', "."),
                    suite.unwrap_or("unknown").replace("TLS13_", "TLS_"),
                )
            });
            Io::Tls(Box::new(stream))
        } else {
            Io::Plain(connected.stream)
        };
        let number = self.connections;
        self.connections += 1;
        Ok((Connection::new(io, peer, address, number, charge), false))
    }

    fn take_idle(&mut self, peer: &Peer) -> Option<Connection> {
        self.idle
            .retain(|connection| connection.used_at.elapsed() < IDLE_TIME);
        let index = self
            .idle
            .iter()
            .position(|connection| connection.peer == *peer)?;
        let mut connection = self.idle.swap_remove(index);
        connection.is_quiet().then_some(connection)
    }

    /// Ends an exchange; its connection is kept if more can be asked on it.
    pub(crate) fn close(&mut self, exchange: Exchange) -> bool {
        let Some(mut connection) = exchange.finish() else {
            return false;
        };
        connection.used_at = Instant::now();
        if self.idle.len() == MAX_IDLE {
            self.idle.remove(0);
        }
        self.idle.push(connection);
        true
    }
}

/// A request whose connection stands.
pub(crate) struct Opened {
    pub(crate) method: String,
    pub(crate) length: crate::BodyLength,
    pub(crate) connection: Connection,
    pub(crate) is_reused: bool,
    pub(crate) deadline: Deadline,
    pub(crate) times: Times,
    pub(crate) slot: async_lock::SemaphoreGuardArc,
    pub(crate) request_bytes: u64,
    pub(crate) response_bytes: u64,
    pub(crate) decompresses: bool,
    pub(crate) account: Account,
    pub(crate) head: Head,
}
