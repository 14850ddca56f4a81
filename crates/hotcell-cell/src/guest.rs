//! The guest as the host knows it: names, numbers and places that `guest/c` defines.

#[cfg(test)]
mod shared;

use wasmtime::{Instance, Memory, Module, ModuleExport, Store, TypedFunc};

use crate::{
    error::CellError,
    host::Host,
    options::{Clock, Level, Random, SourceKind, Timers},
};

/// Size of the guest's inbox, `HC_INBOX_SIZE`.
pub(crate) const INBOX_SIZE: usize = 16384;

/// What `evaluate` and `resume` return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Done,
    Waiting,
    Stalled,
    StoppedForOperations,
    StoppedByInterrupt,
    StoppedByFinalAnswer,
    /// What a timer's callback threw, which nobody can catch.
    StoppedByUncaught,
}

impl Status {
    pub(crate) fn from_guest(status: i32) -> Result<Self, CellError> {
        Ok(match status {
            0 => Self::Done,
            1 => Self::Waiting,
            2 => Self::Stalled,
            4 => Self::StoppedForOperations,
            // 3 says that there was no memory to go on with, not even to say so.
            3 | 5 => Self::StoppedByInterrupt,
            6 => Self::StoppedByFinalAnswer,
            7 => Self::StoppedByUncaught,
            _ => return Err(CellError::Broken(format!("unknown status {status}"))),
        })
    }
}

/// Kinds of `emit`.
pub(crate) mod emit {
    pub(crate) const RESULT: i32 = 0;
    pub(crate) const EXCEPTION: i32 = 1;
    pub(crate) const UNCLONEABLE: i32 = 2;
    pub(crate) const FINAL: i32 = 3;
    pub(crate) const LOG: i32 = 4;
    pub(crate) const REJECTION: i32 = 5;
    pub(crate) const PLACE: i32 = 6;
}

/// First byte of an answer.
pub(crate) mod answer {
    pub(crate) const VALUE: u8 = 0;
    pub(crate) const ERROR: u8 = 1;
    pub(crate) const STOP: u8 = 2;
}

/// Flags of an emitted exception.
pub(crate) mod exception {
    pub(crate) const FROM_TOOL: u8 = 1;
    pub(crate) const AT_COMPILE: u8 = 2;
}

/// Beside the number of a tool's kind: a program may declare its name.
pub(crate) const SHADOWABLE: u8 = 0x80;

/// `struct HcPolicy`: where its fields are, and what stands there.
pub(crate) mod policy {
    pub(crate) const CLOCK: usize = 0;
    pub(crate) const RANDOM: usize = 4;
    pub(crate) const FIXED_TIME: usize = 8;
    pub(crate) const SEED: usize = 16;
    pub(crate) const COUNTS_LOOPS: usize = 24;
    pub(crate) const TIMERS: usize = 32;
    pub(crate) const TIMER_TIME: usize = 40;
    pub(crate) const TIMER_DUE: usize = 48;
    pub(crate) const SIZE: usize = 56;
}

/// The number of a policy of the clock.
pub(crate) fn clock_number(clock: Clock) -> u32 {
    match clock {
        Clock::Off => 0,
        Clock::Real => 1,
        Clock::Fixed(_) => 2,
    }
}

/// The number of a policy of chance.
pub(crate) fn random_number(random: Random) -> u32 {
    match random {
        Random::Off => 0,
        Random::Real => 1,
        Random::Seeded(_) => 2,
    }
}

/// The number of a policy of timers.
pub(crate) fn timers_number(timers: Timers) -> u64 {
    match timers {
        Timers::Off => 0,
        Timers::On => 1,
        Timers::Persistent => 2,
    }
}

/// The kind of source with this number.
pub(crate) fn source_kind(number: i32) -> Option<SourceKind> {
    Some(match number {
        0 => SourceKind::DirectEval,
        1 => SourceKind::IndirectEval,
        2 => SourceKind::Function,
        3 => SourceKind::GeneratorFunction,
        4 => SourceKind::AsyncFunction,
        5 => SourceKind::AsyncGeneratorFunction,
        _ => return None,
    })
}

/// The level with this number.
pub(crate) fn level(number: u8) -> Option<Level> {
    Level::ALL.get(usize::from(number)).copied()
}

/// Where things are in every cell's memory.
pub(crate) mod place {
    use hotcell_image::LAYOUT;

    use super::INBOX_SIZE;
    use crate::memory::PAGE;

    /// The inbox.
    pub(crate) const INBOX: usize = LAYOUT.inbox as usize;
    /// `int64_t`: iterations left.
    pub(crate) const OPERATIONS_LEFT: usize = LAYOUT.operations_left as usize;
    /// `int32_t`: polls that the engine skips before it asks whether the run is to end.
    pub(crate) const POLL_COUNTDOWN: usize = LAYOUT.poll_countdown as usize;
    /// `struct HcPolicy`.
    pub(crate) const POLICY: usize = LAYOUT.policy as usize;
    /// The stack is everything below.
    pub(crate) const STACK_TOP: usize = LAYOUT.stack_top as usize;
    /// Size of the memory that a cell begins with. It never gets smaller.
    pub(crate) const INITIAL_MEMORY: usize = LAYOUT.memory_size as usize;

    const _: () = assert!(INBOX + INBOX_SIZE <= INITIAL_MEMORY);
    const _: () = assert!(OPERATIONS_LEFT + 8 <= INITIAL_MEMORY);
    const _: () = assert!(POLL_COUNTDOWN + 4 <= INITIAL_MEMORY);
    const _: () = assert!(POLICY + super::policy::SIZE <= INITIAL_MEMORY);
    const _: () = assert!(STACK_TOP <= INITIAL_MEMORY && STACK_TOP.is_multiple_of(PAGE));
}

/// The exports of the module, looked up once.
pub(crate) struct Exports {
    memory: ModuleExport,
    evaluate: ModuleExport,
    resume: ModuleExport,
    abandon: ModuleExport,
    define: ModuleExport,
}

impl Exports {
    pub(crate) fn of(module: &Module) -> Option<Self> {
        Some(Self {
            memory: module.get_export_index("memory")?,
            evaluate: module.get_export_index("evaluate")?,
            resume: module.get_export_index("resume")?,
            abandon: module.get_export_index("abandon")?,
            define: module.get_export_index("define")?,
        })
    }

    pub(crate) fn bind(&self, store: &mut Store<Host>, instance: Instance) -> Option<Guest> {
        let mut function = |export| instance.get_module_export(&mut *store, export)?.into_func();
        let evaluate = function(&self.evaluate)?;
        let resume = function(&self.resume)?;
        let abandon = function(&self.abandon)?;
        let define = function(&self.define)?;
        Some(Guest {
            memory: instance
                .get_module_export(&mut *store, &self.memory)?
                .into_memory()?,
            evaluate: evaluate.typed(&*store).ok()?,
            resume: resume.typed(&*store).ok()?,
            abandon: abandon.typed(&*store).ok()?,
            define: define.typed(&*store).ok()?,
        })
    }
}

/// The entry points of one cell.
pub(crate) struct Guest {
    pub(crate) memory: Memory,
    pub(crate) evaluate: TypedFunc<i32, i32>,
    pub(crate) resume: TypedFunc<(), i32>,
    pub(crate) abandon: TypedFunc<(), i32>,
    pub(crate) define: TypedFunc<i32, i32>,
}
