//! The requests and answers of the ten operations, byte for byte.

use std::sync::Arc;

use hotcell_vfs::{Clock, Limits, MemVfs, Timestamp, Vfs};
use hotcell_worker::Client;
use serde_json::{Value as Json, json};

use crate::support::{Served, connect_with};

fn connect() -> (Client, Served, Arc<MemVfs>) {
    let clock = Clock::Fixed(Timestamp::from_nanos(5_000_000_001));
    let vfs = Arc::new(MemVfs::with(Limits::default(), clock));
    let (client, served) = connect_with(vfs.clone(), None, 1 << 20);
    (client, served, vfs)
}

/// Asks, and tells whether the answer is an error, its JSON and its bytes.
fn ask(client: &mut Client, request: &Json, binary: &[u8]) -> (bool, Json, Vec<u8>) {
    let reply = client.request(request.to_string().as_bytes(), binary);
    let json = serde_json::from_slice(reply.metadata()).unwrap();
    (reply.is_error(), json, reply.to_vec())
}

fn good(client: &mut Client, request: &Json, binary: &[u8]) -> (Json, Vec<u8>) {
    let (is_error, json, binary) = ask(client, request, binary);
    assert!(!is_error, "{request}: {json}");
    (json, binary)
}

#[test]
fn the_ten_operations_have_the_shapes_of_the_document() {
    let (mut client, _served, vfs) = connect();
    let client = &mut client;
    let ok = json!({ "ok": true });
    let plain = |request: Json, binary: &[u8], client: &mut Client| good(client, &request, binary);

    assert_eq!(
        plain(json!({ "op": "mkdir", "path": "/d" }), b"", client).0,
        ok
    );
    let wrote = plain(
        json!({ "op": "writeFile", "path": "/d/f" }),
        b"\x00\xff!",
        client,
    );
    assert_eq!(wrote, (ok.clone(), vec![]));
    let read = plain(json!({ "op": "readFile", "path": "/d/f" }), b"", client);
    assert_eq!(read, (json!({}), b"\x00\xff!".to_vec()));

    let (stat, _) = plain(json!({ "op": "stat", "path": "/d/f" }), b"", client);
    let members = ["type", "size", "permissions", "mtime", "ctime", "atime"];
    let told: Vec<_> = members.iter().map(|name| stat[name].clone()).collect();
    let time = json!(5_000_000_001_u64);
    assert_eq!(
        told,
        [
            json!("file"),
            json!(3),
            json!(0o644),
            time.clone(),
            time.clone(),
            time
        ]
    );

    let (entries, _) = plain(json!({ "op": "readdir", "path": "/d" }), b"", client);
    assert_eq!(entries["entries"][0]["name"], json!("f"));
    assert_eq!(entries["entries"][0]["type"], json!("file"));

    let chmod = json!({ "op": "chmod", "path": "/d/f", "mode": 0o600 });
    assert_eq!(plain(chmod, b"", client).0, ok);
    assert_eq!(vfs.stat("/d/f".into()).unwrap().mode, 0o600);
    let rename = json!({ "op": "rename", "oldPath": "/d/f", "newPath": "/g" });
    assert_eq!(plain(rename, b"", client).0, ok);
    assert_eq!(
        plain(json!({ "op": "rmdir", "path": "/d" }), b"", client).0,
        ok
    );
    assert_eq!(
        plain(json!({ "op": "unlink", "path": "/g" }), b"", client).0,
        ok
    );
    assert!(vfs.readdir("/".into()).unwrap().is_empty());
}

#[test]
fn errors_have_the_shape_of_the_document() {
    let (mut client, _served, _) = connect();
    let read = json!({ "op": "readFile", "path": "/no" });
    let (is_error, error, _) = ask(&mut client, &read, b"");
    assert!(is_error);
    assert_eq!(error["error"], json!(true));
    assert_eq!(error["code"], json!("ENOENT"));
    let message = error["message"].as_str().unwrap();
    assert_eq!(message, "ENOENT: no such file or directory, open '/no'");
}

#[test]
fn fetch_without_a_network_is_refused() {
    let (mut client, _served, _) = connect();
    let fetch =
        json!({ "op": "fetch", "url": "http://x/", "method": "GET", "headers": [], "body": "" });
    let (is_error, error, _) = ask(&mut client, &fetch, b"");
    assert!(is_error);
    assert_eq!(error["code"], json!("EACCES"));
}

#[test]
fn what_is_no_operation_is_a_violation() {
    let (mut client, _served, _) = connect();
    let long = "x".repeat(2 << 20);
    for request in [
        "".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        r#"{"op":"format"}"#.to_owned(),
        r#"{"op":"stat"}"#.to_owned(),
        r#"{"op":"stat","path":7}"#.to_owned(),
        r#"{"op":"stat","path":"/","extra":1}"#.to_owned(),
        r#"{"op":"read","file":1}"#.to_owned(),
        r#"{"op":"open","path":"/","flags":"z"}"#.to_owned(),
        r#"{"op":"lstat","path":"/a/../b","resolved":true}"#.to_owned(),
        r#"{"op":"lstat","path":"a","resolved":true}"#.to_owned(),
        r#"{"op":"stat","path":{"bytes":"!"}}"#.to_owned(),
        r#"{"op":"writeFile"}"#.to_owned(),
        format!(r#"{{"op":"stat","path":"{long}"}}"#),
        "\u{0}\u{0}".to_owned(),
    ] {
        let reply = client.request(request.as_bytes(), &[]);
        let said = String::from_utf8_lossy(reply.metadata()).into_owned();
        let shown: String = request.chars().take(80).collect();
        assert!(reply.is_error(), "{shown}");
        let is_errno = said.starts_with('{');
        assert!(!is_errno || said.contains("EBADF"), "{shown}: {said}");
    }
}
