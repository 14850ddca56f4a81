//! How a program ends, and how a host function can.

use std::fmt;

use hotcell_process::Signal;
use wasmtime::Trap;

use crate::abi::Errno;

/// Ends a program from within a host function: its frames are unwound, and whoever runs it finds this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It said so.
    Exit(u32),
    /// It sent itself a signal, or wrote to a pipe that nobody reads.
    Signal(Signal),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit with code {code}"),
            Self::Signal(signal) => write!(f, "SIG{}", signal.name()),
        }
    }
}

impl std::error::Error for Ending {}

/// Why a host function has no result.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The program gets this code.
    Errno(Errno),
    /// The program ends.
    End(Ending),
}

impl<E: Into<Errno>> From<E> for Fault {
    fn from(error: E) -> Self {
        Self::Errno(error.into())
    }
}

impl From<Ending> for Fault {
    fn from(ending: Ending) -> Self {
        Self::End(ending)
    }
}

/// What a host function comes to.
pub(crate) type Answer<T = ()> = Result<T, Fault>;

/// What the program gets for it: a code, or its end.
#[expect(clippy::needless_pass_by_value, reason = "an answer is for once")]
pub(crate) fn code_of(answer: Answer) -> wasmtime::Result<u32> {
    match answer {
        Ok(()) => Ok(0),
        Err(Fault::Errno(errno)) => Ok(u32::from(errno.code())),
        Err(Fault::End(ending)) => Err(wasmtime::Error::new(ending)),
    }
}

/// How a program came to its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// With a code.
    Exited(u32),
    /// By a signal of its own.
    Signaled(Signal),
    /// By a fault: the signal that a real process would have got for it, and what to say.
    Trapped(Signal, String),
}

impl Ended {
    /// What the result of the program's main function means. `refused` is the memory that it did not get, if any.
    pub(crate) fn of(result: Result<(), wasmtime::Error>, refused: Option<Refused>) -> Self {
        let error = match result {
            Ok(()) => return Self::Exited(0),
            Err(error) => error,
        };
        match error.downcast_ref::<Ending>() {
            Some(Ending::Exit(code)) => return Self::Exited(*code),
            Some(Ending::Signal(signal)) => return Self::Signaled(*signal),
            None => {}
        }
        let trap = error.downcast_ref::<Trap>().copied();
        if let Some(refused) = refused
            && trap.is_none_or(|trap| trap == Trap::UnreachableCodeReached)
        {
            // It gave up when there was no more.
            return Self::Trapped(Signal::KILL, refused.to_string());
        }
        match trap {
            Some(trap) => {
                let (signal, text) = told(trap);
                Self::Trapped(signal, text.to_owned())
            }
            // Nothing in a program leads here that is not a trap: the machine could not give it a stack, say.
            None => Self::Trapped(Signal::ABRT, format!("cannot run: {error}")),
        }
    }
}

/// The signal for a trap, and what happened, in words.
fn told(trap: Trap) -> (Signal, &'static str) {
    match trap {
        Trap::UnreachableCodeReached => (
            Signal::ABRT,
            "aborted (the program executed `unreachable`: abort(), a failed assertion, or a panic)",
        ),
        Trap::IntegerDivisionByZero => (Signal::FPE, "integer division by zero"),
        Trap::IntegerOverflow => (Signal::FPE, "integer overflow in a division"),
        Trap::BadConversionToInteger => (
            Signal::FPE,
            "a floating-point number does not fit the integer that it is converted to",
        ),
        Trap::StackOverflow => (Signal::SEGV, "stack overflow (too deep a recursion)"),
        Trap::MemoryOutOfBounds => (Signal::SEGV, "access outside of its memory"),
        Trap::TableOutOfBounds | Trap::IndirectCallToNull | Trap::BadSignature => (
            Signal::SEGV,
            "call of a function pointer that is null or has another type",
        ),
        _ => (Signal::ABRT, "aborted by a trap"),
    }
}

/// Memory that a program wanted and did not get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refused {
    /// How much it would have had.
    pub(crate) wanted: usize,
    /// The limit that stood in the way, and its name.
    pub(crate) limit: usize,
    pub(crate) name: &'static str,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            wanted,
            limit,
            name,
        } = self;
        write!(
            f,
            "out of memory: it wanted {wanted} bytes in all, and the {name} limit is {limit}"
        )
    }
}
