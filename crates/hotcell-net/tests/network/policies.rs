//! Policies in Rust and in JSON.

use hotcell_net::{
    InjectedSecret, Network, NetworkLimits, NetworkPolicy, PolicyError, Rule, Scheme, SecretPlace,
};
use serde_json::json;

fn full() -> NetworkPolicy {
    let rule = Rule::new("*.example.com".parse().unwrap())
        .schemes([Scheme::Https, Scheme::Http])
        .port(443)
        .port(8080)
        .methods(["GET", "POST"])
        .path_prefix("/v1/");
    let mut policy = NetworkPolicy::new()
        .rule(rule)
        .allow("tcp://db.example.com:5432")
        .unwrap()
        .allow_private()
        .allow_addresses("10.1.0.0/16".parse().unwrap())
        .deny_addresses("10.1.2.0/24".parse().unwrap())
        .secret(InjectedSecret::bearer(
            "token",
            "api.example.com".parse().unwrap(),
            "s3cr3t-value",
        ))
        .limits(NetworkLimits {
            response_bytes: 1000,
            ..NetworkLimits::default()
        });
    policy.allow_insecure_tls = true;
    policy
}

#[test]
fn a_policy_survives_json_except_for_its_secrets() {
    let policy = full();
    let text = serde_json::to_string(&policy).unwrap();
    assert!(!text.contains("s3cr3t"), "{text}");
    assert!(!format!("{policy:?}").contains("s3cr3t"));
    let mut read: NetworkPolicy = serde_json::from_str(&text).unwrap();
    assert_ne!(read, policy);
    assert_eq!(
        Network::new(read.clone()).err().unwrap().to_string(),
        "secret \"token\": it has no value. A policy that was written as JSON has lost it: give it again, as value or with set_secret"
    );
    read.set_secret("token", "s3cr3t-value").unwrap();
    assert_eq!(read, policy);
    assert_eq!(
        read.set_secret("other", "x"),
        Err(PolicyError::NoSecret {
            name: "other".to_owned()
        })
    );
}

#[test]
fn a_policy_is_written_as_people_would_write_it() {
    let policy: NetworkPolicy = serde_json::from_value(json!({
        "rules": [
            "api.example.com GET,POST",
            { "host": "*.example.org" },
            { "host": "files.example.net", "ports": [443, "8000-8100"], "methods": ["*"], "pathPrefix": "/pub" },
        ],
        "limits": { "timeoutMs": 5000, "responseBytes": 1024 },
        "secrets": [{
            "name": "token",
            "hosts": ["api.example.com"],
            "place": { "in": "header", "name": "X-Api-Key" },
            "value": "abc-def",
        }],
    }))
    .unwrap();
    let rules: Vec<_> = policy.rules.iter().map(ToString::to_string).collect();
    assert_eq!(
        rules,
        [
            "api.example.com:443 GET,POST",
            "*.example.org:443 GET,HEAD",
            "https+http://files.example.net:443,8000-8100/pub *",
        ]
    );
    assert_eq!(policy.limits.timeout.as_secs(), 5);
    assert_eq!(policy.limits.redirects, 20);
    assert_eq!(
        policy.secrets[0].place,
        SecretPlace::Header {
            name: "X-Api-Key".to_owned(),
            prefix: String::new()
        }
    );
    Network::new(policy).unwrap();
}

#[test]
fn what_a_policy_does_not_have_is_refused() {
    let why = |value: serde_json::Value| {
        serde_json::from_value::<NetworkPolicy>(value)
            .unwrap_err()
            .to_string()
    };
    assert!(why(json!({ "alowPrivate": true })).contains("alowPrivate"));
    assert!(why(json!({ "rules": [{ "host": "a.b", "method": ["GET"] }] })).contains("method"));
    assert!(why(json!({ "rules": [{ "host": "a.b", "ports": [0] }] })).contains("0 is no port"));
    assert!(why(json!({ "rules": [{ "host": "a.b", "methods": [] }] })).contains("no method"));
    assert!(why(json!({ "rules": [{ "host": "a.b", "schemes": ["ftp"] }] })).contains("ftp"));
    assert!(why(json!({ "rules": [5] })).contains("a rule, as text"));
    assert!(why(json!({ "limits": { "timeout": 5 } })).contains("timeout"));
    assert!(why(json!({ "allowAddresses": ["10.0.0.0/33"] })).contains("invalid"));
}

#[test]
fn a_policy_that_makes_no_sense_is_refused_when_it_is_used() {
    let why = |policy: NetworkPolicy| Network::new(policy).err().unwrap().to_string();
    let secret = |value: &str| InjectedSecret::bearer("t", "a.b".parse().unwrap(), value);
    assert!(why(NetworkPolicy::new().secret(secret("a\r\nB: c"))).contains("line break"));
    assert!(why(NetworkPolicy::new().secret(secret(""))).contains("no value"));
    let mut framing = secret("abc");
    framing.place = SecretPlace::Header {
        name: "Content-Length".to_owned(),
        prefix: String::new(),
    };
    assert!(why(NetworkPolicy::new().secret(framing)).contains("none that can carry it"));
    let limits = NetworkLimits {
        concurrent: 0,
        ..NetworkLimits::default()
    };
    assert_eq!(
        why(NetworkPolicy::new().limits(limits)),
        "limit concurrent is 0: that allows nothing"
    );
    assert!(why(NetworkPolicy::new().extra_root("no pem")).contains("PEM"));
}
