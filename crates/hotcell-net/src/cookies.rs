//! Cookies, and which of them go where.

mod file;

use bstr::{BString, ByteSlice};
use hotcell_meter::{Account, Charge, OverLimit};
use url::{Host, Url};

pub(crate) use file::CURL_HEADING;

use crate::{date, http::response::ResponseHead, policy::without_dot};

/// Longer ones are not kept, as in browsers.
const MAX_COOKIE: usize = 4096;

/// Cookies in all; the oldest go first.
const MAX_COOKIES: usize = 500;

/// Cookies of one response.
const MAX_SET: usize = 50;

/// What goes into one request.
const MAX_SENT: usize = 8190;

/// What is left of a domain's name that belongs to nobody in particular. The whole list of such suffixes has ten thousand
/// names; these are the shapes of most, and a cookie reaches no host that the policy does not allow.
const SHARED_LABELS: [&str; 12] = [
    "ac", "co", "com", "edu", "gob", "gov", "gv", "ltd", "net", "or", "org", "sch",
];

/// Hosts where everybody can have a name below.
const SHARED_DOMAINS: [&str; 12] = [
    "github.io",
    "gitlab.io",
    "herokuapp.com",
    "vercel.app",
    "netlify.app",
    "pages.dev",
    "workers.dev",
    "web.app",
    "firebaseapp.com",
    "azurewebsites.net",
    "cloudfront.net",
    "appspot.com",
];

#[derive(Debug, Clone, PartialEq, Eq)]
struct Cookie {
    name: BString,
    value: BString,
    /// Without a dot at the beginning.
    domain: String,
    /// Goes to hosts below the domain, too.
    is_wide: bool,
    path: BString,
    is_secure: bool,
    is_http_only: bool,
    /// Seconds since 1970; `None` until the program ends.
    expires: Option<i64>,
}

/// The cookies of a program.
pub(crate) struct Jar {
    cookies: Vec<Cookie>,
    charge: Charge,
}

impl Jar {
    pub(crate) fn new(account: &Account) -> Self {
        Self {
            cookies: Vec::new(),
            charge: account.none(),
        }
    }

    /// Keeps the cookies of a response.
    pub(crate) fn take(
        &mut self,
        url: &Url,
        head: &ResponseHead,
        now: i64,
    ) -> Result<(), OverLimit> {
        let all: Vec<_> = head.all("set-cookie").take(MAX_SET).cloned().collect();
        all.iter().try_for_each(|text| self.set(url, text, now))
    }

    fn set(&mut self, url: &Url, text: &[u8], now: i64) -> Result<(), OverLimit> {
        match parse(url, text, now) {
            Some(cookie) => self.put(cookie, url.scheme() == "https", now),
            None => Ok(()),
        }
    }

    /// Replaces the cookie of the same name, or adds one.
    fn put(&mut self, cookie: Cookie, is_secure: bool, now: i64) -> Result<(), OverLimit> {
        let is_same = |known: &Cookie| {
            known.name == cookie.name && known.domain == cookie.domain && known.path == cookie.path
        };
        if let Some(index) = self.cookies.iter().position(is_same) {
            if self.cookies[index].is_secure && !is_secure {
                // Who can be read on the way may not change what cannot.
                return Ok(());
            }
            self.cookies.remove(index);
        }
        if cookie.expires.is_some_and(|expires| expires <= now) {
            return Ok(());
        }
        if self.cookies.len() >= MAX_COOKIES {
            self.cookies.remove(0);
        }
        self.cookies.push(cookie);
        let size =
            |cookie: &Cookie| cookie.name.len() + cookie.value.len() + cookie.path.len() + 200;
        self.charge.resize(self.cookies.iter().map(size).sum())
    }

    /// The cookies for a request, as a header has them.
    pub(crate) fn header(&self, url: &Url, now: i64) -> Option<BString> {
        let mut matching: Vec<_> = self
            .cookies
            .iter()
            .filter(|cookie| cookie.is_for(url, now))
            .collect();
        // As curl has it: longer paths, domains and names first, then the youngest.
        matching.reverse();
        let lengths = |cookie: &Cookie| (cookie.path.len(), cookie.domain.len(), cookie.name.len());
        matching.sort_by_key(|cookie| std::cmp::Reverse(lengths(cookie)));
        let mut text = BString::default();
        for cookie in matching {
            if text.len() + cookie.name.len() + cookie.value.len() + 3 > MAX_SENT {
                break;
            }
            if !text.is_empty() {
                text.extend_from_slice(b"; ");
            }
            text.extend_from_slice(&cookie.name);
            text.push(b'=');
            text.extend_from_slice(&cookie.value);
        }
        (!text.is_empty()).then_some(text)
    }
}

