//! The head of a response.

use bstr::{BString, ByteSlice};

use super::body::Framing;
use crate::error::NetError;

/// The longest head that is read.
pub(crate) const MAX_HEAD: usize = 256 << 10;

/// The most headers.
const MAX_HEADERS: usize = 1000;

/// The head of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResponseHead {
    /// The minor version of HTTP: 0 or 1.
    pub minor: u8,
    /// The status.
    pub status: u16,
    /// What the server calls the status.
    pub reason: BString,
    /// Headers in their order, with names as the server wrote them.
    pub headers: Vec<(BString, BString)>,
    /// All of it, byte for byte, but without secrets of the host's that the server sent back.
    pub raw: BString,
}

impl ResponseHead {
    /// Reads a head, to its empty line.
    pub(crate) fn parse(raw: &[u8]) -> Result<Self, NetError> {
        if !raw.starts_with(b"HTTP/") {
            return Err(NetError::Protocol("it does not begin with HTTP/"));
        }
        if !raw.starts_with(b"HTTP/1.") {
            return Err(NetError::Protocol(
                "only HTTP/1.0 and HTTP/1.1 are spoken here",
            ));
        }
        let mut headers = vec![httparse::EMPTY_HEADER; 64];
        loop {
            let mut response = httparse::Response::new(&mut headers);
            let mut config = httparse::ParserConfig::default();
            config.allow_obsolete_multiline_headers_in_responses(true);
            match config.parse_response(&mut response, raw) {
                Ok(httparse::Status::Complete(_)) => return Ok(Self::take(&response, raw)),
                Ok(httparse::Status::Partial) => {
                    return Err(NetError::Protocol("its head is not complete"));
                }
                Err(httparse::Error::TooManyHeaders) if headers.len() < MAX_HEADERS => {
                    headers = vec![httparse::EMPTY_HEADER; MAX_HEADERS];
                }
                Err(httparse::Error::TooManyHeaders) => {
                    return Err(NetError::Protocol("it has too many headers"));
                }
                Err(httparse::Error::Status | httparse::Error::Version) => {
                    return Err(NetError::Protocol("its status line is none"));
                }
                Err(_) => return Err(NetError::Protocol("it has a header that is none")),
            }
        }
    }

    fn take(response: &httparse::Response<'_, '_>, raw: &[u8]) -> Self {
        let headers = response.headers.iter();
        Self {
            minor: response.version.unwrap_or(1),
            status: response.code.unwrap_or(0),
            reason: response.reason.unwrap_or_default().into(),
            headers: headers
                .map(|header| (header.name.into(), header.value.into()))
                .collect(),
            raw: raw.into(),
        }
    }

    /// The value of the first header of this name.
    pub(crate) fn header(&self, name: &str) -> Option<&BString> {
        let mut named = self.headers.iter();
        let found = named.find(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()));
        found.map(|(_, value)| value)
    }

    /// The values of all headers of this name.
    pub(crate) fn all<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h BString> {
        let named =
            move |(known, _): &&(BString, BString)| known.eq_ignore_ascii_case(name.as_bytes());
        self.headers.iter().filter(named).map(|(_, value)| value)
    }

    /// Whether another head follows.
    pub(crate) fn is_informational(&self) -> bool {
        (100..200).contains(&self.status) && self.status != 101
    }

    /// Whether the server asks to go elsewhere.
    pub(crate) fn is_redirect(&self) -> bool {
        matches!(self.status, 301 | 302 | 303 | 307 | 308) && self.header("location").is_some()
    }

    /// The name in a `Content-Disposition`, without directories.
    pub(crate) fn file_name(&self) -> Option<BString> {
        let value = self.header("content-disposition")?;
        let lower = value.to_ascii_lowercase();
        let at = lower.find("filename=").filter(|at| *at > 0)?;
        let text = value.get(at + "filename=".len()..)?;
        let name = match text.strip_prefix(b"\"") {
            Some(quoted) => quoted.split(|byte| *byte == b'"').next()?,
            None => text.split(|byte| *byte == b';').next()?.trim(),
        };
        let start = name.rfind_byteset(b"/\\").map_or(0, |slash| slash + 1);
        let name = name.get(start..)?;
        let is_name = !matches!(name, b"" | b"." | b"..") && !name.iter().any(u8::is_ascii_control);
        is_name.then(|| name.into())
    }

    /// Whether more can be asked on the same connection.
    pub(crate) fn keeps_alive(&self) -> bool {
        let says = |word: &str| {
            self.all("connection").any(|value| {
                value
                    .split(|byte| *byte == b',')
                    .any(|part| part.trim().eq_ignore_ascii_case(word.as_bytes()))
            })
        };
        if self.minor == 0 {
            says("keep-alive")
        } else {
            !says("close")
        }
    }

    /// How the end of the body is known. What could be read in two ways is refused, so that no second response hides in a
    /// first.
    pub(crate) fn framing(&self, method: &str) -> Result<Framing, NetError> {
        let mut length = None;
        for value in self.all("content-length") {
            // Some servers repeat it, in one header or in several.
            for part in value.split(|byte| *byte == b',') {
                let part = part.trim();
                let number = part.to_str().ok().filter(|text| {
                    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
                });
                let number = number.and_then(|text| text.parse::<u64>().ok());
                let number = number.ok_or(NetError::Protocol("its Content-Length is no number"))?;
                if length.is_some_and(|known| known != number) {
                    return Err(NetError::Protocol("it has two different lengths"));
                }
                length = Some(number);
            }
        }
        let mut is_chunked = false;
        for value in self.all("transfer-encoding") {
            if is_chunked || !value.trim().eq_ignore_ascii_case(b"chunked") {
                return Err(NetError::Protocol("its Transfer-Encoding is not chunked"));
            }
            is_chunked = true;
        }
        if method == "HEAD" || self.status < 200 || matches!(self.status, 204 | 304) {
            return Ok(Framing::None);
        }
        if is_chunked && self.minor == 0 {
            return Err(NetError::Protocol("HTTP/1.0 has no chunks"));
        }
        Ok(match (is_chunked, length) {
            // RFC 9112 lets a client take the chunks, and asks it to close the connection then.
            (true, Some(_)) => return Err(NetError::Protocol("it has a length and chunks")),
            (true, None) => Framing::Chunked,
            (false, Some(length)) => Framing::Length(length),
            (false, None) => Framing::UntilClose,
        })
    }
}

