//! The parser behind the guest's `URL`: WHATWG rules, from the `url` crate.
//!
//! The guest keeps only strings. It sends the whole `href` with every change and gets all components back, so that a
//! URL lives in the cell's memory alone and survives snapshots without any state on this side.

mod limits;

use url::{Position, Url, quirks};

pub(crate) use limits::{MAX_LENGTH, parse_limited, set_limited, too_long};

/// Everything the guest's `URL` object can be asked for, as the standard's getters return it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) href: String,
    pub(crate) protocol: String,
    pub(crate) username: String,
    pub(crate) password: String,
    pub(crate) host: String,
    pub(crate) hostname: String,
    pub(crate) port: String,
    pub(crate) pathname: String,
    pub(crate) search: String,
    pub(crate) hash: String,
    pub(crate) origin: String,
}

impl Parts {
    fn of(url: &Url) -> Self {
        Self {
            href: quirks::href(url).to_owned(),
            protocol: quirks::protocol(url).to_owned(),
            username: quirks::username(url).to_owned(),
            password: quirks::password(url).to_owned(),
            host: quirks::host(url).to_owned(),
            hostname: quirks::hostname(url).to_owned(),
            port: quirks::port(url).to_owned(),
            pathname: quirks::pathname(url).to_owned(),
            search: quirks::search(url).to_owned(),
            hash: quirks::hash(url).to_owned(),
            origin: origin(url),
        }
    }

    /// The components in the order in which the guest's script expects them.
    pub(crate) fn into_array(self) -> [String; 11] {
        [
            self.href,
            self.protocol,
            self.username,
            self.password,
            self.host,
            self.hostname,
            self.port,
            self.pathname,
            self.search,
            self.hash,
            self.origin,
        ]
    }
}

/// What a setter of `URL` changes. `href` and `origin` are missing on purpose: the first is [`parse`], the second has no
/// setter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Component {
    Protocol,
    Username,
    Password,
    Host,
    Hostname,
    Port,
    Pathname,
    Search,
    Hash,
}

impl Component {
    /// The component with the name that the guest uses for it.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "protocol" => Self::Protocol,
            "username" => Self::Username,
            "password" => Self::Password,
            "host" => Self::Host,
            "hostname" => Self::Hostname,
            "port" => Self::Port,
            "pathname" => Self::Pathname,
            "search" => Self::Search,
            "hash" => Self::Hash,
            _ => return None,
        })
    }
}

/// Parses `input`, against `base` if there is one. `None` is the standard's "failure".
pub(crate) fn parse(input: &str, base: Option<&str>) -> Option<Parts> {
    let url = match base {
        Some(base) => join(&Url::parse(base).ok()?, input)?,
        None => Url::parse(input).ok()?,
    };
    Some(Parts::of(&with_drive_colon(url)))
}

/// Does what the setter of `component` does to the URL with this `href`. `None` means that the standard ignores the
/// assignment and the URL stays as it is.
pub(crate) fn set(href: &str, component: Component, value: &str) -> Option<Parts> {
    let mut url = Url::parse(href).ok()?;
    // Tabs and line ends do not count in what goes through the parser, which is all but the credentials.
    let counted = value.replace(['\t', '\n', '\r'], "");
    let value = match component {
        Component::Username | Component::Password => value,
        _ => &counted,
    };
    match component {
        Component::Protocol => url = set_protocol(url, value)?,
        Component::Username => quirks::set_username(&mut url, value).ok()?,
        Component::Password => quirks::set_password(&mut url, value).ok()?,
        Component::Host => {
            let value = file_host(&url, value);
            quirks::set_host(&mut url, value).ok()?;
        }
        Component::Hostname => {
            let value = file_host(&url, value);
            quirks::set_hostname(&mut url, value).ok()?;
        }
        Component::Port => quirks::set_port(&mut url, value).ok()?,
        Component::Pathname => url = set_pathname(url, value)?,
        Component::Search => quirks::set_search(&mut url, value),
        Component::Hash => quirks::set_hash(&mut url, value),
    }
    // A setter of the crate can leave a text that no longer says what the object holds (`foo://h/.//p` for the path `//p`, a
    // password without a host). The text is what counts here, so it is read again.
    parse(url.as_str(), None)
}

// The rest mends the places where the crate departs from the standard.

fn is_special(scheme: &str) -> bool {
    matches!(scheme, "http" | "https" | "ws" | "wss" | "ftp" | "file")
}

/// Against a base like `http:`, any number of slashes introduces a host; the crate accepts exactly two. Against one like
/// `foo:`, a backslash is a character like any other; the crate takes a leading one for a slash.
fn join(base: &Url, input: &str) -> Option<Url> {
    let trimmed = input.trim_start_matches(|c: char| c <= ' ');
    if !is_special(base.scheme()) && trimmed.starts_with('\\') {
        return base.join(&format!("./{trimmed}")).ok();
    }
    if is_special(base.scheme()) && base.scheme() != "file" {
        let rest = trimmed.trim_start_matches(['/', '\\', '\t', '\n', '\r']);
        let slashes = trimmed[..trimmed.len() - rest.len()]
            .matches(['/', '\\'])
            .count();
        if slashes > 2 {
            return Url::parse(&format!("{}://{rest}", base.scheme())).ok();
        }
    }
    base.join(input).ok()
}

