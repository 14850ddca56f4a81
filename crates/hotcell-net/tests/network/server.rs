//! Servers on loopback addresses, as honest or hostile as a test wants them.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer},
};

/// A request that a server got.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Received {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// The head, as it came.
    pub(crate) raw: String,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// A stream of either kind.
pub(crate) trait Wire: Read + Write + Send {}
impl<T: Read + Write + Send> Wire for T {}

type Talk = Box<dyn FnOnce(&mut dyn Wire, &Stop) + Send>;

/// What a server does with a request.
pub(crate) enum Reply {
    /// These bytes, and then the next request.
    Bytes(Vec<u8>),
    /// These bytes, and then the end.
    Last(Vec<u8>),
    /// Whatever this does, and then the end.
    With(Talk),
}

/// Whether the test is over.
#[derive(Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Waits for the end of the test, or for the other side to go.
    pub(crate) fn hang(&self) {
        while !self.is_set() {
            thread::sleep(std::time::Duration::from_millis(5));
        }
    }
}

/// A response with a length.
pub(crate) fn response(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Reply {
    Reply::Bytes(response_bytes(status, headers, body))
}

pub(crate) fn response_bytes(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut bytes = format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

pub(crate) fn ok(body: impl AsRef<[u8]>) -> Reply {
    response("200 OK", "", body)
}

pub(crate) fn redirect(status: &str, to: &str) -> Reply {
    response(status, &format!("Location: {to}\r\n"), "")
}

/// The same, and then the end of the connection.
pub(crate) fn last(reply: Reply) -> Reply {
    match reply {
        Reply::Bytes(bytes) => Reply::Last(bytes),
        other => other,
    }
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    stop: Stop,
}

impl Server {
    /// Answers each request.
    pub(crate) fn http(handler: impl Fn(&Received) -> Reply + Send + Sync + 'static) -> Self {
        Self::start(Ipv4Addr::LOCALHOST.into(), None, handler)
    }

    pub(crate) fn at(
        address: IpAddr,
        handler: impl Fn(&Received) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self::start(address, None, handler)
    }

    pub(crate) fn https(
        authority: &Authority,
        names: &[&str],
        handler: impl Fn(&Received) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self::start(
            Ipv4Addr::LOCALHOST.into(),
            Some(authority.server(names)),
            handler,
        )
    }

    fn start(
        address: IpAddr,
        tls: Option<Arc<ServerConfig>>,
        handler: impl Fn(&Received) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let received = Arc::<Mutex<Vec<Received>>>::default();
        let handler = Arc::new(handler);
        let log = Arc::clone(&received);
        let mut server = Self::raw_at(address, move |stream, stop| {
            let handle = |received: &Received| {
                log.lock().unwrap().push(received.clone());
                handler(received)
            };
            match &tls {
                Some(config) => {
                    let connection = ServerConnection::new(Arc::clone(config)).unwrap();
                    let _ = serve(StreamOwned::new(connection, stream), handle, stop);
                }
                None => {
                    let _ = serve(stream, handle, stop);
                }
            }
        });
        server.received = received;
        server
    }

    /// Does what it wants with each connection.
    pub(crate) fn raw(handler: impl Fn(TcpStream, &Stop) + Send + Sync + 'static) -> Self {
        Self::raw_at(Ipv4Addr::LOCALHOST.into(), handler)
    }

    pub(crate) fn raw_at(
        address: IpAddr,
        handler: impl Fn(TcpStream, &Stop) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((address, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let stop = Stop::default();
        let (seen, handler) = (stop.clone(), Arc::new(handler));
        spawn(move || {
            for stream in listener.incoming() {
                if seen.is_set() {
                    return;
                }
                let (stop, handler) = (seen.clone(), Arc::clone(&handler));
                let Ok(stream) = stream else { continue };
                spawn(move || handler(stream, &stop));
            }
        });
        Self {
            address,
            received: Arc::default(),
            stop,
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// A URL of this server.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What it got so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// The last request that it got.
    pub(crate) fn last(&self) -> Received {
        self.received().last().cloned().unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.0.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for connections.
        let _ = TcpStream::connect(self.address);
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().name("test-server".to_owned());
    thread.spawn(work).unwrap();
}

fn serve(
    stream: impl Read + Write + Send,
    handle: impl Fn(&Received) -> Reply,
    stop: &Stop,
) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    while let Some(received) = read_request(&mut stream)? {
        match handle(&received) {
            Reply::Bytes(bytes) => {
                stream.get_mut().write_all(&bytes)?;
                stream.get_mut().flush()?;
            }
            Reply::Last(bytes) => {
                stream.get_mut().write_all(&bytes)?;
                return stream.get_mut().flush();
            }
            Reply::With(act) => {
                act(stream.get_mut(), stop);
                return Ok(());
            }
        }
    }
    Ok(())
}

fn read_request(stream: &mut impl BufRead) -> io::Result<Option<Received>> {
    let mut received = Received::default();
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    received.raw.push_str(&line);
    let mut words = line.split(' ');
    received.method = words.next().unwrap_or_default().to_owned();
    received.target = words.next().unwrap_or_default().to_owned();
    loop {
        let mut line = Vec::new();
        stream.read_until(b'\n', &mut line)?;
        let line = String::from_utf8_lossy(&line).into_owned();
        received.raw.push_str(&line);
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        received
            .headers
            .push((name.to_owned(), value.trim().to_owned()));
    }
    if received.header("expect").is_some() {
        // Nothing is written here: clients go on after a moment.
    }
    if let Some(length) = received.header("content-length") {
        received.body = vec![0; length.parse().unwrap_or(0)];
        stream.read_exact(&mut received.body)?;
    } else if received.header("transfer-encoding") == Some("chunked") {
        loop {
            let mut line = String::new();
            stream.read_line(&mut line)?;
            let size = usize::from_str_radix(line.trim(), 16).map_err(io::Error::other)?;
            let mut chunk = vec![0; size + 2];
            stream.read_exact(&mut chunk)?;
            if size == 0 {
                break;
            }
            chunk.truncate(size);
            received.body.extend_from_slice(&chunk);
        }
    }
    Ok(Some(received))
}

/// An authority of our own.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    pub(crate) pem: String,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let issuer = CertifiedIssuer::self_signed(params, key).unwrap();
        let pem = issuer.pem();
        Self { issuer, pem }
    }

    fn server(&self, names: &[&str]) -> Arc<ServerConfig> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        if params.subject_alt_names.is_empty() {
            params.not_after = rcgen::date_time_ymd(2020, 1, 1);
        }
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let chain = vec![CertificateDer::from(certificate.der().to_vec())];
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        Arc::new(config)
    }
}
