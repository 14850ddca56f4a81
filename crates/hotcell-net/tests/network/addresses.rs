//! Addresses in all their spellings, by the way that a request goes.

use hotcell_net::{DenialReason, NetError, Network, NetworkPolicy};

use crate::{
    events::{Events, FakeNames},
    server::{Server, ok},
};

/// Everything is allowed but what is not on the internet.
fn anywhere(names: FakeNames) -> (Network, Events) {
    let events = Events::default();
    let policy = NetworkPolicy::new()
        .allow("http://*:* *")
        .unwrap()
        .allow("https://*:* *")
        .unwrap();
    let network = events.listen(Network::builder(policy).resolver(names));
    (network, events)
}

fn refusal(network: &Network, url: &str) -> (DenialReason, String) {
    match pollster::block_on(network.fetch(url.into())) {
        Err(NetError::Denied(denial)) => (denial.reason, denial.to_string()),
        other => panic!("{url}: {other:?}"),
    }
}

#[test]
fn loopback_in_every_spelling_is_refused() {
    let server = Server::http(|_| ok("secret"));
    let port = server.port();
    let (network, events) = anywhere(FakeNames::default());
    for host in [
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0x7F.1",
        "0177.0.0.1",
        "0177.1",
        "017700000001",
        "127.0.0.1.",
        "127.255.255.254",
        "①②⑦.⓪.⓪.①",
        "127。0。0。1",
        "%31%32%37.0.0.1",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::ffff:0:127.0.0.1]",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[64:ff9b:1::127.0.0.1]",
        "[2002:7f00:1::]",
        "[2001:0:7f00:1::]",
        "[2606:4700::5efe:127.0.0.1]",
        "localhost",
        "LOCALHOST.",
        "x.localhost",
        "0.0.0.0",
        "0",
        "[::]",
    ] {
        let url = format!("http://{host}:{port}/");
        let (reason, said) = refusal(&network, &url);
        assert_eq!(reason, DenialReason::Address, "{url}: {said}");
    }
    assert!(server.received().is_empty());
    assert!(!events.kinds().contains(&"connected".to_owned()));
}

#[test]
fn other_addresses_that_are_not_the_internets_are_refused() {
    let (network, _) = anywhere(FakeNames::default());
    for host in [
        "10.0.0.1",
        "192.168.1.1",
        "172.16.0.1",
        "100.64.0.1",
        "100.100.100.200",
        "169.254.169.254",
        "169.254.170.2",
        "2852039166",
        "0xa9fea9fe",
        "[::ffff:169.254.169.254]",
        "[fd00:ec2::254]",
        "[fe80::1]",
        "[fc00::1]",
        "[ff02::1]",
        "168.63.129.16",
        "192.0.0.192",
        "224.0.0.1",
        "255.255.255.255",
        "198.18.0.1",
        "192.0.2.1",
        "[2001:db8::1]",
        "[100::1]",
        "[5f00::1]",
    ] {
        let (reason, said) = refusal(&network, &format!("http://{host}/"));
        assert_eq!(reason, DenialReason::Address, "{host}: {said}");
    }
    let (_, said) = refusal(&network, "http://169.254.169.254/latest/meta-data/");
    assert_eq!(
        said,
        "network: 169.254.169.254 is at 169.254.169.254, a link-local address, which is not allowed; only addresses of the \
         public internet are, unless the policy names others"
    );
}

#[test]
fn zones_and_things_that_are_no_hosts_are_no_urls() {
    let (network, _) = anywhere(FakeNames::default());
    for url in [
        "http://[fe80::1%25eth0]/",
        "http://[fe80::1%eth0]/",
        "http://[::1/",
        "http://127.0.0.1.1.1/",
        "http://256.256.256.256/",
        "http://0x100000000/",
        "http://[::ffff:127.0.0.1.5]/",
        "http://exa mple.com/",
        "http://exa%00mple.com/",
        "http://exa%0d%0ample.com/",
        "http://a<b>.com/",
        "http://:80/",
        "http://x:99999/",
        "http:///",
    ] {
        match pollster::block_on(network.fetch(url.into())) {
            Err(NetError::Url(_)) => {}
            other => panic!("{url}: {other:?}"),
        }
    }
}

#[test]
fn names_that_lead_inside_are_refused() {
    let names = FakeNames::default()
        .with("metadata.example", &[&["169.254.169.254"]])
        .with("internal.example", &[&["10.0.0.7"]])
        .with("mixed.example", &[&["93.184.216.34", "127.0.0.1"]])
        .with("mapped.example", &[&["::ffff:10.0.0.7"]])
        .with("six.example", &[&["fd00::7"]]);
    let (network, events) = anywhere(names);
    for name in ["metadata", "internal", "mixed", "mapped", "six"] {
        let url = format!("https://{name}.example/");
        assert_eq!(refusal(&network, &url).0, DenialReason::Address, "{url}");
    }
    let kinds = events.kinds();
    assert_eq!(kinds.iter().filter(|kind| *kind == "denied").count(), 5);
    assert!(!kinds.contains(&"connected".to_owned()));
}

#[test]
fn what_is_named_is_allowed() {
    let server = Server::http(|_| ok("in"));
    let port = server.port();
    let body = |policy: NetworkPolicy, names: FakeNames, url: &str| {
        let network = Network::builder(policy).resolver(names).build().unwrap();
        pollster::block_on(network.fetch(url.into())).map(|response| response.body)
    };
    let names = || FakeNames::default().with("inside.example", &[&["127.0.0.1"]]);
    // By its address in a rule.
    let rule = format!("http://127.0.0.1:{port}");
    let by_address = NetworkPolicy::new().allow(&rule).unwrap();
    assert_eq!(
        body(by_address.clone(), names(), &server.url("/")).unwrap(),
        b"in"
    );
    assert_eq!(
        body(by_address, names(), &format!("http://2130706433:{port}/")).unwrap(),
        b"in"
    );
    // By the name that means it.
    let local = NetworkPolicy::new()
        .allow(&format!("http://localhost:{port}"))
        .unwrap();
    assert_eq!(
        body(local, names(), &format!("http://localhost:{port}/")).unwrap(),
        b"in"
    );
    // By a network, or as private.
    let rule = format!("http://inside.example:{port}");
    let by_name = NetworkPolicy::new().allow(&rule).unwrap();
    let url = format!("http://inside.example:{port}/");
    assert!(body(by_name.clone(), names(), &url).is_err());
    let network = "127.0.0.0/8".parse().unwrap();
    assert_eq!(
        body(by_name.clone().allow_addresses(network), names(), &url).unwrap(),
        b"in"
    );
    let private = by_name.clone().allow_private();
    assert_eq!(body(private.clone(), names(), &url).unwrap(), b"in");
    // What is denied stays denied.
    assert!(body(private.clone().deny_addresses(network), names(), &url).is_err());
    assert!(
        body(
            private.deny_addresses("127.0.0.1/32".parse().unwrap()),
            names(),
            &url
        )
        .is_err()
    );
    // Private is not link-local.
    let names = FakeNames::default().with("inside.example", &[&["169.254.169.254"]]);
    let denied = body(by_name.allow_private(), names, &url).unwrap_err();
    assert!(denied.to_string().contains("link-local"), "{denied}");
}
