//! Files, configuration and connections.

use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
};

use hotcell_exec::{
    Capabilities, Config, FilePolicy, Grant,
    net::{ConnectError, Connecting, Connection, Destination, NetPolicy, Network, connect_flags},
};
use hotcell_hopper::{
    Encode, Raw, command,
    control::Opened,
    frame::Frame,
    selector::{
        Text, config,
        files::{self, Entry, read_entries},
        net::{CONNECT, ConnectRequest},
    },
};
use hotcell_vfs::{MemVfs, Vfs, VfsPath};

use crate::harness::{Native, SHORT, bare, capabilities, register, vector};

fn opened(capabilities: Capabilities) -> (Native, i32) {
    let mut guest = Native::new(capabilities);
    let hub = guest.open(b"");
    (guest, hub)
}

fn tree() -> Arc<MemVfs> {
    let files = MemVfs::new();
    for folder in ["/view", "/view/src", "/view/src/deep", "/view/b:c%..d"] {
        files.mkdir(VfsPath::new(folder), 0o755).unwrap();
    }
    for (path, text) in [
        ("/secret", "outside"),
        ("/view/main.zing", "hello"),
        ("/view/src/deep/x", "deep"),
        ("/view/b:c%..d/y", "odd"),
    ] {
        files
            .write_file(VfsPath::new(path), text.as_bytes())
            .unwrap();
    }
    files
        .write_file(VfsPath::new(&b"/view/\xff\n"[..]), b"bytes")
        .unwrap();
    files
        .symlink(VfsPath::new("/secret"), VfsPath::new("/view/out"))
        .unwrap();
    files
        .symlink(VfsPath::new("main.zing"), VfsPath::new("/view/in"))
        .unwrap();
    files.mkfifo(VfsPath::new("/view/pipe"), 0o644).unwrap();
    Arc::new(files)
}

fn with_files(change: impl FnOnce(&mut FilePolicy)) -> (Native, i32) {
    let mut files = FilePolicy::new(tree(), VfsPath::new("/view")).unwrap();
    change(&mut files);
    opened(Capabilities {
        files: Grant::Given(files),
        ..capabilities()
    })
}

fn listed(guest: &mut Native, hub: i32, id: u64, scope: &str) -> Vec<(String, String, u32)> {
    let value = guest.value(hub, id, &files::LIST.call(files::ListRequest { scope }));
    let owned = |entry: Entry<'_>| {
        let id = String::from_utf8(entry.id.to_vec()).unwrap();
        (entry.display.to_owned(), id, entry.flags)
    };
    read_entries(&value).unwrap().iter().map(owned).collect()
}

fn read_file(guest: &mut Native, hub: i32, future: u64, id: &str) -> Vec<u8> {
    let call = files::OPEN.call(files::OpenFileRequest {
        id: id.as_bytes(),
        mode: 1,
    });
    let value = guest.value(hub, future, &call);
    let opened = Opened::decode(&value).unwrap();
    assert_eq!(opened.hflags, 1);
    let handle = i32::try_from(opened.handle).unwrap();
    let (end, bytes) = guest.read_all(handle);
    assert_eq!((end, guest.read(handle, 1).0), (0, 0));
    assert_eq!(guest.write(handle, b"x"), -1);
    guest.end(handle);
    bytes
}

#[test]
fn files_are_listed_in_order_and_opened_by_their_ids() {
    let (mut guest, hub) = with_files(|_| {});
    let root = listed(&mut guest, hub, 1, "");
    let entry = |display: &str, id: &str, flags| (display.to_owned(), id.to_owned(), flags);
    assert_eq!(
        root,
        [
            entry("%FF%0A", "%FF%0A", 2),
            entry("b:c%..d", "b%3Ac%25%2E.d", 1),
            entry("in", "in", 2),
            entry("main.zing", "main.zing", 2),
            entry("out", "out", 0),
            entry("pipe", "pipe", 0),
            entry("src", "src", 1),
        ]
    );
    assert_eq!(
        listed(&mut guest, hub, 2, "src"),
        [entry("deep", "src:deep", 1)]
    );
    let odd = listed(&mut guest, hub, 3, "b%3Ac%25%2E.d");
    assert_eq!(odd, [entry("y", "b%3Ac%25%2E.d:y", 2)]);
    assert_eq!(read_file(&mut guest, hub, 4, "main.zing"), b"hello");
    assert_eq!(read_file(&mut guest, hub, 5, "in"), b"hello");
    assert_eq!(read_file(&mut guest, hub, 6, "%FF%0A"), b"bytes");
    assert_eq!(read_file(&mut guest, hub, 7, "b%3Ac%25%2E.d:y"), b"odd");
    assert_eq!(read_file(&mut guest, hub, 8, "src:deep:x"), b"deep");
}

