//! Setting the permission bits of a file that may be a symbolic link by now.

use std::path::Path;

use cap_std::fs::Dir;
use rustix::fs::{AtFlags, Mode, chmodat};

use super::fault;
use crate::error::{Errno, Fault};

/// Sets the mode of `name` in `dir`, which has to be something other than a link.
#[cfg(target_os = "linux")]
pub(super) fn set(dir: &Dir, name: &Path, mode: u32) -> Result<(), Fault> {
    use rustix::fs::{OFlags, fchmod, openat};
    use rustix::path::DecInt;
    use rustix_linux_procfs::proc_self_fd;

    let open = |flags: OFlags| -> rustix::io::Result<_> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat(dir, name, flags, Mode::empty())
    };
    let mode = Mode::from_raw_mode(mode);
    // Linux has no `chmod` that does not follow links before 6.6. A handle that stands for the file without opening it
    // has another name below /proc, which leads to that very file, readable or not.
    let file = open(OFlags::PATH).map_err(fault)?;
    if super::status::of(&file)?.is_symlink() {
        return Err(Fault::new(Errno::ELOOP, "it became a symbolic link"));
    }
    if let Ok(handles) = proc_self_fd()
        && chmodat(handles, DecInt::from_fd(&file), mode, AtFlags::empty()).is_ok()
    {
        return Ok(());
    }
    let file = open(OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY).map_err(fault)?;
    fchmod(&file, mode).map_err(fault)
}

/// Sets the mode of `name` in `dir`, which has to be something other than a link.
#[cfg(not(target_os = "linux"))]
pub(super) fn set(dir: &Dir, name: &Path, mode: u32) -> Result<(), Fault> {
    let mode = Mode::from_raw_mode(mode as rustix::fs::RawMode);
    chmodat(dir, name, mode, AtFlags::SYMLINK_NOFOLLOW).map_err(fault)
}
