//! Our resolver against name servers of all kinds.

use std::{
    io::{Read, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use hotcell_net::{Resolve, SystemResolver};
use simple_dns::{
    CLASS, Name, Packet, PacketFlag, QTYPE, RCODE, ResourceRecord, TYPE,
    rdata::{A, AAAA, CNAME, RData},
};

/// A name server that does this with each question, by UDP; and by TCP, if that is given.
struct NameServer {
    address: SocketAddr,
    asked: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
}

type Answers = fn(&Packet<'_>) -> Vec<Vec<u8>>;

impl NameServer {
    fn new(udp: Answers, tcp: Option<Answers>) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        let listener = tcp.map(|_| TcpListener::bind(address).unwrap());
        socket
            .set_read_timeout(Some(Duration::from_millis(20)))
            .unwrap();
        let (asked, stop) = (
            Arc::new(AtomicUsize::new(0)),
            Arc::new(AtomicBool::new(false)),
        );
        let (count, ended) = (Arc::clone(&asked), Arc::clone(&stop));
        spawn(move || {
            let mut buffer = [0; 2000];
            while !ended.load(Ordering::Relaxed) {
                let Ok((length, from)) = socket.recv_from(&mut buffer) else {
                    continue;
                };
                count.fetch_add(1, Ordering::Relaxed);
                let question = Packet::parse(&buffer[..length]).unwrap();
                for answer in udp(&question) {
                    socket.send_to(&answer, from).unwrap();
                }
            }
        });
        if let (Some(listener), Some(tcp)) = (listener, tcp) {
            listener.set_nonblocking(true).unwrap();
            let ended = Arc::clone(&stop);
            spawn(move || {
                while !ended.load(Ordering::Relaxed) {
                    let Ok((mut stream, _)) = listener.accept() else {
                        thread::sleep(Duration::from_millis(2));
                        continue;
                    };
                    stream.set_nonblocking(false).unwrap();
                    let mut length = [0; 2];
                    stream.read_exact(&mut length).unwrap();
                    let mut packet = vec![0; usize::from(u16::from_be_bytes(length))];
                    stream.read_exact(&mut packet).unwrap();
                    for answer in tcp(&Packet::parse(&packet).unwrap()) {
                        let length = u16::try_from(answer.len()).unwrap();
                        stream.write_all(&length.to_be_bytes()).unwrap();
                        stream.write_all(&answer).unwrap();
                    }
                }
            });
        }
        Self {
            address,
            asked,
            stop,
        }
    }

    fn ask(&self, name: &str) -> std::io::Result<Vec<IpAddr>> {
        pollster::block_on(SystemResolver::with_servers([self.address]).resolve(name))
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().name("test-server".to_owned());
    thread.spawn(work).unwrap();
}

/// An answer with these records, each for a name.
fn answer(question: &Packet<'_>, records: &[(&'static str, RData<'static>)]) -> Packet<'static> {
    let mut reply = Packet::new_reply(question.id());
    reply.questions = question
        .questions
        .iter()
        .map(|question| question.clone().into_owned())
        .collect();
    for (name, data) in records {
        let record = ResourceRecord::new(Name::new(name).unwrap(), CLASS::IN, 60, data.clone());
        reply.answers.push(record);
    }
    reply
}

fn is_a(question: &Packet<'_>) -> bool {
    question.questions[0].qtype == QTYPE::TYPE(TYPE::A)
}

fn four(last: u8) -> RData<'static> {
    RData::A(A::from(Ipv4Addr::new(192, 0, 2, last)))
}

fn bytes(packet: &Packet<'_>) -> Vec<u8> {
    packet.build_bytes_vec().unwrap()
}

fn honest(question: &Packet<'_>) -> Vec<Vec<u8>> {
    let six = RData::AAAA(AAAA::from("2001:db8::1".parse::<Ipv6Addr>().unwrap()));
    let record = if is_a(question) { four(1) } else { six };
    vec![bytes(&answer(question, &[("host.example", record)]))]
}

#[test]
fn a_name_has_addresses_of_both_families() {
    let server = NameServer::new(honest, None);
    let mut found = server.ask("host.example").unwrap();
    found.sort();
    assert_eq!(
        found,
        [
            "192.0.2.1".parse::<IpAddr>().unwrap(),
            "2001:db8::1".parse().unwrap()
        ]
    );
    assert_eq!(server.ask("host.example.").unwrap().len(), 2);
    // An address for another name is none for this one.
    assert!(server.ask("other.example").is_err());
}

#[test]
fn aliases_are_followed_and_do_not_go_round() {
    let server = NameServer::new(
        |question| {
            let alias = |to: &'static str| RData::CNAME(CNAME(Name::new(to).unwrap()));
            let records = if is_a(question) {
                vec![
                    ("a.example", alias("b.example")),
                    ("b.example", alias("c.example")),
                    ("c.example", four(7)),
                ]
            } else {
                vec![
                    ("a.example", alias("b.example")),
                    ("b.example", alias("a.example")),
                ]
            };
            vec![bytes(&answer(question, &records))]
        },
        None,
    );
    assert_eq!(
        server.ask("a.example").unwrap(),
        ["192.0.2.7".parse::<IpAddr>().unwrap()]
    );
}

#[test]
fn a_name_that_is_not_there_is_asked_for_once() {
    let server = NameServer::new(
        |question| {
            let mut reply = answer(question, &[]);
            *reply.rcode_mut() = RCODE::NameError;
            vec![bytes(&reply)]
        },
        None,
    );
    let error = server.ask("gone.example").unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    assert_eq!(server.asked.load(Ordering::Relaxed), 2);
}

#[test]
fn guesses_of_others_are_not_believed() {
    let server = NameServer::new(
        |question| {
            let record = if is_a(question) {
                vec![("host.example", four(66))]
            } else {
                vec![]
            };
            // The wrong number, the wrong question, no answer at all, rubbish; then the truth.
            let mut number = answer(question, &record);
            number.set_id(question.id().wrapping_add(1));
            let mut name = answer(question, &record);
            name.questions[0].qname = Name::new("evil.example").unwrap();
            let mut query = answer(question, &record);
            query.remove_flags(PacketFlag::RESPONSE);
            let truth = if is_a(question) {
                vec![("host.example", four(1))]
            } else {
                vec![]
            };
            vec![
                bytes(&number),
                bytes(&name),
                bytes(&query),
                question.id().to_be_bytes().to_vec(),
                [&question.id().to_be_bytes()[..], &[0xff; 40]].concat(),
                Vec::new(),
                bytes(&answer(question, &truth)),
            ]
        },
        None,
    );
    assert_eq!(
        server.ask("host.example").unwrap(),
        ["192.0.2.1".parse::<IpAddr>().unwrap()]
    );
}

#[test]
fn long_answers_come_by_tcp() {
    let server = NameServer::new(
        |question| {
            let mut reply = answer(question, &[]);
            reply.set_flags(PacketFlag::TRUNCATION);
            vec![bytes(&reply)]
        },
        Some(|question| {
            let records: Vec<_> = (1..=60).map(|last| ("many.example", four(last))).collect();
            let records = if is_a(question) { records } else { Vec::new() };
            vec![bytes(&answer(question, &records))]
        }),
    );
    assert_eq!(server.ask("many.example").unwrap().len(), 60);
}

#[test]
fn the_next_server_is_asked_when_one_fails() {
    let failing = NameServer::new(
        |question| {
            let mut reply = answer(question, &[]);
            *reply.rcode_mut() = RCODE::ServerFailure;
            vec![bytes(&reply)]
        },
        None,
    );
    let good = NameServer::new(honest, None);
    let resolver = SystemResolver::with_servers([failing.address, good.address]);
    assert_eq!(
        pollster::block_on(resolver.resolve("host.example"))
            .unwrap()
            .len(),
        2
    );
    assert!(failing.ask("host.example").is_err());
}

#[test]
fn names_that_are_none_are_not_asked_for() {
    let server = NameServer::new(honest, None);
    let long = format!("{}.example", "x".repeat(64));
    let longer = vec!["abcdefgh"; 40].join(".");
    for name in ["a..example", ".example", "", &long, &longer] {
        assert!(server.ask(name).is_err(), "{name}");
    }
    assert_eq!(server.asked.load(Ordering::Relaxed), 0);
}
