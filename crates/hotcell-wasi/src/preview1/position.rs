//! Where in a file a descriptor is.

use std::io::SeekFrom;

use crate::{
    abi::{Errno, Rights, Version, errno_of},
    ending::Answer,
    guest::Guest,
    memory::Memory,
};

pub(super) fn fd_seek(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    version: Version,
    (fd, offset, whence): (u32, i64, u32),
    out: u32,
) -> Answer {
    let descriptor = guest.fds.get(fd)?;
    let stream = descriptor.stream()?;
    if !descriptor.rights.has(Rights::FD_SEEK) {
        // A pipe has never had the right.
        descriptor.file()?;
        return Err(Errno::Notcapable.into());
    }
    let to = match (version, whence) {
        (Version::One, 0) | (Version::Zero, 2) => {
            SeekFrom::Start(u64::try_from(offset).map_err(|_| Errno::Inval)?)
        }
        (Version::One, 1) | (Version::Zero, 0) => SeekFrom::Current(offset),
        (Version::One, 2) | (Version::Zero, 1) => SeekFrom::End(offset),
        _ => return Err(Errno::Inval.into()),
    };
    memory.check(out, 8)?;
    let position = stream.seek(to).map_err(|error| errno_of(&error))?;
    memory.write_u64(out, position)?;
    Ok(())
}

pub(super) fn fd_tell(guest: &mut Guest, memory: &mut Memory<'_>, fd: u32, out: u32) -> Answer {
    let descriptor = guest.fds.get(fd)?;
    let stream = descriptor.stream()?;
    if !descriptor.rights.has(Rights::FD_TELL) {
        descriptor.file()?;
        return Err(Errno::Notcapable.into());
    }
    let position = stream
        .seek(SeekFrom::Current(0))
        .map_err(|error| errno_of(&error))?;
    memory.write_u64(out, position)?;
    Ok(())
}
