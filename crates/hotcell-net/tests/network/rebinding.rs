//! Names that mean something else the next moment.

use hotcell_net::{NetError, Network, NetworkEvent};

use crate::{
    events::{Events, FakeNames, policy},
    server::{Server, last, ok, redirect},
};

#[test]
fn what_is_connected_to_is_what_was_checked() {
    let good = Server::at("127.0.0.2".parse().unwrap(), |_| ok("good"));
    let port = good.port();
    // Allowed the first time, and a denied address ever after.
    let names = FakeNames::default().with("re.example", &[&["127.0.0.2"], &["127.0.0.3"]]);
    let events = Events::default();
    let policy = policy(&[&format!("http://re.example:{port}")])
        .deny_addresses("127.0.0.3/32".parse().unwrap());
    let network = events.listen(Network::builder(policy).resolver(names.clone()));
    let url = format!("http://re.example:{port}/");
    let response = pollster::block_on(network.fetch(url.as_str().into())).unwrap();
    assert_eq!(response.body, b"good");
    assert_eq!(names.lookups("re.example"), 1);
    let connected = events.all().into_iter().find_map(|event| match event {
        NetworkEvent::Connected { address, .. } => Some(address),
        _ => None,
    });
    assert_eq!(connected, Some(good.address));
    // A new request is a new lookup, and is checked anew.
    let refused = pollster::block_on(network.fetch(url.as_str().into()));
    assert!(matches!(refused, Err(NetError::Denied(_))), "{refused:?}");
    assert_eq!(names.lookups("re.example"), 2);
}

#[test]
fn an_address_behind_an_allowed_one_is_not_fallen_back_to() {
    // Nothing listens at the first; the second is not allowed. Both are answers of one lookup.
    let inside = Server::at("127.0.0.3".parse().unwrap(), |_| ok("inside"));
    let port = inside.port();
    let names = FakeNames::default().with("re.example", &[&["127.0.0.2", "127.0.0.3"]]);
    let policy = policy(&[&format!("http://re.example:{port}")])
        .deny_addresses("127.0.0.3/32".parse().unwrap());
    let network = Network::builder(policy).resolver(names).build().unwrap();
    let url = format!("http://re.example:{port}/");
    let refused = pollster::block_on(network.fetch(url.as_str().into()));
    assert!(matches!(refused, Err(NetError::Denied(_))), "{refused:?}");
    assert!(inside.received().is_empty());
}

#[test]
fn a_redirect_is_looked_up_and_checked_anew() {
    let server = Server::at("127.0.0.2".parse().unwrap(), |received| {
        match received.path() {
            "/" => last(redirect("302 Found", "/next")),
            _ => ok("next"),
        }
    });
    let port = server.port();
    let names = FakeNames::default().with("re.example", &[&["127.0.0.2"], &["169.254.169.254"]]);
    let policy = policy(&[&format!("http://re.example:{port}")]);
    let network = Network::builder(policy)
        .resolver(names.clone())
        .build()
        .unwrap();
    let url = format!("http://re.example:{port}/");
    let refused = pollster::block_on(network.fetch(url.as_str().into())).unwrap_err();
    assert!(refused.to_string().contains("169.254.169.254"), "{refused}");
    assert_eq!(names.lookups("re.example"), 2);
    assert_eq!(server.received().len(), 1);
}
