//! Whether something is allowed.

use std::net::IpAddr;

use bstr::ByteSlice;
use serde::Serialize;
use url::{Host, Url};

use crate::{
    address::{kind_of, translated},
    policy::{NetworkPolicy, Rule, Scheme},
    request::Request,
};

/// What a policy says of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision<'p> {
    /// It is allowed, by this rule. What its host resolves to is checked afterwards.
    Allowed(&'p Rule),
    /// It is not.
    Denied(Denial),
}

/// Why something is not allowed, in words that its reader can act on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("network: {message}")]
#[serde(rename_all = "camelCase")]
pub struct Denial {
    /// What is not allowed.
    pub reason: DenialReason,
    /// What is not allowed and what is.
    pub message: String,
}

/// What is not allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum DenialReason {
    /// The network: there is no policy.
    Off,
    /// The scheme.
    Scheme,
    /// The host.
    Host,
    /// The port, or the scheme on that port.
    Port,
    /// The method.
    Method,
    /// The path.
    Path,
    /// A header.
    Header,
    /// The address that the host resolves to.
    Address,
    /// To trust a server whose certificate is not checked.
    InsecureTls,
}

/// Headers that make some servers take a request for one with another method.
const METHOD_OVERRIDES: [&str; 3] = [
    "x-http-method-override",
    "x-http-method",
    "x-method-override",
];

/// Headers that make some servers take a request for one to another path.
const PATH_OVERRIDES: [&str; 3] = ["x-original-url", "x-rewrite-url", "x-override-url"];

/// Headers that change what a connection is, or whose it is.
const CONNECTION_HEADERS: [&str; 6] = [
    "upgrade",
    "http2-settings",
    "proxy-authorization",
    "proxy-connection",
    "trailer",
    "transfer-encoding",
];

impl NetworkPolicy {
    /// What the policy says of a request.
    pub fn decide(&self, request: &Request) -> Decision<'_> {
        match self.find(request) {
            Ok(rule) => Decision::Allowed(rule),
            Err(denial) => Decision::Denied(denial),
        }
    }

    fn find(&self, request: &Request) -> Result<&Rule, Denial> {
        if request.is_insecure && !self.allow_insecure_tls {
            return Err(Denial::new(
                DenialReason::InsecureTls,
                "certificates have to be checked; drop -k or --no-check-certificate",
            ));
        }
        let mut methods = vec![request.method.as_str()];
        let mut overrides_path = None;
        for (name, value) in &request.headers {
            let lower = name.to_ascii_lowercase();
            if METHOD_OVERRIDES.contains(&&*lower) {
                let method = value.to_str().unwrap_or("?").trim();
                methods.push(method);
            }
            if PATH_OVERRIDES.contains(&&*lower) {
                overrides_path = Some(name);
            }
            check_header(request, &lower, value)?;
        }
        let upper: Vec<String> = methods
            .iter()
            .map(|name| name.to_ascii_uppercase())
            .collect();
        let mut rule = self.find_rule(&request.url, &upper)?;
        if let Some(host) = request.find("host") {
            // Who sends it to one host for another wants the other.
            let url = with_host(&request.url, host).ok_or_else(|| {
                Denial::new(
                    DenialReason::Header,
                    format!("header Host: {host} is no host"),
                )
            })?;
            rule = self.find_rule(&url, &upper)?;
        }
        match overrides_path {
            Some(name) if rule.path_prefix.is_some() => Err(Denial::new(
                DenialReason::Header,
                format!("header {name} is not allowed where paths are limited"),
            )),
            _ => Ok(rule),
        }
    }

    /// The rule that allows these methods for a URL.
    fn find_rule(&self, url: &Url, methods: &[String]) -> Result<&Rule, Denial> {
        let scheme = Scheme::of(url.scheme()).filter(|scheme| *scheme != Scheme::Tcp);
        let (Some(scheme), Some(host), Some(port)) =
            (scheme, url.host(), url.port_or_known_default())
        else {
            return Err(Denial::new(
                DenialReason::Scheme,
                format!("scheme {} is not allowed; use https or http", url.scheme()),
            ));
        };
        let rules = self.rules_for(scheme, &host, port)?;
        let refused = methods.iter().find(|method| {
            is_never_allowed(method) || !rules.iter().any(|rule| rule.methods.allow(method))
        });
        if let Some(method) = refused {
            return Err(self.denial(
                DenialReason::Method,
                format!(
                    "method {method} is not allowed for {scheme}://{host}",
                    scheme = url.scheme()
                ),
            ));
        }
        let mut rules = rules
            .into_iter()
            .filter(|rule| methods.iter().all(|method| rule.methods.allow(method)))
            .peekable();
        if rules.peek().is_none() {
            return Err(self.denial(
                DenialReason::Method,
                format!("methods {} are not allowed together", methods.join(" and ")),
            ));
        }
        let mut is_ambiguous = false;
        for rule in rules {
            match rule.allows_path(url.path()) {
                Some(true) => return Ok(rule),
                Some(false) => {}
                None => is_ambiguous = true,
            }
        }
        let path = url.path();
        Err(if is_ambiguous {
            Denial::new(
                DenialReason::Path,
                format!(
                    "path {path} of {host} is not allowed: where paths are limited they have no encoded dots or slashes, no \
                     empty parts and no semicolons"
                ),
            )
        } else {
            self.denial(
                DenialReason::Path,
                format!("path {path} of {host} is not allowed"),
            )
        })
    }

    /// The rules for a host and port.
    fn rules_for(
        &self,
        scheme: Scheme,
        host: &Host<&str>,
        port: u16,
    ) -> Result<Vec<&Rule>, Denial> {
        let rules: Vec<_> = self
            .rules
            .iter()
            .filter(|rule| rule.allows_host(host))
            .collect();
        if rules.is_empty() {
            return Err(self.denial(DenialReason::Host, format!("host {host} is not allowed")));
        }
        let rules: Vec<_> = rules
            .into_iter()
            .filter(|rule| rule.allows_port(scheme, port))
            .collect();
        if rules.is_empty() {
            let scheme = scheme.as_str();
            return Err(self.denial(
                DenialReason::Port,
                format!("{scheme} on port {port} of {host} is not allowed"),
            ));
        }
        Ok(rules)
    }

    /// Whether a connection without HTTP is allowed.
    pub(crate) fn decide_tcp(&self, host: &Host<&str>, port: u16) -> Result<&Rule, Denial> {
        let rules = self.rules_for(Scheme::Tcp, host, port)?;
        rules
            .into_iter()
            .next()
            .ok_or_else(|| self.denial(DenialReason::Host, format!("host {host} is not allowed")))
    }

    /// Whether a host may lead to an address.
    pub(crate) fn check_address(&self, host: &Host<&str>, address: IpAddr) -> Result<(), Denial> {
        let plain = address.to_canonical();
        let is_in = |networks: &[ipnet::IpNet], address: &IpAddr| {
            networks.iter().any(|network| network.contains(address))
        };
        let denial = |what: &str, advice: &str| {
            Denial::new(
                DenialReason::Address,
                format!("{host} is at {address}, {what}, which is not allowed{advice}"),
            )
        };
        let inner = translated(address);
        if [address, plain, inner]
            .iter()
            .any(|form| is_in(&self.deny_addresses, form))
        {
            return Err(denial("an address that the policy denies", ""));
        }
        let kind = kind_of(address);
        let is_named = || {
            let rules = self.rules.iter().filter(|rule| rule.allows_host(host));
            rules
                .into_iter()
                .any(|rule| rule.host.names_address(address))
        };
        if kind == crate::AddressKind::Global
            || self.allow_private && kind.is_private()
            || is_in(&self.allow_addresses, &plain)
            || is_named()
        {
            return Ok(());
        }
        Err(denial(
            &format!("a {kind} address"),
            "; only addresses of the public internet are, unless the policy names others",
        ))
    }

    /// A denial that also says what is allowed.
    fn denial(&self, reason: DenialReason, what: String) -> Denial {
        Denial::new(
            reason,
            format!("{what}; allowed: {}", self.describe_rules()),
        )
    }
}

