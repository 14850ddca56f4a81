//! What a host allows.

mod host;
mod limits;
mod rule;
mod secret;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

pub use host::HostPattern;
pub(crate) use host::{is_localhost, without_dot};
pub use limits::NetworkLimits;
pub use rule::{Methods, Rule, Scheme};
pub(crate) use secret::HIDDEN;
pub use secret::{InjectedSecret, SecretPlace, SecretValue};

/// What a host allows of the network. By default nothing is allowed.
///
/// It is made in Rust or read from JSON, and both are the same:
///
/// ```
/// use hotcell_net::NetworkPolicy;
///
/// let policy = NetworkPolicy::new().allow("api.example.com GET,POST")?;
/// let read: NetworkPolicy = serde_json::from_str(r#"{ "rules": ["api.example.com GET,POST"] }"#)?;
/// assert_eq!(policy, read);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct NetworkPolicy {
    /// What is allowed; anything else is not.
    pub rules: Vec<Rule>,
    /// Allows names to lead to private and loopback addresses. Link-local ones, where clouds keep credentials, have to be
    /// named in `allow_addresses`.
    pub allow_private: bool,
    /// Addresses that names may lead to although they are not on the internet: `10.1.0.0/16`.
    pub allow_addresses: Vec<IpNet>,
    /// Addresses that nothing may lead to, whatever else is said.
    pub deny_addresses: Vec<IpNet>,
    /// Allows `curl -k`: connections to servers that cannot show who they are. No secret goes there.
    pub allow_insecure_tls: bool,
    /// Which authorities vouch for servers.
    pub roots: TrustRoots,
    /// Certificates of further authorities, as PEM.
    pub extra_roots: Vec<String>,
    /// Credentials that are added on the way out.
    pub secrets: Vec<InjectedSecret>,
    /// Sizes and times.
    pub limits: NetworkLimits,
}

/// Which authorities vouch for servers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrustRoots {
    /// Mozilla's, which are part of the program: the same everywhere, also where a machine has none.
    #[default]
    Bundled,
    /// Those of the machine.
    System,
    /// None but the policy's own `extra_roots`.
    None,
}

/// What is wrong with a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A host that is none.
    #[error("host {text:?}: {why}")]
    Host {
        /// What was given.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// A rule that means nothing.
    #[error("rule {text:?}: {why}")]
    Rule {
        /// What was given.
        text: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A secret that cannot be used.
    #[error("secret {name:?}: {why}")]
    Secret {
        /// What the host calls it.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// There is no secret of this name.
    #[error("there is no secret {name:?}")]
    NoSecret {
        /// What was given.
        name: String,
    },
    /// A limit that lets nothing through.
    #[error("limit {name} is 0: that allows nothing")]
    Limit {
        /// The limit.
        name: &'static str,
    },
    /// Certificates that cannot be used.
    #[error("certificates of authorities: {why}")]
    Roots {
        /// What is wrong with them.
        why: String,
    },
}

impl NetworkPolicy {
    /// A policy that allows nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows something more; see [`Rule`] for what the text means.
    pub fn allow(self, rule: &str) -> Result<Self, PolicyError> {
        Ok(self.rule(rule.parse()?))
    }

    /// Allows something more.
    #[must_use]
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Lets names lead to private and loopback addresses.
    #[must_use]
    pub fn allow_private(mut self) -> Self {
        self.allow_private = true;
        self
    }

    /// Lets names lead to these addresses.
    #[must_use]
    pub fn allow_addresses(mut self, network: IpNet) -> Self {
        self.allow_addresses.push(network);
        self
    }

    /// Lets nothing lead to these addresses.
    #[must_use]
    pub fn deny_addresses(mut self, network: IpNet) -> Self {
        self.deny_addresses.push(network);
        self
    }

    /// Adds a credential to requests to its hosts.
    #[must_use]
    pub fn secret(mut self, secret: InjectedSecret) -> Self {
        self.secrets.push(secret);
        self
    }

    /// Gives a secret its value, which JSON does not carry.
    pub fn set_secret(
        &mut self,
        name: &str,
        value: impl Into<SecretValue>,
    ) -> Result<(), PolicyError> {
        let value = value.into();
        let mut is_there = false;
        for secret in self.secrets.iter_mut().filter(|secret| secret.name == name) {
            secret.value = value.clone();
            is_there = true;
        }
        if is_there {
            return Ok(());
        }
        Err(PolicyError::NoSecret {
            name: name.to_owned(),
        })
    }

    /// Also trusts an authority, whose certificate is given as PEM.
    #[must_use]
    pub fn extra_root(mut self, pem: impl Into<String>) -> Self {
        self.extra_roots.push(pem.into());
        self
    }

    /// Sets sizes and times.
    #[must_use]
    pub fn limits(mut self, limits: NetworkLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Whether everything in it means something.
    pub fn check(&self) -> Result<(), PolicyError> {
        self.rules.iter().try_for_each(Rule::check)?;
        self.secrets.iter().try_for_each(InjectedSecret::check)?;
        let limits = [
            ("responseBytes", self.limits.response_bytes == 0),
            ("connectTimeoutMs", self.limits.connect_timeout.is_zero()),
            ("timeoutMs", self.limits.timeout.is_zero()),
            ("concurrent", self.limits.concurrent == 0),
        ];
        match limits.into_iter().find(|(_, is_nothing)| *is_nothing) {
            Some((name, _)) => Err(PolicyError::Limit { name }),
            None => Ok(()),
        }
    }

    /// What is allowed, for whoever asked for something else.
    pub(crate) fn describe_rules(&self) -> String {
        /// More would be in the way of what a reader has to do.
        const SHOWN: usize = 8;
        if self.rules.is_empty() {
            return "nothing".to_owned();
        }
        let shown = self.rules.iter().take(SHOWN).map(ToString::to_string);
        let mut text = shown.collect::<Vec<_>>().join(", ");
        if let Some(more @ 1..) = self.rules.len().checked_sub(SHOWN) {
            text.push_str(&format!(" and {more} more"));
        }
        text
    }
}
