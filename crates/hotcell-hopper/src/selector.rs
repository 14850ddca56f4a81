//! Parameters and results of every selector.

pub mod config;
pub mod exec;
pub mod files;
pub mod net;

use crate::sink::{Encode, Full, Sink};

/// Where a selector lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selector {
    /// The kind of its capability.
    pub kind: &'static str,
    /// The name of its capability.
    pub name: &'static str,
    /// What it is called.
    pub selector: &'static str,
}

impl Selector {
    /// A call of it.
    pub fn call<P>(self, params: P) -> crate::source::Call<'static, P> {
        crate::source::Call {
            kind: self.kind.as_bytes(),
            name: self.name.as_bytes(),
            selector: self.selector.as_bytes(),
            params,
        }
    }
}

/// `HSTR`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text<'a>(pub &'a str);

impl Encode for Text<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.bytes(self.0.as_bytes())
    }
}