impl Denial {
    pub(crate) fn new(reason: DenialReason, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
        }
    }

    /// What is said where there is no policy.
    pub fn off() -> Self {
        Self::new(
            DenialReason::Off,
            "off in this sandbox; whoever runs it can allow hosts with a network policy (--allow-net HOST)",
        )
    }
}

/// `CONNECT` makes a tunnel, `TRACE` sends back what was added on the way.
fn is_never_allowed(method: &str) -> bool {
    method == "CONNECT" || method == "TRACE" || method == "TRACK"
}

/// Whether a header leaves the request what it is.
fn check_header(request: &Request, name: &str, value: &[u8]) -> Result<(), Denial> {
    let refused = |why: &str| {
        let message = format!("header {name}: {why}");
        Err(Denial::new(DenialReason::Header, message))
    };
    match name {
        "transfer-encoding" if request.body == crate::BodyLength::Unknown => {
            if value.eq_ignore_ascii_case(b"chunked") {
                return Ok(());
            }
            refused("only chunked can be sent")
        }
        "connection" => {
            let mut words = value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
            let is_plain = |word: &[u8]| {
                word.eq_ignore_ascii_case(b"close") || word.eq_ignore_ascii_case(b"keep-alive")
            };
            if words.all(is_plain) {
                return Ok(());
            }
            refused("only close and keep-alive can be asked for")
        }
        "content-length" => match request.body {
            crate::BodyLength::Known(length) if value == length.to_string().as_bytes() => Ok(()),
            crate::BodyLength::None if value == b"0" => Ok(()),
            _ => refused("it is not the length of the body; leave it out"),
        },
        "host" => {
            let mut all = request.headers.iter();
            let count = all
                .by_ref()
                .filter(|(name, _)| name.eq_ignore_ascii_case("host"))
                .count();
            if count > 1 {
                return refused("it is there more than once");
            }
            Ok(())
        }
        _ if CONNECTION_HEADERS.contains(&name) => refused("it cannot be set"),
        _ => Ok(()),
    }
}

/// The same URL at the host that a `Host` header names.
fn with_host(url: &Url, host: &[u8]) -> Option<Url> {
    let host = host.to_str().ok()?;
    let text = format!("{}://{host}/", url.scheme());
    let named = Url::parse(&text).ok()?;
    let is_only_host = named.username().is_empty()
        && named.password().is_none()
        && named.path() == "/"
        && named.query().is_none()
        && named.fragment().is_none()
        && !host.contains(['/', '\\', '@', '?', '#'])
        && !host.bytes().any(|byte| byte <= b' ' || byte == 0x7f);
    if !is_only_host {
        return None;
    }
    let mut url = url.clone();
    url.set_host(named.host_str()).ok()?;
    Some(url)
}
