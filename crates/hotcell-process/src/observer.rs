//! Who hears of what is decided while processes run.
//!
//! A limit that is met, and something that is refused, is known for certain where that is decided, and nowhere else: what a
//! program prints about it may be anything. So whoever decides says so, with [`Process::notice`](crate::Process::notice), and
//! an [`Observer`] hears it at once.

use std::fmt;

/// Hears of decisions while processes run. It is called on the thread that runs them, never under a lock, and must not block.
pub trait Observer: Send + Sync {
    /// Something was decided.
    fn notice(&self, notice: Notice);
}

/// Something that was decided while processes ran.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// Something was refused because nobody allowed it.
    Denied(Denial),
    /// There was no more of something.
    Limit(LimitKind),
    /// A request went out to the network, and what came of it.
    Network(Exchange),
}

/// What was refused, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// What kind of thing it is.
    pub capability: Capability,
    /// Which one: the name of a program, the address of a request.
    pub subject: String,
    /// Why, in words for whoever reads the record.
    pub reason: String,
}

/// What has to be allowed before it can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Capability {
    /// A program.
    Program,
    /// The network.
    Network,
}

impl Capability {
    /// Its name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Network => "network",
        }
    }
}

/// One request to the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// `GET`, say.
    pub method: String,
    /// Where it went, without what is secret of it.
    pub url: String,
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
    /// Bytes of content that were sent.
    pub sent: u64,
    /// Bytes of content that were received.
    pub received: u64,
}

/// What there is only so much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LimitKind {
    /// The length of a command.
    Command,
    /// What a command prints.
    Output,
    /// Files, and what is in them.
    Files,
    /// What processes hold.
    Memory,
    /// Processes at once.
    Processes,
    /// Open streams of a process.
    Descriptors,
    /// How deep commands call each other.
    Recursion,
    /// Time on the clock.
    Time,
    /// Time that was computed.
    CpuTime,
}

impl LimitKind {
    /// Its name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Output => "output",
            Self::Files => "files",
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::Descriptors => "descriptors",
            Self::Recursion => "recursion",
            Self::Time => "time",
            Self::CpuTime => "cpuTime",
        }
    }
}

impl fmt::Display for LimitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
