//! Servers that do not behave.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use hotcell_net::{Fetch, NetError, Network, NetworkLimits};

use crate::{
    events::policy,
    server::{Reply, Server, response_bytes},
};

/// A server that says this to everybody, and then closes.
fn saying(bytes: impl Into<Vec<u8>>) -> Server {
    let bytes = bytes.into();
    Server::http(move |_| Reply::Last(bytes.clone()))
}

fn ask(server: &Server) -> Result<Vec<u8>, NetError> {
    let limits = NetworkLimits {
        response_bytes: 1 << 20,
        ..NetworkLimits::default()
    };
    let rule = format!("http://127.0.0.1:{}", server.port());
    let network = Network::new(policy(&[&rule]).limits(limits)).unwrap();
    let response = pollster::block_on(network.fetch(server.url("/").as_str().into()));
    response.map(|response| response.body)
}

#[test]
fn answers_that_are_no_http_are_errors() {
    for answer in [
        "220 ftp.example.com ready\r\n",
        "SSH-2.0-OpenSSH\r\n",
        "HTTP/2 200\r\n\r\n",
        "HTTP/1.1\r\n\r\n",
        "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1 99999 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\n: empty\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA\0: b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n",
    ] {
        let result = ask(&saying(answer));
        assert!(
            matches!(result, Err(NetError::Protocol(_))),
            "{answer:?}: {result:?}"
        );
    }
}

#[test]
fn chunks_that_are_none_are_errors() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let good = ask(&saying(format!(
        "{head}3;ext=\"x\"\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: x\r\n\r\n"
    )));
    assert_eq!(good.unwrap(), b"abcde");
    for wrong in [
        "zz\r\nabc\r\n",
        "-3\r\nabc\r\n",
        "0x3\r\nabc\r\n0\r\n\r\n",
        "3\nabc\n0\n\n",
        "3\r\nabcd\r\n0\r\n\r\n",
        "3\r\nab\r\n0\r\n\r\n",
        "ffffffffffffffffff\r\nabc\r\n",
        " 3\r\nabc\r\n0\r\n\r\n",
        "\r\n",
    ] {
        let result = ask(&saying(format!("{head}{wrong}")));
        assert!(
            matches!(
                result,
                Err(NetError::Protocol(_) | NetError::Partial { .. })
            ),
            "{wrong:?}: {result:?}"
        );
    }
    let long = format!("{head}3;{}\r\nabc\r\n0\r\n\r\n", "x".repeat(100_000));
    assert!(matches!(ask(&saying(long)), Err(NetError::Protocol(_))));
    let trailers = format!("{head}0\r\n{}\r\n", "A: b\r\n".repeat(20_000));
    assert!(matches!(ask(&saying(trailers)), Err(NetError::Protocol(_))));
    // Extensions of which there are a thousand times more than data.
    let thin = format!(
        "{head}{}0\r\n\r\n",
        format!("1;{}\r\na\r\n", "x".repeat(2000)).repeat(1000)
    );
    assert!(matches!(ask(&saying(thin)), Err(NetError::Protocol(_))));
}

#[test]
fn bodies_that_end_early_are_errors() {
    let short = ask(&saying("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"));
    assert!(
        matches!(
            short,
            Err(NetError::Partial {
                received: 3,
                missing: Some(7)
            })
        ),
        "{short:?}"
    );
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for part in ["", "3", "3\r\nab", "3\r\nabc", "3\r\nabc\r\n", "0\r\n"] {
        let result = ask(&saying(format!("{head}{part}")));
        assert!(
            matches!(result, Err(NetError::Partial { .. })),
            "{part:?}: {result:?}"
        );
    }
}

#[test]
fn heads_without_end_are_errors() {
    let endless = Server::http(|_| {
        Reply::With(Box::new(|wire, stop| {
            let _ = wire.write_all(b"HTTP/1.1 200 OK\r\n");
            while !stop.is_set()
                && wire
                    .write_all(b"A: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\n")
                    .is_ok()
            {}
        }))
    });
    assert!(matches!(ask(&endless), Err(NetError::Protocol(_))));
    let line = Server::http(|_| {
        Reply::With(Box::new(|wire, stop| {
            let _ = wire.write_all(b"HTTP/1.1 200 OK\r\nA: ");
            while !stop.is_set() && wire.write_all(&[b'x'; 1000]).is_ok() {}
        }))
    });
    assert!(matches!(ask(&line), Err(NetError::Protocol(_))));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(2000));
    assert!(matches!(ask(&saying(many)), Err(NetError::Protocol(_))));
}

#[test]
fn informational_heads_without_end_are_stopped_by_the_clock() {
    let server = Server::http(|_| {
        Reply::With(Box::new(|wire, stop| {
            while !stop.is_set() && wire.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").is_ok() {}
        }))
    });
    let limits = NetworkLimits {
        timeout: std::time::Duration::from_millis(200),
        ..NetworkLimits::default()
    };
    let rule = format!("http://127.0.0.1:{}", server.port());
    let network = Network::new(policy(&[&rule]).limits(limits)).unwrap();
    let result = pollster::block_on(network.fetch(server.url("/").as_str().into()));
    assert!(
        matches!(
            result,
            Err(NetError::Timeout { .. } | NetError::Protocol(_))
        ),
        "{result:?}"
    );
}

