//! One request and its response.

mod ledger;
mod mask;

use std::{
    future::poll_fn,
    io,
    net::SocketAddr,
    task::{Context, Poll},
    time::Instant,
};

use hotcell_meter::{Account, Charge};
use zeroize::Zeroizing;

use crate::{
    BodyLength,
    connection::Connection,
    deadline::Deadline,
    error::NetError,
    http::{
        body::{BodyReader, Framing},
        decode::Decoder,
        response::{MAX_HEAD, ResponseHead, head_end},
        wire::hide,
    },
    session::Opened,
};
pub(crate) use ledger::{Ledger, Times};
use mask::Mask;

/// How much compressed input is taken at a time.
const PIECE: usize = 16 << 10;

/// A request whose connection stands, and then its response. Dropping it closes the connection.
pub(crate) struct Exchange {
    method: String,
    connection: Connection,
    is_reused: bool,
    deadline: Deadline,
    pub(crate) times: Times,
    ledger: Ledger,
    /// What is to be sent next.
    out: Zeroizing<Vec<u8>>,
    shown: Vec<u8>,
    giveaways: Vec<Zeroizing<String>>,
    mask: Mask,
    length: BodyLength,
    request_bytes: u64,
    response_bytes: u64,
    decompresses: bool,
    account: Account,
    /// The other side takes no more; what it said about that may be there.
    is_refused: bool,
    keeps_alive: bool,
    body: BodyReader,
    unpacking: Option<Unpacking>,
    _slot: async_lock::SemaphoreGuardArc,
}

/// A body on its way through a decoder.
struct Unpacking {
    decoder: Decoder,
    input: Vec<u8>,
    is_done: bool,
    made: u64,
    _charge: Charge,
}

impl Exchange {
    pub(crate) fn new(opened: Opened, ledger: Ledger) -> Self {
        Self {
            method: opened.method,
            connection: opened.connection,
            is_reused: opened.is_reused,
            deadline: opened.deadline,
            times: opened.times,
            ledger,
            out: opened.head.wire,
            shown: opened.head.shown,
            giveaways: opened.head.giveaways,
            mask: Mask::default(),
            length: opened.length,
            request_bytes: opened.request_bytes,
            response_bytes: opened.response_bytes,
            decompresses: opened.decompresses,
            account: opened.account,
            is_refused: false,
            keeps_alive: false,
            body: BodyReader::new(Framing::None),
            unpacking: None,
            _slot: opened.slot,
        }
    }

    /// The head of the request, as a program may see it.
    pub(crate) fn shown(&self) -> &[u8] {
        &self.shown
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.connection.address
    }

    pub(crate) fn local(&self) -> Option<SocketAddr> {
        self.connection.local
    }

    pub(crate) fn number(&self) -> u32 {
        self.connection.number
    }

    pub(crate) fn is_reused(&self) -> bool {
        self.is_reused
    }

    /// Bytes of the body that were sent.
    pub(crate) fn sent(&self) -> u64 {
        self.ledger.sent
    }

    /// Bytes of the body that came, as they came.
    pub(crate) fn received(&self) -> u64 {
        self.body.received()
    }

    /// Sends some of the body, all of it before it returns. Whoever said that a length is known sends as many bytes.
    pub(crate) async fn send(&mut self, data: &[u8]) -> Result<(), NetError> {
        let result = self.send_body(data).await;
        self.ledger.record(result)
    }

    async fn send_body(&mut self, data: &[u8]) -> Result<(), NetError> {
        let length = data.len() as u64;
        if self.ledger.sent + length > self.request_bytes {
            return Err(NetError::TooLarge {
                what: "request",
                limit: self.request_bytes,
            });
        }
        match self.length {
            BodyLength::None => {
                return Err(NetError::Request("the request has no body".to_owned()));
            }
            BodyLength::Known(all) if self.ledger.sent + length > all => {
                // More bytes would be read as another request.
                return Err(NetError::Request(
                    "the body is longer than was said".to_owned(),
                ));
            }
            BodyLength::Known(_) => self.out.extend_from_slice(data),
            BodyLength::Unknown if data.is_empty() => {}
            BodyLength::Unknown => {
                self.out
                    .extend_from_slice(format!("{length:x}\r\n").as_bytes());
                self.out.extend_from_slice(data);
                self.out.extend_from_slice(b"\r\n");
            }
        }
        self.ledger.sent += length;
        self.flush().await
    }