/// What ends a host makes it empty if it comes first, and a file's host may be empty; the crate refuses.
fn file_host<'a>(url: &Url, value: &'a str) -> &'a str {
    let ends = value.starts_with(['/', '\\', '?', '#']);
    if url.scheme() == "file" && ends {
        ""
    } else {
        value
    }
}

/// `file:///C|/x` is `file:///C:/x`; the crate knows the drive but keeps the bar.
fn with_drive_colon(url: Url) -> Url {
    let path = url.path().as_bytes();
    let has_bar = url.scheme() == "file"
        && matches!(path, [b'/', letter, b'|', rest @ ..] if letter.is_ascii_alphabetic() && matches!(rest, [] | [b'/', ..]));
    if !has_bar {
        return url;
    }
    let mut mended = url;
    let path = mended.path().replacen('|', ":", 1);
    mended.set_path(&path);
    mended
}

/// A special URL may become a `file:` URL if it has neither credentials nor a port; the crate always refuses.
fn set_protocol(mut url: Url, value: &str) -> Option<Url> {
    let scheme = value.split(':').next().unwrap_or_default();
    if scheme.eq_ignore_ascii_case("file") && is_special(url.scheme()) {
        let bare = url.username().is_empty() && url.password().is_none() && url.port().is_none();
        let rest = url.as_str().strip_prefix(url.scheme())?;
        return if bare {
            Url::parse(&format!("file{rest}")).ok()
        } else {
            None
        };
    }
    quirks::set_protocol(&mut url, value).ok()?;
    Some(url)
}

/// Without a host, a path that starts with two slashes must be written after `/.`, or it would be read as a host. The
/// crate forgets that, so the path is made on a stand-in with a host, and the URL put together here.
fn set_pathname(mut url: Url, value: &str) -> Option<Url> {
    if url.cannot_be_a_base() || url.has_authority() {
        quirks::set_pathname(&mut url, value);
        return Some(url);
    }
    let scheme = url.scheme();
    let mut stand_in = Url::parse(&format!("{scheme}://h/")).ok()?;
    let absolute = if value.starts_with('/') {
        value.to_owned()
    } else {
        format!("/{value}")
    };
    stand_in.set_path(&absolute);
    let path = stand_in.path();
    let guard = if path.starts_with("//") { "/." } else { "" };
    let rest = &url[Position::AfterPath..];
    Url::parse(&format!("{scheme}:{guard}{path}{rest}")).ok()
}

