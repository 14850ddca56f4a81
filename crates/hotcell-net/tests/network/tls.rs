//! TLS, and whom it trusts.

use hotcell_net::{NetError, Network, TrustRoots};

use crate::{
    events::{FakeNames, policy},
    server::{Authority, Server, ok},
};

fn ask(
    server: &Server,
    host: &str,
    change: impl FnOnce(&mut hotcell_net::NetworkPolicy),
) -> Result<Vec<u8>, NetError> {
    let mut policy = policy(&["https://*:*"]);
    change(&mut policy);
    let names = FakeNames::default()
        .with("good.example", &[&["127.0.0.1"]])
        .with("bad.example", &[&["127.0.0.1"]]);
    let network = Network::builder(policy).resolver(names).build().unwrap();
    let url = format!("https://{host}:{}/", server.port());
    pollster::block_on(network.fetch(url.as_str().into())).map(|response| response.body)
}

#[test]
fn a_server_has_to_show_who_it_is() {
    let authority = Authority::new();
    let server = Server::https(&authority, &["good.example", "127.0.0.1"], |_| ok("fine"));
    let trusted =
        |policy: &mut hotcell_net::NetworkPolicy| policy.extra_roots.push(authority.pem.clone());
    assert_eq!(ask(&server, "good.example", trusted).unwrap(), b"fine");
    assert_eq!(ask(&server, "good.example.", trusted).unwrap(), b"fine");
    assert_eq!(ask(&server, "127.0.0.1", trusted).unwrap(), b"fine");
    let why = |result: Result<Vec<u8>, NetError>| match result {
        Err(NetError::Certificate { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        why(ask(&server, "bad.example", trusted)),
        "no alternative certificate subject name matches target host name 'bad.example'"
    );
    assert_eq!(
        why(ask(&server, "good.example", |_| ())),
        "unable to get local issuer certificate"
    );
    assert!(server.received().len() == 3);
}

#[test]
fn an_expired_certificate_is_refused() {
    let authority = Authority::new();
    let server = Server::https(&authority, &[], |_| ok("fine"));
    let result = ask(&server, "127.0.0.1", |policy| {
        policy.extra_roots.push(authority.pem.clone())
    });
    match result {
        Err(NetError::Certificate { why, .. }) => assert_eq!(why, "certificate has expired"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_policy_may_trust_its_own_authorities_alone() {
    let authority = Authority::new();
    let server = Server::https(&authority, &["good.example"], |_| ok("fine"));
    let result = ask(&server, "good.example", |policy| {
        policy.roots = TrustRoots::None;
        policy.extra_roots.push(authority.pem.clone());
    });
    assert_eq!(result.unwrap(), b"fine");
    let result = ask(&server, "good.example", |policy| {
        policy.roots = TrustRoots::None
    });
    assert!(matches!(result, Err(NetError::Tls { .. })), "{result:?}");
}

#[test]
fn a_server_that_does_not_speak_tls_is_an_error() {
    let server = Server::http(|_| ok("fine"));
    let result = ask(&server, "good.example", |_| ());
    assert!(matches!(result, Err(NetError::Tls { .. })), "{result:?}");
    let closing = Server::raw(|stream, _| drop(stream));
    let result = ask(&closing, "good.example", |_| ());
    assert!(matches!(result, Err(NetError::Tls { .. })), "{result:?}");
}
