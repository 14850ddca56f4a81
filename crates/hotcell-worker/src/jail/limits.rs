//! Limits that the kernel counts, and what a process has from the one that started it.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{JailOptions, report::Held};

/// There is none: whoever started the worker gave it none, and this looks.
pub(super) fn environment() -> Held {
    match std::env::vars_os().count() {
        0 => Held::Yes("cleared".to_owned()),
        count => Held::No(format!("{count} variables")),
    }
}

fn set_limit(resource: Resource, most: u64) -> Result<(), rustix::io::Errno> {
    // No higher than it is: only privileged processes may, and a lower one is somebody's wish.
    let before = getrlimit(resource);
    let most = before.maximum.map_or(most, |before| before.min(most));
    setrlimit(
        resource,
        Rlimit {
            current: Some(most),
            maximum: Some(most),
        },
    )
}

pub(super) fn set(options: &JailOptions) -> Held {
    let limits = [
        // Private memory that can be written; what is only reserved does not count.
        ("memory", Resource::Data, options.memory),
        ("core dumps", Resource::Core, 0),
        ("file sizes", Resource::Fsize, 0),
        ("locked memory", Resource::Memlock, 0),
        ("message queues", Resource::Msgqueue, 0),
    ];
    for (name, resource, most) in limits {
        if let Err(error) = set_limit(resource, most) {
            return Held::No(format!("no limit of {name}: {error}"));
        }
    }
    Held::Yes(format!(
        "{} MiB of memory; no core dumps, files, locks or queues",
        options.memory >> 20
    ))
}

/// Those that are open stay; there will be no others.
pub(super) fn no_more_descriptors() -> Held {
    match set_limit(Resource::Nofile, 0) {
        Ok(()) => Held::Yes("what was inherited is closed, and none can be opened".to_owned()),
        Err(error) => Held::No(format!("more can be opened: {error}")),
    }
}

/// Closes what a host left open for its children. Standard input, output and error stay.
pub(crate) fn close_inherited() {
    // SAFETY: a plain system call. Nothing in this process has opened a descriptor yet whose loss could be noticed: this is the
    // first thing that it does.
    let closed = unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0_u32) };
    if closed == 0 {
        return;
    }
    // Before Linux 5.9: one by one, as far as there may be any.
    let most = getrlimit(Resource::Nofile).current.unwrap_or(65_536);
    for descriptor in 3..most.min(65_536) as i32 {
        // SAFETY: as above.
        unsafe { libc::close(descriptor) };
    }
}
