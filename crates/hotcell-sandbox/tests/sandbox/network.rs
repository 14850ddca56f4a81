//! The network that a host allows, from its policy to the record of what was done.

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex},
    thread,
};

use hotcell_sandbox::{ErrorClass, Sandbox, SandboxOptions};
use serde_json::{Value as Json, json};

use crate::run;

/// A server of this machine that sends back the head of each request, and remembers it.
struct Echo {
    address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Echo {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heads: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = Arc::clone(&heads);
        // It ends with the program.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let lines = lines.map_while(Result::ok);
                let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
                let head = head.join("\n") + "\n";
                let length = head.len();
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{head}"
                );
                let _ = stream.write_all(answer.as_bytes());
                seen.lock().unwrap().push(head);
            }
        });
        Self { address, heads }
    }

    fn heads(&self) -> String {
        self.heads.lock().unwrap().concat()
    }
}

/// A sandbox of options as other languages write them, and its record.
fn recorded(mut options: Json) -> (Sandbox, Arc<Mutex<Vec<Json>>>) {
    options["isolation"] = crate::ISOLATION.name().into();
    let record: Arc<Mutex<Vec<Json>>> = Arc::default();
    let to = Arc::clone(&record);
    let options = SandboxOptions::from_json(&options).unwrap();
    let options = options.on_audit_json(move |event| to.lock().unwrap().push(event));
    (Sandbox::create(options).unwrap(), record)
}

fn of_kind(record: &Mutex<Vec<Json>>, kind: &str) -> Vec<Json> {
    let events = record.lock().unwrap();
    let of_kind = events.iter().filter(|event| event["event"] == kind);
    of_kind.cloned().collect()
}

#[test]
fn a_policy_lets_curl_and_wget_out_to_what_it_names_and_both_are_on_record() {
    let (server, other) = (Echo::start(), Echo::start());
    let (at, elsewhere) = (server.address, other.address);
    let (sandbox, record) = recorded(json!({
        "network": { "rules": [format!("http://{at} GET")] },
    }));
    let got = run(
        &sandbox,
        &*format!("curl -sS http://{at}/one | head -1; wget -qO- http://{at}/two | head -1"),
    );
    assert_eq!(
        got.stdout_text(),
        "GET /one HTTP/1.1\nGET /two HTTP/1.1\n",
        "{}",
        got.stderr_text()
    );
    let told = of_kind(&record, "network");
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(
        (&told[0]["method"], &told[0]["url"], &told[0]["status"]),
        (
            &json!("GET"),
            &json!(format!("http://{at}/one")),
            &json!(200)
        )
    );
    assert!(told[0]["received"].as_u64() > Some(0) && told[0]["run"] == 1);

    let refused = run(
        &sandbox,
        &*format!("curl -sS http://{elsewhere}/; curl -sS -X DELETE http://{at}/"),
    );
    assert_eq!(refused.error_class, Some(ErrorClass::CapabilityDenied));
    assert_eq!(refused.denials.len(), 2, "{:?}", refused.denials);
    assert_eq!(refused.denials[0].subject, format!("http://{elsewhere}/"));
    let told = of_kind(&record, "deny");
    assert_eq!(
        (&told[0]["capability"], &told[0]["subject"], &told[0]["run"]),
        (
            &json!("network"),
            &json!(format!("http://{elsewhere}/")),
            &json!(2)
        )
    );
    assert!(told[1]["reason"].as_str().unwrap().contains("DELETE"));
    assert_eq!(other.heads(), "");
    // A fork may do the same, and a sandbox without a policy nothing.
    let fork = sandbox.fork().unwrap();
    let got = run(&fork, &*format!("curl -s http://{at}/three | head -1"));
    assert_eq!(got.stdout_text(), "GET /three HTTP/1.1\n");
    let off = run(&crate::sandbox(), &*format!("curl -s http://{at}/four"));
    assert_eq!(off.error_class, Some(ErrorClass::CapabilityDenied));
    assert!(!server.heads().contains("four"));
}

