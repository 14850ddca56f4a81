//! `fetch`, redirects, limits, events.

use std::time::{Duration, Instant};

use hotcell_meter::Account;
use hotcell_net::{
    DenialReason, Fetch, FetchOptions, NetError, Network, NetworkEvent, NetworkLimits,
};

use crate::{
    events::{Events, FakeNames, network, policy},
    server::{Received, Reply, Server, ok, redirect, response},
};

fn get(network: &Network, url: &str) -> Result<hotcell_net::FetchResponse, NetError> {
    pollster::block_on(network.fetch(url.into()))
}

fn rule(server: &Server) -> String {
    format!("http://127.0.0.1:{} *", server.port())
}

#[test]
fn a_response_comes_with_its_parts() {
    let server = Server::http(|received| {
        response(
            "201 Made Up",
            "X-A: 1\r\nx-a: 2\r\n",
            format!("{} {}", received.method, received.text()),
        )
    });
    let network = network(&[&rule(&server)]);
    let fetch = Fetch {
        method: "POST".to_owned(),
        headers: vec![("X-B".to_owned(), "3".to_owned())],
        body: b"hello".to_vec(),
        ..server.url("/p?q=1#f").as_str().into()
    };
    let response = pollster::block_on(network.fetch(fetch)).unwrap();
    assert_eq!(response.status, 201);
    assert_eq!(response.status_text, "Made Up");
    assert_eq!(response.url, server.url("/p?q=1"));
    assert_eq!(response.body, b"POST hello");
    let values: Vec<_> = response
        .headers
        .iter()
        .filter(|(name, _)| name == "x-a")
        .collect();
    assert_eq!(values.len(), 2);
    let received = server.last();
    assert_eq!(received.target, "/p?q=1");
    assert_eq!(received.header("x-b"), Some("3"));
    assert_eq!(received.header("content-length"), Some("5"));
    assert_eq!(received.header("host").unwrap(), server.address.to_string());
}