#[test]
fn a_view_with_one_file_is_listed_as_published() {
    let files = MemVfs::new();
    files.write_file(VfsPath::new("/main.zing"), b"").unwrap();
    let files = FilePolicy::new(Arc::new(files), VfsPath::new("/")).unwrap();
    let (mut guest, hub) = opened(Capabilities {
        files: Grant::Given(files),
        ..capabilities()
    });
    assert_eq!(guest.value(hub, 1, &Raw(&vector("S3"))), vector("S2"));
    let opened = guest.value(hub, 2, &Raw(&vector("S5")));
    let mut expected = vector("S6");
    expected[0] = 4;
    assert_eq!(opened, expected);
}

#[test]
fn nobody_leaves_the_view() {
    let (mut guest, hub) = with_files(|_| {});
    let mut id = 0;
    let mut open = |name: &[u8]| {
        id += 1;
        let call = files::OPEN.call(files::OpenFileRequest { id: name, mode: 1 });
        let told = guest.call(hub, id, &call);
        told.split_once(' ')
            .unwrap()
            .1
            .split_once(' ')
            .unwrap()
            .1
            .to_owned()
    };
    for name in [
        &b"..:secret"[..],
        b"%2E%2E:secret",
        b"src:..:..:secret",
        b"/secret",
        b"%2Fsecret",
        b"..",
        b".",
        b"src:",
        b":src",
        b"src::deep",
        b"nothing",
        b"",
        b"%",
        b"%zz",
        b"%+1",
        b"main.zing:x",
        &[b'a'; 2000],
    ] {
        assert_eq!(open(name), "t_file_not_found", "{name:?}");
    }
    // A link that leads outside is there, and closed.
    assert_eq!(open(b"out"), "t_file_denied");
    assert_eq!(open(b"src"), "t_file_not_readable");
    assert_eq!(open(b"pipe"), "t_file_not_readable");
}

#[test]
fn scopes_that_are_none_are_refused() {
    let (mut guest, hub) = with_files(|_| {});
    let long = "a".repeat(1025);
    for (id, scope, trace) in [
        (1, "/", "t_async_bad_params"),
        (2, "..", "t_async_bad_params"),
        (3, "src/deep", "t_async_bad_params"),
        (4, &long, "t_async_bad_params"),
        (5, "nothing", "t_file_denied"),
        (6, "main.zing", "t_file_denied"),
        (7, "%2E.", "t_file_denied"),
    ] {
        let call = files::LIST.call(files::ListRequest { scope });
        assert_eq!(
            guest.call(hub, id, &call),
            format!("FAILED {id} {trace}"),
            "{scope}"
        );
    }
    for (id, params) in [(8, &b""[..]), (9, b"\x01\0\0\0\n"), (10, b"\x00\0\0\0x")] {
        let call = files::LIST.call(Raw(params));
        assert_eq!(
            guest.call(hub, id, &call),
            format!("FAILED {id} t_async_bad_params")
        );
    }
}

#[test]
fn files_are_only_read() {
    let (mut guest, hub) = with_files(|_| {});
    for (id, mode) in [(1, 0), (2, 2), (3, 3)] {
        let call = files::OPEN.call(files::OpenFileRequest {
            id: b"main.zing",
            mode,
        });
        assert_eq!(
            guest.call(hub, id, &call),
            format!("FAILED {id} t_async_bad_params")
        );
    }
}

#[test]
fn a_list_is_whole_or_an_overflow() {
    let list = files::LIST.call(files::ListRequest { scope: "" });
    let (mut guest, hub) = with_files(|files| files.max_entries = 6);
    assert_eq!(guest.call(hub, 1, &list), "FAILED 1 t_async_overflow");
    let (mut guest, hub) = with_files(|files| files.max_entries = 7);
    assert!(guest.call(hub, 1, &list).starts_with("OK"));
    let (mut guest, hub) = with_files(|files| files.max_id_len = 12);
    assert_eq!(guest.call(hub, 1, &list), "FAILED 1 t_async_overflow");
    let (mut guest, hub) = with_files(|files| files.max_display_len = 8);
    assert_eq!(guest.call(hub, 1, &list), "FAILED 1 t_async_overflow");
}

