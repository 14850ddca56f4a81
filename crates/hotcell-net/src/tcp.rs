//! A connection without HTTP.

use std::{
    io,
    net::{Shutdown, SocketAddr, TcpStream},
    pin::Pin,
    task::{Context, Poll},
    time::Instant,
};

use async_io::Async;
use async_lock::SemaphoreGuardArc;
use futures_io::{AsyncRead, AsyncWrite};

use crate::{
    connect::Connected,
    event::{Listener, NetworkEvent},
};

/// How a connection is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TcpOptions {
    /// Addresses of IPv6 are tried before those of IPv4.
    pub prefers_ipv6: bool,
}

/// A stream to an address that was checked before it was connected to. Dropping it closes it.
pub struct CheckedStream {
    stream: Async<TcpStream>,
    address: SocketAddr,
    id: u64,
    listener: Listener,
    began: Instant,
    sent: u64,
    received: u64,
    _slot: SemaphoreGuardArc,
}

impl CheckedStream {
    pub(crate) fn new(
        connected: Connected,
        slot: SemaphoreGuardArc,
        id: u64,
        listener: Listener,
    ) -> Self {
        Self {
            stream: connected.stream,
            address: connected.address,
            id,
            listener,
            began: Instant::now(),
            sent: 0,
            received: 0,
            _slot: slot,
        }
    }

    /// Where it leads.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Tells the other side that nothing more will be written. What it writes can still be read.
    pub fn end_writing(&self) -> io::Result<()> {
        self.stream.get_ref().shutdown(Shutdown::Write)
    }
}

impl AsyncRead for CheckedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buf: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buf);
        if let Poll::Ready(Ok(count)) = &read {
            self.received += *count as u64;
        }
        read
    }
}

impl AsyncWrite for CheckedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, data);
        if let Poll::Ready(Ok(count)) = &written {
            self.sent += *count as u64;
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_close(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.end_writing())
    }
}

impl Drop for CheckedStream {
    fn drop(&mut self) {
        self.listener.tell(|| NetworkEvent::Ended {
            request: self.id,
            status: None,
            sent: self.sent,
            received: self.received,
            duration_ms: u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
            error: None,
        });
    }
}
