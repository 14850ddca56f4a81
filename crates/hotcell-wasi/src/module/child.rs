//! Compiling what a guest wrote: in a child of this process, which can be killed.
//!
//! The compiler was not made for hostile input. A function of two thousand bytes can keep it busy for minutes, or fill gigabytes,
//! and there is no way to stop it from within. So it runs in a child that has a limit on its memory and is killed at its time, or
//! when nobody waits any more; if it crashes, it crashes there.

use std::{
    fs::File,
    io::{Read, Write},
    os::fd::{AsRawFd, OwnedFd},
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    pipe::{PipeFlags, pipe_with},
    process::{
        Pid, Resource, Rlimit, Signal, WaitOptions, getrlimit, kill_process,
        set_parent_process_death_signal, setpriority_process, setrlimit, waitpid,
    },
};
use wasmtime::Engine;

use super::NotRunnable;
use crate::engine::ModuleLimits;

/// How often it is looked whether somebody still waits.
const LOOK: Duration = Duration::from_millis(10);

/// What the child says first: that code follows, or why there is none.
const COMPILED: u8 = 1;
const REFUSED: u8 = 2;

/// How much the priority of the child is lower.
const NICE: i32 = 10;

/// Compiles a module in a child.
pub(super) fn compile(
    engine: &Engine,
    bytes: &[u8],
    limits: &ModuleLimits,
    is_wanted: &dyn Fn() -> bool,
) -> Result<Vec<u8>, NotRunnable> {
    let failed = |error: rustix::io::Errno| {
        NotRunnable::Machine(format!("no process to compile it in: {error}"))
    };
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC).map_err(failed)?;
    let child = Child::start(&writer, limits, || match engine.precompile_module(bytes) {
        Ok(code) => (COMPILED, code),
        Err(error) => (REFUSED, format!("{error:#}").into_bytes()),
    });
    let child = child.map_err(failed)?;
    drop(writer);
    let said = read(File::from(reader), limits.compile_time, is_wanted)?;
    match said.split_first() {
        Some((&COMPILED, code)) => Ok(code.to_vec()),
        Some((&REFUSED, text)) => {
            let text = String::from_utf8_lossy(text).into_owned();
            Err(NotRunnable::Malformed(text))
        }
        // It crashed, mostly because it ran out of memory.
        _ => Err(NotRunnable::Crashed {
            how: child.wait(),
            memory: limits.compile_memory,
        }),
    }
}

/// Everything that the child says, until it ends.
fn read(
    mut output: File,
    time: Duration,
    is_wanted: &dyn Fn() -> bool,
) -> Result<Vec<u8>, NotRunnable> {
    let end = Instant::now() + time;
    let mut said = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    let look = Timespec::try_from(LOOK).ok();
    loop {
        let mut fds = [PollFd::new(&output, PollFlags::IN)];
        let is_ready = poll(&mut fds, look.as_ref()).is_ok_and(|ready| ready > 0);
        if is_ready {
            match output.read(&mut buffer) {
                Ok(0) | Err(_) => return Ok(said),
                Ok(count) => said.extend_from_slice(buffer.get(..count).unwrap_or_default()),
            }
        }
        if Instant::now() >= end {
            return Err(NotRunnable::TooSlow(time));
        }
        if !is_wanted() {
            return Err(NotRunnable::Abandoned);
        }
    }
}

/// A child of this process. Dropping it kills it.
struct Child(Option<Pid>);

impl Child {
    /// Starts a child that does `work`, writes what comes of it, and ends.
    #[expect(unsafe_code, reason = "there is no safe way to fork")]
    fn start(
        output: &OwnedFd,
        limits: &ModuleLimits,
        work: impl FnOnce() -> (u8, Vec<u8>),
    ) -> Result<Self, rustix::io::Errno> {
        // So that nothing is asked of the system in between.
        let memory = address_space().saturating_add(limits.compile_memory as u64);
        let output = output.as_raw_fd();
        // SAFETY: the child has this thread and no other, and returns to none of its frames: it ends in `become_child`. What
        // other threads had locked stays locked there. The allocator is usable, as the C library sees to that in `fork`;
        // the compiler takes no other lock that others hold for long, and if it should ever wait for one, it is killed like
        // one that is too slow.
        match unsafe { libc::fork() } {
            -1 => Err(rustix::io::Errno::NOMEM),
            0 => become_child(output, memory, limits.compile_time, work),
            child => Ok(Self(Pid::from_raw(child))),
        }
    }

    /// Waits for its end; says how it ended.
    fn wait(mut self) -> String {
        let status = self
            .0
            .take()
            .and_then(|pid| waitpid(Some(pid), WaitOptions::empty()).ok().flatten());
        match status.map(|(_, status)| (status.terminating_signal(), status.exit_status())) {
            Some((Some(signal), _)) => format!("signal {signal}"),
            Some((_, Some(code))) => format!("exit code {code}"),
            _ => "nobody knows how".into(),
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(pid) = self.0 {
            let _ = kill_process(pid, Signal::KILL);
            let _ = waitpid(Some(pid), WaitOptions::empty());
        }
    }
}

/// What the child does.
#[expect(unsafe_code, reason = "nothing of the parent is run down")]
fn become_child(
    output: i32,
    memory: u64,
    time: Duration,
    work: impl FnOnce() -> (u8, Vec<u8>),
) -> ! {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        // It dies with the thread that started it.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        let _ = setpriority_process(None, NICE);
        close_others(output);
        limit(Resource::As, memory);
        limit(Resource::Core, 0);
        // In case that nobody looks.
        limit(Resource::Cpu, time.as_secs() + 2);
        let (tag, bytes) = work();
        // SAFETY: the end of the pipe that the parent handed over, which nothing else here owns.
        let mut output = unsafe { <File as std::os::fd::FromRawFd>::from_raw_fd(output) };
        let _ = output
            .write_all(&[tag])
            .and_then(|()| output.write_all(&bytes));
    }));
    // SAFETY: it ends the process and touches nothing.
    unsafe { libc::_exit(0) }
}

/// Whoever waits for the end of a pipe of the parent's is not to wait for this.
#[expect(unsafe_code, reason = "the safe ways close one at a time")]
fn close_others(output: i32) {
    let close = |from: i32, to: u32| {
        // SAFETY: descriptors of the child alone, of which it uses none.
        unsafe { libc::syscall(libc::SYS_close_range, from.cast_unsigned(), to, 0_u32) };
    };
    if output > 0 {
        close(0, output.cast_unsigned() - 1);
    }
    close(output + 1, u32::MAX);
}

fn limit(resource: Resource, most: u64) {
    let now = getrlimit(resource);
    let most = now.maximum.map_or(most, |maximum| maximum.min(most));
    let limit = Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    let _ = setrlimit(resource, limit);
}

/// Bytes of address space that this process has, most of it reserved for guests and not memory.
fn address_space() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text
        .split(' ')
        .next()
        .and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(u64::MAX / 8192) * rustix::param::page_size() as u64
}
