//! Credentials of the host's: on the wire, and nowhere else.

use hotcell_net::{Fetch, InjectedSecret, Network, NetworkEvent, NetworkPolicy, SecretPlace};

use crate::{
    events::{Events, FakeNames, policy},
    server::{Authority, Received, Server, ok, redirect, response},
};

const VALUE: &str = "tok/en+with=odd chars&more";

fn secret(host: &str, place: SecretPlace) -> InjectedSecret {
    let mut secret = InjectedSecret::new("the-token", host.parse().unwrap(), place, VALUE);
    secret.allow_http = true;
    secret
}

fn header() -> SecretPlace {
    SecretPlace::Header {
        name: "Authorization".to_owned(),
        prefix: "Bearer ".to_owned(),
    }
}

/// Two hosts at one server.
fn setup(
    place: SecretPlace,
    handler: impl Fn(&Received) -> crate::server::Reply + Send + Sync + 'static,
) -> (Server, Network, Events) {
    let server = Server::http(handler);
    let port = server.port();
    let names = FakeNames::default()
        .with("api.example", &[&["127.0.0.1"]])
        .with("other.example", &[&["127.0.0.1"]]);
    let policy: NetworkPolicy = policy(&[
        &format!("http://api.example:{port} *"),
        &format!("http://other.example:{port} *"),
    ])
    .secret(secret("api.example", place));
    let events = Events::default();
    let network = events.listen(Network::builder(policy).resolver(names));
    (server, network, events)
}

/// Whether a text gives the value away.
fn gives_away(text: &str) -> bool {
    [
        "tok/en",
        "tok%2Fen",
        "tok%2fen",
        "dG9rL2Vu",
        "odd chars",
        "odd+chars",
    ]
    .iter()
    .any(|part| text.contains(part))
}

#[test]
fn a_header_goes_to_its_host_in_the_place_of_the_programs_own() {
    let (server, network, events) = setup(header(), |_| ok("fine"));
    let port = server.port();
    let fetch = Fetch {
        headers: vec![("authorization".to_owned(), "Bearer placeholder".to_owned())],
        ..format!("http://api.example:{port}/").as_str().into()
    };
    pollster::block_on(network.fetch(fetch)).unwrap();
    let received = server.last();
    assert_eq!(
        received.header("authorization"),
        Some(format!("Bearer {VALUE}").as_str())
    );
    assert!(!received.raw.contains("placeholder"));
    assert!(!gives_away(&events.json()), "{}", events.json());
    let named = events.all().into_iter().any(
        |event| matches!(event, NetworkEvent::Allowed { secrets, .. } if secrets == ["the-token"]),
    );
    assert!(named);
    pollster::block_on(network.fetch(format!("http://other.example:{port}/").as_str().into()))
        .unwrap();
    assert_eq!(server.last().header("authorization"), None);
}

#[test]
fn a_parameter_takes_the_place_of_the_programs_own() {
    let place = SecretPlace::Query {
        name: "api key".to_owned(),
    };
    let (server, network, events) = setup(place, |_| ok("fine"));
    let port = server.port();
    let url = format!("http://api.example:{port}/x?a=1&api+key=mine&api%20key=mine&b=2");
    let response = pollster::block_on(network.fetch(url.as_str().into())).unwrap();
    assert_eq!(
        server.last().target,
        "/x?a=1&b=2&api%20key=tok%2Fen%2Bwith%3Dodd%20chars%26more"
    );
    assert_eq!(response.url, url);
    assert!(!gives_away(&events.json()));
    let url = format!("http://api.example:{port}/x");
    pollster::block_on(network.fetch(url.as_str().into())).unwrap();
    assert_eq!(
        server.last().target,
        "/x?api%20key=tok%2Fen%2Bwith%3Dodd%20chars%26more"
    );
}

#[test]
fn a_password_is_made_into_basic_authentication() {
    let place = SecretPlace::Basic {
        user: "me".to_owned(),
    };
    let (server, network, _) = setup(place, |_| ok("fine"));
    let url = format!("http://api.example:{}/", server.port());
    pollster::block_on(network.fetch(url.as_str().into())).unwrap();
    let expected = data_encoding::BASE64.encode(format!("me:{VALUE}").as_bytes());
    assert_eq!(
        server.last().header("authorization"),
        Some(format!("Basic {expected}").as_str())
    );
}

