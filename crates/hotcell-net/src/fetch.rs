//! `fetch`: a request with its redirects and its whole response.

use std::time::Instant;

use bstr::{BString, ByteSlice};
use hotcell_meter::Account;
use serde::{Deserialize, Serialize};

use crate::{
    error::NetError,
    http::decode::ACCEPTED,
    network::{Network, nobody},
    note::Notes,
    redirect,
    request::{BodyLength, Request, parse_url},
    session::{Session, Terms},
};

/// How much of a body is read at a time.
const PIECE: usize = 64 << 10;

/// What is to be fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fetch {
    /// The URL.
    pub url: String,
    /// The method.
    #[serde(default = "get")]
    pub method: String,
    /// Headers, in their order.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// The body, if it is not empty.
    #[serde(skip)]
    pub body: Vec<u8>,
}

fn get() -> String {
    "GET".to_owned()
}

impl From<&str> for Fetch {
    fn from(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            method: get(),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }
}

/// For whom something is fetched, and how far.
#[derive(Debug, Clone)]
pub struct FetchOptions {
    /// What is held meanwhile is charged to it.
    pub account: Account,
    /// When it has to be over.
    pub deadline: Option<Instant>,
    /// Bytes of the response, if less than the policy allows.
    pub response_bytes: Option<u64>,
    /// Whether redirects are followed; otherwise they are the response.
    pub follows_redirects: bool,
}

impl Default for FetchOptions {
    /// Nobody's account, the policy's limits, and redirects are followed.
    fn default() -> Self {
        Self {
            account: nobody(),
            deadline: None,
            response_bytes: None,
            follows_redirects: true,
        }
    }
}

/// What was fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FetchResponse {
    /// Where it came from, after all redirects.
    pub url: String,
    /// The status.
    pub status: u16,
    /// What the server calls the status.
    pub status_text: String,
    /// Headers in their order, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, decompressed.
    #[serde(skip)]
    pub body: Vec<u8>,
}

pub(crate) async fn fetch(
    network: &Network,
    fetch: Fetch,
    options: &FetchOptions,
) -> Result<FetchResponse, NetError> {
    let mut session = Session::new(network, &options.account, Notes::default());
    let terms = Terms {
        deadline: options.deadline,
        response_bytes: options.response_bytes,
        decompresses: true,
        ..Terms::default()
    };
    let _body_charge = options.account.charge(fetch.body.len())?;
    let mut request = request(&fetch)?;
    let mut body = fetch.body.as_slice();
    let mut redirects = 0;
    loop {
        let mut exchange = session.open(&request, &terms).await?;
        if !body.is_empty() {
            exchange.send(body).await?;
        }
        let head = loop {
            let head = exchange.head().await?;
            if !head.is_informational() {
                break head;
            }
        };
        if options.follows_redirects
            && let Some(mut url) = redirect::target(&request.url, &head)?
        {
            redirects += 1;
            let limit = network.allowed()?.limits.redirects;
            if redirects > limit {
                return Err(NetError::Redirects { limit });
            }
            session.close(exchange);
            // A password in a Location would go where the server wants.
            let _ = url.set_username("");
            let _ = url.set_password(None);
            if redirect::becomes_get(head.status, &request.method) {
                request.method = get();
                request.body = BodyLength::None;
                request
                    .headers
                    .retain(|(name, _)| !redirect::is_of_body(name));
                body = b"";
            }
            let is_same = redirect::is_same_origin(&request.url, &url);
            request.headers.retain(|(name, _)| {
                let stays = is_same || !redirect::is_personal(name);
                stays && !name.eq_ignore_ascii_case("host")
            });
            request.url = url;
            continue;
        }
        let mut charge = options.account.none();
        let mut received = Vec::new();
        loop {
            let start = received.len();
            charge.resize(start + PIECE)?;
            received.resize(start + PIECE, 0);
            let room = received.get_mut(start..).unwrap_or_default();
            let count = exchange.read(room).await?;
            received.truncate(start + count);
            if count == 0 {
                break;
            }
        }
        session.close(exchange);
        let text = |bytes: &BString| bytes.to_str_lossy().into_owned();
        request.url.set_fragment(None);
        return Ok(FetchResponse {
            url: request.url.into(),
            status: head.status,
            status_text: text(&head.reason),
            headers: head
                .headers
                .iter()
                .map(|(name, value)| (text(name).to_ascii_lowercase(), text(value)))
                .collect(),
            body: received,
        });
    }
}

/// The request, with what every one has.
fn request(fetch: &Fetch) -> Result<Request, NetError> {
    let mut url = parse_url(&fetch.url)?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(NetError::Url(
            "it has a user or a password in it; use a header".to_owned(),
        ));
    }
    url.set_fragment(None);
    let mut request = Request::new(fetch.method.clone(), url);
    let given = fetch.headers.iter();
    request.headers = given
        .map(|(name, value)| (name.clone(), value.as_str().into()))
        .collect();
    for (name, value) in [("User-Agent", "hotcell"), ("Accept", "*/*")] {
        if request.find(name).is_none() {
            request.headers.push((name.to_owned(), value.into()));
        }
    }
    if request.find("accept-encoding").is_none() {
        request
            .headers
            .push(("Accept-Encoding".to_owned(), ACCEPTED.into()));
    }
    if !fetch.body.is_empty() || matches!(fetch.method.as_str(), "POST" | "PUT" | "PATCH") {
        request.body = BodyLength::Known(fetch.body.len() as u64);
    }
    Ok(request)
}
