//! What a policy says of requests.

use hotcell_net::{BodyLength, Decision, DenialReason, NetworkPolicy, Request};

fn policy(rules: &[&str]) -> NetworkPolicy {
    let mut policy = NetworkPolicy::new();
    for rule in rules {
        policy = policy.allow(rule).unwrap();
    }
    policy
}

fn decide(policy: &NetworkPolicy, request: &Request) -> Result<String, (DenialReason, String)> {
    match policy.decide(request) {
        Decision::Allowed(rule) => Ok(rule.to_string()),
        Decision::Denied(denial) => Err((denial.reason, denial.to_string())),
    }
}

fn get(url: &str) -> Request {
    Request::get(url).unwrap()
}

fn reason(policy: &NetworkPolicy, request: &Request) -> Option<DenialReason> {
    decide(policy, request).err().map(|(reason, _)| reason)
}

#[test]
fn a_denial_says_what_is_wrong_and_what_is_allowed() {
    let policy = policy(&["api.foo.com GET", "https://b.com/v1 POST"]);
    let said = |request: &Request| decide(&policy, request).unwrap_err().1;
    let allowed = "allowed: api.foo.com:443 GET, https://b.com:443/v1 POST";
    assert_eq!(
        said(&get("https://example.com/")),
        format!("network: host example.com is not allowed; {allowed}")
    );
    assert_eq!(
        said(&get("http://api.foo.com/")),
        format!("network: http on port 80 of api.foo.com is not allowed; {allowed}")
    );
    let mut post = get("https://api.foo.com/");
    post.method = "POST".to_owned();
    assert_eq!(
        said(&post),
        format!("network: method POST is not allowed for https://api.foo.com; {allowed}")
    );
    let mut other = get("https://b.com/v2");
    other.method = "POST".to_owned();
    assert_eq!(
        said(&other),
        format!("network: path /v2 of b.com is not allowed; {allowed}")
    );
    assert_eq!(
        said(&get("ftp://b.com/")),
        "network: scheme ftp is not allowed; use https or http"
    );
    assert_eq!(
        NetworkPolicy::new().decide(&get("https://x.com")),
        Decision::Denied(hotcell_net::Denial {
            reason: DenialReason::Host,
            message: "host x.com is not allowed; allowed: nothing".to_owned()
        })
    );
}

#[test]
fn hosts_are_taken_from_urls_as_they_are_connected_to() {
    let policy = policy(&["good.com"]);
    for allowed in [
        "https://good.com",
        "https://GOOD.com./",
        "https://user:pass@good.com/",
        "https://evil.com@good.com/",
        "https:\\\\good.com\\@evil.com/",
        "https://good.com\\@evil.com/",
        "https://good.com/@evil.com",
        "https://good.com:443",
        "https://good\u{3002}com/",
        "https://ｇｏｏｄ.com/",
        "  https://good.com\t/\n",
    ] {
        let request = get(allowed);
        assert_eq!(
            request
                .url
                .host_str()
                .map(|host| host.trim_end_matches('.')),
            Some("good.com"),
            "{allowed}"
        );
        assert!(decide(&policy, &request).is_ok(), "{allowed}");
    }
    for denied in [
        "https://good.com.evil.com/",
        "https://good.com@evil.com/",
        "https://good.com:443@evil.com/",
        "https://evil.com#@good.com/",
        "https://evil.com?@good.com/",
        "https://evil.com\\@good.com/",
        "https://evil.com/good.com",
        "https://xgood.com/",
        "https://g\u{043e}od.com/",
        "https://good.co/",
    ] {
        assert_eq!(
            reason(&policy, &get(denied)),
            Some(DenialReason::Host),
            "{denied}"
        );
    }
}