#[test]
fn a_redirect_to_another_host_leaves_it_behind() {
    for place in [
        header(),
        SecretPlace::Query {
            name: "key".to_owned(),
        },
    ] {
        let (server, network, events) = setup(place, |received| match received.path() {
            "/go" => {
                let host = received.header("host").unwrap().replace("api", "other");
                let query = received.target.split('?').nth(1).unwrap_or_default();
                // Sends everything along that it got.
                let authorization = received.header("authorization").unwrap_or_default();
                let authorization: String =
                    url::form_urlencoded::byte_serialize(authorization.as_bytes()).collect();
                let to = format!("http://{host}/got?{query}&h={authorization}");
                redirect("302 Found", &to)
            }
            _ => ok("there"),
        });
        let url = format!("http://api.example:{}/go", server.port());
        let response = pollster::block_on(network.fetch(url.as_str().into())).unwrap();
        assert_eq!(server.received().len(), 2);
        assert!(gives_away(&server.received()[0].raw));
        // A server that was given the secret can put it into the Location; what we follow has it taken out.
        assert!(
            !gives_away(&server.received()[1].raw),
            "{}",
            server.received()[1].raw
        );
        assert!(!gives_away(&response.url), "{}", response.url);
        assert!(!gives_away(&events.json()));
    }
}

#[test]
fn what_a_server_sends_back_in_its_head_is_hidden() {
    let (server, network, _) = setup(header(), |received| {
        let sent = received.header("authorization").unwrap().to_owned();
        response(
            "200 OK",
            &format!("X-Echo: {sent}\r\nX-{}: y\r\n", "Plain"),
            "body",
        )
    });
    let url = format!("http://api.example:{}/", server.port());
    let response = pollster::block_on(network.fetch(url.as_str().into())).unwrap();
    let all = format!("{:?}", response.headers);
    assert!(!gives_away(&all), "{all}");
    assert!(all.contains("Bearer [hidden]"), "{all}");
}

#[test]
fn what_a_server_sends_back_in_its_body_is_hidden() {
    let (server, network, _) = setup(header(), |received| {
        assert_eq!(
            received.header("accept-encoding"),
            Some("deflate, gzip, br, zstd")
        );
        ok(format!("you sent {}, twice {0}.", received.raw))
    });
    let url = format!("http://api.example:{}/", server.port());
    let response = pollster::block_on(network.fetch(url.as_str().into())).unwrap();
    let text = String::from_utf8(response.body).unwrap();
    assert!(!gives_away(&text), "{text}");
    assert!(text.contains("Bearer ***") && text.ends_with('.'), "{text}");
}

#[test]
fn it_does_not_go_over_plain_http_unless_that_is_said() {
    let server = Server::http(|_| ok("fine"));
    let rule = format!("http://127.0.0.1:{} *", server.port());
    let mut careful = secret("127.0.0.1", header());
    careful.allow_http = false;
    let network = Network::new(policy(&[&rule]).secret(careful)).unwrap();
    pollster::block_on(network.fetch(server.url("/").as_str().into())).unwrap();
    assert_eq!(server.last().header("authorization"), None);
}

#[test]
fn it_goes_over_tls_to_a_host_that_shows_who_it_is() {
    let authority = Authority::new();
    let server = Server::https(&authority, &["api.example"], |_| ok("fine"));
    let port = server.port();
    let mut careful = secret("api.example", header());
    careful.allow_http = false;
    let policy = policy(&[&format!("https://api.example:{port}")])
        .secret(careful)
        .extra_root(&authority.pem);
    let names = FakeNames::default().with("api.example", &[&["127.0.0.1"]]);
    let network = Network::builder(policy).resolver(names).build().unwrap();
    let url = format!("https://api.example:{port}/");
    pollster::block_on(network.fetch(url.as_str().into())).unwrap();
    assert!(server.last().header("authorization").is_some());
}

#[test]
fn it_does_not_go_to_a_host_that_another_host_is_named_for() {
    let (server, network, _) = setup(header(), |_| ok("fine"));
    let port = server.port();
    // Sent to the host of the secret, for the other one: who answers is not known.
    let fetch = Fetch {
        headers: vec![("Host".to_owned(), format!("other.example:{port}"))],
        ..format!("http://api.example:{port}/").as_str().into()
    };
    pollster::block_on(network.fetch(fetch)).unwrap();
    assert_eq!(server.last().header("authorization"), None);
}
