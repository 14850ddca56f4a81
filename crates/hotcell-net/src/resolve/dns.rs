//! One question to one name server.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, UdpSocket},
    time::{Duration, Instant},
};

use async_io::Async;
use futures_util::io::{AsyncReadExt, AsyncWriteExt};
use simple_dns::{CLASS, Name, Packet, PacketFlag, QTYPE, Question, RCODE, TYPE, rdata::RData};

use crate::deadline::until;

/// How long the other family of addresses is waited for once one is there.
const GRACE: Duration = Duration::from_millis(300);

/// A name may be another's alias, and that another's.
const MAX_ALIASES: usize = 16;

/// More addresses than anybody tries.
const MAX_ADDRESSES: usize = 64;

/// The largest packet without EDNS is 512 bytes; some servers send more.
const MAX_PACKET: usize = 4096;

/// What stands before the question.
const HEADER: usize = 12;

pub(super) enum Failure {
    NoSuchName,
    /// Another server may know.
    Other(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Other(error)
    }
}

/// What is asked about a name.
struct Query {
    id: u16,
    kind: TYPE,
    packet: Vec<u8>,
}

/// All addresses of a name, of both families.
pub(super) async fn ask(
    server: SocketAddr,
    name: &str,
    timeout: Duration,
) -> Result<Vec<IpAddr>, Failure> {
    if name.split('.').any(str::is_empty) {
        // The library would skip empty parts, and look up another name.
        return Err(Failure::NoSuchName);
    }
    let asked = Name::new(name).map_err(|_| Failure::NoSuchName)?;
    let queries = [query(&asked, TYPE::A)?, query(&asked, TYPE::AAAA)?];
    let any = match server {
        SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
    };
    // A port of its own for each lookup, and deaf to all but this server.
    let socket = Async::<UdpSocket>::bind(any)?;
    socket.get_ref().connect(server)?;
    for query in &queries {
        socket.send(&query.packet).await?;
    }
    let began = Instant::now();
    let mut deadline = began + timeout;
    let mut found = Vec::new();
    let mut open: Vec<&Query> = queries.iter().collect();
    let mut failure = None;
    let mut buffer = [0; MAX_PACKET];
    while !open.is_empty() {
        let Some(length) = until(deadline, socket.recv(&mut buffer)).await else {
            break;
        };
        let packet = buffer.get(..length?).unwrap_or_default();
        let Some((index, answer)) = read(packet, &asked, &open) else {
            // Not an answer to us: a late one, or somebody's guess.
            continue;
        };
        let query = open.remove(index);
        let answer = match answer {
            Answer::Truncated => {
                match until(began + timeout, ask_again(server, &asked, query)).await {
                    Some(answer) => answer?,
                    None => break,
                }
            }
            answer => answer,
        };
        match answer {
            Answer::Addresses(addresses) => found.extend(addresses),
            Answer::NoSuchName => failure = Some(Failure::NoSuchName),
            Answer::Failed | Answer::Truncated => {
                failure = Some(Failure::Other(io::Error::other("the name server failed")));
            }
        }
        if !found.is_empty() {
            deadline = deadline.min(Instant::now() + GRACE);
        }
    }
    if !found.is_empty() {
        // IPv6 first, as everybody prefers it.
        found.sort_by_key(IpAddr::is_ipv4);
        found.truncate(MAX_ADDRESSES);
        return Ok(found);
    }
    Err(match failure {
        Some(failure) => failure,
        // The name is there, and has no address.
        None if open.is_empty() => Failure::NoSuchName,
        None => Failure::Other(io::ErrorKind::TimedOut.into()),
    })
}

fn query(name: &Name<'_>, kind: TYPE) -> Result<Query, Failure> {
    let random = getrandom::u32().map_err(|error| io::Error::other(error.to_string()))?;
    let [a, b, ..] = random.to_ne_bytes();
    let id = u16::from_ne_bytes([a, b]);
    let mut packet = Packet::new_query(id);
    packet.set_flags(PacketFlag::RECURSION_DESIRED);
    let question = Question::new(name.clone(), QTYPE::TYPE(kind), CLASS::IN.into(), false);
    packet.questions.push(question);
    let packet = packet.build_bytes_vec().map_err(|_| Failure::NoSuchName)?;
    Ok(Query { id, kind, packet })
}

enum Answer {
    Addresses(Vec<IpAddr>),
    NoSuchName,
    Failed,
    Truncated,
}

/// What a packet says, and which of the questions it answers.
fn read(packet: &[u8], asked: &Name<'_>, open: &[&Query]) -> Option<(usize, Answer)> {
    let id = u16::from_be_bytes([*packet.first()?, *packet.get(1)?]);
    let flags = packet.get(2)?;
    let is_truncated = flags & 0x02 != 0;
    let index = open.iter().position(|query| query.id == id)?;
    let query = open.get(index)?;
    let packet = match Packet::parse(packet) {
        Ok(packet) => packet,
        Err(_) => {
            // A truncated one may end anywhere behind the question.
            let (asked, ends) = (query.packet.get(HEADER..), query.packet.len());
            let is_ours = flags & 0x80 != 0 && packet.get(HEADER..ends) == asked;
            return (is_truncated && is_ours).then_some((index, Answer::Truncated));
        }
    };
    let question = packet.questions.first()?;
    let is_ours = packet.has_flags(PacketFlag::RESPONSE)
        && question.qname == *asked
        && question.qtype == QTYPE::TYPE(query.kind);
    if !is_ours {
        return None;
    }
    Some((
        index,
        match packet.rcode() {
            _ if is_truncated => Answer::Truncated,
            RCODE::NoError => Answer::Addresses(addresses(&packet, asked)),
            RCODE::NameError => Answer::NoSuchName,
            _ => Answer::Failed,
        },
    ))
}

/// The addresses that an answer has for a name, or for what it is an alias of.
fn addresses(packet: &Packet<'_>, asked: &Name<'_>) -> Vec<IpAddr> {
    let mut name = asked;
    for _ in 0..MAX_ALIASES {
        let records = || packet.answers.iter().filter(|record| record.name == *name);
        let found: Vec<IpAddr> = records()
            .filter_map(|record| match &record.rdata {
                RData::A(a) => Some(IpAddr::V4(Ipv4Addr::from_bits(a.address))),
                RData::AAAA(aaaa) => Some(IpAddr::V6(Ipv6Addr::from_bits(aaaa.address))),
                _ => None,
            })
            .collect();
        if !found.is_empty() {
            return found;
        }
        let alias = records().find_map(|record| match &record.rdata {
            RData::CNAME(alias) => Some(&alias.0),
            _ => None,
        });
        match alias {
            Some(alias) => name = alias,
            None => return Vec::new(),
        }
    }
    Vec::new()
}

/// The same question by TCP, where an answer may be long.
async fn ask_again(server: SocketAddr, asked: &Name<'_>, query: &Query) -> Result<Answer, Failure> {
    let mut stream = Async::<TcpStream>::connect(server).await?;
    let length = u16::try_from(query.packet.len()).map_err(|_| Failure::NoSuchName)?;
    stream.write_all(&length.to_be_bytes()).await?;
    stream.write_all(&query.packet).await?;
    let mut length = [0; 2];
    stream.read_exact(&mut length).await?;
    let mut packet = vec![0; usize::from(u16::from_be_bytes(length))];
    stream.read_exact(&mut packet).await?;
    Ok(match read(&packet, asked, &[query]) {
        Some((_, answer)) => answer,
        None => Answer::Failed,
    })
}
