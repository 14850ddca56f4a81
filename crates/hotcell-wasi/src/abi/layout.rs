//! Records in the memory of a program: little-endian, with the padding of C.

use hotcell_vfs::{Metadata, Timestamp};

use super::{Errno, EventType, FdFlags, FileType, Rights, Version};

pub(crate) const FDSTAT_SIZE: u32 = 24;
pub(crate) const PRESTAT_SIZE: u32 = 8;
pub(crate) const DIRENT_SIZE: usize = 24;
pub(crate) const EVENT_SIZE: u32 = 32;

/// What `fd_fdstat_get` tells.
pub(crate) struct FdStat {
    pub(crate) kind: FileType,
    pub(crate) flags: FdFlags,
    pub(crate) rights: Rights,
    pub(crate) inheriting: Rights,
}

pub(crate) fn fdstat(stat: &FdStat) -> [u8; FDSTAT_SIZE as usize] {
    let mut out = [0; FDSTAT_SIZE as usize];
    out[0] = stat.kind as u8;
    out[2..4].copy_from_slice(&stat.flags.bits().to_le_bytes());
    out[8..16].copy_from_slice(&stat.rights.bits().to_le_bytes());
    out[16..24].copy_from_slice(&stat.inheriting.bits().to_le_bytes());
    out
}

/// What `fd_filestat_get` and `path_filestat_get` tell: 64 bytes, or 56 in the older version, whose count of links is short.
pub(crate) fn filestat(metadata: &Metadata, version: Version) -> Vec<u8> {
    let mut out = Vec::with_capacity(64);
    out.extend_from_slice(&metadata.dev.to_le_bytes());
    out.extend_from_slice(&metadata.ino.to_le_bytes());
    out.push(FileType::from(metadata.kind) as u8);
    match version {
        Version::Zero => {
            out.resize(20, 0);
            let links = u32::try_from(metadata.nlink).unwrap_or(u32::MAX);
            out.extend_from_slice(&links.to_le_bytes());
        }
        Version::One => {
            out.resize(24, 0);
            out.extend_from_slice(&metadata.nlink.to_le_bytes());
        }
    }
    out.extend_from_slice(&metadata.size.to_le_bytes());
    for time in [metadata.accessed, metadata.modified, metadata.changed] {
        out.extend_from_slice(&nanoseconds(time).to_le_bytes());
    }
    out
}

/// Times before 1970 cannot be told.
fn nanoseconds(time: Timestamp) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(0)
}

/// What `fd_prestat_get` tells of a directory whose name has that many bytes.
pub(crate) fn prestat(name: usize) -> [u8; PRESTAT_SIZE as usize] {
    let mut out = [0; PRESTAT_SIZE as usize];
    let length = u32::try_from(name).unwrap_or(u32::MAX);
    out[4..].copy_from_slice(&length.to_le_bytes());
    out
}

/// What stands before a name in the answer of `fd_readdir`.
pub(crate) fn dirent_header(next: u64, ino: u64, name: usize, kind: FileType) -> [u8; DIRENT_SIZE] {
    let mut out = [0; DIRENT_SIZE];
    out[..8].copy_from_slice(&next.to_le_bytes());
    out[8..16].copy_from_slice(&ino.to_le_bytes());
    let length = u32::try_from(name).unwrap_or(u32::MAX);
    out[16..20].copy_from_slice(&length.to_le_bytes());
    out[20] = kind as u8;
    out
}

/// Something that `poll_oneoff` tells.
pub(crate) struct Event {
    pub(crate) userdata: u64,
    pub(crate) error: Option<Errno>,
    pub(crate) kind: EventType,
    /// How many bytes can be read or written without waiting.
    pub(crate) bytes: u64,
}

pub(crate) fn event(event: &Event) -> [u8; EVENT_SIZE as usize] {
    let mut out = [0; EVENT_SIZE as usize];
    out[..8].copy_from_slice(&event.userdata.to_le_bytes());
    let error = event.error.map_or(0, Errno::code);
    out[8..10].copy_from_slice(&error.to_le_bytes());
    out[10] = event.kind as u8;
    out[16..24].copy_from_slice(&event.bytes.to_le_bytes());
    out
}