#[test]
fn bombs_stop_at_the_limit() {
    let zeros = vec![0; 64 << 20];
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(&zeros).unwrap();
    let gzip = gzip.finish().unwrap();
    assert!(gzip.len() < 100_000);
    let zstd = zstd::encode_all(&zeros[..], 3).unwrap();
    for (name, body) in [("gzip", gzip), ("zstd", zstd)] {
        let bytes = response_bytes("200 OK", &format!("Content-Encoding: {name}\r\n"), body);
        let result = ask(&saying(bytes));
        assert!(
            matches!(result, Err(NetError::TooLarge { .. })),
            "{name}: {result:?}"
        );
    }
    let twice = response_bytes("200 OK", "Content-Encoding: gzip, gzip\r\n", "x");
    assert!(matches!(ask(&saying(twice)), Err(NetError::Encoding(_))));
}

#[test]
fn compressed_bodies_are_what_they_were() {
    let text = "hello ".repeat(10_000);
    let gzip = {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let zlib = {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let raw = {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let frames = {
        let half = &text.as_bytes()[..30_000];
        let mut bytes = zstd::encode_all(half, 3).unwrap();
        bytes.extend(zstd::encode_all(&text.as_bytes()[30_000..], 3).unwrap());
        bytes
    };
    // Ten thousand times `hello `, compressed by the reference implementation of brotli.
    let brotli = [
        0x1b, 0x5f, 0xea, 0xf8, 0x8d, 0x94, 0x6e, 0xde, 0x44, 0x55, 0x86, 0x96, 0x6c, 0x20, 0x6f,
        0x71, 0x5b, 0x1c, 0x80, 0x42, 0x1c, 0x20, 0x0e,
    ];
    let cases: [(&str, &[u8]); 6] = [
        ("gzip", &gzip),
        ("x-gzip", &gzip),
        ("deflate", &zlib),
        ("deflate", &raw),
        ("zstd", &frames),
        ("br", &brotli),
    ];
    for (name, body) in cases {
        let headers = format!("Content-Encoding: {name}\r\n");
        let got = ask(&saying(response_bytes("200 OK", &headers, body))).unwrap();
        assert!(got == text.as_bytes(), "{name}: {} bytes", got.len());
        let cut = &body[..body.len() - 1];
        let result = ask(&saying(response_bytes("200 OK", &headers, cut)));
        assert!(matches!(result, Err(NetError::Encoding(_))), "{name} cut");
        let result = ask(&saying(response_bytes(
            "200 OK",
            &headers,
            "\u{1}garbage garbage",
        )));
        assert!(
            matches!(result, Err(NetError::Encoding(_))),
            "{name} garbage"
        );
        let nothing = ask(&saying(response_bytes("200 OK", &headers, "")));
        assert_eq!(nothing.unwrap(), b"", "{name}");
    }
}

#[test]
fn a_server_that_answers_early_and_reads_no_more_is_heard() {
    let server = Server::raw(|mut stream, stop| {
        let _ = stream.write_all(
            b"HTTP/1.1 413 Too Much\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno",
        );
        stop.hang();
    });
    let rule = format!("http://127.0.0.1:{} POST", server.port());
    let limits = NetworkLimits {
        timeout: std::time::Duration::from_millis(500),
        ..NetworkLimits::default()
    };
    let network = Network::new(policy(&[&rule]).limits(limits)).unwrap();
    let fetch = Fetch {
        method: "POST".to_owned(),
        body: vec![b'x'; 16 << 20],
        ..server.url("/").as_str().into()
    };
    let response = pollster::block_on(network.fetch(fetch)).unwrap();
    assert_eq!(
        (response.status, response.body.as_slice()),
        (413, &b"no"[..])
    );
}

#[test]
fn no_bytes_make_it_panic() {
    use proptest::{prelude::*, test_runner::TestRunner};
    let pieces = prop_oneof![
        Just(b"HTTP/1.1 200 OK\r\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"Content-Length: 5\r\n".to_vec()),
        Just(b"Transfer-Encoding: chunked\r\n".to_vec()),
        Just(b"Content-Encoding: gzip\r\n".to_vec()),
        Just(b"Content-Encoding: br\r\n".to_vec()),
        Just(b"Content-Encoding: zstd\r\n".to_vec()),
        Just(b"5\r\nabcde\r\n0\r\n\r\n".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..40),
    ];
    let bytes = proptest::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat());
    let mut runner = TestRunner::new(ProptestConfig::with_cases(150));
    runner
        .run(&bytes, |bytes| {
            let mut answer = b"HTTP/1.1 200 OK\r\n".to_vec();
            answer.extend(bytes);
            let _ = ask(&saying(answer));
            Ok(())
        })
        .unwrap();
}