#[test]
fn an_address_that_a_name_leads_to_is_checked_also_when_the_name_is_allowed() {
    let server = Echo::start();
    let port = server.address.port();
    let (sandbox, record) = recorded(json!({
        "network": { "rules": [format!("http://*:{port} GET")] },
    }));
    // Names for this machine, and forms of its address.
    for host in [
        "127.0.0.1.nip.invalid",
        "127.1",
        "0x7f000001",
        "2130706433",
        "[::ffff:127.0.0.1]",
        "0",
    ] {
        let refused = run(&sandbox, &*format!("curl -sS http://{host}:{port}/"));
        assert_ne!(refused.exit_code, 0, "{host}");
    }
    assert_eq!(server.heads(), "");
    // Refused at its address is not gone out.
    assert_eq!(of_kind(&record, "deny").len(), 5);
    assert_eq!(of_kind(&record, "network").len(), 1);
}

const SECRET: &str = "sk-never-seen-inside-4711";

#[test]
fn a_secret_of_the_host_is_on_the_wire_and_nowhere_else() {
    let (server, other) = (Echo::start(), Echo::start());
    let (at, elsewhere) = (server.address, other.address);
    let (sandbox, record) = recorded(json!({
        "network": {
            "rules": [format!("http://{at}"), format!("http://{elsewhere}")],
            "secrets": [{ "name": "token", "hosts": ["127.0.0.1"], "allowHttp": true, "value": SECRET }],
        },
    }));
    let script = format!(
        "curl -sv http://{at}/a; curl -s -D - -o body --trace - http://{at}/b; wget -S -O- http://{at}/c; cat body; \
         env; set; declare -p; history; cat /proc/self/environ; curl -s -H 'Authorization: mine' http://{at}/d"
    );
    let got = run(&sandbox, &*script);
    assert!(
        server.heads().contains(&format!("Bearer {SECRET}")),
        "{}",
        server.heads()
    );
    assert!(
        got.stdout_text().contains("Authorization: Bearer *****"),
        "{}",
        got.stdout_text()
    );
    for seen in [
        format!("{got:?}"),
        got.stdout_text().into_owned(),
        got.stderr_text().into_owned(),
        format!("{:?}", record.lock().unwrap()),
        format!("{:?}", sandbox.history().unwrap()),
    ] {
        assert!(!seen.contains(SECRET) && !seen.contains("4711"), "{seen}");
    }
    let snapshot = sandbox.snapshot().unwrap();
    let restored = Sandbox::restore(&snapshot, crate::options()).unwrap();
    let off = run(&restored, &*format!("curl -s http://{at}/e"));
    assert_eq!(off.error_class, Some(ErrorClass::CapabilityDenied));
}

#[test]
fn what_is_wrong_with_a_policy_is_said_and_its_secrets_are_not() {
    let of = |network: Json| {
        let options = json!({ "network": network });
        SandboxOptions::from_json(&options).unwrap_err().to_string()
    };
    let secret = |given: Json| of(json!({ "rules": ["a.example"], "secrets": given }));
    for (said, told) in [
        (of(json!(SECRET)), "it must be a network policy, an object"),
        (of(json!({ "rule": [] })), "unknown field `rule`"),
        (of(json!({ "rules": ["ftp://a.example"] })), "ftp"),
        (of(json!({ "limits": { "concurrent": 0 } })), "concurrent"),
        (secret(json!(SECRET)), "secrets are not a list"),
        (secret(json!([SECRET])), "secrets[0] cannot be read"),
        (
            secret(json!([{ "name": "a", "hosts": ["a.example"], "value": [SECRET] }])),
            "secrets[0] cannot be read",
        ),
        (
            secret(json!([{ "name": "a", "hosts": ["a.example"], "place": SECRET, "value": "x" }])),
            "\"place\"",
        ),
        (
            secret(json!([{ "name": "a", "hosts": ["a.example"], "place": { "in": SECRET } }])),
            "secrets[0]",
        ),
        (
            secret(json!([{ "name": "a", "hosts": ["a.example"] }])),
            "secret \"a\": it has no value",
        ),
        (
            secret(
                json!([{ "name": "a", "hosts": ["a.example"], "value": format!("{SECRET}\n") }]),
            ),
            "a line break",
        ),
        (
            secret(json!([{ "name": "a", "hosts": [], "value": SECRET }])),
            "for no host",
        ),
    ] {
        assert!(said.contains("option network"), "{said}");
        assert!(said.contains(told), "{said}");
        assert!(!said.contains("4711"), "{said}");
    }
    let options = json!({ "network": { "secrets": [{ "name": "a", "hosts": ["a.example"], "value": SECRET }] } });
    let options = SandboxOptions::from_json(&options).unwrap();
    assert!(!format!("{options:?}").contains("4711"));
}
