//! What a sandbox and its worker say to each other, as JSON. Bytes go beside it.

use std::time::Duration;

use hotcell_cell::Random;
use hotcell_shell::CommandKind;
use hotcell_vfs::{Clock, Timestamp};
use hotcell_wasi::Installed;
use serde::{Deserialize, Serialize};

use crate::{limits::Limits, options::SandboxOptions};

/// The name that the worker's side has among the services of a program.
pub(super) const SERVICE: &str = "sandbox";

/// A command. Beside it: its text, the shell as JSON, and, with settings, the names of programs that are allowed and of those
/// that stay outside.
#[derive(Serialize, Deserialize)]
pub(super) struct Order {
    /// How long the text is.
    pub(super) text: usize,
    /// Where the text is from.
    pub(super) kind: CommandKind,
    /// How long the shell is. The worker goes on with the one it has if there is none.
    pub(super) shell: Option<usize>,
    /// With the first command of a worker.
    pub(super) settings: Option<Settings>,
    /// What is left of its time, in nanoseconds.
    pub(super) time_left: Option<u64>,
    pub(super) stdin: Kind,
    /// Of standard output and standard error: what the host has given. What it has not given is kept by it.
    pub(super) given: [Option<Kind>; 2],
}

/// What a program learns of a stream of the host's.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct Kind {
    pub(super) is_device: bool,
    pub(super) is_terminal: bool,
}

/// What does not change while a sandbox lives.
#[derive(Serialize, Deserialize)]
pub(super) struct Settings {
    processes: usize,
    descriptors: usize,
    recursion: usize,
    pub(super) output: usize,
    pub(super) memory: usize,
    cpu_nanos: u64,
    clock: WireClock,
    random: WireRandom,
    /// How many programs are allowed, if not all.
    pub(super) allowed: Option<usize>,
    /// How long their names are.
    pub(super) allowed_bytes: usize,
    pub(super) has_network: bool,
    /// What there is to know of installed programs, and what their code is sealed with.
    pub(super) programs: Vec<String>,
    pub(super) seal: [u8; 32],
    /// What is said of programs that are not there.
    pub(super) advice: String,
}

#[derive(Serialize, Deserialize)]
enum WireClock {
    None,
    Fixed(i64),
    /// Whoever wants to know asks the host.
    Asked,
}

#[derive(Serialize, Deserialize)]
enum WireRandom {
    Off,
    Real,
    Seeded(u64),
}

impl Settings {
    pub(super) fn of(options: &SandboxOptions, allowed_bytes: usize, seal: [u8; 32]) -> Self {
        let limits = &options.limits;
        Self {
            processes: limits.processes,
            descriptors: limits.descriptors,
            recursion: limits.recursion,
            output: limits.output_bytes,
            memory: limits.memory,
            cpu_nanos: nanos(limits.cpu_time),
            clock: match &options.clock {
                Clock::None => WireClock::None,
                Clock::Fixed(time) => WireClock::Fixed(time.as_nanos()),
                Clock::Source(_) => WireClock::Asked,
            },
            random: match options.random {
                Random::Off => WireRandom::Off,
                Random::Real => WireRandom::Real,
                Random::Seeded(seed) => WireRandom::Seeded(seed),
            },
            allowed: options.allowed.as_ref().map(|allowed| allowed.len()),
            allowed_bytes,
            has_network: options.network.is_some(),
            programs: options
                .installed
                .iter()
                .map(Installed::description)
                .collect(),
            seal,
            advice: options.advice.to_string(),
        }
    }

    pub(super) fn limits(&self) -> Limits {
        Limits {
            processes: self.processes,
            descriptors: self.descriptors,
            recursion: self.recursion,
            output_bytes: self.output,
            memory: self.memory,
            cpu_time: Duration::from_nanos(self.cpu_nanos),
            ..Limits::default()
        }
    }

    pub(super) fn random(&self) -> Random {
        match self.random {
            WireRandom::Off => Random::Off,
            WireRandom::Real => Random::Real,
            WireRandom::Seeded(seed) => Random::Seeded(seed),
        }
    }

    /// The clock; `ask` asks the host.
    pub(super) fn clock(&self, ask: impl Fn() -> Timestamp + Send + Sync + 'static) -> Clock {
        match self.clock {
            WireClock::None => Clock::None,
            WireClock::Fixed(nanos) => Clock::Fixed(Timestamp::from_nanos(nanos)),
            WireClock::Asked => Clock::from_fn(ask),
        }
    }
}

/// What came of a command. Beside it the shell as JSON, if the command has left one.
#[derive(Serialize, Deserialize)]
pub(super) struct Outcome {
    pub(super) op: Done,
    pub(super) code: i32,
    pub(super) stop: Option<Stop>,
    pub(super) cpu_nanos: u64,
    pub(super) peak: usize,
    pub(super) has_shell: bool,
}

/// What every last word of a command begins with.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Done {
    Done,
}

/// Why it did not end by itself.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Stop {
    Deadline,
    Cancelled,
    CpuTime,
}

/// What a command needs of the host.
#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "camelCase")]
pub(super) enum Request {
    /// The time.
    Now,
    /// Whether reading would not have to wait.
    IsReady,
    /// Some bytes of standard input, up to and including `until`.
    Read {
        id: u64,
        most: usize,
        until: Option<u8>,
    },
    /// To hear when there is something to read.
    Readable { id: u64 },
    /// To write to a stream that the host has given.
    Write { id: u64, stream: usize },
    /// To begin a program that stays outside. Beside it its name, its arguments, its directory and its environment.
    Program { args: usize, umask: u32 },
    /// What a program outside wants next; input for it beside that.
    Step { id: u64, program: u64, eof: bool },
    /// Nobody waits for a program any more.
    End { program: u64 },
    /// The code of an installed program.
    Module { id: u64, program: usize },
    /// Something was decided.
    Notice { notice: WireNotice },
}

/// How a program outside goes on. Beside it what it prints.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Step {
    /// How much of it is for standard output; the rest is for standard error.
    pub(super) stdout: usize,
    /// Whether it waits for input.
    pub(super) wants: bool,
    /// Its exit code, when it has ended.
    pub(super) code: Option<i32>,
}

/// As [`hotcell_process::Notice`].
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum WireNotice {
    Denied {
        is_network: bool,
        subject: String,
        reason: String,
    },
    Limit(String),
}

pub(super) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