/// The origin of a `blob:` URL is that of the URL inside only for the web's own schemes.
fn origin(url: &Url) -> String {
    let origin = quirks::origin(url);
    let foreign =
        url.scheme() == "blob" && !origin.starts_with("http://") && !origin.starts_with("https://");
    if foreign { "null".to_owned() } else { origin }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn href(input: &str, base: Option<&str>) -> Option<String> {
        parse(input, base).map(|parts| parts.href)
    }

    fn after(href: &str, component: &str, value: &str) -> Option<String> {
        set(href, Component::from_name(component).unwrap(), value).map(|parts| parts.href)
    }

    #[test]
    fn every_component_is_told_in_the_order_the_guest_expects() {
        let parts = parse("HTTPS://me:pw@Example.com:8443/a/../b?q=1#top", None).unwrap();
        assert_eq!(
            parts.into_array(),
            [
                "https://me:pw@example.com:8443/b?q=1#top",
                "https:",
                "me",
                "pw",
                "example.com:8443",
                "example.com",
                "8443",
                "/b",
                "?q=1",
                "#top",
                "https://example.com:8443",
            ]
        );
    }

    #[test]
    fn input_is_resolved_against_the_base() {
        assert_eq!(
            href("../c", Some("http://h/a/b")).as_deref(),
            Some("http://h/c")
        );
        assert_eq!(href("c", Some("mailto:x")), None);
        assert_eq!(href("c", Some("no base")), None);
        assert_eq!(href("c", None), None);
    }

    #[test]
    fn more_than_two_slashes_introduce_a_host() {
        assert_eq!(
            href("///x/y", Some("http://h/a")).as_deref(),
            Some("http://x/y")
        );
        assert_eq!(
            href(" /\\\t/x", Some("https://h/a")).as_deref(),
            Some("https://x/")
        );
        assert_eq!(
            href("///x", Some("file:///a")).as_deref(),
            Some("file:///x")
        );
    }

    #[test]
    fn a_backslash_is_a_slash_only_in_the_webs_own_schemes() {
        assert_eq!(
            href("\\x", Some("foo://h/a/b")).as_deref(),
            Some("foo://h/a/\\x")
        );
        assert_eq!(
            href("\\x", Some("http://h/a/b")).as_deref(),
            Some("http://h/x")
        );
    }

    #[test]
    fn a_files_host_can_be_taken_away() {
        assert_eq!(
            after("file://h/x", "host", "").as_deref(),
            Some("file:///x")
        );
        assert_eq!(
            after("file://h/x", "hostname", "/y").as_deref(),
            Some("file:///x")
        );
        assert_eq!(after("http://h/x", "host", "/y"), None);
    }

    #[test]
    fn drive_letters_get_their_colon() {
        assert_eq!(href("file:///C|/a", None).as_deref(), Some("file:///C:/a"));
        assert_eq!(href("file:///C|", None).as_deref(), Some("file:///C:"));
        assert_eq!(
            href("file:///CC|/a", None).as_deref(),
            Some("file:///CC|/a")
        );
    }

    #[test]
    fn an_ignored_assignment_is_none() {
        assert_eq!(after("http://h/", "port", "x"), None);
        assert_eq!(after("http://h/", "protocol", "mailto"), None);
        assert_eq!(after("http://u@h/", "protocol", "file"), None);
        assert_eq!(after("mailto:x", "host", "h"), None);
    }

    #[test]
    fn tabs_and_line_ends_do_not_count() {
        assert_eq!(
            after("http://h/", "pathname", "\t/a\nb").as_deref(),
            Some("http://h/ab")
        );
        assert_eq!(
            after("http://h/", "protocol", "ht\ttps").as_deref(),
            Some("https://h/")
        );
        assert_eq!(
            after("http://h/", "username", "a\tb").as_deref(),
            Some("http://a%09b@h/")
        );
    }

    #[test]
    fn a_path_cannot_become_a_host() {
        assert_eq!(
            after("foo:/a?q#h", "pathname", "//b").as_deref(),
            Some("foo:/.//b?q#h")
        );
        assert_eq!(
            after("foo:/.//b", "pathname", "/c").as_deref(),
            Some("foo:/c")
        );
        assert_eq!(
            after("foo:/.//b", "host", "h").as_deref(),
            Some("foo://h//b")
        );
        assert_eq!(parse("foo:/.//b", None).unwrap().pathname, "//b");
    }

    #[test]
    fn a_web_url_without_credentials_may_become_a_file_url() {
        assert_eq!(
            after("http://h/a", "protocol", "FILE:").as_deref(),
            Some("file://h/a")
        );
    }

    #[test]
    fn a_blob_has_an_origin_only_inside_the_web() {
        assert_eq!(
            parse("blob:https://h/id", None).unwrap().origin,
            "https://h"
        );
        assert_eq!(parse("blob:ftp://h/id", None).unwrap().origin, "null");
    }
    /// Strings put together from what the parser treats specially, the same in every run.
    struct Pieces(u64);

    impl Pieces {
        const ALL: &[&str] = &[
            "http",
            "https",
            "file",
            "foo",
            "blob",
            ":",
            "/",
            "//",
            "\\",
            "?",
            "#",
            "@",
            "[",
            "]",
            "::1",
            "1.2.3.4",
            "0x7f",
            "a",
            "C|",
            "C:",
            ".",
            "..",
            "%2e",
            "%",
            "%zz",
            " ",
            "\t",
            "ä",
            "ß",
            "xn--",
            "😀",
            "\u{ad}",
            "\0",
            "80",
            ":80",
            "65536",
            "|",
            "^",
            "me:pw@",
            "localhost",
            "\u{200d}",
            "。",
            "/.",
        ];

        fn below(&mut self, limit: usize) -> usize {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap() % limit
        }

        fn text(&mut self) -> String {
            (0..self.below(8))
                .map(|_| Self::ALL[self.below(Self::ALL.len())])
                .collect()
        }
    }

    #[test]
    fn every_answer_is_a_url_that_can_be_read_again() {
        let components = [
            "protocol", "username", "password", "host", "hostname", "port", "pathname", "search",
            "hash",
        ];
        let mut pieces = Pieces(1);
        let mut parsed = 0;
        for _ in 0..20_000 {
            let (input, base, value) = (pieces.text(), pieces.text(), pieces.text());
            let base = Some(base.as_str()).filter(|base| base.len() % 3 == 0);
            let Some(parts) =
                parse(&input, base).or_else(|| parse(&format!("foo://h/{input}"), None))
            else {
                continue;
            };
            parsed += 1;
            assert!(
                parse(&parts.href, None).is_some(),
                "{input:?} against {base:?}"
            );
            let component =
                Component::from_name(components[pieces.below(components.len())]).unwrap();
            if let Some(changed) = set(&parts.href, component, &value) {
                assert!(
                    parse(&changed.href, None).is_some(),
                    "{component:?} = {value:?} on {}",
                    parts.href
                );
            }
        }
        assert!(parsed > 10_000, "{parsed}");
    }
}
