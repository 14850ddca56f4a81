//! `/proc`: the few files programs look for, about the sandbox and never about the host.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use crate::fixed::FixedVfs;
use crate::path::VfsPathBuf;

/// What `/proc` tells.
#[derive(Clone, Debug)]
pub struct ProcState {
    /// The number of the process that looks.
    pub pid: u32,
    /// The number of its parent.
    pub parent: u32,
    /// Its arguments, the program's name first.
    pub args: Vec<Vec<u8>>,
    /// Its environment.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// Its current directory.
    pub cwd: VfsPathBuf,
    /// Its program.
    pub exe: VfsPathBuf,
    /// The name of the sandbox.
    pub hostname: String,
    /// How many processors to report.
    pub cpus: u32,
    /// How much memory the sandbox may use, in bytes.
    pub memory: u64,
    /// How much of it is in use.
    pub memory_used: u64,
    /// How long the sandbox has been running, by its own clock.
    pub uptime: Duration,
    /// What is mounted: the path, the kind, and whether it can be written.
    pub mounts: Vec<(VfsPathBuf, String, bool)>,
}

impl Default for ProcState {
    fn default() -> Self {
        Self {
            pid: 1,
            parent: 0,
            args: vec![b"sh".to_vec()],
            env: Vec::new(),
            cwd: VfsPathBuf::root(),
            exe: VfsPathBuf::from("/bin/sh"),
            hostname: "hotcell".to_owned(),
            cpus: 1,
            memory: 256 << 20,
            memory_used: 0,
            uptime: Duration::ZERO,
            mounts: vec![(VfsPathBuf::root(), "hotcell".to_owned(), true)],
        }
    }
}

/// A file system to be mounted at `/proc`. `state` is asked whenever a file is opened.
pub fn proc(state: impl Fn() -> ProcState + Send + Sync + 'static) -> FixedVfs {
    let state = Arc::new(state);
    let made = |render: fn(&ProcState) -> Vec<u8>| {
        let state = Arc::clone(&state);
        move || render(&state())
    };
    FixedVfs::new()
        .made("/cpuinfo", made(cpuinfo))
        .made("/meminfo", made(meminfo))
        .made("/uptime", made(uptime))
        .file("/loadavg", "0.00 0.00 0.00 1/1 1\n")
        .file("/version", "Linux version 6.0.0-hotcell\n")
        .file("/filesystems", "nodev\thotcell\n")
        .symlink("/mounts", "self/mounts")
        .made("/sys/kernel/hostname", made(|state| line(&state.hostname)))
        .file("/sys/kernel/ostype", "Linux\n")
        .file("/sys/kernel/osrelease", "6.0.0-hotcell\n")
        .made("/self/cmdline", made(cmdline))
        .made("/self/comm", made(comm))
        .made("/self/environ", made(environ))
        .made("/self/status", made(status))
        .made("/self/mounts", made(mounts))
        .symlink("/self/fd/0", "/dev/stdin")
        .symlink("/self/fd/1", "/dev/stdout")
        .symlink("/self/fd/2", "/dev/stderr")
        .made_symlink("/self/cwd", {
            let state = Arc::clone(&state);
            move || state().cwd
        })
        .made_symlink("/self/exe", move || state().exe)
}

fn line(text: &str) -> Vec<u8> {
    format!("{}\n", text.replace('\n', " ")).into_bytes()
}

fn cpuinfo(state: &ProcState) -> Vec<u8> {
    let mut out = String::new();
    for cpu in 0..state.cpus {
        let _infallible = writeln!(out, "processor\t: {cpu}\nmodel name\t: hotcell\n");
    }
    out.into_bytes()
}

fn meminfo(state: &ProcState) -> Vec<u8> {
    let total = state.memory / 1024;
    let free = state.memory.saturating_sub(state.memory_used) / 1024;
    format!(
        "MemTotal:       {total:>8} kB\nMemFree:        {free:>8} kB\nMemAvailable:   {free:>8} kB\n"
    )
    .into_bytes()
}

fn uptime(state: &ProcState) -> Vec<u8> {
    format!("{:.2} 0.00\n", state.uptime.as_secs_f64()).into_bytes()
}

fn cmdline(state: &ProcState) -> Vec<u8> {
    let ended = |arg: &Vec<u8>| [arg.as_slice(), b"\0"].concat();
    state.args.iter().flat_map(ended).collect()
}

fn name(state: &ProcState) -> String {
    let program = state.args.first().map_or(b"".as_slice(), |arg| arg);
    let name = program
        .rsplit(|byte| *byte == b'/')
        .next()
        .unwrap_or_default();
    String::from_utf8_lossy(name.get(..name.len().min(15)).unwrap_or_default()).into_owned()
}

fn comm(state: &ProcState) -> Vec<u8> {
    line(&name(state))
}

fn environ(state: &ProcState) -> Vec<u8> {
    let ended = |(name, value): &(Vec<u8>, Vec<u8>)| {
        [name.as_slice(), b"=", value.as_slice(), b"\0"].concat()
    };
    state.env.iter().flat_map(ended).collect()
}

fn status(state: &ProcState) -> Vec<u8> {
    format!(
        "Name:\t{}\nState:\tR (running)\nPid:\t{}\nPPid:\t{}\nThreads:\t1\nVmRSS:\t{:>8} kB\n",
        name(state).replace('\n', " "),
        state.pid,
        state.parent,
        state.memory_used / 1024,
    )
    .into_bytes()
}

fn mounts(state: &ProcState) -> Vec<u8> {
    let mut out = Vec::new();
    for (path, kind, writable) in &state.mounts {
        let access = if *writable { "rw" } else { "ro" };
        out.extend_from_slice(format!("{kind} ").as_bytes());
        for byte in path.as_bytes() {
            // Blanks separate the fields, so those in a name are written in octal.
            match byte {
                b' ' | b'\t' | b'\n' | b'\\' => {
                    out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
                }
                _ => out.push(*byte),
            }
        }
        out.extend_from_slice(format!(" {kind} {access} 0 0\n").as_bytes());
    }
    out
}