#[test]
fn a_file_seems_to_end_at_the_limit() {
    let (mut guest, hub) = with_files(|files| files.max_read_bytes = 3);
    assert_eq!(read_file(&mut guest, hub, 1, "main.zing"), b"hel");
}

#[test]
fn open_files_are_handles_that_count() {
    let mut files = Capabilities {
        files: Grant::Given(FilePolicy::new(tree(), VfsPath::new("/view")).unwrap()),
        ..capabilities()
    };
    files.max_handles = 2;
    let (mut guest, hub) = opened(files);
    let call = files::OPEN.call(files::OpenFileRequest {
        id: b"main.zing",
        mode: 1,
    });
    assert!(guest.call(hub, 1, &call).starts_with("OK"));
    assert_eq!(guest.call(hub, 2, &call), "FAILED 2 t_async_overflow");
    guest.read_all(4);
    assert!(guest.call(hub, 3, &call).starts_with("OK"));
}

fn with_config(change: impl FnOnce(&mut Config)) -> (Native, i32) {
    let mut config = Config::default()
        .value("app.env", "prod")
        .value("db.user", "admin")
        .secret("db.pass", "hunter2");
    change(&mut config);
    opened(Capabilities {
        config: Grant::Given(config),
        ..capabilities()
    })
}

#[test]
fn values_are_given_by_key() {
    let (mut guest, hub) = with_config(|_| {});
    assert_eq!(guest.value(hub, 1, &Raw(&vector("S10"))), vector("S11"));
    let list = config::LIST.call(config::KeyRequest { key: "db." });
    assert_eq!(guest.value(hub, 2, &list), vector("S12"));
    let all = config::LIST.call(config::KeyRequest { key: "" });
    assert_eq!(guest.value(hub, 3, &all)[0], 3);
    let none = config::LIST.call(config::KeyRequest { key: "x" });
    assert_eq!(guest.value(hub, 4, &none), [0; 4]);
}

#[test]
fn what_is_wrong_with_a_key_is_told() {
    let (mut guest, hub) = with_config(|config| {
        config.max_key_len = 20;
        config.max_val_len = 4;
        config.max_items = 2;
    });
    let long = "k".repeat(21);
    for (id, key, trace) in [
        (1, "nothing", "t_config_not_found"),
        (2, "", "t_config_not_found"),
        (3, "a/b", "t_config_bad_key"),
        (4, "a..b", "t_config_bad_key"),
        (5, &long, "t_config_bad_key"),
        (6, "db.user", "t_config_too_large"),
        (7, "db.pass", "t_config_redacted"),
    ] {
        let call = config::GET.call(Text(key));
        assert_eq!(
            guest.call(hub, id, &call),
            format!("FAILED {id} {trace}"),
            "{key}"
        );
    }
    let all = config::LIST.call(Text(""));
    assert_eq!(guest.call(hub, 8, &all), "FAILED 8 t_async_overflow");
    let bad = config::GET.call(Raw(b"\x01\0\0\0"));
    assert_eq!(guest.call(hub, 9, &bad), "FAILED 9 t_async_bad_params");
}

#[test]
fn a_host_may_show_secrets_and_may_not_list() {
    let (mut guest, hub) = with_config(|config| {
        config.masks_secrets = false;
        config.lists = false;
    });
    let get = config::GET.call(Text("db.pass"));
    assert_eq!(guest.value(hub, 1, &get)[4..], *b"hunter2");
    let list = config::LIST.call(Text(""));
    assert_eq!(guest.call(hub, 2, &list), "FAILED 2 t_config_not_listable");
}

/// A network of one service, which says back what it is told, in capitals, and knows one name.
#[derive(Default)]
struct Shouting {
    asked: Mutex<Vec<Destination>>,
}

#[derive(Default)]
struct Shout {
    bytes: VecDeque<u8>,
    is_ended: bool,
    waiting: Option<Waker>,
}

impl Network for Shouting {
    fn connect(&self, destination: Destination) -> Connecting {
        self.asked.lock().unwrap().push(destination.clone());
        Box::pin(async move {
            match &*destination.host {
                "shout" => Ok(Box::new(Shout::default()) as Box<dyn Connection>),
                "slow" => std::future::pending().await,
                "gone" => Err(ConnectError::Unreachable),
                _ => Err(ConnectError::Denied),
            }
        })
    }
}