/// Where a head ends in what was read so far, if it does. `looked` bytes were looked at before.
pub(crate) fn head_end(bytes: &[u8], looked: usize) -> Option<usize> {
    let from = looked.saturating_sub(3);
    for newline in memchr::memchr_iter(b'\n', bytes.get(from..)?) {
        let after = from + newline + 1;
        match bytes.get(after..)? {
            [b'\r', b'\n', ..] => return Some(after + 2),
            [b'\n', ..] => return Some(after + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framing(raw: &str) -> Result<Framing, String> {
        let head = ResponseHead::parse(raw.as_bytes()).map_err(|error| error.to_string())?;
        head.framing("GET").map_err(|error| error.to_string())
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        let with = |headers: &str| framing(&format!("HTTP/1.1 200 OK\r\n{headers}\r\n"));
        assert_eq!(with("Content-Length: 5\r\n"), Ok(Framing::Length(5)));
        assert_eq!(
            with("Content-Length: 5\r\nContent-Length: 5\r\n"),
            Ok(Framing::Length(5))
        );
        assert_eq!(with("content-length: 5, 5\r\n"), Ok(Framing::Length(5)));
        assert_eq!(with("Transfer-Encoding: Chunked\r\n"), Ok(Framing::Chunked));
        assert_eq!(with(""), Ok(Framing::UntilClose));
        for wrong in [
            "Content-Length: 5\r\nContent-Length: 6\r\n",
            "Content-Length: 5, 6\r\n",
            "Content-Length: +5\r\n",
            "Content-Length: 0x5\r\n",
            "Content-Length: -1\r\n",
            "Content-Length: 99999999999999999999999\r\n",
            "Content-Length:\r\n",
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: gzip, chunked\r\n",
            "Transfer-Encoding: identity\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: xchunked\r\n",
            "Content-Length : 5\r\n",
            "Content-Length\0: 5\r\n",
            "A: b\rC: d\r\n",
        ] {
            assert!(with(wrong).is_err(), "{wrong:?}");
        }
        assert!(framing("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").is_err());
        assert!(framing("HTTP/2 200\r\n\r\n").is_err());
        assert!(framing("ICY 200 OK\r\n\r\n").is_err());
    }

    #[test]
    fn a_head_ends_at_its_empty_line_wherever_the_pieces_end() {
        let text = b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody\r\n\r\n";
        for looked in 0..25 {
            assert_eq!(head_end(text, looked), Some(25), "{looked}");
        }
        assert_eq!(head_end(b"HTTP/1.0 200 OK\nA: b\n\nx", 0), Some(22));
        assert_eq!(head_end(b"HTTP/1.1 200 OK\r\nA: b\r\n\r", 0), None);
    }
}
