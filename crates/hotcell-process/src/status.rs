//! How a process ended, and which one it was.

use std::fmt;

use crate::signal::Signal;

/// The number of a process. Numbers are not used again within one kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pid(pub u32);

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It returned this code, or called [`exit`](crate::Process::exit).
    Exited(u8),
    /// A signal ended it.
    Signaled(Signal),
}

impl Status {
    /// Success.
    pub const SUCCESS: Self = Self::Exited(0);

    /// The number that a shell shows: the code, or 128 and the signal's number.
    pub fn code(self) -> i32 {
        match self {
            Self::Exited(code) => i32::from(code),
            Self::Signaled(signal) => 128 + signal.number(),
        }
    }

    /// Whether it is code 0.
    pub fn is_success(self) -> bool {
        self == Self::SUCCESS
    }

    /// The status of a program that returned `code`, of which the low eight bits count.
    #[expect(clippy::cast_sign_loss, reason = "as exit(3) does")]
    pub fn from_code(code: i32) -> Self {
        Self::Exited((code & 0xff) as u8)
    }
}
