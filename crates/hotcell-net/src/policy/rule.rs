//! What may be asked of which host.

mod json;
mod text;

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use url::Host;

use super::{HostPattern, PolicyError};

/// How a host is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scheme {
    /// HTTP over TLS.
    Https,
    /// HTTP for everybody on the way to read.
    Http,
    /// Bytes, for [`Network::connect_tcp`](crate::Network::connect_tcp). Methods and paths mean nothing there.
    Tcp,
}

impl Scheme {
    /// What it is called in a URL.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Https => "https",
            Self::Http => "http",
            Self::Tcp => "tcp",
        }
    }

    /// The port that a URL of this scheme means without one.
    pub(crate) fn default_port(self) -> Option<u16> {
        match self {
            Self::Https => Some(443),
            Self::Http => Some(80),
            Self::Tcp => None,
        }
    }

    pub(crate) fn of(text: &str) -> Option<Self> {
        [Self::Https, Self::Http, Self::Tcp]
            .into_iter()
            .find(|scheme| scheme.as_str() == text)
    }
}

/// Which methods of HTTP may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Methods {
    /// All of them, but `CONNECT` and `TRACE`, which no rule allows.
    Any,
    /// These.
    Only(Vec<String>),
}

impl Methods {
    pub(crate) fn allow(&self, method: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Only(methods) => methods.iter().any(|allowed| allowed == method),
        }
    }
}

impl Default for Methods {
    /// Those that only ask.
    fn default() -> Self {
        Self::Only(vec!["GET".to_owned(), "HEAD".to_owned()])
    }
}

/// One thing that is allowed: a host, and how it may be used.
///
/// As text it is `[SCHEME://]HOST[:PORTS][/PATH] [METHODS]`. What is left out is narrow: HTTPS on its usual port, `GET` and
/// `HEAD`.
///
/// ```
/// use hotcell_net::Rule;
///
/// let rule: Rule = "api.example.com".parse()?;
/// assert_eq!(rule.to_string(), "api.example.com:443 GET,HEAD");
/// let rule: Rule = "https://api.example.com/v1/ GET,POST".parse()?;
/// assert_eq!(rule.to_string(), "https://api.example.com:443/v1/ GET,POST");
/// # Ok::<(), hotcell_net::PolicyError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Which hosts.
    pub host: HostPattern,
    /// How they may be spoken to; never empty.
    pub schemes: Vec<Scheme>,
    /// On which ports; the usual one of each scheme if there is none here.
    pub ports: Vec<RangeInclusive<u16>>,
    /// With which methods.
    pub methods: Methods,
    /// What paths have to begin with. `/v1` and `/v1/` both mean `/v1` and what is below it.
    pub path_prefix: Option<String>,
}

impl Rule {
    /// A host by HTTPS on port 443, with `GET` and `HEAD`.
    pub fn new(host: HostPattern) -> Self {
        Self {
            host,
            schemes: vec![Scheme::Https],
            ports: Vec::new(),
            methods: Methods::default(),
            path_prefix: None,
        }
    }

    /// The same, with other methods.
    #[must_use]
    pub fn methods<M: Into<String>>(mut self, methods: impl IntoIterator<Item = M>) -> Self {
        self.methods = Methods::Only(methods.into_iter().map(Into::into).collect());
        self
    }

    /// The same, with any method.
    #[must_use]
    pub fn any_method(mut self) -> Self {
        self.methods = Methods::Any;
        self
    }

    /// The same, with other schemes.
    #[must_use]
    pub fn schemes(mut self, schemes: impl IntoIterator<Item = Scheme>) -> Self {
        self.schemes = schemes.into_iter().collect();
        self
    }