impl Cookie {
    fn is_for(&self, url: &Url, now: i64) -> bool {
        let host = url.host_str().map(without_dot).unwrap_or_default();
        let is_local = matches!(url.host(), Some(Host::Ipv4(address)) if address.is_loopback());
        let is_host = host == self.domain || self.is_wide && is_below(url, &self.domain);
        is_host
            && path_matches(url.path().as_bytes(), &self.path)
            && (!self.is_secure || url.scheme() == "https" || is_local)
            && self.expires.is_none_or(|expires| expires > now)
    }
}

/// Whether the host of a URL is below a domain. Addresses are below nothing.
fn is_below(url: &Url, domain: &str) -> bool {
    match url.host() {
        Some(Host::Domain(host)) => {
            let rest = without_dot(host).strip_suffix(domain);
            rest.is_some_and(|rest| rest.ends_with('.'))
        }
        _ => false,
    }
}

fn path_matches(path: &[u8], prefix: &[u8]) -> bool {
    match path.strip_prefix(prefix) {
        Some(rest) => rest.is_empty() || prefix.ends_with(b"/") || rest.starts_with(b"/"),
        None => false,
    }
}

/// Whether a domain is one below which names belong to different people.
fn is_shared(domain: &str) -> bool {
    let labels: Vec<_> = domain.split('.').collect();
    let has_shape = match labels.as_slice() {
        [] | [_] => true,
        [label, country] if country.len() == 2 => SHARED_LABELS.contains(label) || label.len() <= 2,
        _ => false,
    };
    has_shape || SHARED_DOMAINS.contains(&domain)
}

/// Reads a `Set-Cookie`, if it is one that this host may set.
fn parse(url: &Url, text: &[u8], now: i64) -> Option<Cookie> {
    if text.len() > MAX_COOKIE
        || text
            .iter()
            .any(|byte| byte.is_ascii_control() && *byte != b'\t')
    {
        return None;
    }
    let mut parts = text.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    let (name, value) = parts.next()?.split_once_str("=")?;
    let (name, value) = (name.trim_ascii(), value.trim_ascii());
    let host = url.host_str().map(without_dot)?;
    let mut cookie = Cookie {
        name: name.into(),
        value: value.into(),
        domain: host.to_owned(),
        is_wide: false,
        path: default_path(url),
        is_secure: false,
        is_http_only: false,
        expires: None,
    };
    let mut has_max_age = false;
    let mut has_domain = false;
    for part in parts {
        let (key, value) = part.split_once_str("=").unwrap_or((part, b""));
        let value = value.trim_ascii();
        match key.trim_ascii().to_ascii_lowercase().as_slice() {
            b"domain" => {
                let domain = value
                    .strip_prefix(b".")
                    .unwrap_or(value)
                    .to_str()
                    .ok()?
                    .to_ascii_lowercase();
                if domain.is_empty() {
                    continue;
                }
                has_domain = true;
                if domain != host {
                    if !is_below(url, &domain) || is_shared(&domain) {
                        return None;
                    }
                    cookie.domain = domain;
                }
                cookie.is_wide = matches!(url.host(), Some(Host::Domain(_)));
            }
            b"path" if value.starts_with(b"/") => cookie.path = value.into(),
            b"secure" => cookie.is_secure = true,
            b"httponly" => cookie.is_http_only = true,
            b"max-age" => {
                if let Some(seconds) = value
                    .to_str()
                    .ok()
                    .and_then(|text| text.parse::<i64>().ok())
                {
                    has_max_age = true;
                    cookie.expires = Some(if seconds <= 0 {
                        0
                    } else {
                        now.saturating_add(seconds)
                    });
                }
            }
            b"expires" if !has_max_age => {
                if let Some(time) = date::parse(value) {
                    cookie.expires = Some(time);
                }
            }
            _ => {}
        }
    }
    let is_https = url.scheme() == "https";
    if cookie.is_secure && !is_https {
        return None;
    }
    // Names that promise something have to keep it.
    let promises_secure = starts_with(name, b"__Secure-") && !cookie.is_secure;
    let promises_host =
        starts_with(name, b"__Host-") && (!cookie.is_secure || has_domain || cookie.path != "/");
    (!promises_secure && !promises_host).then_some(cookie)
}

