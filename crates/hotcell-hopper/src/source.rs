//! What a `REGISTER_FUTURE` carries: an Async Source.

use core::fmt;

use crate::{
    field::{Malformed, Reader, is_text},
    sink::{Encode, Full, Raw, Sink},
};

/// Something private between a guest and its host.
pub const OPAQUE: u8 = 1;
/// A selector of a capability.
pub const CAP_SELECTOR: u8 = 2;
/// What stands before the body: the kind, and how long the body is.
pub const HEAD: usize = 5;

/// What a future is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source<'a> {
    /// Something private between a guest and its host.
    Opaque(Raw<'a>),
    /// A selector of a capability.
    Selector(Call<'a>),
}

/// A selector of a capability, with its parameters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Call<'a, P = Raw<'a>> {
    /// What the capability is: `exec`.
    pub kind: &'a [u8],
    /// Which one: `default`.
    pub name: &'a [u8],
    /// What to do: `exec.start.v1`.
    pub selector: &'a [u8],
    /// With what.
    pub params: P,
}

impl<P> fmt::Debug for Call<'_, P> {
    /// Without the parameters: they may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").finish_non_exhaustive()
    }
}

impl<'a> Source<'a> {
    /// Reads a payload.
    pub fn decode(payload: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        let kind = reader.h1()?;
        let body = reader.bytes()?;
        reader.end()?;
        match kind {
            OPAQUE => Ok(Self::Opaque(Raw(body))),
            CAP_SELECTOR => Ok(Self::Selector(Call::decode(body)?)),
            _ => Err(Malformed::Value),
        }
    }
}

impl<'a> Call<'a> {
    /// Reads the body of a source.
    pub fn decode(body: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(body);
        let call = Self {
            kind: reader.bytes()?,
            name: reader.bytes()?,
            selector: reader.bytes()?,
            params: Raw(reader.bytes()?),
        };
        reader.end()?;
        if !is_text(call.kind) || !is_text(call.name) {
            return Err(Malformed::Text);
        }
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
        if call.selector.is_empty() || !call.selector.iter().all(is_letter) {
            return Err(Malformed::Value);
        }
        Ok(call)
    }
}

/// The body alone.
struct Body<'c, 'a, P>(&'c Call<'a, P>);

impl<P: Encode> Encode for Body<'_, '_, P> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.bytes(self.0.kind)?;
        sink.bytes(self.0.name)?;
        sink.bytes(self.0.selector)?;
        self.0.params.encode_with_length(sink)
    }
}

impl<P: Encode> Encode for Call<'_, P> {
    /// Writes the whole source.
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.h1(CAP_SELECTOR)?;
        Body(self).encode_with_length(sink)
    }
}

impl Encode for Source<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        match self {
            Self::Opaque(body) => {
                sink.h1(OPAQUE)?;
                body.encode_with_length(sink)
            }
            Self::Selector(call) => call.encode(sink),
        }
    }
}
