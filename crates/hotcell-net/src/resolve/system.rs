//! The resolver that a machine is configured for.

use std::{
    fs, io,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use super::{Resolve, Resolving, dns};
use crate::policy::without_dot;

/// What glibc takes of each, too.
const MAX_SERVERS: usize = 3;

/// Asks the name servers of `/etc/resolv.conf`, after a look at `/etc/hosts`.
///
/// Names are absolute: search domains are not tried, because a rule for `api.example.com` is not one for
/// `api.example.com.corp.internal`. Other sources of names (mDNS, LDAP) are not asked; a host that needs them gives a
/// [`Resolve`] of its own.
#[derive(Debug, Clone)]
pub struct SystemResolver {
    hosts: PathBuf,
    config: PathBuf,
    /// Servers that take the place of the machine's.
    servers: Vec<SocketAddr>,
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self {
            hosts: "/etc/hosts".into(),
            config: "/etc/resolv.conf".into(),
            servers: Vec::new(),
        }
    }
}

impl SystemResolver {
    /// Asks these servers, and looks at no file of the machine's.
    pub fn with_servers(servers: impl IntoIterator<Item = SocketAddr>) -> Self {
        Self {
            hosts: PathBuf::new(),
            config: PathBuf::new(),
            servers: servers.into_iter().collect(),
        }
    }

    /// Small files of the host's, which change now and then: they are read for each lookup, which takes microseconds.
    fn read(path: &PathBuf) -> String {
        let text = fs::read(path).unwrap_or_default();
        String::from_utf8_lossy(&text).into_owned()
    }
}

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        Box::pin(async move {
            let name = without_dot(name);
            let known = in_hosts(&Self::read(&self.hosts), name);
            if !known.is_empty() {
                return Ok(known);
            }
            let mut config = Config::parse(&Self::read(&self.config));
            if !self.servers.is_empty() {
                config.servers.clone_from(&self.servers);
            }
            let mut last = io::Error::other("no name server");
            for _ in 0..config.attempts {
                for server in &config.servers {
                    match dns::ask(*server, name, config.timeout).await {
                        Ok(addresses) => return Ok(addresses),
                        Err(dns::Failure::NoSuchName) => {
                            return Err(io::ErrorKind::NotFound.into());
                        }
                        Err(dns::Failure::Other(error)) => last = error,
                    }
                }
            }
            Err(last)
        })
    }
}

/// The addresses that a file of hosts has for a name.
fn in_hosts(text: &str, name: &str) -> Vec<IpAddr> {
    let mut addresses = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let Some(Ok(address)) = words.next().map(str::parse) else {
            continue;
        };
        if words.any(|word| without_dot(word).eq_ignore_ascii_case(name))
            && !addresses.contains(&address)
        {
            addresses.push(address);
        }
    }
    addresses
}

/// What `resolv.conf` says.
#[derive(Debug, PartialEq, Eq)]
struct Config {
    servers: Vec<SocketAddr>,
    timeout: Duration,
    attempts: u64,
}

impl Config {
    fn parse(text: &str) -> Self {
        let mut config = Self {
            servers: Vec::new(),
            timeout: Duration::from_secs(5),
            attempts: 2,
        };
        for line in text.lines() {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("nameserver") if config.servers.len() < MAX_SERVERS => {
                    let address = words.next().and_then(|word| word.parse().ok());
                    let server = address.map(|address: IpAddr| SocketAddr::new(address, 53));
                    config.servers.extend(server);
                }
                Some("options") => {
                    for word in words {
                        let number = |text: &str| text.parse::<u64>().ok();
                        if let Some(seconds) = word.strip_prefix("timeout:").and_then(number) {
                            config.timeout = Duration::from_secs(seconds.clamp(1, 30));
                        }
                        if let Some(count) = word.strip_prefix("attempts:").and_then(number) {
                            config.attempts = count.clamp(1, 5);
                        }
                    }
                }
                _ => {}
            }
        }
        if config.servers.is_empty() {
            config.servers.push(([127, 0, 0, 1], 53).into());
        }
        config
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found_by_each_of_their_names() {
        let text = "# x\n192.0.2.1 one one.example # two\n::1\tone\nbad one\n192.0.2.2 Two.\n";
        let found = |name| in_hosts(text, name);
        assert_eq!(found("one").len(), 2);
        assert_eq!(found("one.example"), [IpAddr::from([192, 0, 2, 1])]);
        assert_eq!(found("two"), [IpAddr::from([192, 0, 2, 2])]);
        assert!(found("x").is_empty());
    }

    #[test]
    fn a_configuration_has_servers_and_options() {
        let config = Config::parse(
            "search corp.example\nnameserver 192.0.2.53\nnameserver ::1\nnameserver x\noptions ndots:5 timeout:2 attempts:9\n",
        );
        assert_eq!(
            config,
            Config {
                servers: vec![([192, 0, 2, 53], 53).into(), "[::1]:53".parse().unwrap()],
                timeout: Duration::from_secs(2),
                attempts: 5,
            }
        );
        assert_eq!(Config::parse("").servers, [([127, 0, 0, 1], 53).into()]);
    }
}
