//! What a descriptor is, and how it behaves.

use hotcell_vfs::Metadata;

use crate::{
    abi::{Errno, FdFlags, FdStat, Rights, SetTimes, Version, errno_of, fdstat, filestat, prestat},
    ending::Answer,
    fds::{Descriptor, Place, Target},
    files::Files,
    guest::Guest,
    memory::Memory,
};

pub(super) fn fd_fdstat_get(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    fd: u32,
    out: u32,
) -> Answer {
    let descriptor = guest.fds.get(fd)?;
    let stat = FdStat {
        kind: descriptor.kind(),
        flags: descriptor.flags,
        rights: descriptor.rights,
        inheriting: descriptor.inheriting,
    };
    memory.write(out, &fdstat(&stat))?;
    Ok(())
}

pub(super) fn fd_fdstat_set_flags(
    guest: &mut Guest,
    _memory: &mut Memory<'_>,
    fd: u32,
    flags: u32,
) -> Answer {
    guest.fds.with(fd, Rights::FD_FDSTAT_SET_FLAGS)?;
    guest.fds.get_mut(fd)?.flags = FdFlags::from_bits(flags)?;
    Ok(())
}

/// Rights can be given up, and never got back.
pub(super) fn fd_fdstat_set_rights(
    guest: &mut Guest,
    _memory: &mut Memory<'_>,
    fd: u32,
    base: u64,
    inheriting: u64,
) -> Answer {
    let descriptor = guest.fds.get_mut(fd)?;
    let (base, inheriting) = (Rights::from_bits(base), Rights::from_bits(inheriting));
    if !descriptor.rights.has(base) || !descriptor.inheriting.has(inheriting) {
        return Err(Errno::Notcapable.into());
    }
    descriptor.rights = base;
    descriptor.inheriting = inheriting;
    Ok(())
}

pub(super) fn fd_filestat_get(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    version: Version,
    fd: u32,
    out: u32,
) -> Answer {
    let descriptor = guest.fds.with(fd, Rights::FD_FILESTAT_GET)?;
    let metadata = metadata(&guest.files, descriptor)?;
    memory.write(out, &filestat(&metadata, version))?;
    Ok(())
}

fn metadata(files: &Files, descriptor: &Descriptor) -> Result<Metadata, Errno> {
    match &descriptor.target {
        Target::Stream(stream) => stream.metadata().map_err(|error| errno_of(&error)),
        Target::Directory(directory) => match &directory.place {
            Place::Opened { file, .. } => Ok(file.stat()?),
            Place::Root | Place::Here => Ok(files.vfs.stat(&files.path_of(directory)?)?),
        },
    }
}

pub(super) fn fd_filestat_set_size(
    guest: &mut Guest,
    _memory: &mut Memory<'_>,
    fd: u32,
    size: u64,
) -> Answer {
    let descriptor = guest.fds.get(fd)?;
    let stream = descriptor.stream()?;
    if !descriptor.rights.has(Rights::FD_FILESTAT_SET_SIZE) {
        // As on Linux, also for what was opened to be read.
        return Err(Errno::Inval.into());
    }
    let file = stream.file().ok_or(Errno::Inval)?;
    i64::try_from(size).map_err(|_| Errno::Inval)?;
    file.truncate(size)?;
    Ok(())
}

pub(super) fn fd_filestat_set_times(
    guest: &mut Guest,
    _memory: &mut Memory<'_>,
    fd: u32,
    accessed: u64,
    modified: u64,
    flags: u32,
) -> Answer {
    let descriptor = guest.fds.with(fd, Rights::FD_FILESTAT_SET_TIMES)?;
    let times = SetTimes {
        accessed,
        modified,
        flags,
    };
    let times = times.times()?;
    match &descriptor.target {
        Target::Stream(stream) => match stream.file() {
            Some(file) => file.set_times(times)?,
            None => return Err(Errno::Badf.into()),
        },
        Target::Directory(directory) => {
            let path = guest.files.path_of(directory)?;
            guest.files.vfs.set_times(&path, times, true)?;
        }
    }
    Ok(())
}

/// The name of a directory that the program has from the beginning. Libraries ask for one after the other until there is none.
fn first_name(guest: &Guest, fd: u32) -> Result<&'static str, Errno> {
    match &guest.fds.get(fd)?.target {
        Target::Directory(directory) => directory.place.name().ok_or(Errno::Badf),
        Target::Stream(_) => Err(Errno::Badf),
    }
}

pub(super) fn fd_prestat_get(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    fd: u32,
    out: u32,
) -> Answer {
    let name = first_name(guest, fd)?;
    memory.write(out, &prestat(name.len()))?;
    Ok(())
}

pub(super) fn fd_prestat_dir_name(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    fd: u32,
    buffer: u32,
    length: u32,
) -> Answer {
    let name = first_name(guest, fd)?;
    if (length as usize) < name.len() {
        return Err(Errno::Nametoolong.into());
    }
    memory.write(buffer, name.as_bytes())?;
    Ok(())
}