    /// Whether there is no use in sending more.
    pub(crate) fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// Writes what waits. Reads meanwhile: a server that answers early, and waits until its answer is read, reads no more.
    async fn flush(&mut self) -> Result<(), NetError> {
        if self.is_refused {
            self.out.clear();
            return Ok(());
        }
        let mut start = 0;
        let result = poll_fn(|context| self.poll_flush(&mut start, context)).await;
        self.out.clear();
        match result {
            Err(NetError::Send(error)) if is_broken(&error) => {
                // It may have said why before it closed.
                self.is_refused = true;
                Ok(())
            }
            result => result,
        }
    }

    fn poll_flush(
        &mut self,
        start: &mut usize,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), NetError>> {
        loop {
            let rest = self.out.get(*start..).unwrap_or_default();
            let written = if rest.is_empty() {
                match self.connection.poll_flush(context) {
                    Poll::Ready(Ok(())) => return Poll::Ready(Ok(())),
                    Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
                    Poll::Pending => Poll::Pending,
                }
            } else {
                self.connection.poll_write(rest, context)
            };
            match written {
                Poll::Ready(Ok(0)) => {
                    return Poll::Ready(Err(NetError::Send(io::ErrorKind::WriteZero.into())));
                }
                Poll::Ready(Ok(count)) => *start += count,
                Poll::Ready(Err(error)) => return Poll::Ready(Err(NetError::Send(error))),
                Poll::Pending => {
                    if self.connection.ahead().len() < MAX_HEAD
                        && let Poll::Ready(Err(error)) = self.connection.poll_fill(context)
                    {
                        return Poll::Ready(Err(NetError::Send(error)));
                    }
                    if self.has_answer() {
                        // It has made up its mind without reading all.
                        return Poll::Ready(Err(NetError::Send(io::ErrorKind::BrokenPipe.into())));
                    }
                    return self.deadline.poll(context).map(Err);
                }
            }
        }
    }

    /// Whether the head of the response is there already.
    fn has_answer(&self) -> bool {
        let ahead = self.connection.ahead();
        let is_last =
            ahead.starts_with(b"HTTP/1.") && ahead.get(9).is_some_and(|digit| *digit != b'1');
        is_last && head_end(ahead, 0).is_some()
    }

    /// Ends the request and waits for the head of the response. Informational ones come first, and are given, too.
    pub(crate) async fn head(&mut self) -> Result<ResponseHead, NetError> {
        let result = self.receive_head().await;
        self.ledger.record(result)
    }

    async fn receive_head(&mut self) -> Result<ResponseHead, NetError> {
        match std::mem::replace(&mut self.length, BodyLength::None) {
            BodyLength::Known(all) if self.ledger.sent < all && !self.is_refused => {
                return Err(NetError::Request(
                    "the body is shorter than was said".to_owned(),
                ));
            }
            BodyLength::Unknown => self.out.extend_from_slice(b"0\r\n\r\n"),
            _ => {}
        }
        if !self.out.is_empty() {
            self.flush().await?;
        }
        self.times.sent.get_or_insert_with(Instant::now);
        let end = poll_fn(|context| self.poll_head(context)).await?;
        self.times.first_byte.get_or_insert_with(Instant::now);
        let raw = self.connection.ahead().get(..end).unwrap_or_default();
        let mut head = ResponseHead::parse(raw)?;
        self.connection.consume(end);
        let framing = head.framing(&self.method)?;
        let decoder = if self.decompresses && framing != Framing::None {
            Decoder::of(&head)?
        } else {
            None
        };
        if let Framing::Length(length) = framing
            && length > self.response_bytes
        {
            return Err(self.too_large());
        }
        if !self.giveaways.is_empty() {
            head.raw = hide(&head.raw, &self.giveaways).into();
            head.reason = hide(&head.reason, &self.giveaways).into();
            for (name, value) in &mut head.headers {
                *name = hide(name, &self.giveaways).into();
                *value = hide(value, &self.giveaways).into();
            }
        }
        self.ledger.status = Some(head.status);
        if !head.is_informational() {
            self.keeps_alive =
                head.keeps_alive() && framing != Framing::UntilClose && head.status != 101;
            self.body = BodyReader::new(framing);
            self.unpacking = match decoder {
                Some(decoder) => Some(Unpacking {
                    _charge: self.account.charge(decoder.memory())?,
                    decoder,
                    input: Vec::new(),
                    is_done: false,
                    made: 0,
                }),
                None => None,
            };
        }
        Ok(head)
    }

