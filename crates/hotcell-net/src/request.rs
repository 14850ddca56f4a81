//! A request, as a program has it: without what the host adds.

use bstr::BString;
use url::Url;

use crate::error::NetError;

/// The longest URL.
const MAX_URL: usize = 64 << 10;

/// A request for HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What is to be done.
    pub method: String,
    /// Where.
    pub url: Url,
    /// Headers in their order. `Host` and those that say how long the body is are added if they are missing, and have to be
    /// right if they are not.
    pub headers: Vec<(String, BString)>,
    /// Whether there is a body, and how long it is.
    pub body: BodyLength,
    /// Speaks HTTP/1.0.
    pub is_old: bool,
    /// Takes any certificate of the server's.
    pub is_insecure: bool,
}

/// How long the body of a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyLength {
    /// There is none.
    None,
    /// So many bytes.
    Known(u64),
    /// It ends when it ends.
    Unknown,
}

impl Request {
    /// A request without headers and body.
    pub fn new(method: impl Into<String>, url: Url) -> Self {
        Self {
            method: method.into(),
            url,
            headers: Vec::new(),
            body: BodyLength::None,
            is_old: false,
            is_insecure: false,
        }
    }

    /// A `GET`.
    pub fn get(url: &str) -> Result<Self, NetError> {
        Ok(Self::new("GET", parse_url(url)?))
    }

    /// The same, with one header more.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<BString>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The value of the last header of this name.
    pub(crate) fn find(&self, name: &str) -> Option<&BString> {
        let mut headers = self.headers.iter().rev();
        let found = headers.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value)
    }
}

/// Takes a URL apart as browsers do. Everything that comes after uses what comes out, so that nobody reads it another way.
pub(crate) fn parse_url(text: &str) -> Result<Url, NetError> {
    if text.len() > MAX_URL {
        return Err(NetError::Url(format!("it is longer than {MAX_URL} bytes")));
    }
    Url::parse(text).map_err(|error| NetError::Url(error.to_string()))
}
