//! A server that has something of everything.

use std::{io::Write, sync::Mutex};

use flate2::{Compression, write::GzEncoder};

use crate::server::{Received, Reply, Server, ok, redirect, response};

/// When everything here was last changed.
const MODIFIED: &str = "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n";

pub(crate) fn playground() -> Server {
    let counts = Mutex::new(std::collections::HashMap::<String, u32>::new());
    Server::http(move |received| {
        let count = {
            let mut counts = counts.lock().unwrap();
            let count = counts.entry(received.target.clone()).or_default();
            *count += 1;
            *count
        };
        answer(received, count)
    })
}

fn answer(received: &Received, count: u32) -> Reply {
    let is_head = received.method == "HEAD";
    let body = |text: &str| {
        if is_head {
            String::new()
        } else {
            text.to_owned()
        }
    };
    let query = received
        .target
        .split_once('?')
        .map_or("", |(_, query)| query);
    let with_length = |status: &str, headers: &str, text: &str| {
        let length = text.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nServer: test\r\n{headers}Content-Length: {length}\r\n\r\n"
        );
        Reply::Bytes([head.as_bytes(), body(text).as_bytes()].concat())
    };
    match received.path() {
        "/hello" | "/dir/hello.txt" => {
            let since = received.header("if-modified-since").is_some();
            if since && query == "old" {
                return response("304 Not Modified", MODIFIED, "");
            }
            with_length("200 OK", &format!("Content-Type: text/plain\r\n{MODIFIED}"), "hello\n")
        }
        "/digits" => digits(received),
        "/empty" => with_length("200 OK", "", ""),
        "/no-content" => Reply::Bytes(b"HTTP/1.1 204 No Content\r\nServer: test\r\n\r\n".to_vec()),
        "/close" => Reply::Last(b"HTTP/1.0 200 OK\r\nServer: test\r\n\r\nuntil the end\n".to_vec()),
        "/chunked" => Reply::Bytes(
            b"HTTP/1.1 200 OK\r\nServer: test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n7\r\n world\n\r\n0\r\n\r\n".to_vec(),
        ),
        "/gzip" => {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
            gzip.write_all(b"it was compressed\n").unwrap();
            response("200 OK", "Content-Encoding: gzip\r\n", gzip.finish().unwrap())
        }
        "/gzip-if-asked" if received.header("accept-encoding").is_none() => ok("nobody asked\n"),
        "/gzip-if-asked" => {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
            gzip.write_all(b"asked for\n").unwrap();
            response("200 OK", "Content-Encoding: gzip\r\n", gzip.finish().unwrap())
        }
        "/to" => {
            let (status, to) = query.split_once(',').unwrap_or(("302", query));
            redirect(&format!("{status} Go"), to)
        }
        "/count" => {
            let left: u32 = query.parse().unwrap_or(0);
            if left == 0 { ok("arrived\n") } else { redirect("302 Found", &format!("/count?{}", left - 1)) }
        }
        "/set" => {
            let headers: String = query.split('&').map(|cookie| format!("Set-Cookie: {}\r\n", cookie.replace('+', " "))).collect();
            with_length("200 OK", &headers, "set\n")
        }
        "/named" => with_length("200 OK", &format!("Content-Disposition: attachment; {}\r\n", query.replace("%22", "\"")), "named\n"),
        "/auth" if received.header("authorization") == Some("Basic YTpi") => ok("welcome\n"),
        "/auth" => with_length("401 Unauthorized", "WWW-Authenticate: Basic realm=\"x\"\r\n", "who are you?\n"),
        "/flaky" if count <= query.split('-').next().and_then(|text| text.parse().ok()).unwrap_or(1) => {
            with_length("503 Service Unavailable", "Retry-After: 0\r\n", "not now\n")
        }
        "/flaky" => ok("now\n"),
        "/short" => Reply::Last(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc".to_vec()),
        "/nothing" => Reply::Last(Vec::new()),
        "/rubbish" => Reply::Last(b"this is no http\r\n\r\n".to_vec()),
        "/hang" => Reply::With(Box::new(|wire, stop| {
            let _ = wire.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
            let _ = wire.flush();
            stop.hang();
        })),
        path if path.starts_with("/status/") => {
            let status = path.trim_start_matches("/status/");
            with_length(&format!("{status} Told So"), "", "the body\n")
        }
        _ => {
            let text = format!("{}\n{}", received.raw.replace("\r\n", "\n"), received.text());
            with_length("200 OK", "", &text)
        }
    }
}

/// `0123456789`, or a part of it.
fn digits(received: &Received) -> Reply {
    let all = "0123456789";
    let range = received
        .header("range")
        .and_then(|range| range.strip_prefix("bytes="));
    let Some((first, last)) = range.and_then(|range| range.split_once('-')) else {
        return response(
            "200 OK",
            "Accept-Ranges: bytes\r\n",
            if received.method == "HEAD" { "" } else { all },
        );
    };
    let (first, last) = match (first.parse::<usize>(), last.parse::<usize>()) {
        (Ok(first), Ok(last)) => (first, last.min(9)),
        (Ok(first), Err(_)) => (first, 9),
        (Err(_), Ok(last)) => (10 - last.min(10), 9),
        _ => return response("400 Bad Request", "", ""),
    };
    match all.get(first..=last) {
        Some(part) if !part.is_empty() => response(
            "206 Partial Content",
            &format!("Content-Range: bytes {first}-{last}/10\r\n"),
            part,
        ),
        _ => response(
            "416 Range Not Satisfiable",
            "Content-Range: bytes */10\r\n",
            "out of range\n",
        ),
    }
}
