//! Which hosts a rule is about.

use std::{fmt, net::IpAddr, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::Host;

use super::PolicyError;

/// A host, or several: `api.example.com`, `*.example.com`, `192.0.2.1`, `[2001:db8::1]`, `*`.
///
/// A name is compared with the one that a URL has after parsing: lower case, international names in their ASCII form, no
/// dot at the end. `*.example.com` is every name below `example.com`, at any depth, and not `example.com` itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HostPattern(Pattern);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Pattern {
    Any,
    Below(String),
    Name(String),
    Address(IpAddr),
}

impl HostPattern {
    /// Whether a host is one of these. Addresses are matched by rules for addresses and by `*`, never by names.
    pub fn matches(&self, host: &Host<&str>) -> bool {
        match (&self.0, host) {
            (Pattern::Any, _) => true,
            (Pattern::Name(name), Host::Domain(host)) => without_dot(host) == name,
            (Pattern::Below(domain), Host::Domain(host)) => without_dot(host)
                .strip_suffix(domain.as_str())
                .and_then(|rest| rest.strip_suffix('.'))
                .is_some_and(|rest| !rest.is_empty()),
            (Pattern::Address(address), Host::Ipv4(host)) => *address == IpAddr::V4(*host),
            (Pattern::Address(address), Host::Ipv6(host)) => {
                *address == IpAddr::V6(*host).to_canonical()
            }
            _ => false,
        }
    }

    /// Whether whoever wrote it meant a machine by its address, or this machine. Then the address needs no other
    /// permission.
    pub(crate) fn names_address(&self, address: IpAddr) -> bool {
        match &self.0 {
            Pattern::Address(named) => *named == address.to_canonical(),
            Pattern::Name(name) => is_localhost(name) && address.to_canonical().is_loopback(),
            Pattern::Any | Pattern::Below(_) => false,
        }
    }
}

/// A name without the dot that makes it absolute: `example.com.` is the same host.
pub(crate) fn without_dot(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}

/// Whether a name means this machine wherever it is looked up (RFC 6761).
pub(crate) fn is_localhost(name: &str) -> bool {
    let name = without_dot(name);
    name == "localhost" || name.ends_with(".localhost")
}

impl FromStr for HostPattern {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Self, PolicyError> {
        let wrong = |why: &str| PolicyError::Host {
            text: text.to_owned(),
            why: why.to_owned(),
        };
        if text == "*" {
            return Ok(Self(Pattern::Any));
        }
        let (domain, is_below) = match text.strip_prefix("*.") {
            Some(domain) => (domain, true),
            None => (text, false),
        };
        if domain.contains('*') {
            return Err(wrong(
                "a star stands alone, or at the beginning as in *.example.com",
            ));
        }
        let host = Host::parse(domain).map_err(|error| wrong(&error.to_string()))?;
        Ok(Self(match host {
            Host::Domain(name) if is_below => Pattern::Below(without_dot(&name).to_owned()),
            Host::Domain(name) => Pattern::Name(without_dot(&name).to_owned()),
            _ if is_below => return Err(wrong("an address has nothing below it")),
            Host::Ipv4(address) => Pattern::Address(IpAddr::V4(address)),
            Host::Ipv6(address) => Pattern::Address(IpAddr::V6(address).to_canonical()),
        }))
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Pattern::Any => f.write_str("*"),
            Pattern::Below(domain) => write!(f, "*.{domain}"),
            Pattern::Name(name) => f.write_str(name),
            Pattern::Address(IpAddr::V4(address)) => write!(f, "{address}"),
            Pattern::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

impl Serialize for HostPattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for HostPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, host: &str) -> bool {
        let host = Host::parse(host).unwrap();
        let host = match &host {
            Host::Domain(name) => Host::Domain(name.as_str()),
            Host::Ipv4(address) => Host::Ipv4(*address),
            Host::Ipv6(address) => Host::Ipv6(*address),
        };
        pattern.parse::<HostPattern>().unwrap().matches(&host)
    }

    #[test]
    fn a_name_is_itself_in_every_spelling() {
        assert!(matches("api.example.com", "API.Example.COM"));
        assert!(matches("api.example.com.", "api.example.com"));
        assert!(matches("api.example.com", "api.example.com."));
        assert!(matches("bücher.example", "xn--bcher-kva.example"));
        assert!(!matches("api.example.com", "example.com"));
        assert!(!matches("example.com", "example.com.evil.org"));
        assert!(!matches("example.com", "notexample.com"));
    }

    #[test]
    fn a_star_is_what_is_below_and_not_the_domain() {
        assert!(matches("*.example.com", "a.example.com"));
        assert!(matches("*.example.com", "a.b.example.com."));
        assert!(!matches("*.example.com", "example.com"));
        assert!(!matches("*.example.com", "badexample.com"));
        assert!(!matches("*.com", "10.0.0.1"));
        assert!("a.*.com".parse::<HostPattern>().is_err());
        assert!("*.*.com".parse::<HostPattern>().is_err());
        assert!("*.127.0.0.1".parse::<HostPattern>().is_err());
    }

    #[test]
    fn an_address_is_itself_in_every_spelling() {
        assert!(matches("127.0.0.1", "0x7f.1"));
        assert!(matches("127.0.0.1", "2130706433"));
        assert!(matches("127.0.0.1", "[::ffff:127.0.0.1]"));
        assert!(matches("[::1]", "[0:0::1]"));
        assert!(!matches("127.0.0.1", "127.0.0.2"));
        assert!(matches("*", "10.0.0.1"));
    }
}
