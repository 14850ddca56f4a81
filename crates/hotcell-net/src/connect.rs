//! From a host to a connection: every address that it has is checked, and one of those is connected to.

use std::{
    io,
    net::{IpAddr, SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use async_io::{Async, Timer};
use futures_util::{
    future::{Either, select},
    stream::{FuturesUnordered, StreamExt},
};
use url::Host;

use crate::{
    deadline::Deadline,
    error::{NetError, Phase},
    network::Network,
    note::{Note, Notes},
    policy::{NetworkPolicy, is_localhost, without_dot},
    session::Families,
};

/// How long one address is tried alone before the next joins it (RFC 8305).
const STAGGER: Duration = Duration::from_millis(250);

/// Addresses that are tried for one connection.
const MAX_TRIED: usize = 8;

/// A stream to an address that was checked, and when its name and the connection were there.
pub(crate) struct Connected {
    pub(crate) stream: Async<TcpStream>,
    pub(crate) address: SocketAddr,
    pub(crate) resolved_at: Instant,
    pub(crate) connected_at: Instant,
}

/// Connects to a host that a rule of the policy allows.
pub(crate) async fn connect(
    network: &Network,
    policy: &NetworkPolicy,
    host: &Host<&str>,
    port: u16,
    families: Families,
    deadline: &mut Deadline,
    notes: &Notes,
) -> Result<Connected, NetError> {
    let addresses = resolve(network, host, deadline, notes).await?;
    for address in &addresses {
        // All of them: one that is not allowed among others is somebody's try.
        policy.check_address(host, *address)?;
    }
    let is_wanted = |address: &IpAddr| families.only.is_none_or(|family| family.has(address));
    let mut addresses: Vec<_> = addresses
        .into_iter()
        .filter(is_wanted)
        .map(|address| SocketAddr::new(address, port))
        .collect();
    if let Some(first) = families.first {
        // The order within a family stays.
        addresses.sort_by_key(|address| !first.has(&address.ip()));
    }
    if addresses.is_empty() {
        return Err(NetError::Resolve {
            host: host.to_string(),
            source: io::ErrorKind::NotFound.into(),
        });
    }
    notes.take(|| Note::Resolved(addresses.clone()));
    let resolved_at = Instant::now();
    let tried = deadline
        .wait(Phase::Connect, try_all(&in_turn(addresses), notes))
        .await?;
    let (stream, address) = tried.map_err(|source| NetError::Connect {
        host: host.to_string(),
        port,
        source,
    })?;
    // Small writes are whole requests; if the system will not have it, they are only slower.
    let _ = stream.get_ref().set_nodelay(true);
    notes.take(|| Note::Connected(address));
    Ok(Connected {
        stream,
        address,
        resolved_at,
        connected_at: Instant::now(),
    })
}

async fn resolve(
    network: &Network,
    host: &Host<&str>,
    deadline: &mut Deadline,
    notes: &Notes,
) -> Result<Vec<IpAddr>, NetError> {
    let name = match host {
        Host::Ipv4(address) => return Ok(vec![IpAddr::V4(*address)]),
        Host::Ipv6(address) => return Ok(vec![IpAddr::V6(*address)]),
        Host::Domain(name) => without_dot(name),
    };
    notes.take(|| Note::Resolving);
    if is_localhost(name) {
        // Nobody is asked what this means.
        return Ok(vec![
            IpAddr::from([127, 0, 0, 1]),
            std::net::Ipv6Addr::LOCALHOST.into(),
        ]);
    }
    let failed = |source| NetError::Resolve {
        host: name.to_owned(),
        source,
    };
    let found = deadline
        .wait(Phase::Resolve, network.resolver().resolve(name))
        .await?;
    let found = found.map_err(failed)?;
    if found.is_empty() {
        return Err(failed(io::ErrorKind::NotFound.into()));
    }
    Ok(found)
}

/// Families of addresses in turn, beginning with that of the first, so that one that does not work costs one try.
fn in_turn(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let is_six = addresses.first().is_some_and(SocketAddr::is_ipv6);
    let of_first = |address: &SocketAddr| address.is_ipv6() == is_six;
    let (first, other): (Vec<_>, Vec<_>) = addresses.into_iter().partition(of_first);
    let (mut first, mut other) = (first.into_iter(), other.into_iter());
    let mut turns = Vec::new();
    loop {
        let pair = [first.next(), other.next()];
        if pair == [None, None] || turns.len() >= MAX_TRIED {
            return turns;
        }
        turns.extend(pair.into_iter().flatten());
    }
}

/// The first address that answers.
async fn try_all(
    addresses: &[SocketAddr],
    notes: &Notes,
) -> io::Result<(Async<TcpStream>, SocketAddr)> {
    let mut left = addresses.iter().copied();
    let mut tries = FuturesUnordered::new();
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    loop {
        let next = left.next();
        if let Some(address) = next {
            notes.take(|| Note::Trying(address));
            tries.push(async move { (Async::<TcpStream>::connect(address).await, address) });
        }
        let mut stagger = Timer::after(STAGGER);
        loop {
            let tried = if next.is_some() {
                match select(tries.next(), &mut stagger).await {
                    Either::Left((tried, _)) => tried,
                    Either::Right(_) => break,
                }
            } else {
                tries.next().await
            };
            match tried {
                Some((Ok(stream), address)) => return Ok((stream, address)),
                Some((Err(error), address)) => {
                    notes.take(|| Note::Failed(address, error.to_string()));
                    last = error;
                    if next.is_some() {
                        break;
                    }
                }
                None if next.is_some() => break,
                None => return Err(last),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_take_turns_and_tries_are_limited() {
        let address = |text: &str| SocketAddr::new(text.parse().unwrap(), 80);
        let [a, b, six] = [
            address("192.0.2.1"),
            address("192.0.2.2"),
            address("2001:db8::1"),
        ];
        assert_eq!(in_turn(vec![a, b, six]), [a, six, b]);
        assert_eq!(in_turn(vec![six, a, b]), [six, a, b]);
        assert!(in_turn(vec![address("192.0.2.1"); 100]).len() <= MAX_TRIED + 1);
    }
}