    fn poll_head(&mut self, context: &mut Context<'_>) -> Poll<Result<usize, NetError>> {
        let mut looked = 0;
        loop {
            let ahead = self.connection.ahead();
            if let Some(end) = head_end(ahead, looked) {
                return Poll::Ready(Ok(end));
            }
            let is_other =
                !ahead.is_empty() && !b"HTTP/".starts_with(ahead) && !ahead.starts_with(b"HTTP/");
            if is_other {
                return Poll::Ready(Err(NetError::Protocol("it does not begin with HTTP/")));
            }
            if ahead.len() > MAX_HEAD {
                return Poll::Ready(Err(NetError::Protocol("its head is too long")));
            }
            looked = ahead.len();
            let is_empty = ahead.is_empty();
            match self.connection.poll_fill(context) {
                Poll::Ready(Ok(0)) if is_empty => return Poll::Ready(Err(NetError::EmptyReply)),
                Poll::Ready(Ok(0)) => {
                    return Poll::Ready(Err(NetError::Protocol("it ends in its head")));
                }
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(error))
                    if is_empty && error.kind() == io::ErrorKind::UnexpectedEof =>
                {
                    return Poll::Ready(Err(NetError::EmptyReply));
                }
                Poll::Ready(Err(error)) => return Poll::Ready(Err(NetError::Receive(error))),
                Poll::Pending => return self.deadline.poll(context).map(Err),
            }
        }
    }

    /// Reads some of the body; none at its end. Not before the head is there.
    pub(crate) async fn read(&mut self, buf: &mut [u8]) -> Result<usize, NetError> {
        if self.giveaways.is_empty() {
            return self.read_as_it_is(buf).await;
        }
        let mut piece = Zeroizing::new(Vec::new());
        loop {
            let given = self.mask.give(buf);
            if given > 0 || self.mask.is_over || buf.is_empty() {
                return Ok(given);
            }
            piece.resize(PIECE, 0);
            let count = self.read_as_it_is(&mut piece).await?;
            let piece = piece.get(..count).unwrap_or_default();
            self.mask.take(piece, &self.giveaways);
        }
    }

    async fn read_as_it_is(&mut self, buf: &mut [u8]) -> Result<usize, NetError> {
        let result = match self.unpacking.take() {
            Some(mut unpacking) => {
                let result = self.unpack(&mut unpacking, buf).await;
                self.unpacking = Some(unpacking);
                result
            }
            None => self.read_raw(buf).await,
        };
        self.ledger.record(result)
    }

    async fn read_raw(&mut self, buf: &mut [u8]) -> Result<usize, NetError> {
        let count = poll_fn(|context| {
            let read = self.body.poll_read(&mut self.connection, buf, context);
            match read {
                Poll::Ready(result) => Poll::Ready(result),
                Poll::Pending => self.deadline.poll(context).map(Err),
            }
        });
        let count = count.await?;
        self.ledger.received = self.body.received();
        if self.body.received() > self.response_bytes {
            return Err(self.too_large());
        }
        Ok(count)
    }

    async fn unpack(
        &mut self,
        unpacking: &mut Unpacking,
        buf: &mut [u8],
    ) -> Result<usize, NetError> {
        loop {
            if unpacking.is_done && !unpacking.decoder.may_continue() {
                // What comes after the end of the compressed data is nothing.
                let mut rest = [0; 1024];
                while self.read_raw(&mut rest).await? > 0 {}
                return Ok(0);
            }
            let step = unpacking.decoder.step(&unpacking.input, buf)?;
            unpacking.input.drain(..step.taken);
            // Nothing done is no news.
            if step.taken > 0 || step.made > 0 || step.is_done {
                unpacking.is_done = step.is_done;
            }
            if step.made > 0 {
                unpacking.made += step.made as u64;
                if unpacking.made > self.response_bytes {
                    return Err(self.too_large());
                }
                return Ok(step.made);
            }
            if step.taken > 0 {
                continue;
            }
            let start = unpacking.input.len();
            unpacking.input.resize(start + PIECE, 0);
            let room = unpacking.input.get_mut(start..).unwrap_or_default();
            let read = self.read_raw(room).await;
            unpacking
                .input
                .truncate(start + *read.as_ref().unwrap_or(&0));
            if read? == 0 {
                // Servers say that nothing is compressed, too.
                let is_nothing = start == 0 && unpacking.made == 0;
                return if is_nothing || unpacking.is_done && start == 0 {
                    Ok(0)
                } else {
                    Err(NetError::Encoding("it ends too early"))
                };
            }
        }
    }

    fn too_large(&self) -> NetError {
        NetError::TooLarge {
            what: "response",
            limit: self.response_bytes,
        }
    }

    /// Ends it. Gives the connection if more can be asked on it.
    pub(crate) fn finish(self) -> Option<Connection> {
        let is_clean = self.keeps_alive
            && self.body.is_done()
            && !self.is_refused
            && self.ledger.is_fine()
            && self.connection.ahead().is_empty();
        is_clean.then_some(self.connection)
    }
}

/// Whether an error of writing means that the other side has closed.
fn is_broken(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
    )
}
