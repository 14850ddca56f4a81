//! A network of its own, with nothing in it.

use rustix::thread::{UnshareFlags, unshare_unsafe};

use super::report::Held;

/// Leaves the network and the System V objects of the machine. A user who may not do that alone may do it in a user namespace,
/// where the system allows those.
pub(super) fn leave_network() -> Held {
    let flags = UnshareFlags::NEWNET | UnshareFlags::NEWIPC;
    // SAFETY: descriptors stay shared, and this is the only thread.
    let mut left = unsafe { unshare_unsafe(flags) };
    if left.is_err() {
        // SAFETY: as above.
        left = unsafe { unshare_unsafe(flags | UnshareFlags::NEWUSER) };
    }
    match left {
        Ok(()) => Held::Yes("an empty network namespace".to_owned()),
        Err(error) => Held::No(format!(
            "no network namespace, the system refuses it ({error})"
        )),
    }
}
