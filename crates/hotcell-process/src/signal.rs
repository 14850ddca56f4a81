//! Signals, as far as processes that are not an operating system's need them.

/// A signal, by its number on Linux.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal(u8);

macro_rules! signals {
    ($($name:ident = $number:literal;)*) => {
        /// All that have names, in the order of their numbers.
        const NAMES: &[(&str, u8)] = &[$((stringify!($name), $number)),*];

        impl Signal {
            $(#[doc = concat!("SIG", stringify!($name))] pub const $name: Self = Self($number);)*
        }
    };
}

signals! {
    HUP = 1; INT = 2; QUIT = 3; ILL = 4; TRAP = 5; ABRT = 6; BUS = 7; FPE = 8; KILL = 9; USR1 = 10; SEGV = 11; USR2 = 12;
    PIPE = 13; ALRM = 14; TERM = 15; STKFLT = 16; CHLD = 17; CONT = 18; STOP = 19; TSTP = 20; TTIN = 21; TTOU = 22;
    URG = 23; XCPU = 24; XFSZ = 25; VTALRM = 26; PROF = 27; WINCH = 28; IO = 29; PWR = 30; SYS = 31;
}

impl Signal {
    /// The signal with this number.
    pub fn from_number(number: i32) -> Option<Self> {
        let number = u8::try_from(number).ok()?;
        (1..=31).contains(&number).then_some(Self(number))
    }

    /// The signal with this name, in any case, with or without `SIG`.
    pub fn from_name(name: &str) -> Option<Self> {
        let upper = name.to_ascii_uppercase();
        let short = upper.strip_prefix("SIG").unwrap_or(&upper);
        let short = match short {
            "CLD" => "CHLD",
            "POLL" => "IO",
            "IOT" => "ABRT",
            other => other,
        };
        let found = NAMES.iter().find(|(known, _)| *known == short);
        found.map(|(_, number)| Self(*number))
    }

    /// The number on Linux.
    pub fn number(self) -> i32 {
        i32::from(self.0)
    }

    /// The name without `SIG`.
    pub fn name(self) -> &'static str {
        let found = NAMES.iter().find(|(_, number)| *number == self.0);
        found.map_or("", |(name, _)| name)
    }

    /// All signals.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(_, number)| Self(*number))
    }

    /// Whether a process that has said nothing about it ends when it gets it.
    pub(crate) fn is_deadly(self) -> bool {
        !matches!(
            self,
            Self::CHLD
                | Self::CONT
                | Self::URG
                | Self::WINCH
                | Self::STOP
                | Self::TSTP
                | Self::TTIN
                | Self::TTOU
        )
    }

    /// Whether a process may say what becomes of it.
    pub fn can_be_caught(self) -> bool {
        !matches!(self, Self::KILL | Self::STOP)
    }

    pub(crate) fn bit(self) -> u32 {
        1 << self.0
    }
}

/// What becomes of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Disposition {
    /// Mostly the end of the process.
    #[default]
    Default,
    /// Nothing.
    Ignore,
    /// It waits for [`take_caught`](crate::Process::take_caught).
    Catch,
    /// The same, and what the process has called ends at once: it is about to end itself.
    Interrupt,
}
