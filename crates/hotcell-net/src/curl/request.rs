//! The request that options ask for.

use bstr::{BString, ByteSlice};
use data_encoding::BASE64;
use url::Url;

use super::{config::Config, failure::Failure, output::decoded};
use crate::{
    BodyLength, Request, date,
    http::{decode::ACCEPTED, wire::authority},
    redirect,
};

/// What of a request changes from redirect to redirect.
pub(super) struct Hop {
    pub(super) url: Url,
    pub(super) method: String,
    pub(super) length: BodyLength,
    /// What the body is, if it is not for others to say.
    pub(super) kind: Option<String>,
    /// Where the user wanted to go: what is personal is for this origin.
    pub(super) first: Url,
    pub(super) referer: Option<BString>,
    pub(super) resume_at: Option<u64>,
    /// From a file of cookies or an earlier response.
    pub(super) cookies: Option<BString>,
    pub(super) if_modified: Option<(bool, i64)>,
}

/// A URL as users write it: `http://` is understood.
pub(super) fn parse_url(text: &[u8], config: &Config) -> Result<Url, Failure> {
    let text = text.to_str().map_err(|_| Failure::url())?.trim_start();
    let has_scheme = text.split_once("://").is_some_and(|(scheme, _)| {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        !scheme.is_empty() && scheme.bytes().all(is_letter)
    });
    let default = config.default_protocol.as_deref().unwrap_or("http");
    let whole = if has_scheme {
        text.to_owned()
    } else {
        format!("{default}://{text}")
    };
    if let Some((scheme, _)) = whole.split_once("://") {
        let scheme = scheme.to_ascii_lowercase();
        if !matches!(scheme.as_str(), "http" | "https") || !config.protocols.allow(&scheme) {
            return Err(Failure::protocol(&scheme));
        }
    }
    // Browsers are content with spaces and line breaks; curl is not.
    if whole.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
        return Err(Failure::url());
    }
    let mut url = crate::request::parse_url(&whole).map_err(|_| Failure::url())?;
    url.set_fragment(None);
    Ok(url)
}

impl Hop {
    /// Whether what the user said of the first host is for this one.
    fn is_trusted(&self, config: &Config) -> bool {
        config.trusts_others || redirect::is_same_origin(&self.url, &self.first)
    }

