//! Closing, renumbering, and what files promise to do soon.

use crate::{
    abi::{Errno, Rights},
    ending::Answer,
    fds::Target,
    guest::Guest,
    memory::Memory,
};

/// The numbers of advice: normal, sequential, random, will need, don't need, no reuse.
const LAST_ADVICE: u32 = 5;

/// Files are in memory, or the host's system knows better: advice is checked, and that is all it is for.
pub(super) fn fd_advise(
    guest: &mut Guest,
    _memory: &mut Memory<'_>,
    fd: u32,
    offset: u64,
    length: u64,
    advice: u32,
) -> Answer {
    let descriptor = guest.fds.with(fd, Rights::FD_ADVISE)?;
    if advice > LAST_ADVICE || offset.checked_add(length).is_none() {
        return Err(Errno::Inval.into());
    }
    if let Target::Stream(_) = descriptor.target {
        descriptor.file()?;
    }
    Ok(())
}

/// Makes a file at least so long.
pub(super) fn fd_allocate(
    guest: &mut Guest,
    _memory: &mut Memory<'_>,
    fd: u32,
    offset: u64,
    length: u64,
) -> Answer {
    let descriptor = guest.fds.with(fd, Rights::FD_ALLOCATE)?;
    let end = offset.checked_add(length).filter(|_| length > 0);
    let end = end.ok_or(Errno::Inval)?;
    let file = descriptor.file()?;
    if file.stat()?.size < end {
        file.truncate(end)?;
    }
    Ok(())
}

pub(super) fn fd_close(guest: &mut Guest, _memory: &mut Memory<'_>, fd: u32) -> Answer {
    // Dropped here, where nothing is borrowed: closing the end of a pipe wakes others.
    drop(guest.fds.close(fd)?);
    Ok(())
}

pub(super) fn fd_datasync(guest: &mut Guest, _memory: &mut Memory<'_>, fd: u32) -> Answer {
    sync(guest, fd, Rights::FD_DATASYNC)
}

pub(super) fn fd_sync(guest: &mut Guest, _memory: &mut Memory<'_>, fd: u32) -> Answer {
    sync(guest, fd, Rights::FD_SYNC)
}

fn sync(guest: &Guest, fd: u32, right: Rights) -> Answer {
    match &guest.fds.with(fd, right)?.target {
        Target::Stream(stream) => match stream.file() {
            Some(file) => file.sync()?,
            // As on Linux, where a pipe cannot be synchronised.
            None => return Err(Errno::Inval.into()),
        },
        Target::Directory(_) => {}
    }
    Ok(())
}

pub(super) fn fd_renumber(
    guest: &mut Guest,
    _memory: &mut Memory<'_>,
    from: u32,
    to: u32,
) -> Answer {
    guest.fds.renumber(from, to)?;
    Ok(())
}
