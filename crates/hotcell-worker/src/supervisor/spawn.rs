//! Starting the process of a worker.
//!
//! All workers are started by one thread that lives as long as the program: the kernel kills a worker when the *thread* that
//! started it is gone.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    path::Path,
    process::{Command, Stdio},
};

use rustix::{
    fs::{OFlags, fcntl_setfl},
    net::{AddressFamily, SocketFlags, SocketType, socketpair},
    pipe::{PipeFlags, pipe_with},
    process::{Pid, PidfdFlags, getpid, pidfd_open},
};

use crate::{
    jail::JailOptions,
    region::Region,
    ring::Ring,
    start::{self, PROTOCOL, Start, WORKER_ARGUMENT},
};

/// What a worker is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) service: String,
    pub(super) build: String,
    pub(super) jail: JailOptions,
    pub(super) region_bytes: usize,
}

/// A process that was started.
pub(super) struct Spawned {
    pub(super) pid: Pid,
    pub(super) handle: OwnedFd,
    pub(super) socket: OwnedFd,
    pub(super) errors: OwnedFd,
    pub(super) commands: Region,
    pub(super) files: Region,
    pub(super) output: Ring,
}

pub(super) fn spawn(program: &Path, plan: &Plan) -> io::Result<Spawned> {
    let (commands, commands_file) = Region::new(plan.region_bytes)?;
    let (files, files_file) = Region::new(plan.region_bytes)?;
    let (output, output_file) = Ring::new()?;
    let (socket, theirs) = socketpair(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    let (errors, their_errors) = pipe_with(PipeFlags::CLOEXEC)?;
    fcntl_setfl(&errors, OFlags::NONBLOCK)?;
    // Without anything that would have to run between fork and exec, so that the standard library need not copy this process.
    let child = Command::new(program)
        .arg(WORKER_ARGUMENT)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::from(their_errors))
        .spawn()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| io::Error::other("a process without a number"))?;
    let handle = pidfd_open(pid, PidfdFlags::empty())?;
    let spawned = Spawned {
        pid,
        handle,
        socket,
        errors,
        commands,
        files,
        output,
    };
    let begun = Start {
        protocol: PROTOCOL.to_owned(),
        build: plan.build.clone(),
        parent: getpid().as_raw_nonzero().get(),
        service: plan.service.clone(),
        jail: plan.jail,
    };
    let shared = [
        commands_file.as_fd(),
        files_file.as_fd(),
        output_file.as_fd(),
    ];
    if let Err(error) = start::send(&spawned.socket, &begun, shared) {
        // It may be gone already; then its last words are worth more than this error.
        if error.kind() != io::ErrorKind::BrokenPipe {
            return Err(error);
        }
    }
    Ok(spawned)
}