    /// The same, on this port, too. The first one takes the place of the usual one.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.ports.push(port..=port);
        self
    }

    /// The same, for what is below a path.
    #[must_use]
    pub fn path_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.path_prefix = Some(prefix.into());
        self
    }

    pub(crate) fn allows_host(&self, host: &Host<&str>) -> bool {
        self.host.matches(host)
    }

    pub(crate) fn allows_port(&self, scheme: Scheme, port: u16) -> bool {
        if !self.schemes.contains(&scheme) {
            return false;
        }
        if self.ports.is_empty() {
            return scheme.default_port() == Some(port);
        }
        self.ports.iter().any(|ports| ports.contains(&port))
    }

    /// Whether a path is below the one of this rule. `None` if the path could mean something else to a server.
    pub(crate) fn allows_path(&self, path: &str) -> Option<bool> {
        let Some(prefix) = &self.path_prefix else {
            return Some(true);
        };
        if is_ambiguous(path) {
            return None;
        }
        let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
        let rest = path.strip_prefix(prefix);
        Some(rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    }

    pub(crate) fn check(&self) -> Result<(), PolicyError> {
        let wrong = |why: &'static str| PolicyError::Rule {
            text: self.to_string(),
            why,
        };
        if self.schemes.is_empty() {
            return Err(wrong("it has no scheme"));
        }
        if self.schemes.contains(&Scheme::Tcp) && self.ports.is_empty() {
            return Err(wrong("tcp needs a port"));
        }
        if self.ports.iter().any(|ports| *ports.start() == 0) {
            return Err(wrong("0 is no port"));
        }
        if self.ports.iter().any(RangeInclusive::is_empty) {
            return Err(wrong("a range of ports goes from the lower to the higher"));
        }
        if let Methods::Only(methods) = &self.methods {
            if methods.is_empty() {
                return Err(wrong("it allows no method"));
            }
            if !methods.iter().all(|method| is_method(method)) {
                return Err(wrong("a method is a word of capital letters"));
            }
        }
        match &self.path_prefix {
            Some(prefix) if !prefix.starts_with('/') => Err(wrong("a path begins with a slash")),
            Some(prefix) if is_ambiguous(prefix) || prefix.contains(['?', '#', ' ']) => Err(wrong(
                "a path prefix has no dots, queries or encoded slashes",
            )),
            _ => Ok(()),
        }
    }
}

fn is_method(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte == b'-';
    !text.is_empty() && text.len() <= 32 && text.bytes().all(is_letter)
}

/// Whether servers and those in front of them could take a path for different ones: with encoded slashes or dots, also
/// encoded twice, parameters of segments, empty segments.
fn is_ambiguous(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let encoded = ["%2e", "%2f", "%5c", "%25", "%00", "%3b"];
    let plain = ["//", "\\", ";"];
    encoded
        .iter()
        .chain(&plain)
        .any(|part| lower.contains(part))
        || path.split('/').any(|part| part == "." || part == "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(rule: &str, path: &str) -> Option<bool> {
        rule.parse::<Rule>().unwrap().allows_path(path)
    }

    #[test]
    fn a_path_prefix_ends_at_a_segment() {
        for rule in ["a.b/v1", "a.b/v1/"] {
            assert_eq!(path(rule, "/v1"), Some(true));
            assert_eq!(path(rule, "/v1/"), Some(true));
            assert_eq!(path(rule, "/v1/x"), Some(true));
            assert_eq!(path(rule, "/v10"), Some(false));
            assert_eq!(path(rule, "/"), Some(false));
        }
        assert_eq!(path("a.b", "/%2e%2e/x"), Some(true));
        assert_eq!(path("a.b/", "/x"), Some(true));
    }

    #[test]
    fn a_path_that_could_mean_another_is_not_below_anything() {
        for trick in [
            "/v1/..%2fadmin",
            "/v1/%2E%2E/admin",
            "/v1/..%5cadmin",
            "/v1/%252e%252e/admin",
            "/v1/..;/admin",
            "/v1//admin",
            "/v1/%00",
        ] {
            assert_eq!(path("a.b/v1", trick), None, "{trick}");
        }
    }

    #[test]
    fn a_rule_without_a_port_is_about_the_usual_one() {
        let rule: Rule = "a.b".parse().unwrap();
        assert!(rule.allows_port(Scheme::Https, 443));
        assert!(!rule.allows_port(Scheme::Https, 8443));
        assert!(!rule.allows_port(Scheme::Http, 80));
        assert!(!rule.allows_port(Scheme::Http, 443));
    }
}
