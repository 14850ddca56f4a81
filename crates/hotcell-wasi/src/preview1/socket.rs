//! Sockets. There are none, and nothing makes one: whatever is open is something else.

use crate::{abi::Errno, ending::Answer, guest::Guest, memory::Memory};

fn refuse(guest: &Guest, fd: u32) -> Answer {
    guest.fds.get(fd)?;
    Err(Errno::Notsock.into())
}

pub(super) fn sock_accept(
    guest: &mut Guest,
    _memory: &mut Memory<'_>,
    fd: u32,
    _flags: u32,
    _out: u32,
) -> Answer {
    refuse(guest, fd)
}

#[expect(clippy::too_many_arguments, reason = "the arguments are WASI's")]
pub(super) fn sock_recv(
    guest: &mut Guest,
    _memory: &mut Memory<'_>,
    fd: u32,
    _data: u32,
    _count: u32,
    _flags: u32,
    _size: u32,
    _out: u32,
) -> Answer {
    refuse(guest, fd)
}

pub(super) fn sock_send(
    guest: &mut Guest,
    _memory: &mut Memory<'_>,
    fd: u32,
    _data: u32,
    _count: u32,
    _flags: u32,
    _size: u32,
) -> Answer {
    refuse(guest, fd)
}

pub(super) fn sock_shutdown(
    guest: &mut Guest,
    _memory: &mut Memory<'_>,
    fd: u32,
    _how: u32,
) -> Answer {
    refuse(guest, fd)
}
