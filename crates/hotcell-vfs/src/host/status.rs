//! What the host tells about files, and how it is told about times.
//!
//! This is done by the system calls themselves: the wrappers around them panic at times that are far from today, and
//! files can have any.

use cap_std::fs::Dir;
use rustix::fd::AsFd;
use rustix::fs::{
    AtFlags, Dir as Listing, FileType as HostType, Mode, OFlags, Stat, Timespec, Timestamps,
    UTIME_NOW, UTIME_OMIT, openat,
};
use rustix::io::Errno;

use super::fault;
use super::parent::Spot;
use crate::clock::{SetTime, Times, Timestamp};
use crate::error::Fault;
use crate::metadata::{DirEntry, FileType, Metadata};

/// What is at a place; a link is meant itself.
pub(super) fn at(spot: &Spot<'_>) -> Result<Metadata, Fault> {
    let stat = rustix::fs::statat(&*spot.dir, spot.name(), AtFlags::SYMLINK_NOFOLLOW);
    Ok(metadata(&stat.map_err(fault)?))
}

/// What an open file is.
pub(super) fn of(file: impl AsFd) -> Result<Metadata, Fault> {
    Ok(metadata(&rustix::fs::fstat(file).map_err(fault)?))
}

/// What is in a directory, in no order.
pub(super) fn entries(dir: &Dir) -> Result<Vec<DirEntry>, Fault> {
    let mut entries = Vec::new();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    // The handle we have may be one that stands for the directory without reading it.
    let readable = openat(dir, ".", flags, Mode::empty()).map_err(fault)?;
    for found in Listing::new(readable).map_err(fault)? {
        let found = found.map_err(fault)?;
        let name = found.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        // Some file systems do not say in the directory what a name stands for.
        let kind = match found.file_type() {
            HostType::Unknown => match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => HostType::from_raw_mode(stat.st_mode),
                // Somebody removed it meanwhile.
                Err(Errno::NOENT) => continue,
                Err(errno) => return Err(fault(errno)),
            },
            known => known,
        };
        entries.push(DirEntry {
            kind: self::kind(kind),
            ino: found.ino(),
            name: name.to_bytes().to_vec(),
        });
    }
    Ok(entries)
}

/// The times as the system calls take them.
pub(super) fn timestamps(times: Times) -> Timestamps {
    let spec = |time: SetTime| match time {
        SetTime::Keep => Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_OMIT,
        },
        SetTime::Now => Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_NOW,
        },
        SetTime::At(time) => Timespec {
            tv_sec: time.seconds(),
            tv_nsec: time.subsec_nanos().into(),
        },
    };
    Timestamps {
        last_access: spec(times.accessed),
        last_modification: spec(times.modified),
    }
}

fn metadata(stat: &Stat) -> Metadata {
    Metadata {
        kind: kind(HostType::from_raw_mode(stat.st_mode)),
        dev: wide(stat.st_dev),
        ino: wide(stat.st_ino),
        nlink: wide(stat.st_nlink),
        mode: u32::try_from(wide(stat.st_mode) & 0o7777).unwrap_or_default(),
        size: wide(stat.st_size),
        allocated: wide(stat.st_blocks).saturating_mul(512),
        accessed: time(stat.st_atime, stat.st_atime_nsec),
        modified: time(stat.st_mtime, stat.st_mtime_nsec),
        changed: time(stat.st_ctime, stat.st_ctime_nsec),
    }
}

fn kind(kind: HostType) -> FileType {
    match kind {
        HostType::RegularFile => FileType::File,
        HostType::Directory => FileType::Dir,
        HostType::Symlink => FileType::Symlink,
        HostType::CharacterDevice => FileType::CharDevice,
        HostType::BlockDevice => FileType::BlockDevice,
        HostType::Socket => FileType::Socket,
        // And what no system here has: it cannot be opened either.
        _ => FileType::Fifo,
    }
}

/// A number of the host's, whose width depends on the system.
fn wide(number: impl TryInto<u64>) -> u64 {
    number.try_into().unwrap_or_default()
}

fn time(seconds: impl TryInto<i64>, nanos: impl TryInto<u32>) -> Timestamp {
    Timestamp::from_parts(
        seconds.try_into().unwrap_or_default(),
        nanos.try_into().unwrap_or_default(),
    )
}
