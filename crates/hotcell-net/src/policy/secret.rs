//! Credentials that the host adds on the way out, and that code never sees.

use std::fmt;

use data_encoding::BASE64;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use url::Host;
use zeroize::Zeroizing;

use super::{HostPattern, PolicyError};

/// What takes the place of a secret where a server sent it back.
pub(crate) const HIDDEN: &str = "[hidden]";

/// Shorter texts are in too many words to be taken out of a server's answer.
const LEAST_HIDDEN: usize = 4;

/// A credential for some hosts. It is added when a request is written to the wire, and is nowhere else: not in what
/// `curl -v` prints, not in errors, events or JSON, and not in a request to another host, redirected or not.
///
/// Written to JSON it loses its value, which has to be [given again](super::NetworkPolicy::set_secret).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InjectedSecret {
    /// What the host calls it. Events and errors do, too.
    pub name: String,
    /// The hosts that get it.
    pub hosts: Vec<HostPattern>,
    /// Where it goes in a request; as `Authorization: Bearer …` if nothing is said.
    #[serde(default)]
    pub place: SecretPlace,
    /// Whether it may go over plain HTTP, where everybody on the way can read it.
    #[serde(default)]
    pub allow_http: bool,
    /// The secret itself.
    #[serde(default, skip_serializing)]
    pub value: SecretValue,
}

/// Where a secret goes in a request. What a program put there itself is replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    tag = "in",
    deny_unknown_fields
)]
pub enum SecretPlace {
    /// A header.
    Header {
        /// Its name.
        name: String,
        /// What stands before the secret: `Bearer `.
        #[serde(default)]
        prefix: String,
    },
    /// A parameter of the query.
    Query {
        /// Its name.
        name: String,
    },
    /// The password of HTTP's basic authentication.
    Basic {
        /// The user.
        user: String,
    },
}

impl Default for SecretPlace {
    /// `Authorization: Bearer …`.
    fn default() -> Self {
        Self::Header {
            name: "Authorization".to_owned(),
            prefix: "Bearer ".to_owned(),
        }
    }
}

impl InjectedSecret {
    /// A secret as `Authorization: Bearer …`.
    pub fn bearer(
        name: impl Into<String>,
        host: HostPattern,
        value: impl Into<SecretValue>,
    ) -> Self {
        Self::new(name, host, SecretPlace::default(), value)
    }

    /// A secret somewhere in requests to a host.
    pub fn new(
        name: impl Into<String>,
        host: HostPattern,
        place: SecretPlace,
        value: impl Into<SecretValue>,
    ) -> Self {
        Self {
            name: name.into(),
            hosts: vec![host],
            place,
            allow_http: false,
            value: value.into(),
        }
    }

    pub(crate) fn is_for(&self, host: &Host<&str>) -> bool {
        self.hosts.iter().any(|pattern| pattern.matches(host))
    }

    /// The header that carries it.
    pub(crate) fn header(&self) -> Option<(&str, Zeroizing<String>)> {
        let value = self.value.expose();
        match &self.place {
            SecretPlace::Header { name, prefix } => {
                Some((name, Zeroizing::new(format!("{prefix}{value}"))))
            }
            SecretPlace::Basic { user } => {
                let pair = Zeroizing::new(format!("{user}:{value}"));
                let encoded = Zeroizing::new(BASE64.encode(pair.as_bytes()));
                Some((
                    "Authorization",
                    Zeroizing::new(format!("Basic {}", *encoded)),
                ))
            }
            SecretPlace::Query { .. } => None,
        }
    }

    /// The texts that would give it away.
    pub(crate) fn giveaways(&self) -> Vec<Zeroizing<String>> {
        let value = self.value.expose();
        let mut texts = vec![
            Zeroizing::new(value.to_owned()),
            Zeroizing::new(utf8_percent_encode(value, NON_ALPHANUMERIC).to_string()),
            Zeroizing::new(url::form_urlencoded::byte_serialize(value.as_bytes()).collect()),
            Zeroizing::new(BASE64.encode(value.as_bytes())),
        ];
        if let SecretPlace::Basic { user } = &self.place {
            let pair = Zeroizing::new(format!("{user}:{value}"));
            texts.push(Zeroizing::new(BASE64.encode(pair.as_bytes())));
        }
        texts.retain(|text| text.len() >= LEAST_HIDDEN);
        // Longer ones first: one may contain another.
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        texts.dedup();
        texts
    }

    pub(crate) fn check(&self) -> Result<(), PolicyError> {
        let wrong = |why: &'static str| PolicyError::Secret {
            name: self.name.clone(),
            why,
        };
        let is_token = |text: &str| {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
            !text.is_empty() && text.bytes().all(is_plain)
        };
        let is_line = |text: &str| !text.bytes().any(|byte| byte.is_ascii_control());
        if self.hosts.is_empty() {
            return Err(wrong("it is for no host"));
        }
        let value = self.value.expose();
        if value.is_empty() {
            return Err(wrong(
                "it has no value. A policy that was written as JSON has lost it: give it again, as value or with set_secret",
            ));
        }
        if !is_line(value) {
            return Err(wrong(
                "its value has a line break or another control character",
            ));
        }
        match &self.place {
            SecretPlace::Header { name, prefix } => {
                let framing = ["host", "content-length", "transfer-encoding", "connection"];
                if !is_token(name) || framing.contains(&&*name.to_ascii_lowercase()) {
                    return Err(wrong("its header is none that can carry it"));
                }
                if !is_line(prefix) {
                    return Err(wrong(
                        "its prefix has a line break or another control character",
                    ));
                }
            }
            SecretPlace::Query { name } if name.is_empty() => {
                return Err(wrong("its parameter has no name"));
            }
            SecretPlace::Basic { user } if user.contains(':') || !is_line(user) => {
                return Err(wrong("its user has a colon or a control character"));
            }
            SecretPlace::Query { .. } | SecretPlace::Basic { .. } => {}
        }
        Ok(())
    }
}

/// A text that is not printed, not written to JSON, and wiped when it is dropped.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct SecretValue(Zeroizing<String>);

impl SecretValue {
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for SecretValue {
    fn from(text: String) -> Self {
        Self(Zeroizing::new(text))
    }
}

impl From<&str> for SecretValue {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl fmt::Debug for SecretValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}
