//! A connection for HTTP: bytes, and those that were read ahead.

use std::{
    io,
    net::{SocketAddr, TcpStream},
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Instant,
};

use async_io::Async;
use futures_io::{AsyncRead, AsyncWrite};
use futures_rustls::client::TlsStream;
use hotcell_meter::Charge;
use url::Url;

/// What a connection is charged for: our buffer, TLS's two, and what the system keeps.
pub(crate) const CONNECTION_BYTES: usize = 96 << 10;

/// How much is read ahead.
const BUFFER: usize = 16 << 10;

/// Whom a connection speaks to. It may be used again for the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Peer {
    pub(crate) is_tls: bool,
    pub(crate) is_insecure: bool,
    pub(crate) needs_tls13: bool,
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Peer {
    pub(crate) fn of(url: &Url, is_insecure: bool, needs_tls13: bool) -> Option<Self> {
        Some(Self {
            is_tls: url.scheme() == "https",
            is_insecure,
            needs_tls13,
            host: url.host_str()?.to_owned(),
            port: url.port_or_known_default()?,
        })
    }
}

pub(crate) enum Io {
    Plain(Async<TcpStream>),
    Tls(Box<TlsStream<Async<TcpStream>>>),
}

pub(crate) struct Connection {
    io: Io,
    pub(crate) peer: Peer,
    pub(crate) address: SocketAddr,
    pub(crate) local: Option<SocketAddr>,
    /// When it was last used.
    pub(crate) used_at: Instant,
    /// Which one of its session it is.
    pub(crate) number: u32,
    buffer: Vec<u8>,
    /// Where in the buffer the bytes begin that nobody has taken.
    start: usize,
    _charge: Charge,
}

impl Connection {
    pub(crate) fn new(
        io: Io,
        peer: Peer,
        address: SocketAddr,
        number: u32,
        charge: Charge,
    ) -> Self {
        let socket = match &io {
            Io::Plain(stream) => stream,
            Io::Tls(stream) => stream.get_ref().0,
        };
        Self {
            local: socket.get_ref().local_addr().ok(),
            io,
            peer,
            address,
            used_at: Instant::now(),
            number,
            buffer: Vec::new(),
            start: 0,
            _charge: charge,
        }
    }

    /// Bytes that were read and that nobody has taken.
    pub(crate) fn ahead(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// Takes bytes that were read ahead.
    pub(crate) fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.buffer.len());
        if self.start == self.buffer.len() {
            self.buffer.clear();
            self.start = 0;
        }
    }

    /// Reads some more bytes ahead; none at the end.
    pub(crate) fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        let old = self.buffer.len();
        self.buffer.resize(old + BUFFER, 0);
        let room = self.buffer.get_mut(old..).unwrap_or_default();
        let read = self.io.poll_read(room, context);
        let count = match &read {
            Poll::Ready(Ok(count)) => *count,
            _ => 0,
        };
        self.buffer.truncate(old + count);
        read
    }

    /// Reads some bytes, those that were read ahead first; none at the end.
    pub(crate) fn poll_read(
        &mut self,
        buf: &mut [u8],
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        let ahead = self.ahead();
        if ahead.is_empty() {
            return self.io.poll_read(buf, context);
        }
        let count = ahead.len().min(buf.len());
        if let (Some(to), Some(from)) = (buf.get_mut(..count), ahead.get(..count)) {
            to.copy_from_slice(from);
        }
        self.consume(count);
        Poll::Ready(Ok(count))
    }

    pub(crate) fn poll_write(
        &mut self,
        data: &[u8],
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        match &mut self.io {
            Io::Plain(stream) => Pin::new(stream).poll_write(context, data),
            Io::Tls(stream) => Pin::new(stream).poll_write(context, data),
        }
    }

    pub(crate) fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.io {
            Io::Plain(stream) => Pin::new(stream).poll_flush(context),
            Io::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    /// Whether the other side is still there and has said nothing unasked for.
    pub(crate) fn is_quiet(&mut self) -> bool {
        if !self.ahead().is_empty() {
            return false;
        }
        let mut byte = [0];
        let mut context = Context::from_waker(Waker::noop());
        self.io.poll_read(&mut byte, &mut context).is_pending()
    }
}

impl Io {
    fn poll_read(&mut self, buf: &mut [u8], context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        match self {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buf),
            Self::Tls(stream) => Pin::new(stream).poll_read(context, buf),
        }
    }
}