#[test]
fn headers_cannot_make_it_another_request() {
    let policy = policy(&["good.com GET", "http://paths.com/ok GET"]);
    let with =
        |name: &str, value: &str| reason(&policy, &get("https://good.com/").header(name, value));
    // Another host behind the same address.
    assert_eq!(with("Host", "evil.com"), Some(DenialReason::Host));
    assert_eq!(with("hOST", "evil.com"), Some(DenialReason::Host));
    assert_eq!(with("Host", "good.com"), None);
    assert_eq!(with("Host", "good.com:443"), None);
    assert_eq!(
        with("Host", "good.com/@evil.com"),
        Some(DenialReason::Header)
    );
    assert_eq!(
        with("Host", "evil.com@good.com"),
        Some(DenialReason::Header)
    );
    assert_eq!(with("Host", ""), Some(DenialReason::Header));
    let twice = get("https://good.com/")
        .header("Host", "good.com")
        .header("host", "good.com");
    assert_eq!(reason(&policy, &twice), Some(DenialReason::Header));
    // Another method.
    assert_eq!(
        with("X-HTTP-Method-Override", "DELETE"),
        Some(DenialReason::Method)
    );
    assert_eq!(
        with("x-method-override", "delete"),
        Some(DenialReason::Method)
    );
    assert_eq!(with("X-HTTP-Method", "GET"), None);
    // Another connection.
    assert_eq!(with("Upgrade", "h2c"), Some(DenialReason::Header));
    assert_eq!(with("Connection", "upgrade"), Some(DenialReason::Header));
    assert_eq!(
        with("Connection", "keep-alive, x-forwarded-for"),
        Some(DenialReason::Header)
    );
    assert_eq!(with("Connection", "Close"), None);
    assert_eq!(
        with("Transfer-Encoding", "chunked"),
        Some(DenialReason::Header)
    );
    assert_eq!(with("Content-Length", "5"), Some(DenialReason::Header));
    assert_eq!(with("Content-Length", "0"), None);
    assert_eq!(with("Proxy-Authorization", "x"), Some(DenialReason::Header));
    // Another path.
    assert_eq!(with("X-Original-URL", "/admin"), None);
    let path = get("http://paths.com/ok").header("X-Original-URL", "/admin");
    assert_eq!(reason(&policy, &path), Some(DenialReason::Header));
}

#[test]
fn lengths_that_are_not_the_bodys_are_refused() {
    let policy = policy(&["good.com POST"]);
    let mut request = get("https://good.com/");
    request.method = "POST".to_owned();
    request.body = BodyLength::Known(5);
    let with = |name: &str, value: &str| reason(&policy, &request.clone().header(name, value));
    assert_eq!(with("Content-Length", "5"), None);
    assert_eq!(with("Content-Length", "4"), Some(DenialReason::Header));
    assert_eq!(with("Content-Length", "05"), Some(DenialReason::Header));
    assert_eq!(
        with("Transfer-Encoding", "chunked"),
        Some(DenialReason::Header)
    );
    request.body = BodyLength::Unknown;
    let with = |name: &str, value: &str| reason(&policy, &request.clone().header(name, value));
    assert_eq!(with("Transfer-Encoding", "chunked"), None);
    assert_eq!(
        with("Transfer-Encoding", "gzip, chunked"),
        Some(DenialReason::Header)
    );
    assert_eq!(with("Content-Length", "5"), Some(DenialReason::Header));
}

#[test]
fn no_rule_allows_tunnels_and_mirrors() {
    let policy = policy(&["*:* *", "good.com CONNECT,TRACE"]);
    for method in ["CONNECT", "TRACE", "trace", "TRACK"] {
        let mut request = get("https://good.com/");
        request.method = method.to_owned();
        assert_eq!(
            reason(&policy, &request),
            Some(DenialReason::Method),
            "{method}"
        );
    }
    let mut request = get("https://good.com/");
    request.method = "PROPFIND".to_owned();
    assert_eq!(reason(&policy, &request), None);
}

#[test]
fn rules_add_up_and_do_not_mix() {
    let policy = policy(&["good.com GET", "https://good.com/api POST"]);
    let post = |path: &str| {
        let mut request = get(&format!("https://good.com{path}"));
        request.method = "POST".to_owned();
        reason(&policy, &request)
    };
    assert_eq!(post("/api/x"), None);
    assert_eq!(post("/other"), Some(DenialReason::Path));
    assert_eq!(reason(&policy, &get("https://good.com/other")), None);
    // Dots are gone before anybody looks.
    assert_eq!(post("/api/../other"), Some(DenialReason::Path));
    assert_eq!(post("/api/%2e%2e/other"), Some(DenialReason::Path));
}
