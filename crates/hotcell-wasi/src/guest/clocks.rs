//! What time it is, for a program.

use std::time::Instant;

use hotcell_vfs::Timestamp;

use crate::{abi, mailbox::Mailbox, options::WasiClock};

pub(crate) struct Clocks {
    policy: WasiClock,
    kernel: hotcell_vfs::Clock,
    began: Instant,
    mailbox: Mailbox,
}

impl Clocks {
    pub(crate) fn new(policy: WasiClock, kernel: &hotcell_vfs::Clock, mailbox: &Mailbox) -> Self {
        Self {
            policy,
            kernel: kernel.clone(),
            began: Instant::now(),
            mailbox: mailbox.clone(),
        }
    }

    /// Nanoseconds that a clock shows.
    pub(crate) fn now(&self, clock: abi::Clock) -> u64 {
        let since = |time: Timestamp| u64::try_from(time.as_nanos()).unwrap_or(0);
        match (self.policy, clock) {
            (WasiClock::Fixed(time), _) => since(time),
            (WasiClock::Kernel, abi::Clock::Realtime) => since(self.kernel.now()),
            (WasiClock::Kernel, abi::Clock::Monotonic) => nanoseconds(self.began.elapsed()),
            (WasiClock::Kernel, abi::Clock::Computing) => nanoseconds(self.mailbox.computed()),
        }
    }
}

fn nanoseconds(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
