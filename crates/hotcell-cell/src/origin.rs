//! Where a call comes from: which run made it, and of which trace that is a part.

use std::{fmt, str::FromStr, sync::Arc};

/// What a call of a tool is called outside of its cell, and the trace that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    run: Arc<str>,
    number: usize,
    trace: Option<TraceParent>,
}

impl Origin {
    /// Call `number` of that run, the first being 1.
    pub fn new(run: Arc<str>, number: usize, trace: Option<TraceParent>) -> Self {
        Self { run, number, trace }
    }

    /// The run that made the call.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// The call, as answers and events name it: `3.1` is the first call of run 3.
    pub fn call(&self) -> String {
        format!("{}.{}", self.run, self.number)
    }

    /// The trace that what the tool does is a part of, with the call as its parent: for requests that the tool makes.
    pub fn trace(&self) -> Option<TraceParent> {
        self.trace
    }
}

/// A place in a trace, as the header `traceparent` of W3C's Trace Context has it.
///
/// ```
/// use hotcell_cell::TraceParent;
///
/// let text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
/// let parent: TraceParent = text.parse()?;
/// assert_eq!(parent.to_string(), text);
/// assert_eq!(parent.child(1).to_string(), "00-0af7651916cd43dd8448eb211c80319c-0000000000000001-01");
/// assert!("00-0-0-0".parse::<TraceParent>().is_err());
/// # Ok::<(), hotcell_cell::TraceParentError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceParent {
    trace: u128,
    span: u64,
    flags: u8,
}

impl TraceParent {
    /// Another span of the same trace. Its number must not be 0, which stands for none; 1 is taken instead.
    #[must_use]
    pub fn child(self, span: u64) -> Self {
        Self {
            span: span.max(1),
            ..self
        }
    }

    /// The span.
    pub fn span(self) -> u64 {
        self.span
    }
}

/// A text is no `traceparent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a traceparent has the form 00-<32 hex digits>-<16 hex digits>-<2 hex digits>, in lower case, and no number in it is 0"
)]
pub struct TraceParentError;

impl FromStr for TraceParent {
    type Err = TraceParentError;

    fn from_str(text: &str) -> Result<Self, TraceParentError> {
        parse(text).ok_or(TraceParentError)
    }
}

fn parse(text: &str) -> Option<TraceParent> {
    let mut parts = text.split('-');
    let version = hex(parts.next()?, 2).filter(|version| *version != 0xff)?;
    let trace = hex(parts.next()?, 32).filter(|trace| *trace != 0)?;
    let span = hex(parts.next()?, 16).filter(|span| *span != 0)?;
    let flags = hex(parts.next()?, 2)?;
    // Later versions may say more; this one does not.
    if version == 0 && parts.next().is_some() {
        return None;
    }
    Some(TraceParent {
        trace,
        span: u64::try_from(span).ok()?,
        flags: u8::try_from(flags).ok()?,
    })
}

/// A number of so many digits, in lower case.
fn hex(part: &str, digits: usize) -> Option<u128> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_one = part.len() == digits && part.bytes().all(is_digit);
    is_one.then(|| u128::from_str_radix(part, 16).ok())?
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { trace, span, flags } = self;
        write!(f, "00-{trace:032x}-{span:016x}-{flags:02x}")
    }
}