impl Connection for Shout {
    fn poll_read(&mut self, context: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        if self.bytes.is_empty() && !self.is_ended {
            self.waiting = Some(context.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(io::Read::read(&mut self.bytes, buf))
    }

    fn poll_write(&mut self, _: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        if self.bytes.len() >= 10 {
            return Poll::Pending;
        }
        self.bytes.extend(data.to_ascii_uppercase());
        Poll::Ready(Ok(data.len()))
    }

    fn end(&mut self) -> bool {
        self.is_ended = true;
        true
    }

    fn can_end(&self) -> bool {
        true
    }
}

fn with_network() -> (Native, i32, Arc<Shouting>) {
    let network = Arc::new(Shouting::default());
    let mut policy = NetPolicy::new(Arc::clone(&network) as Arc<dyn Network>);
    policy.connect_timeout = SHORT;
    policy.max_conns = 2;
    let (guest, hub) = opened(Capabilities {
        net: Grant::Given(policy),
        ..capabilities()
    });
    (guest, hub, network)
}

fn connect(host: &str) -> Vec<u8> {
    let request = ConnectRequest {
        host,
        port: 80,
        flags: connect_flags::ALLOW_DNS | 1 << 20,
    };
    CONNECT.call(request).to_vec().unwrap()
}

#[test]
fn a_connection_is_a_handle_of_both_directions() {
    let (mut guest, hub, network) = with_network();
    let value = guest.value(hub, 1, &Raw(&connect("shout")));
    let mut expected = vector("S9");
    expected[0] = 4;
    assert_eq!(value, expected);
    assert_eq!(guest.write(4, b"hello"), 5);
    assert_eq!(guest.read(4, 100).1, b"HELLO");
    // Writing does not wait.
    assert_eq!(guest.write(4, b"0123456789"), 10);
    assert_eq!(guest.write(4, b"more"), 0);
    guest.end(4);
    assert_eq!(guest.write(4, b"x"), -1);
    assert_eq!(guest.read_all(4), (0, b"0123456789".to_vec()));
    assert_eq!(guest.read(4, 10).0, 0);
    let asked = network.asked.lock().unwrap();
    assert_eq!((&*asked[0].host, asked[0].port), ("shout", 80));
}

#[test]
fn refusals_and_failures_of_the_network_are_told_apart() {
    let (mut guest, hub, _) = with_network();
    for (id, host, trace) in [
        (1, "elsewhere", "t_net_denied"),
        (2, "gone", "t_net_unreachable"),
        (3, "slow", "t_ctl_timeout"),
        (4, "", "t_async_bad_params"),
        (5, "two words", "t_async_bad_params"),
    ] {
        let told = guest.call(hub, id, &Raw(&connect(host)));
        assert_eq!(told, format!("FAILED {id} {trace}"), "{host}");
    }
    let port = ConnectRequest {
        host: "shout",
        port: 0,
        flags: 0,
    };
    let told = guest.call(hub, 6, &CONNECT.call(port));
    assert_eq!(told, "FAILED 6 t_async_bad_params");
}

#[test]
fn connections_are_counted_also_while_they_are_made() {
    let (mut guest, hub, _) = with_network();
    for id in 1..=3 {
        guest.send(hub, &register(0, id, &Raw(&connect("slow"))));
    }
    let (_, first) = guest.read(hub, 1000);
    assert_eq!(guest.tell(&first), ["FAILED 3 t_async_overflow"]);
    guest.send(hub, &bare(command::CANCEL_FUTURE, 0, 1));
    guest.send(hub, &bare(command::CANCEL_FUTURE, 0, 2));
    assert_eq!(guest.events(hub), ["CANCELLED 1", "CANCELLED 2"]);
}

#[test]
fn a_timeout_of_the_guest_comes_before_that_of_the_host() {
    let (mut guest, hub, _) = with_network();
    let source = connect("slow");
    let mut frame = Frame::command(command::REGISTER_FUTURE, 1, 1, Raw(&source));
    frame.flags = 10;
    guest.send(hub, &frame.to_vec().unwrap());
    assert_eq!(guest.events(hub), ["ACK 1", "CANCELLED 1"]);
}

#[test]
fn others_go_on_while_a_connection_is_made() {
    let (mut guest, hub, _) = with_network();
    guest.send(hub, &register(0, 1, &Raw(&connect("slow"))));
    guest.send(hub, &register(0, 2, &Raw(&connect("gone"))));
    assert_eq!(
        guest.events(hub),
        ["FAILED 2 t_net_unreachable", "FAILED 1 t_ctl_timeout"]
    );
    // Programs, too.
    guest.send(hub, &register(0, 3, &Raw(&connect("slow"))));
    guest.send(hub, &vector("E4"));
    let told = guest.events(hub);
    assert!(told[1].starts_with("OK 100"), "{told:?}");
}
