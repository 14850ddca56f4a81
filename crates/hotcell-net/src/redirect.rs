//! Where a response sends us, and what of the request goes along.

use url::Url;

use crate::{error::NetError, http::response::ResponseHead};

/// Headers that are for one host and no other.
const PERSONAL: [&str; 4] = ["authorization", "cookie", "cookie2", "proxy-authorization"];

/// Headers that are about a body.
const OF_BODY: [&str; 5] = [
    "content-type",
    "content-length",
    "content-encoding",
    "content-language",
    "transfer-encoding",
];

/// The URL that a response names.
pub(crate) fn target(base: &Url, head: &ResponseHead) -> Result<Option<Url>, NetError> {
    let Some(location) = head.header("location").filter(|_| head.is_redirect()) else {
        return Ok(None);
    };
    let location = String::from_utf8_lossy(location);
    let mut url = base
        .join(location.trim())
        .map_err(|error| NetError::Url(format!("{error}, in the Location of a redirect")))?;
    if url.fragment().is_none() {
        url.set_fragment(base.fragment());
    }
    Ok(Some(url))
}

/// Whether two URLs are of one origin, so that what is for one is for the other.
pub(crate) fn is_same_origin(one: &Url, other: &Url) -> bool {
    one.origin() == other.origin()
}

/// Whether a header stays with the host that it was given for.
pub(crate) fn is_personal(name: &str) -> bool {
    PERSONAL
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether a header makes no sense without the body.
pub(crate) fn is_of_body(name: &str) -> bool {
    OF_BODY.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether a request becomes a `GET` without a body.
pub(crate) fn becomes_get(status: u16, method: &str) -> bool {
    match status {
        301 | 302 => method == "POST",
        303 => method != "GET" && method != "HEAD",
        _ => false,
    }
}