#[test]
fn everything_is_told_in_order_and_once() {
    let server = Server::http(|_| ok("four"));
    let events = Events::default();
    let network = events.listen(Network::builder(policy(&[&rule(&server)])));
    get(&network, &server.url("/")).unwrap();
    get(&network, "http://other.example/").unwrap_err();
    assert_eq!(events.kinds(), ["allowed", "connected", "ended", "denied"]);
    match &events.all()[..] {
        [
            NetworkEvent::Allowed {
                request: 1,
                target,
                rule: said,
                secrets,
            },
            NetworkEvent::Connected {
                request: 1,
                address,
                is_reused: false,
                ..
            },
            NetworkEvent::Ended {
                request: 1,
                status: Some(200),
                received: 4,
                error: None,
                ..
            },
            NetworkEvent::Denied {
                request: 2, denial, ..
            },
        ] => {
            assert_eq!(
                (target.method.as_str(), target.url.as_str()),
                ("GET", server.url("/").as_str())
            );
            assert_eq!(*said, rule(&server));
            assert!(secrets.is_empty());
            assert_eq!(*address, server.address);
            assert_eq!(denial.reason, DenialReason::Host);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn without_a_policy_everything_is_denied_and_says_how_to_change_that() {
    let events = Events::default();
    let seen = events.clone();
    let network = Network::off();
    let network = network.with_listener(move |event| seen.push(event));
    let error = get(&network, "http://127.0.0.1/").unwrap_err();
    assert_eq!(
        error.to_string(),
        "network: off in this sandbox; whoever runs it can allow hosts with a network policy (--allow-net HOST)"
    );
    match &events.all()[..] {
        [NetworkEvent::Denied { denial, .. }] => assert_eq!(denial.reason, DenialReason::Off),
        other => panic!("{other:?}"),
    }
}

#[test]
fn redirects_are_decided_on_like_any_request() {
    let other = Server::http(|_| ok("other"));
    let to = other.url("/x");
    let server = Server::http(move |received| match received.path() {
        "/relative" => redirect("302 Found", "next?x=1"),
        "/next" => ok("next"),
        "/other" => redirect("301 Moved", &to),
        "/metadata" => redirect("302 Found", "http://169.254.169.254/latest/"),
        "/file" => redirect("302 Found", "file:///etc/passwd"),
        "/gopher" => redirect("302 Found", "gopher://127.0.0.1:6379/_FLUSHALL"),
        "/decimal" => redirect("302 Found", "http://2130706433:1/"),
        "/bad" => redirect("302 Found", "http://[::"),
        _ => redirect("302 Found", "/loop"),
    });
    let narrow = network(&[&rule(&server)]);
    let response = get(&narrow, &server.url("/relative")).unwrap();
    assert_eq!(
        (response.url, response.body),
        (server.url("/next?x=1"), b"next".to_vec())
    );
    let denied = |path: &str| match get(&narrow, &server.url(path)) {
        Err(NetError::Denied(denial)) => denial.reason,
        other => panic!("{path}: {other:?}"),
    };
    assert_eq!(denied("/other"), DenialReason::Port);
    assert_eq!(denied("/metadata"), DenialReason::Host);
    assert_eq!(denied("/file"), DenialReason::Scheme);
    assert_eq!(denied("/gopher"), DenialReason::Scheme);
    assert_eq!(denied("/decimal"), DenialReason::Port);
    assert!(other.received().is_empty());
    assert!(matches!(
        get(&narrow, &server.url("/bad")),
        Err(NetError::Url(_))
    ));
    assert!(matches!(
        get(&narrow, &server.url("/loop")),
        Err(NetError::Redirects { limit: 20 })
    ));
    let wide = network(&[&rule(&server), &rule(&other)]);
    assert_eq!(get(&wide, &server.url("/other")).unwrap().body, b"other");
    let manual = FetchOptions {
        follows_redirects: false,
        ..FetchOptions::default()
    };
    let url = server.url("/other");
    let response = pollster::block_on(wide.fetch_with(url.as_str().into(), &manual)).unwrap();
    assert_eq!(response.status, 301);
}

#[test]
fn what_is_personal_stays_with_its_host_and_methods_change_as_they_should() {
    let other = Server::http(|received| ok(format!("{} {}", received.method, received.text())));
    let to = other.url("/x");
    let server = Server::http(move |received| {
        let status = received.target.trim_start_matches('/').to_owned();
        redirect(&format!("{status} Go"), &to)
    });
    let network = network(&[&rule(&server), &rule(&other)]);
    let go = |method: &str, status: &str| {
        let fetch = Fetch {
            method: method.to_owned(),
            headers: [
                ("Authorization", "Bearer x"),
                ("Cookie", "a=b"),
                ("X-Mine", "1"),
                ("Content-Type", "a/b"),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
            body: if method == "GET" {
                Vec::new()
            } else {
                b"data".to_vec()
            },
            ..server.url(&format!("/{status}")).as_str().into()
        };
        let response = pollster::block_on(network.fetch(fetch)).unwrap();
        String::from_utf8(response.body).unwrap()
    };
    assert_eq!(go("POST", "301"), "GET ");
    assert_eq!(other.last().header("content-type"), None);
    assert_eq!(go("POST", "302"), "GET ");
    assert_eq!(go("PUT", "302"), "PUT data");
    assert_eq!(go("PUT", "303"), "GET ");
    assert_eq!(go("POST", "307"), "POST data");
    assert_eq!(go("POST", "308"), "POST data");
    assert_eq!(go("GET", "302"), "GET ");
    for received in other.received() {
        assert_eq!(received.header("authorization"), None);
        assert_eq!(received.header("cookie"), None);
        assert_eq!(received.header("x-mine"), Some("1"));
    }
    assert_eq!(server.last().header("authorization"), Some("Bearer x"));
}

#[test]
fn sizes_and_times_are_limited() {
    let server = Server::http(|received| match received.path() {
        "/length" => Reply::With(Box::new(|wire, stop| {
            let _ = wire.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n");
            stop.hang();
        })),
        "/chunks" => Reply::With(Box::new(|wire, stop| {
            let _ = wire.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            while !stop.is_set() && wire.write_all(b"64\r\n").is_ok() {
                let _ = wire.write_all(&[b'x'; 100]);
                let _ = wire.write_all(b"\r\n");
            }
        })),
        "/close" => Reply::With(Box::new(|wire, stop| {
            let _ = wire.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            while !stop.is_set() && wire.write_all(&[b'x'; 100]).is_ok() {}
        })),
        "/slow" => Reply::With(Box::new(|wire, stop| {
            let _ = wire.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            while !stop.is_set() && wire.write_all(b"x").is_ok() {
                let _ = wire.flush();
                std::thread::sleep(Duration::from_millis(10));
            }
        })),
        _ => ok("x".repeat(1000)),
    });
    let limits = NetworkLimits {
        request_bytes: 10,
        response_bytes: 1000,
        timeout: Duration::from_millis(400),
        ..NetworkLimits::default()
    };
    let network = Network::new(policy(&[&rule(&server)]).limits(limits)).unwrap();
    assert_eq!(get(&network, &server.url("/")).unwrap().body.len(), 1000);
    for path in ["/length", "/chunks", "/close"] {
        let result = get(&network, &server.url(path));
        assert!(
            matches!(
                result,
                Err(NetError::TooLarge {
                    what: "response",
                    limit: 1000
                })
            ),
            "{path}: {result:?}"
        );
    }
    let result = get(&network, &server.url("/slow"));
    assert!(
        matches!(result, Err(NetError::Timeout { .. })),
        "{result:?}"
    );
    let fetch = Fetch {
        method: "POST".to_owned(),
        body: vec![0; 11],
        ..server.url("/").as_str().into()
    };
    let result = pollster::block_on(network.fetch(fetch));
    assert!(
        matches!(
            result,
            Err(NetError::TooLarge {
                what: "request",
                limit: 10
            })
        ),
        "{result:?}"
    );
    // A program may ask for less, and for no more.
    let little = FetchOptions {
        response_bytes: Some(10),
        ..FetchOptions::default()
    };
    let url = server.url("/");
    let result = pollster::block_on(network.fetch_with(url.as_str().into(), &little));
    assert!(
        matches!(result, Err(NetError::TooLarge { limit: 10, .. })),
        "{result:?}"
    );
    let much = FetchOptions {
        response_bytes: Some(1 << 40),
        ..FetchOptions::default()
    };
    let url = server.url("/close");
    let result = pollster::block_on(network.fetch_with(url.as_str().into(), &much));
    assert!(
        matches!(result, Err(NetError::TooLarge { limit: 1000, .. })),
        "{result:?}"
    );
    let soon = FetchOptions {
        deadline: Some(Instant::now() + Duration::from_millis(30)),
        ..FetchOptions::default()
    };
    let url = server.url("/slow");
    let result = pollster::block_on(network.fetch_with(url.as_str().into(), &soon));
    assert!(
        matches!(result, Err(NetError::Timeout { .. })),
        "{result:?}"
    );
}

#[test]
fn what_is_held_is_charged_and_paid_back() {
    let server = Server::http(|_| ok("x".repeat(1 << 20)));
    let network = network(&[&rule(&server)]);
    let url = server.url("/");
    let fetch = |account: &Account| {
        let options = FetchOptions {
            account: account.clone(),
            ..FetchOptions::default()
        };
        pollster::block_on(network.fetch_with(url.as_str().into(), &options))
    };
    let small = Account::new("memory", 512 << 10);
    assert!(matches!(fetch(&small), Err(NetError::Memory(_))));
    let large = Account::new("memory", 4 << 20);
    assert_eq!(fetch(&large).unwrap().body.len(), 1 << 20);
    assert_eq!((small.used(), large.used()), (0, 0));
    assert!(large.peak() >= 1 << 20);
}

#[test]
fn more_requests_than_allowed_at_once_wait_for_their_turn() {
    let server = Server::http(|_| {
        Reply::With(Box::new(|wire, _| {
            std::thread::sleep(Duration::from_millis(20));
            let _ = wire.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        }))
    });
    let limits = NetworkLimits {
        concurrent: 2,
        ..NetworkLimits::default()
    };
    let events = Events::default();
    let network = events.listen(Network::builder(policy(&[&rule(&server)]).limits(limits)));
    let url = server.url("/");
    let all = (0..6).map(|_| network.fetch(url.as_str().into()));
    let all = pollster::block_on(futures_util::future::join_all(all));
    assert!(all.iter().all(Result::is_ok));
    let (mut now, mut most) = (0, 0);
    for event in events.all() {
        match event {
            NetworkEvent::Connected { .. } => now += 1,
            NetworkEvent::Ended { .. } => now -= 1,
            _ => {}
        }
        most = most.max(now);
    }
    assert_eq!(most, 2);
}

#[test]
fn connections_are_used_again_only_when_nothing_is_left_on_them() {
    let clean = Server::http(|received| match received.path() {
        "/a" => redirect("302 Found", "/b"),
        _ => ok("b"),
    });
    let events = Events::default();
    let network = events.listen(Network::builder(policy(&[&rule(&clean)])));
    get(&network, &clean.url("/a")).unwrap();
    let reused = |events: &Events| {
        let is_reused = |event: &NetworkEvent| {
            matches!(
                event,
                NetworkEvent::Connected {
                    is_reused: true,
                    ..
                }
            )
        };
        events.all().iter().any(is_reused)
    };
    assert!(reused(&events));
    // A second response behind the first would be taken for the answer to the next request.
    let smuggler = Server::http(|received| {
        match received.path() {
        "/a" => Reply::Bytes(
            b"HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".to_vec(),
        ),
        _ => ok("good"),
    }
    });
    let events = Events::default();
    let network = events.listen(Network::builder(policy(&[&rule(&smuggler)])));
    assert_eq!(get(&network, &smuggler.url("/a")).unwrap().body, b"good");
    assert!(!reused(&events));
}

#[test]
fn ways_that_lead_nowhere_are_told_apart() {
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let names = FakeNames::default().with("empty.example", &[&[]]);
    let network = Network::builder(policy(&["http://*:* *"]))
        .resolver(names)
        .build()
        .unwrap();
    let refused = get(&network, &format!("http://127.0.0.1:{closed}/"));
    assert!(
        matches!(refused, Err(NetError::Connect { .. })),
        "{refused:?}"
    );
    assert!(matches!(
        get(&network, "http://nowhere.example/"),
        Err(NetError::Resolve { .. })
    ));
    assert!(matches!(
        get(&network, "http://empty.example/"),
        Err(NetError::Resolve { .. })
    ));
    let silent = Server::raw(|stream, _| drop(stream));
    assert!(matches!(
        get(&network, &silent.url("/")),
        Err(NetError::EmptyReply | NetError::Receive(_))
    ));
}

#[test]
fn the_first_address_that_answers_is_used() {
    let server = Server::http(|_: &Received| ok("here"));
    let names = FakeNames::default().with("two.example", &[&["127.0.0.99", "::1", "127.0.0.1"]]);
    let rule = format!("http://two.example:{}", server.port());
    let network = Network::builder(policy(&[&rule]))
        .resolver(names)
        .build()
        .unwrap();
    let url = format!("http://two.example:{}/", server.port());
    assert_eq!(get(&network, &url).unwrap().body, b"here");
}
