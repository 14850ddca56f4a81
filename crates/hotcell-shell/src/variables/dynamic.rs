//! Variables that the shell makes up when it is asked for them.

use std::{io::Read, sync::Arc};

use bstr::BString;
use hotcell_process::Process;
use hotcell_vfs::OpenOptions;

use super::{AssociativeArray, IndexedArray, Value};
use crate::{
    settings::Setting,
    shell::{Current, FrameKind, Shell},
};

/// A variable whose value is made when it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dynamic {
    BashAliases,
    BashArgc,
    BashArgv,
    BashArgv0,
    BashCmds,
    BashCommand,
    BashExecutionString,
    BashLineno,
    BashOpts,
    BashPid,
    BashSource,
    BashSubshell,
    DirStack,
    EpochRealtime,
    EpochSeconds,
    FuncName,
    HistCmd,
    LineNo,
    PipeStatus,
    PPid,
    Random,
    Seconds,
    ShellOpts,
    SRandom,
    Underscore,
}

/// What `RANDOM` and `SECONDS` go by.
#[derive(Debug, Clone, Default)]
pub(crate) struct Clocks {
    /// The last number of the generator behind `RANDOM`; none before it was asked or seeded.
    random: Option<u32>,
    last_random: u32,
    /// The subshell that it was seeded in: others get a seed of their own.
    seeded_at: u32,
    /// When `SECONDS` was 0, in seconds.
    epoch: Option<i64>,
}

impl Clocks {
    /// `RANDOM=seed`
    fn seed(&mut self, seed: u32, depth: u32) {
        self.random = Some(seed);
        self.last_random = 0;
        self.seeded_at = depth;
    }

    /// Says when the shell began, for `SECONDS`.
    pub(crate) fn start(&mut self, now: i64) {
        self.epoch = Some(now);
    }

    /// The next number below 32768, by the same generator as in bash: a seed gives the same sequence.
    fn next_random(&mut self) -> u32 {
        loop {
            let seed = next_seed(self.random.unwrap_or_default());
            self.random = Some(seed);
            let number = ((seed >> 16) ^ (seed & 0xffff)) & 0x7fff;
            if number != self.last_random {
                self.last_random = number;
                return number;
            }
        }
    }
}

/// Park and Miller's generator, computed as bash does so that it never overflows.
fn next_seed(seed: u32) -> u32 {
    let seed = if seed == 0 { 123_459_876 } else { seed };
    let (high, low) = (i64::from(seed / 127_773), i64::from(seed % 127_773));
    let next = 16_807 * low - 2_836 * high;
    // In bash this is an `int`, and so wraps for large seeds.
    #[expect(clippy::cast_possible_truncation, reason = "as in C")]
    let next = next as i32;
    if next < 0 {
        next.wrapping_add(0x7fff_ffff).cast_unsigned()
    } else {
        next.cast_unsigned()
    }
}

impl Shell {
    /// What a dynamic variable is now.
    pub(crate) fn dynamic_value(&mut self, process: &Process, dynamic: Dynamic) -> Value {
        match dynamic {
            Dynamic::BashAliases => associative(self.aliases.iter()),
            Dynamic::BashCmds => {
                associative(self.hashed.iter().map(|(name, (path, _))| (name, path)))
            }
            Dynamic::BashArgc | Dynamic::BashArgv => self.arguments_of_calls(dynamic),
            Dynamic::BashArgv0 => Value::Scalar(self.name.clone()),
            Dynamic::BashCommand => match &self.current {
                Some(Current::Simple(command)) => {
                    Value::Scalar(crate::describe::simple_command(command).into())
                }
                Some(Current::Text(text)) => Value::Scalar(text.clone()),
                None => Value::Scalar(BString::default()),
            },
            Dynamic::BashExecutionString => match &self.execution_string {
                Some(text) => Value::Scalar(BString::from(&**text)),
                None => Value::Unset,
            },
            Dynamic::FuncName | Dynamic::BashSource | Dynamic::BashLineno => {
                self.call_stack(dynamic)
            }
            Dynamic::BashOpts => Value::Scalar(self.settings_that_are_on(Setting::SHOPT)),
            Dynamic::ShellOpts => Value::Scalar(self.settings_that_are_on(Setting::SET)),
            Dynamic::BashPid => number(&process.pid()),
            Dynamic::PPid => number(&process.parent()),
            Dynamic::BashSubshell => number(&self.subshell_depth),
            Dynamic::DirStack => {
                let current = BString::from(process.cwd().as_bytes());
                let below = self.directories.iter().cloned();
                indexed(std::iter::once(current).chain(below))
            }
            Dynamic::EpochRealtime => {
                let now = process.now();
                let micros = now.subsec_nanos() / 1000;
                Value::Scalar(format!("{}.{micros:06}", now.seconds()).into())
            }
            Dynamic::EpochSeconds => number(&process.now().seconds()),
            Dynamic::HistCmd => number(&(self.history.len() + 1)),
            Dynamic::LineNo => number(&self.line),
            Dynamic::PipeStatus => indexed(
                self.pipe_status
                    .iter()
                    .map(|status| status.to_string().into()),
            ),
            Dynamic::Random => number(&self.random(process)),
            Dynamic::SRandom => number(&self.entropy(process)),
            Dynamic::Seconds => {
                let now = process.now().seconds();
                let epoch = *self.variables.clocks.epoch.get_or_insert(now);
                number(&now.wrapping_sub(epoch))
            }
            Dynamic::Underscore => Value::Scalar((*self.last_argument).clone()),
        }
    }

