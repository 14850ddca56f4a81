//! Clocks.

use crate::{abi::Clock, ending::Answer, guest::Guest, memory::Memory};

pub(super) fn clock_res_get(
    _guest: &mut Guest,
    memory: &mut Memory<'_>,
    clock: u32,
    out: u32,
) -> Answer {
    Clock::from_number(clock)?;
    memory.write_u64(out, 1)?;
    Ok(())
}

/// The precision that a program can do with is of no interest: clocks are as good as they are.
pub(super) fn clock_time_get(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    clock: u32,
    _precision: u64,
    out: u32,
) -> Answer {
    let now = guest.clocks.now(Clock::from_number(clock)?);
    memory.write_u64(out, now)?;
    Ok(())
}