    /// The request itself. Headers stand in the order in which curl sends them.
    pub(super) fn request(&self, config: &Config) -> Request {
        let is_trusted = self.is_trusted(config);
        let custom = Custom::new(config, is_trusted);
        let mut url = self.url.clone();
        let user = self.user(config, is_trusted);
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let mut request = Request::new(self.method.clone(), url);
        request.body = self.length;
        request.is_old = config.is_old;
        request.is_insecure = config.is_insecure;

        let mut headers: Vec<(&str, BString)> = Vec::new();
        match custom.find("host").filter(|_| is_trusted) {
            Some(host) => headers.push(("Host", host)),
            None => headers.push(("Host", authority(&request.url).into())),
        }
        let mut add = |name: &'static str, value: Option<BString>| {
            if let Some(value) = value.filter(|_| !custom.has(name)) {
                headers.push((name, value));
            }
        };
        let bearer = config.bearer.as_ref().filter(|_| is_trusted);
        let authorization = match (user, bearer) {
            (_, Some(token)) => Some(BString::from(format!("Bearer {token}"))),
            (Some(user), None) => Some(format!("Basic {}", BASE64.encode(&user)).into()),
            (None, None) => None,
        };
        add("Authorization", authorization);
        let range = match (self.resume_at, &config.range) {
            (Some(at), _) if matches!(self.method.as_str(), "GET" | "HEAD") => {
                Some(format!("bytes={at}-").into())
            }
            (None, Some(range)) => Some(format!("bytes={range}").into()),
            _ => None,
        };
        add("Range", range);
        let agent = config
            .agent
            .clone()
            .unwrap_or_else(|| format!("curl/{}", super::VERSION).into());
        add("User-Agent", Some(agent).filter(|agent| !agent.is_empty()));
        let is_json = config.data.as_ref().is_some_and(|data| data.is_json);
        add("Accept", (!is_json).then(|| "*/*".into()));
        add(
            "Accept-Encoding",
            config.is_compressed.then(|| ACCEPTED.into()),
        );
        add("Referer", self.referer.clone());
        let chunked = self.length == BodyLength::Unknown;
        add("Transfer-Encoding", chunked.then(|| "chunked".into()));
        let mut cookies = self.cookies.clone().into_iter().collect::<Vec<_>>();
        if is_trusted {
            cookies.extend(config.cookies.iter().cloned());
        }
        add(
            "Cookie",
            (!cookies.is_empty()).then(|| bstr::join("; ", &cookies).into()),
        );
        if let Some((is_newer, seconds)) = self.if_modified {
            let name = if is_newer {
                "If-Modified-Since"
            } else {
                "If-Unmodified-Since"
            };
            add(name, Some(date::format(seconds).into()));
        }
        request.headers = headers
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        let sends_body = self.length != BodyLength::None;
        for (name, value) in custom.lines {
            let is_framing = name.eq_ignore_ascii_case("host")
                || !sends_body && name.eq_ignore_ascii_case("transfer-encoding");
            if let Some(value) = value.filter(|_| !is_framing) {
                request.headers.push((name, value));
            }
        }
        if is_json && sends_body {
            for name in ["Content-Type", "Accept"] {
                if !custom_has(config, name) {
                    request
                        .headers
                        .push((name.to_owned(), "application/json".into()));
                }
            }
        }
        if let BodyLength::Known(length) = self.length
            && request.find("content-length").is_none()
        {
            request
                .headers
                .push(("Content-Length".to_owned(), length.to_string().into()));
        }
        let kind = self
            .kind
            .as_ref()
            .filter(|_| sends_body && !is_json && !custom_has(config, "Content-Type"));
        if let Some(kind) = kind {
            request
                .headers
                .push(("Content-Type".to_owned(), kind.as_str().into()));
        }
        request
    }

    /// The user and password, of the option or else of the URL.
    fn user(&self, config: &Config, is_trusted: bool) -> Option<BString> {
        if let Some(user) = config.user.as_ref().filter(|_| is_trusted) {
            let colon: &[u8] = if user.contains(&b':') { b"" } else { b":" };
            return Some([user.as_bytes(), colon].concat().into());
        }
        if self.url.username().is_empty() && self.url.password().is_none() {
            return None;
        }
        let password = decoded(self.url.password().unwrap_or_default());
        Some(
            [&decoded(self.url.username())[..], b":", &password]
                .concat()
                .into(),
        )
    }
}

/// Headers of `-H`. One without a value takes ours away; one with a semicolon is sent without a value.
struct Custom {
    lines: Vec<(String, Option<BString>)>,
}

impl Custom {
    fn new(config: &Config, is_trusted: bool) -> Self {
        let lines = config.headers.iter().filter_map(|line| parse_header(line));
        let is_ours = |name: &str| is_trusted || !redirect::is_personal(name);
        Self {
            lines: lines.filter(|(name, _)| is_ours(name)).collect(),
        }
    }

    fn has(&self, name: &str) -> bool {
        self.lines
            .iter()
            .any(|(known, _)| known.eq_ignore_ascii_case(name))
    }

    fn find(&self, name: &str) -> Option<BString> {
        let mut lines = self.lines.iter();
        let found =
            lines.find(|(known, value)| known.eq_ignore_ascii_case(name) && value.is_some());
        found.and_then(|(_, value)| value.clone())
    }
}

fn custom_has(config: &Config, name: &str) -> bool {
    let lines = config.headers.iter().filter_map(|line| parse_header(line));
    lines
        .into_iter()
        .any(|(known, _)| known.eq_ignore_ascii_case(name))
}

/// `Name: value`, `Name:` (take it away) or `Name;` (without a value). Anything else is not sent.
fn parse_header(line: &[u8]) -> Option<(String, Option<BString>)> {
    if let Some((name, value)) = line.split_once_str(":") {
        let value = value.trim_ascii_start();
        let name = name.to_str_lossy().into_owned();
        return Some((name, (!value.trim_ascii().is_empty()).then(|| value.into())));
    }
    let name = line.trim_ascii_end().strip_suffix(b";")?;
    Some((name.to_str_lossy().into_owned(), Some(BString::default())))
}
