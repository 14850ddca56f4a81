//! What is done to files by their names.

use hotcell_process::named_descriptor;
use hotcell_vfs::{Metadata, VfsPath, VfsPathBuf};

use crate::{
    abi::{Errno, Rights, SetTimes, Version, errno_of, filestat, follows_symlinks},
    ending::Answer,
    guest::Guest,
    memory::Memory,
};

/// The path from the root that a program means.
pub(super) fn locate(
    guest: &Guest,
    memory: &Memory<'_>,
    fd: u32,
    right: Rights,
    (path, length): (u32, u32),
) -> Result<VfsPathBuf, Errno> {
    let path = memory.bytes(path, length)?;
    let descriptor = guest.fds.get(fd)?;
    let directory = descriptor.directory()?;
    descriptor.rights.check(right)?;
    guest.files.locate(directory, path)
}

pub(super) fn path_create_directory(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    fd: u32,
    path: u32,
    length: u32,
) -> Answer {
    let right = Rights::PATH_CREATE_DIRECTORY;
    let path = locate(guest, memory, fd, right, (path, length))?;
    guest.files.vfs.mkdir(&path, 0o777 & !guest.files.umask)?;
    Ok(())
}

pub(super) fn path_filestat_get(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    version: Version,
    (fd, lookup, path, length): (u32, u32, u32, u32),
    out: u32,
) -> Answer {
    let right = Rights::PATH_FILESTAT_GET;
    let path = locate(guest, memory, fd, right, (path, length))?;
    let metadata = metadata(guest, &path, follows_symlinks(lookup)?)?;
    memory.write(out, &filestat(&metadata, version))?;
    Ok(())
}

fn metadata(guest: &Guest, path: &VfsPath, follows: bool) -> Result<Metadata, Errno> {
    if let Some(stream) = named_stream(guest, path) {
        return stream.and_then(|stream| stream.metadata().map_err(|error| errno_of(&error)));
    }
    let vfs = &guest.files.vfs;
    Ok(if follows {
        vfs.stat(path)?
    } else {
        vfs.lstat(path)?
    })
}

/// The stream that a path such as `/dev/stdin` names: the program's own, or one of its process.
pub(super) fn named_stream(
    guest: &Guest,
    path: &VfsPath,
) -> Option<Result<std::sync::Arc<dyn hotcell_process::Stream>, Errno>> {
    let fd = named_descriptor(path)?;
    let own = guest.fds.get(fd).and_then(|known| known.stream());
    Some(match (fd, own, guest.files.inherited.get(fd)) {
        (0..3, Ok(stream), _) | (_, _, Ok(stream)) => Ok(stream.clone()),
        _ => Err(Errno::Noent),
    })
}

#[expect(clippy::too_many_arguments, reason = "the arguments are WASI's")]
pub(super) fn path_filestat_set_times(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    fd: u32,
    lookup: u32,
    path: u32,
    length: u32,
    accessed: u64,
    modified: u64,
    flags: u32,
) -> Answer {
    let right = Rights::PATH_FILESTAT_SET_TIMES;
    let path = locate(guest, memory, fd, right, (path, length))?;
    let times = SetTimes {
        accessed,
        modified,
        flags,
    };
    let follows = follows_symlinks(lookup)?;
    guest.files.vfs.set_times(&path, times.times()?, follows)?;
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "the arguments are WASI's")]
pub(super) fn path_link(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    old_fd: u32,
    lookup: u32,
    old: u32,
    old_length: u32,
    new_fd: u32,
    new: u32,
    new_length: u32,
) -> Answer {
    let (source, target) = (Rights::PATH_LINK_SOURCE, Rights::PATH_LINK_TARGET);
    let mut old = locate(guest, memory, old_fd, source, (old, old_length))?;
    let new = locate(guest, memory, new_fd, target, (new, new_length))?;
    if follows_symlinks(lookup)? {
        old = guest.files.vfs.realpath(&old)?;
    }
    guest.files.vfs.link(&old, &new)?;
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "the arguments are WASI's")]
pub(super) fn path_readlink(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    fd: u32,
    path: u32,
    length: u32,
    buffer: u32,
    buffer_length: u32,
    out: u32,
) -> Answer {
    let path = locate(guest, memory, fd, Rights::PATH_READLINK, (path, length))?;
    let target = guest.files.vfs.readlink(&path)?;
    let target = target.as_bytes();
    let buffer = memory.bytes_mut(buffer, buffer_length)?;
    // What does not fit is cut off, as readlink(2) does.
    let count = target.len().min(buffer.len());
    if let (Some(buffer), Some(target)) = (buffer.get_mut(..count), target.get(..count)) {
        buffer.copy_from_slice(target);
    }
    memory.write_size(out, count)?;
    Ok(())
}

pub(super) fn path_remove_directory(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    fd: u32,
    path: u32,
    length: u32,
) -> Answer {
    let right = Rights::PATH_REMOVE_DIRECTORY;
    let path = locate(guest, memory, fd, right, (path, length))?;
    guest.files.vfs.rmdir(&path)?;
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "the arguments are WASI's")]
pub(super) fn path_rename(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    old_fd: u32,
    old: u32,
    old_length: u32,
    new_fd: u32,
    new: u32,
    new_length: u32,
) -> Answer {
    let (source, target) = (Rights::PATH_RENAME_SOURCE, Rights::PATH_RENAME_TARGET);
    let old = locate(guest, memory, old_fd, source, (old, old_length))?;
    let new = locate(guest, memory, new_fd, target, (new, new_length))?;
    guest.files.vfs.rename(&old, &new)?;
    Ok(())
}

pub(super) fn path_symlink(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    target: u32,
    target_length: u32,
    fd: u32,
    path: u32,
    length: u32,
) -> Answer {
    let target = VfsPath::new(memory.bytes(target, target_length)?);
    if target.as_bytes().contains(&0) {
        return Err(Errno::Inval.into());
    }
    let path = locate(guest, memory, fd, Rights::PATH_SYMLINK, (path, length))?;
    guest.files.vfs.symlink(target, &path)?;
    Ok(())
}

pub(super) fn path_unlink_file(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    fd: u32,
    path: u32,
    length: u32,
) -> Answer {
    let path = locate(guest, memory, fd, Rights::PATH_UNLINK_FILE, (path, length))?;
    guest.files.vfs.unlink(&path)?;
    Ok(())
}