    /// An assignment to a dynamic variable: some take it, the others do not care.
    pub(crate) fn set_dynamic(&mut self, process: &Process, dynamic: Dynamic, value: BString) {
        let integer = || {
            let text = std::str::from_utf8(&value).ok();
            text.and_then(|text| text.trim().parse::<i64>().ok())
                .unwrap_or(0)
        };
        match dynamic {
            Dynamic::Random => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "as in C"
                )]
                let seed = integer() as u32;
                self.variables.clocks.seed(seed, self.subshell_depth);
            }
            Dynamic::Seconds => {
                let now = process.now().seconds();
                self.variables.clocks.start(now.wrapping_sub(integer()));
            }
            Dynamic::LineNo => self.line = u32::try_from(integer()).unwrap_or(0),
            Dynamic::BashArgv0 => self.name = value,
            Dynamic::Underscore => self.last_argument = Arc::new(value),
            _ => {}
        }
    }

    fn random(&mut self, process: &Process) -> u32 {
        let depth = self.subshell_depth;
        let clocks = &self.variables.clocks;
        if clocks.random.is_none() || clocks.seeded_at != depth {
            let seed = self.entropy(process);
            self.variables.clocks.seed(seed, depth);
        }
        self.variables.clocks.next_random()
    }

    /// Chance, if the files have a source of it; else what differs between processes and times.
    fn entropy(&mut self, process: &Process) -> u32 {
        let mut bytes = [0; 4];
        let source = process.open("/dev/urandom", &OpenOptions::read());
        let read = source.and_then(|source| process.input(source).read_exact(&mut bytes));
        if read.is_ok() {
            return u32::from_ne_bytes(bytes);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "any bits do"
        )]
        let time = process.now().as_nanos() as u32;
        let last = self.variables.clocks.random.unwrap_or_default();
        next_seed(last ^ time ^ process.pid().0)
    }

    fn settings_that_are_on(&self, all: &[Setting]) -> BString {
        let on = all.iter().filter(|setting| self.has(**setting));
        let mut names: Vec<&str> = on.map(|setting| setting.name()).collect();
        names.sort_unstable();
        names.join(":").into()
    }

    /// The functions and files that are being run, innermost first, as bash lists them.
    fn call_stack(&self, dynamic: Dynamic) -> Value {
        let frames = self.frames.iter().rev();
        match dynamic {
            Dynamic::FuncName => {
                if !self
                    .frames
                    .iter()
                    .any(|frame| frame.kind == FrameKind::Function)
                {
                    return Value::Unset;
                }
                indexed(frames.map(|frame| frame.name.clone()))
            }
            Dynamic::BashSource => indexed(frames.map(|frame| frame.source.clone())),
            _ => indexed(frames.map(|frame| frame.called_from.to_string().into())),
        }
    }

    fn arguments_of_calls(&self, dynamic: Dynamic) -> Value {
        if !self.has(Setting::ExtDebug) {
            return Value::Indexed(Arc::default());
        }
        let frames = self.frames.iter().rev();
        match dynamic {
            Dynamic::BashArgc => {
                indexed(frames.map(|frame| frame.arguments.len().to_string().into()))
            }
            _ => indexed(frames.flat_map(|frame| frame.arguments.iter().rev().cloned())),
        }
    }
}

fn number(number: &impl ToString) -> Value {
    Value::Scalar(number.to_string().into())
}

fn indexed(values: impl Iterator<Item = BString>) -> Value {
    Value::Indexed(Arc::new(values.collect::<IndexedArray>()))
}

fn associative<'a>(entries: impl Iterator<Item = (&'a BString, &'a BString)>) -> Value {
    let mut array = AssociativeArray::default();
    for (key, value) in entries {
        array.set(key.clone(), value.clone());
    }
    Value::Associative(Arc::new(array))
}
