//! `net.tcp.connect.v1` behind the policies of `hotcell-net`, to servers of this machine.

use std::{
    io::{self, Read as _, Write as _},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpListener},
    thread,
    time::Duration,
};

use hotcell_exec::{Capabilities, Grant, net::NetPolicy};
use hotcell_hopper::{
    Encode as _, Raw,
    control::Opened,
    selector::net::{CONNECT, ConnectRequest, connect_flags::ALLOW_DNS},
};
use hotcell_net::{Network, NetworkLimits, NetworkPolicy, Resolve, Resolving, TcpOptions};

use crate::harness::{Native, capabilities};

/// Names of a test: one that leads inside, one that leads to this machine, one that nobody answers for.
struct Names;

impl Resolve for Names {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        let answer = match name {
            "inside.example" => Some(vec![IpAddr::from([10, 0, 0, 1])]),
            "here.example" => Some(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]),
            "slow.example" => return Box::pin(std::future::pending()),
            _ => None,
        };
        Box::pin(async move { answer.ok_or_else(|| io::ErrorKind::NotFound.into()) })
    }
}

/// Says back in capitals what it is told, once the other side has ended.
fn shouting(at: IpAddr, port: u16) -> io::Result<u16> {
    let listener = TcpListener::bind((at, port))?;
    let port = listener.local_addr()?.port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream?;
            let mut told = Vec::new();
            stream.read_to_end(&mut told)?;
            stream.write_all(&told.to_ascii_uppercase())?;
        }
        io::Result::Ok(())
    });
    Ok(port)
}

fn guest(rules: &[String]) -> (Native, i32) {
    let mut policy = NetworkPolicy::new().limits(NetworkLimits {
        connect_timeout: Duration::from_millis(500),
        ..NetworkLimits::default()
    });
    for rule in rules {
        policy = policy.allow(rule).unwrap();
    }
    let network = Network::builder(policy).resolver(Names).build().unwrap();
    let mut guest = Native::new(Capabilities {
        net: Grant::Given(NetPolicy::checked(network)),
        ..capabilities()
    });
    let hub = guest.open(b"");
    (guest, hub)
}

fn connect(host: &str, port: u16, flags: u32) -> Vec<u8> {
    let request = ConnectRequest { host, port, flags };
    CONNECT.call(request).to_vec().unwrap()
}

#[test]
fn a_guest_talks_to_who_it_may() {
    let port = shouting(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
    let rules = ["localhost", "127.0.0.1"].map(|host| format!("tcp://{host}:{port}"));
    let (mut guest, hub) = guest(&rules);
    for (id, host, flags) in [(1, "localhost", ALLOW_DNS), (2, "127.0.0.1", 0)] {
        let value = guest.value(hub, id, &Raw(&connect(host, port, flags)));
        let opened = Opened::decode(&value).unwrap();
        assert_eq!(opened.hflags, 7, "{host}");
        let handle = i32::try_from(opened.handle).unwrap();
        assert_eq!(guest.write(handle, b"hello"), 5);
        guest.end(handle);
        assert_eq!(guest.write(handle, b"more"), -1);
        assert_eq!(guest.read_all(handle), (0, b"HELLO".to_vec()));
        assert_eq!(guest.read(handle, 10).0, 0);
    }
}

#[test]
fn the_policy_decides_and_tells_no_more_than_its_code() {
    let port = shouting(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
    let gone = {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        listener.local_addr().unwrap().port()
    };
    let rules = [
        format!("tcp://localhost:{port}"),
        format!("tcp://inside.example:{port}"),
        format!("tcp://here.example:{port}"),
        format!("tcp://slow.example:{port}"),
        format!("tcp://nowhere.example:{port}"),
        format!("tcp://127.0.0.1:{gone}"),
    ];
    let (mut guest, hub) = guest(&rules);
    let denied = "t_net_denied";
    for (id, (host, port, flags, trace)) in (1..).zip([
        // Other ports and hosts, and this host by other names.
        ("localhost", port ^ 1, ALLOW_DNS, denied),
        ("elsewhere.example", port, ALLOW_DNS, denied),
        ("127.0.0.1", port, 0, denied),
        ("2130706433", port, ALLOW_DNS, denied),
        ("0x7f.1", port, 0, denied),
        ("::ffff:127.0.0.1", port, 0, denied),
        // A lookup that was not wanted.
        ("localhost", port, 0, denied),
        // Names that are allowed, and lead inside.
        ("inside.example", port, ALLOW_DNS, denied),
        ("here.example", port, ALLOW_DNS, denied),
        // What is no host.
        ("a/b", port, ALLOW_DNS, denied),
        ("user@localhost", port, ALLOW_DNS, denied),
        ("localhost:1", port, ALLOW_DNS, denied),
        // Nobody there, or nobody who says so in time.
        ("nowhere.example", port, ALLOW_DNS, "t_net_unreachable"),
        ("127.0.0.1", gone, 0, "t_net_unreachable"),
        ("slow.example", port, ALLOW_DNS, "t_ctl_timeout"),
    ]) {
        let told = guest.call(hub, id, &Raw(&connect(host, port, flags)));
        assert_eq!(told, format!("FAILED {id} {trace}"), "{host}:{port}");
    }
}

#[test]
fn addresses_of_version_six_come_first_if_they_are_preferred() {
    let port = shouting(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
    if shouting(Ipv6Addr::LOCALHOST.into(), port).is_err() {
        // A machine without it.
        return;
    }
    let policy = NetworkPolicy::new().allow(&format!("tcp://here.example:{port}"));
    let policy = policy.unwrap().allow_private();
    let network = Network::builder(policy).resolver(Names).build().unwrap();
    for prefers_ipv6 in [false, true] {
        let options = TcpOptions { prefers_ipv6 };
        let stream = network.connect_tcp_with("here.example", port, options);
        let stream = pollster::block_on(stream).unwrap();
        assert_eq!(stream.address().is_ipv6(), prefers_ipv6);
    }
}
