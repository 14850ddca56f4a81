//! Listing directories.

use std::mem::size_of;

use hotcell_vfs::{DirEntry, FileType};

use crate::{
    abi::{Errno, Rights, dirent_header},
    ending::Answer,
    fds::{Listing, Target},
    guest::Guest,
    memory::Memory,
};

/// Fills the buffer with entries from `cookie` on, which is the number of the first. What does not fit is cut off: a program
/// that sees a full buffer asks again.
pub(super) fn fd_readdir(
    guest: &mut Guest,
    memory: &mut Memory<'_>,
    fd: u32,
    buffer: u32,
    length: u32,
    cookie: u64,
    out: u32,
) -> Answer {
    memory.check(out, 4)?;
    memory.check(buffer, length)?;
    guest.fds.with(fd, Rights::FD_READDIR)?.directory()?;
    // From the start it is read anew; later parts are of the same reading, whatever has changed meanwhile.
    let is_known = matches!(&guest.fds.get(fd)?.target, Target::Directory(directory) if directory.listing.is_some());
    if cookie == 0 || !is_known {
        let listing = read(guest, fd)?;
        if let Target::Directory(directory) = &mut guest.fds.get_mut(fd)?.target {
            directory.listing = Some(listing);
        }
    }
    let listing = guest.fds.get(fd)?.directory()?.listing.as_ref();
    let listing = listing.ok_or(Errno::Badf)?;
    let first = usize::try_from(cookie).unwrap_or(usize::MAX);
    let entries = listing.entries.get(first..).unwrap_or_default();
    let target = memory.bytes_mut(buffer, length)?;
    let mut used = 0;
    for (entry, next) in entries.iter().zip(cookie.saturating_add(1)..) {
        let header = dirent_header(next, entry.ino, entry.name.len(), entry.kind.into());
        used += copy(target, used, &header);
        used += copy(target, used, &entry.name);
        if used == target.len() {
            break;
        }
    }
    memory.write_size(out, used)?;
    Ok(())
}

/// Copies as much as there is room for; says how much.
fn copy(target: &mut [u8], at: usize, bytes: &[u8]) -> usize {
    let room = target.get_mut(at..).unwrap_or_default();
    let count = room.len().min(bytes.len());
    if let (Some(room), Some(bytes)) = (room.get_mut(..count), bytes.get(..count)) {
        room.copy_from_slice(bytes);
    }
    count
}

fn read(guest: &Guest, fd: u32) -> Result<Listing, Errno> {
    let files = &guest.files;
    let path = files.path_of(guest.fds.get(fd)?.directory()?)?;
    let found = files.vfs.readdir(&path)?;
    let own = files.vfs.stat(&path)?.ino;
    let parent = files.vfs.stat(&path.join(".."))?.ino;
    let names: usize = found.iter().map(|entry| entry.name.len()).sum();
    let charge = guest
        .account
        .charge(names + found.len() * size_of::<DirEntry>())
        .map_err(|_| Errno::Nomem)?;
    let dots = [(&b"."[..], own), (b"..", parent)];
    let dots = dots.map(|(name, ino)| DirEntry {
        name: name.to_vec(),
        kind: FileType::Dir,
        ino,
    });
    let mut entries = Vec::from(dots);
    entries.extend(found);
    Ok(Listing {
        entries,
        _charge: charge,
    })
}
