//! Connections without HTTP.

use std::io::{Read, Write};

use futures_util::io::{AsyncReadExt, AsyncWriteExt};
use hotcell_net::{DenialReason, NetError, Network};

use crate::{
    events::{Events, FakeNames, policy},
    server::Server,
};

#[test]
fn a_connection_is_checked_like_a_request() {
    let server = Server::raw(|mut stream, _| {
        let mut line = [0; 4];
        let _ = stream.read_exact(&mut line);
        let _ = stream.write_all(b"pong");
    });
    let port = server.port();
    let names = FakeNames::default()
        .with("db.example", &[&["127.0.0.1"]])
        .with("inside.example", &[&["169.254.169.254"]]);
    let events = Events::default();
    let rules = [
        format!("tcp://db.example:{port}"),
        format!("tcp://inside.example:{port}"),
        format!("http://web.example:{port}"),
    ];
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    let network = events.listen(Network::builder(policy(&rules)).resolver(names));
    pollster::block_on(async {
        let mut stream = network.connect_tcp("DB.example", port).await.unwrap();
        assert_eq!(stream.address(), server.address);
        stream.write_all(b"ping").await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        assert_eq!(answer, b"pong");
    });
    assert_eq!(events.kinds(), ["allowed", "connected", "ended"]);
    let denied = |host: &str, port: u16| match pollster::block_on(network.connect_tcp(host, port)) {
        Err(NetError::Denied(denial)) => denial.reason,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("connected"),
    };
    assert_eq!(denied("db.example", port ^ 1), DenialReason::Port);
    assert_eq!(denied("web.example", port), DenialReason::Port);
    assert_eq!(denied("evil.example", port), DenialReason::Host);
    assert_eq!(denied("2130706433", port), DenialReason::Host);
    assert_eq!(denied("inside.example", port), DenialReason::Address);
    for wrong in ["", "a b", "a/b", "x@y", "[::"] {
        assert!(
            matches!(
                pollster::block_on(network.connect_tcp(wrong, port)),
                Err(NetError::Url(_))
            ),
            "{wrong}"
        );
    }
    assert!(pollster::block_on(Network::off().connect_tcp("db.example", port)).is_err());
}
