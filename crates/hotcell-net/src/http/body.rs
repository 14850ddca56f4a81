//! Where the body of a response ends.

use std::{
    io,
    task::{Context, Poll},
};

use crate::{connection::Connection, error::NetError};

/// How the end of a body is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// There is no body.
    None,
    /// So many bytes.
    Length(u64),
    /// In chunks, the last of which is empty.
    Chunked,
    /// The server closes the connection.
    UntilClose,
}

/// The longest line between chunks, with its extensions.
const MAX_LINE: usize = 4 << 10;

/// All trailers together.
const MAX_TRAILERS: usize = 32 << 10;

/// What lines between chunks may take beside the chunks: extensions of each could be longer than all data.
const MAX_OVERHEAD: u64 = 1 << 20;

/// Reads a body to its end, and no further.
pub(crate) struct BodyReader {
    state: State,
    received: u64,
    /// Bytes of lines between chunks, less what their chunks make up for.
    overhead: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Length(u64),
    UntilClose,
    /// A line with the size of the next chunk.
    Size,
    /// So many bytes of a chunk.
    Chunk(u64),
    /// The line break behind a chunk.
    ChunkEnd,
    /// Lines to the end, of which there were so many bytes.
    Trailers(usize),
    Done,
}

impl BodyReader {
    pub(crate) fn new(framing: Framing) -> Self {
        Self {
            state: match framing {
                Framing::None | Framing::Length(0) => State::Done,
                Framing::Length(length) => State::Length(length),
                Framing::Chunked => State::Size,
                Framing::UntilClose => State::UntilClose,
            },
            received: 0,
            overhead: 0,
        }
    }

    /// Bytes of the body so far.
    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    pub(crate) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Reads some bytes of the body; none at its end.
    pub(crate) fn poll_read(
        &mut self,
        connection: &mut Connection,
        buf: &mut [u8],
        context: &mut Context<'_>,
    ) -> Poll<Result<usize, NetError>> {
        loop {
            match self.state {
                State::Done => return Poll::Ready(Ok(0)),
                State::Length(left) => {
                    let count = self.data(connection, buf, left, context);
                    return count.map_ok(|count| {
                        self.state = match left - count as u64 {
                            0 => State::Done,
                            left => State::Length(left),
                        };
                        count
                    });
                }
                State::Chunk(left) => {
                    let count = self.data(connection, buf, left, context);
                    return count.map_ok(|count| {
                        self.overhead = self.overhead.saturating_sub(count as u64);
                        self.state = match left - count as u64 {
                            0 => State::ChunkEnd,
                            left => State::Chunk(left),
                        };
                        count
                    });
                }
                State::UntilClose => {
                    let read = connection
                        .poll_read(buf, context)
                        .map_err(NetError::Receive);
                    return read.map_ok(|count| {
                        if count == 0 && !buf.is_empty() {
                            self.state = State::Done;
                        }
                        self.received += count as u64;
                        count
                    });
                }
                State::Size | State::ChunkEnd | State::Trailers(_) => {
                    match self.poll_line(connection, context) {
                        Poll::Ready(Ok(())) => {}
                        Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                        Poll::Pending => return Poll::Pending,
                    }
                }
            }
        }
    }

    /// Reads up to `left` bytes, and at least one.
    fn data(
        &mut self,
        connection: &mut Connection,
        buf: &mut [u8],
        left: u64,
        context: &mut Context<'_>,
    ) -> Poll<Result<usize, NetError>> {
        let wanted = buf.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let part = buf.get_mut(..wanted).unwrap_or_default();
        let is_asked = !part.is_empty();
        match connection.poll_read(part, context) {
            Poll::Ready(Ok(0)) if is_asked => Poll::Ready(Err(self.partial(Some(left)))),
            Poll::Ready(Ok(count)) => {
                self.received += count as u64;
                Poll::Ready(Ok(count))
            }
            Poll::Ready(Err(error)) if is_end(&error) => Poll::Ready(Err(self.partial(Some(left)))),
            Poll::Ready(Err(error)) => Poll::Ready(Err(NetError::Receive(error))),
            Poll::Pending => Poll::Pending,
        }
    }

    fn partial(&self, left: Option<u64>) -> NetError {
        NetError::Partial {
            received: self.received,
            missing: left.filter(|_| matches!(self.state, State::Length(_))),
        }
    }

    /// Takes a line between chunks.
    fn poll_line(
        &mut self,
        connection: &mut Connection,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), NetError>> {
        loop {
            let ahead = connection.ahead();
            let end = memchr::memchr(b'\n', ahead);
            if end.unwrap_or(ahead.len()) > MAX_LINE {
                return Poll::Ready(Err(NetError::Protocol("a line between chunks is too long")));
            }
            if let Some(end) = end {
                let line = ahead.get(..end).unwrap_or_default();
                // A bare line feed is not the end of one: what reads it otherwise would see other chunks.
                let Some(line) = line.strip_suffix(b"\r") else {
                    return Poll::Ready(Err(NetError::Protocol(
                        "a chunk does not end where it should",
                    )));
                };
                let next = self.after(line);
                let next = match next {
                    Ok(next) => next,
                    Err(error) => return Poll::Ready(Err(error)),
                };
                self.state = next;
                self.overhead += end as u64 + 1;
                connection.consume(end + 1);
                if self.overhead > MAX_OVERHEAD {
                    return Poll::Ready(Err(NetError::Protocol("its chunks are almost empty")));
                }
                return Poll::Ready(Ok(()));
            }
            match connection.poll_fill(context) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(self.partial(None))),
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(error)) if is_end(&error) => {
                    return Poll::Ready(Err(self.partial(None)));
                }
                Poll::Ready(Err(error)) => return Poll::Ready(Err(NetError::Receive(error))),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// What comes after a line.
    fn after(&self, line: &[u8]) -> Result<State, NetError> {
        match self.state {
            State::ChunkEnd if line.is_empty() => Ok(State::Size),
            State::Trailers(_) if line.is_empty() => Ok(State::Done),
            State::Trailers(length) if length + line.len() <= MAX_TRAILERS => {
                Ok(State::Trailers(length + line.len() + 2))
            }
            State::Trailers(_) => Err(NetError::Protocol("its trailers are too long")),
            State::Size => match chunk_size(line) {
                Some(0) => Ok(State::Trailers(0)),
                Some(size) => Ok(State::Chunk(size)),
                None => Err(NetError::Protocol("the size of a chunk is none")),
            },
            _ => Err(NetError::Protocol("a chunk does not end where it should")),
        }
    }
}

/// The size in a line before a chunk, without its extensions.
fn chunk_size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|byte| *byte == b';').next()?;
    let digits = digits.trim_ascii_end();
    let is_size =
        !digits.is_empty() && digits.len() <= 16 && digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).ok().filter(|_| is_size)?;
    u64::from_str_radix(text, 16).ok()
}

/// Whether an error means that the other side is gone. TLS has its own for those who do not say goodbye.
fn is_end(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::UnexpectedEof
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_chunk_is_hexadecimal_and_nothing_else() {
        assert_eq!(chunk_size(b"1a"), Some(26));
        assert_eq!(chunk_size(b"0"), Some(0));
        assert_eq!(chunk_size(b"5 ;x=y"), Some(5));
        assert_eq!(chunk_size(b"ffffffffffffffff"), Some(u64::MAX));
        for wrong in [
            &b""[..],
            b"-1",
            b"+1",
            b"0x5",
            b" 5",
            b"1 2",
            b"g",
            b"10000000000000000",
            b";x",
        ] {
            assert_eq!(chunk_size(wrong), None, "{wrong:?}");
        }
    }
}
