//! Connections by the policies of [`hotcell_net`]: its rules for `tcp`, its checks of addresses, its limits.

use std::{
    io,
    net::{IpAddr, Ipv6Addr},
    pin::Pin,
    task::{Context, Poll},
};

use futures_io::{AsyncRead as _, AsyncWrite as _};
use hotcell_net::{CheckedStream, NetError, TcpOptions};

use super::{ConnectError, Connecting, Connection, Destination, NetPolicy, Network, connect_flags};

impl NetPolicy {
    /// With the rules and limits of this network.
    pub fn checked(network: hotcell_net::Network) -> Self {
        let mut policy = Self::new(std::sync::Arc::new(network.clone()));
        if let Some(allowed) = network.policy() {
            policy.allowlist = allowed.rules.iter().map(ToString::to_string).collect();
            policy.max_conns = allowed.limits.concurrent;
            policy.connect_timeout = allowed.limits.connect_timeout;
        }
        policy
    }
}

impl Network for hotcell_net::Network {
    fn connect(&self, destination: Destination) -> Connecting {
        let network = self.clone();
        Box::pin(async move {
            let Destination { host, port, flags } = destination;
            let has = |flag: u32| flags & flag != 0;
            if !is_address(&host) && !has(connect_flags::ALLOW_DNS) {
                return Err(ConnectError::Denied);
            }
            // Connections have no delay in any case.
            let options = TcpOptions {
                prefers_ipv6: has(connect_flags::PREFER_IPV6),
            };
            let connected = network.connect_tcp_with(&spelt(host), port, options).await;
            let stream = connected.map_err(|error| why(&error))?;
            Ok(Box::new(Checked(stream)) as Box<dyn Connection>)
        })
    }
}

/// Whether there is nothing to be looked up. Numbers in other forms than the usual one are names here.
fn is_address(host: &str) -> bool {
    let inner = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    inner.unwrap_or(host).parse::<IpAddr>().is_ok()
}

/// As a URL has it: addresses with colons stand in brackets.
fn spelt(host: String) -> String {
    match host.parse::<Ipv6Addr>() {
        Ok(_) => format!("[{host}]"),
        Err(_) => host,
    }
}

fn why(error: &NetError) -> ConnectError {
    match error {
        // A host that cannot be one is on nobody's list.
        NetError::Denied(_) | NetError::Url(_) => ConnectError::Denied,
        NetError::Timeout { .. } => ConnectError::TimedOut,
        _ => ConnectError::Unreachable,
    }
}

struct Checked(CheckedStream);

impl Connection for Checked {
    fn poll_read(&mut self, context: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_read(context, buf)
    }

    fn poll_write(&mut self, context: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, data)
    }

    fn end(&mut self) -> bool {
        self.0.end_writing().is_ok()
    }

    fn can_end(&self) -> bool {
        true
    }
}