fn starts_with(name: &[u8], prefix: &[u8]) -> bool {
    name.get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// Where a cookie without a path belongs: the directory of what was asked for.
fn default_path(url: &Url) -> BString {
    let path = url.path().as_bytes();
    match path.rfind_byte(b'/') {
        None | Some(0) => "/".into(),
        Some(slash) => path.get(..slash).unwrap_or(b"/").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jar(url: &str, cookies: &[&str]) -> Jar {
        let mut jar = Jar::new(&Account::unlimited());
        for cookie in cookies {
            jar.set(&Url::parse(url).unwrap(), cookie.as_bytes(), 1000)
                .unwrap();
        }
        jar
    }

    fn sent(jar: &Jar, url: &str) -> String {
        let header = jar.header(&Url::parse(url).unwrap(), 1000);
        header.map(|text| text.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_cookie_goes_back_to_its_host_and_no_other() {
        let jar = jar("https://a.example.com/x/y", &["n=v"]);
        assert_eq!(sent(&jar, "https://a.example.com/x/z"), "n=v");
        assert_eq!(sent(&jar, "https://a.example.com./x/z"), "n=v");
        for other in [
            "https://example.com/x/",
            "https://b.example.com/x/",
            "https://x.a.example.com/x/",
            "https://a.example.com/",
        ] {
            assert_eq!(sent(&jar, other), "", "{other}");
        }
    }

    #[test]
    fn a_domain_is_the_hosts_own_or_above_it_and_nobody_elses() {
        let wide = jar("https://a.example.com/", &["n=v; Domain=.Example.com"]);
        assert_eq!(sent(&wide, "https://b.example.com/"), "n=v");
        assert_eq!(sent(&wide, "https://example.com/"), "n=v");
        assert_eq!(sent(&wide, "https://badexample.com/"), "");
        for refused in [
            "com",
            "co.uk",
            "other.com",
            "b.example.com",
            "x.a.example.com",
            "le.com",
        ] {
            let jar = jar(
                "https://a.example.com/",
                &[&format!("n=v; Domain={refused}")],
            );
            assert!(jar.cookies.is_empty(), "{refused}");
        }
        assert!(
            jar("https://a.github.io/", &["n=v; Domain=github.io"])
                .cookies
                .is_empty()
        );
        assert!(
            jar("https://a.co.uk/", &["n=v; Domain=co.uk"])
                .cookies
                .is_empty()
        );
        let address = jar("https://127.0.0.1/", &["n=v; Domain=127.0.0.1"]);
        assert_eq!(sent(&address, "https://127.0.0.1/"), "n=v");
        assert_eq!(sent(&address, "https://x.127.0.0.1.example/"), "");
        assert!(
            jar("https://127.0.0.1/", &["n=v; Domain=0.0.1"])
                .cookies
                .is_empty()
        );
    }

    #[test]
    fn secure_cookies_stay_secure() {
        assert!(jar("http://a.com/", &["n=v; Secure"]).cookies.is_empty());
        let mut jar = jar("https://a.com/", &["n=v; Secure"]);
        assert_eq!(sent(&jar, "http://a.com/"), "");
        jar.set(&Url::parse("http://a.com/").unwrap(), b"n=evil", 1000)
            .unwrap();
        assert_eq!(sent(&jar, "https://a.com/"), "n=v");
    }

    #[test]
    fn names_keep_their_promises() {
        for broken in [
            "__Secure-n=v",
            "__Host-n=v; Secure; Domain=a.com; Path=/",
            "__host-n=v; Secure; Path=/x",
        ] {
            assert!(
                jar("https://a.com/", &[broken]).cookies.is_empty(),
                "{broken}"
            );
        }
        assert_eq!(
            jar("https://a.com/", &["__Host-n=v; Secure; Path=/"])
                .cookies
                .len(),
            1
        );
    }

    #[test]
    fn cookies_end() {
        assert_eq!(
            sent(
                &jar("https://a.com/", &["n=v; Max-Age=10"]),
                "https://a.com/"
            ),
            "n=v"
        );
        for ended in [
            "n=v; Max-Age=0",
            "n=v; Max-Age=-1",
            "n=v; Expires=Thu, 01 Jan 1970 00:00:10 GMT",
        ] {
            assert_eq!(
                sent(&jar("https://a.com/", &["n=v", ended]), "https://a.com/"),
                "",
                "{ended}"
            );
        }
    }

    #[test]
    fn longer_paths_come_first_and_limits_hold() {
        let jar_of = jar(
            "https://a.com/x/y",
            &["a=1; Path=/", "b=2; Path=/x", "c=3; Path=/x"],
        );
        assert_eq!(sent(&jar_of, "https://a.com/x/y"), "c=3; b=2; a=1");
        let many: Vec<String> = (0..600).map(|number| format!("n{number}=v")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(jar("https://a.com/", &many).cookies.len(), MAX_COOKIES);
        let long = format!("n={}", "x".repeat(5000));
        assert!(
            jar("https://a.com/", &[&long, "n=\u{1}", "no"])
                .cookies
                .is_empty()
        );
    }
}
