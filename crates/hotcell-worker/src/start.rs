//! How a worker begins: its standard input is a socket, and the first thing on it is what it is to be, with the shared memory.

use std::{
    io::{self, IoSlice, IoSliceMut},
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};

use crate::jail::JailOptions;

/// The argument that makes a program a worker.
pub const WORKER_ARGUMENT: &str = "__hotcell-worker";

/// What this crate's two sides have to agree about.
pub(crate) const PROTOCOL: &str = concat!(env!("CARGO_PKG_VERSION"), "/1");

/// What a worker is to be.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Start {
    pub(crate) protocol: String,
    /// Names the build of the program. A worker of another build does not know what this one means.
    pub(crate) build: String,
    /// Whom it dies with.
    pub(crate) parent: i32,
    pub(crate) service: String,
    pub(crate) jail: JailOptions,
}

/// The descriptors that come with it, in this order: the lane for commands, the lane for files, the output.
pub(crate) const DESCRIPTORS: usize = 3;

const MOST: usize = 4096;

pub(crate) fn send(
    socket: &impl AsFd,
    start: &Start,
    descriptors: [BorrowedFd<'_>; DESCRIPTORS],
) -> io::Result<()> {
    let text = serde_json::to_vec(start)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&descriptors));
    sendmsg(
        socket,
        &[IoSlice::new(&text)],
        &mut control,
        SendFlags::NOSIGNAL,
    )?;
    Ok(())
}

pub(crate) fn receive(socket: &impl AsFd) -> io::Result<(Start, [OwnedFd; DESCRIPTORS])> {
    let mut text = [0; MOST];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = recvmsg(
        socket,
        &mut [IoSliceMut::new(&mut text)],
        &mut control,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    let mut descriptors = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = message {
            descriptors.extend(received);
        }
    }
    let start = serde_json::from_slice(&text[..received.bytes])?;
    let descriptors = descriptors
        .try_into()
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the shared memory is missing"))?;
    Ok((start, descriptors))
}
