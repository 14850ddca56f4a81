//! The head of a request, as it goes over the wire and as a program may see it.

use bstr::{BStr, ByteSlice};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use url::Url;
use zeroize::Zeroizing;

use crate::{
    error::NetError,
    policy::{InjectedSecret, NetworkPolicy, SecretPlace},
    request::{BodyLength, Request},
};

/// The longest head that is sent.
const MAX_HEAD: usize = 256 << 10;

/// A head that is ready to be sent.
pub(crate) struct Head {
    /// What is sent.
    pub(crate) wire: Zeroizing<Vec<u8>>,
    /// The same without the host's secrets.
    pub(crate) shown: Vec<u8>,
    /// The names of the secrets in it.
    pub(crate) secrets: Vec<String>,
    /// Texts that would give them away.
    pub(crate) giveaways: Vec<Zeroizing<String>>,
}

impl Head {
    /// Makes a request, which the policy allows, into bytes.
    pub(crate) fn new(
        request: &Request,
        policy: &NetworkPolicy,
        decompresses: bool,
    ) -> Result<Self, NetError> {
        let secrets = secrets_for(request, policy);
        // A body that the program is to decompress is one that cannot be searched for what a server sends back.
        let plain = (!secrets.is_empty() && !decompresses).then(|| {
            let mut plain = request.clone();
            let is_other = |name: &str| !name.eq_ignore_ascii_case("accept-encoding");
            plain.headers.retain(|(name, _)| is_other(name));
            plain
        });
        let request = plain.as_ref().unwrap_or(request);
        let shown = write(request, &[])?;
        let wire = if secrets.is_empty() {
            Zeroizing::new(shown.clone())
        } else {
            Zeroizing::new(write(request, &secrets)?)
        };
        Ok(Self {
            wire,
            shown,
            giveaways: secrets
                .iter()
                .flat_map(|secret| secret.giveaways())
                .collect(),
            secrets: secrets.iter().map(|secret| secret.name.clone()).collect(),
        })
    }
}

/// The secrets that a request is to carry. None goes where somebody could read it, or could pretend to be the host.
fn secrets_for<'p>(request: &Request, policy: &'p NetworkPolicy) -> Vec<&'p InjectedSecret> {
    let Some(host) = request.url.host() else {
        return Vec::new();
    };
    if request.is_insecure || names_other_host(request) {
        return Vec::new();
    }
    let is_safe = |secret: &InjectedSecret| request.url.scheme() == "https" || secret.allow_http;
    let all = policy.secrets.iter();
    all.filter(|secret| is_safe(secret) && secret.is_for(&host))
        .collect()
}

/// Whether a request is sent to one host for another.
fn names_other_host(request: &Request) -> bool {
    let named = request.find("host").map(|host| host.to_ascii_lowercase());
    named.is_some_and(|named| named != authority(&request.url).as_bytes())
}

/// A host, and the port unless it is the usual one: what the header `Host` says.
pub(crate) fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

fn write(request: &Request, secrets: &[&InjectedSecret]) -> Result<Vec<u8>, NetError> {
    check_token("method", request.method.as_bytes())?;
    let injected: Vec<_> = secrets
        .iter()
        .filter_map(|secret| secret.header())
        .collect();
    let mut head = Vec::new();
    head.extend_from_slice(request.method.as_bytes());
    head.push(b' ');
    head.extend_from_slice(target(&request.url, secrets).as_bytes());
    head.extend_from_slice(if request.is_old {
        b" HTTP/1.0\r\n"
    } else {
        b" HTTP/1.1\r\n"
    });
    let mut line = |name: &[u8], value: &[u8]| {
        head.extend_from_slice(name);
        head.extend_from_slice(if value.is_empty() { b":" } else { b": " });
        head.extend_from_slice(value);
        head.extend_from_slice(b"\r\n");
    };
    if request.find("host").is_none() {
        line(b"Host", authority(&request.url).as_bytes());
    }
    for (name, value) in &request.headers {
        check_token("header", name.as_bytes())?;
        if let Some(bad) = value
            .iter()
            .find(|byte| byte.is_ascii_control() && **byte != b'\t')
        {
            return Err(NetError::Request(format!(
                "header {name}: a value cannot have the byte 0x{bad:02x} in it"
            )));
        }
        let replaced = injected
            .iter()
            .any(|(other, _)| name.eq_ignore_ascii_case(other));
        if !replaced {
            line(name.as_bytes(), value);
        }
    }
    for (name, value) in &injected {
        line(name.as_bytes(), value.as_bytes());
    }
    match request.body {
        BodyLength::Known(length) if request.find("content-length").is_none() => {
            line(b"Content-Length", length.to_string().as_bytes());
        }
        BodyLength::Unknown if request.find("transfer-encoding").is_none() => {
            line(b"Transfer-Encoding", b"chunked");
        }
        _ => {}
    }
    head.extend_from_slice(b"\r\n");
    if head.len() > MAX_HEAD {
        return Err(NetError::TooLarge {
            what: "head of the request",
            limit: MAX_HEAD as u64,
        });
    }
    Ok(head)
}

fn check_token(what: &str, text: &[u8]) -> Result<(), NetError> {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    if !text.is_empty() && text.iter().all(is_plain) {
        return Ok(());
    }
    let shown = BStr::new(text);
    Err(NetError::Request(format!(
        "{what} {shown:?}: it has a character that cannot be in one"
    )))
}

/// The path and the query.
fn target(url: &Url, secrets: &[&InjectedSecret]) -> Zeroizing<String> {
    let mut query = Zeroizing::new(url.query().unwrap_or_default().to_owned());
    let mut has_query = url.query().is_some();
    for secret in secrets {
        if let SecretPlace::Query { name } = &secret.place {
            let is_other = |pair: &&str| {
                let key = pair.split('=').next().unwrap_or_default().replace('+', " ");
                percent_decode_str(&key).collect::<Vec<u8>>() != name.as_bytes()
            };
            let mut pairs: Vec<&str> = query
                .split('&')
                .filter(|pair| !pair.is_empty())
                .filter(is_other)
                .collect();
            let value = utf8_percent_encode(secret.value.expose(), NON_ALPHANUMERIC);
            let pair = Zeroizing::new(format!(
                "{}={value}",
                utf8_percent_encode(name, NON_ALPHANUMERIC)
            ));
            pairs.push(&pair);
            let joined = Zeroizing::new(pairs.join("&"));
            query = joined;
            has_query = true;
        }
    }
    let mark = if has_query { "?" } else { "" };
    Zeroizing::new(format!("{}{mark}{}", url.path(), *query))
}

/// A text without what would give secrets away.
pub(crate) fn hide(text: &[u8], giveaways: &[Zeroizing<String>]) -> Vec<u8> {
    let mut text = text.to_vec();
    for giveaway in giveaways {
        if text.contains_str(giveaway.as_bytes()) {
            text = text.replace(giveaway.as_bytes(), crate::policy::HIDDEN);
        }
    }
    text
}
