//! `net.tcp.connect.v1` of net/tcp.

use super::{Selector, Text};
use crate::{
    field::{Malformed, Reader},
    sink::{Encode, Full, Sink},
};

/// Connects. Its value is an [`Opened`](crate::control::Opened).
pub const CONNECT: Selector = Selector {
    kind: "net",
    name: "tcp",
    selector: "net.tcp.connect.v1",
};

/// Bits of a [`ConnectRequest`].
pub mod connect_flags {
    /// The host's name may be looked up.
    pub const ALLOW_DNS: u32 = 1;
    /// Of several addresses, the first of IPv6.
    pub const PREFER_IPV6: u32 = 2;
    /// Without Nagle's delay.
    pub const NODELAY: u32 = 4;
}

/// What `net.tcp.connect.v1` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectRequest<'a> {
    /// A name or an address.
    pub host: &'a str,
    /// From 1 on.
    pub port: u16,
    /// See [`connect_flags`]; others mean nothing.
    pub flags: u32,
}

impl<'a> ConnectRequest<'a> {
    /// Reads parameters.
    pub fn decode(params: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(params);
        let request = Self {
            host: reader.text()?,
            port: reader.h2()?,
            flags: reader.h4()?,
        };
        reader.end()?;
        let has_space = request.host.chars().any(char::is_whitespace);
        if request.host.is_empty() || has_space || request.port == 0 {
            return Err(Malformed::Value);
        }
        Ok(request)
    }
}

impl Encode for ConnectRequest<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        Text(self.host).encode(sink)?;
        sink.h2(self.port)?;
        sink.h4(self.flags)
    }
}
