//! Arguments and environment.

use bstr::BString;

use crate::{abi::Errno, ending::Answer, guest::Guest, memory::Memory};

pub(super) fn args_get(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    argv: u32,
    buffer: u32,
) -> Answer {
    put(&guest.args, memory, argv, buffer)
}

pub(super) fn args_sizes_get(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    count: u32,
    size: u32,
) -> Answer {
    put_sizes(&guest.args, memory, count, size)
}

pub(super) fn environ_get(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    environ: u32,
    buffer: u32,
) -> Answer {
    put(&guest.environment, memory, environ, buffer)
}

pub(super) fn environ_sizes_get(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    count: u32,
    size: u32,
) -> Answer {
    put_sizes(&guest.environment, memory, count, size)
}

/// Writes texts one after the other, each with a final NUL, and the list of their addresses.
fn put(texts: &[BString], memory: &mut Memory<'_>, mut list: u32, mut at: u32) -> Answer {
    for text in texts {
        memory.write_u32(list, at)?;
        // A NUL within would end the text for the program, as it does for `execve`.
        let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
        memory.write(at, text)?;
        let length = u32::try_from(text.len()).map_err(|_| Errno::Overflow)?;
        at = at.checked_add(length).ok_or(Errno::Fault)?;
        memory.write(at, &[0])?;
        at = at.checked_add(1).ok_or(Errno::Fault)?;
        list = list.checked_add(4).ok_or(Errno::Fault)?;
    }
    Ok(())
}

fn put_sizes(texts: &[BString], memory: &mut Memory<'_>, count: u32, size: u32) -> Answer {
    let bytes: usize = texts.iter().map(|text| text.len() + 1).sum();
    memory.write_size(count, texts.len())?;
    memory.write_size(size, bytes)?;
    Ok(())
}
