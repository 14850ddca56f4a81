//! Trying what is forbidden.
//!
//! It runs under the first filter, where a call that is not allowed fails instead of being the end. The filter that comes
//! afterwards allows nothing that this one forbids.

use std::ptr;

use super::{JailOptions, report::Held};

/// What a system call returned: nothing, or its error.
type Called = Result<(), i32>;

macro_rules! call {
    ($number:expr $(, $argument:expr)*) => {{
        // SAFETY: the call is one that the filter refuses before its arguments are looked at; and should it not, they are such
        // that it fails, or does no harm to this process, which ends then.
        let returned = unsafe { libc::syscall($number $(, $argument)*) };
        if returned == -1 {
            Err(std::io::Error::last_os_error().raw_os_error().unwrap_or(0))
        } else {
            Ok(())
        }
    }};
}

/// Fails with what was possible.
pub(super) fn run(options: &JailOptions) -> Result<Held, String> {
    let attempts = attempts(options);
    let count = attempts.len();
    for (what, called) in attempts {
        match called {
            Err(libc::EPERM | libc::EACCES | libc::ENOSYS) => {}
            Err(other) => {
                let error = std::io::Error::from_raw_os_error(other);
                return Err(format!("{what} is not refused, it only failed: {error}"));
            }
            Ok(()) => return Err(format!("{what} is possible")),
        }
    }
    // And what must work, does.
    let thread = std::thread::Builder::new().spawn(|| 1);
    if thread.ok().and_then(|thread| thread.join().ok()) != Some(1) {
        return Err("threads, which are needed, cannot be made".to_owned());
    }
    Ok(Held::Yes(format!(
        "{count} forbidden things were tried, and failed"
    )))
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn attempts(options: &JailOptions) -> Vec<(&'static str, Called)> {
    let none = ptr::null::<u8>();
    let parent = std::os::unix::process::parent_id();
    let mut attempts = vec![
        (
            "opening a directory",
            call!(
                libc::SYS_openat,
                libc::AT_FDCWD,
                c"/".as_ptr(),
                libc::O_RDONLY
            ),
        ),
        (
            "opening a file",
            call!(
                libc::SYS_openat,
                libc::AT_FDCWD,
                c"/proc/self/mem".as_ptr(),
                libc::O_RDWR
            ),
        ),
        (
            "openat2",
            call!(libc::SYS_openat2, libc::AT_FDCWD, c"/".as_ptr(), none, 0),
        ),
        (
            "reading another descriptor",
            call!(libc::SYS_read, 3, none, 0),
        ),
        (
            "writing to another descriptor",
            call!(libc::SYS_write, 1, none, 0),
        ),
        (
            "a socket for the internet",
            call!(libc::SYS_socket, libc::AF_INET, libc::SOCK_STREAM, 0),
        ),
        (
            "a local socket",
            call!(libc::SYS_socket, libc::AF_UNIX, libc::SOCK_STREAM, 0),
        ),
        (
            "a pair of sockets",
            call!(
                libc::SYS_socketpair,
                libc::AF_UNIX,
                libc::SOCK_STREAM,
                0,
                none
            ),
        ),
        ("sending a descriptor", call!(libc::SYS_sendmsg, 0, none, 0)),
        ("a packet", call!(libc::SYS_sendto, 0, none, 0, 0, none, 0)),
        (
            "starting a program",
            call!(libc::SYS_execve, c"/".as_ptr(), none, none),
        ),
        (
            "starting a program by descriptor",
            call!(
                libc::SYS_execveat,
                -1,
                c"".as_ptr(),
                none,
                none,
                libc::AT_EMPTY_PATH
            ),
        ),
        (
            "a namespace",
            call!(libc::SYS_unshare, libc::CLONE_NEWUSER | libc::CLONE_NEWNET),
        ),
        ("joining a namespace", call!(libc::SYS_setns, -1, 0)),
        (
            "a process in a namespace",
            call!(
                libc::SYS_clone,
                libc::CLONE_NEWUSER | libc::CLONE_THREAD | libc::CLONE_VM | libc::CLONE_SIGHAND,
                0,
                0,
                0,
                0
            ),
        ),
        ("clone3", call!(libc::SYS_clone3, none, 0)),
        (
            "tracing",
            call!(libc::SYS_ptrace, libc::PTRACE_TRACEME, 0, 0, 0),
        ),
        (
            "reading another process",
            call!(libc::SYS_process_vm_readv, parent, none, 0, none, 0, 0),
        ),
        (
            "writing another process",
            call!(libc::SYS_process_vm_writev, parent, none, 0, none, 0, 0),
        ),
        ("a signal to the parent", call!(libc::SYS_kill, parent, 0)),
        (
            "a signal to a thread of the parent",
            call!(libc::SYS_tgkill, parent, parent, 0),
        ),
        (
            "a handle of the parent",
            call!(libc::SYS_pidfd_open, parent, 0),
        ),
        (
            "a descriptor of the parent",
            call!(libc::SYS_pidfd_getfd, -1, 0, 0),
        ),
        (
            "mounting",
            call!(libc::SYS_mount, none, none, none, 0, none),
        ),
        ("another root", call!(libc::SYS_chroot, c"/".as_ptr())),
        ("BPF", call!(libc::SYS_bpf, 0, none, 0)),
        (
            "performance counters",
            call!(libc::SYS_perf_event_open, none, 0, 0, 0, 0),
        ),
        ("io_uring", call!(libc::SYS_io_uring_setup, 1, none)),
        ("userfaultfd", call!(libc::SYS_userfaultfd, 0)),
        (
            "a file in memory",
            call!(libc::SYS_memfd_create, c"x".as_ptr(), 0),
        ),
        ("a pipe", call!(libc::SYS_pipe2, none, 0)),
        ("keys", call!(libc::SYS_keyctl, 0, 0, 0, 0, 0)),
        (
            "another personality",
            call!(libc::SYS_personality, 0xffff_ffff_u32),
        ),
        ("another user", call!(libc::SYS_setresuid, 0, 0, 0)),
        ("capabilities", call!(libc::SYS_capset, none, none)),
        (
            "higher limits",
            call!(libc::SYS_prlimit64, 0, libc::RLIMIT_DATA, none, none),
        ),
        (
            "loading a module",
            call!(libc::SYS_finit_module, -1, c"".as_ptr(), 0),
        ),
        (
            "being traceable again",
            call!(libc::SYS_prctl, libc::PR_SET_DUMPABLE, 1, 0, 0, 0),
        ),
        (
            "outliving the parent",
            call!(libc::SYS_prctl, libc::PR_SET_PDEATHSIG, 0, 0, 0, 0),
        ),
        (
            "typing for a terminal",
            call!(libc::SYS_ioctl, 2, libc::TIOCSTI, c"".as_ptr()),
        ),
        (
            "shared memory",
            call!(libc::SYS_shmget, libc::IPC_PRIVATE, 4096, libc::IPC_CREAT),
        ),
    ];
    // These are tried in this form only: should they work, there would be two of us.
    attempts.push(("a process", fork()));
    #[cfg(target_arch = "x86_64")]
    attempts.extend([
        (
            "opening a file the old way",
            call!(libc::SYS_open, c"/".as_ptr(), 0),
        ),
        (
            "the other numbers of x86",
            call!(0x4000_0000 | libc::SYS_getpid),
        ),
    ]);
    if !options.may_compile {
        attempts.extend([
            (
                "memory that can be executed",
                call!(
                    libc::SYS_mmap,
                    none,
                    4096,
                    libc::PROT_READ | libc::PROT_EXEC,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                    -1,
                    0
                ),
            ),
            (
                "making memory executable",
                call!(libc::SYS_mprotect, none, 0, libc::PROT_EXEC),
            ),
        ]);
    }
    attempts
}

fn fork() -> Called {
    // SAFETY: as in `call!`. A child ends at once, and does nothing before.
    let child = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) };
    match child {
        -1 => Err(std::io::Error::last_os_error().raw_os_error().unwrap_or(0)),
        // SAFETY: ends this process, the child.
        0 => unsafe { libc::_exit(0) },
        _ => Ok(()),
    }
}
