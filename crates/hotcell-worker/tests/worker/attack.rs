//! Code that has broken out of everything else makes system calls directly, and is stopped.

use std::collections::BTreeSet;

use hotcell_worker::{End, Worker};

use crate::{
    service::Do,
    support::{run, worker},
};

/// What came of a system call.
#[derive(Debug, PartialEq, Eq)]
enum Came {
    /// The process was killed for it.
    Killed,
    /// It was refused.
    Refused,
    /// Something else.
    Else(String),
}

fn attempt(worker: &mut Option<Worker>, number: i64, arguments: [i64; 6]) -> Came {
    let jailed = worker.get_or_insert_with(crate::support::worker);
    let end = run(jailed, &Do::SystemCall(number, arguments)).end;
    match end {
        Err(death) => {
            *worker = None;
            match death.end {
                End::Signal(libc::SIGSYS) => Came::Killed,
                other => Came::Else(format!("{other:?}")),
            }
        }
        Ok((answer, _)) => {
            let is_error = answer["returned"] == -1;
            let error = answer["error"]
                .as_i64()
                .and_then(|error| i32::try_from(error).ok());
            match error {
                Some(libc::EPERM | libc::ENOSYS) if is_error => Came::Refused,
                _ => Came::Else(answer.to_string()),
            }
        }
    }
}

const ALLOWED: [i64; 25] = [
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_clock_gettime,
    libc::SYS_gettimeofday,
    libc::SYS_restart_syscall,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_sched_getaffinity,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_getrandom,
];

#[test]
fn every_other_system_call_of_the_kernel_is_stopped() {
    let with_conditions = [libc::SYS_read, libc::SYS_close];
    // The kernel's own way back from a probe: no filter sees it, and where there is no probe it does nothing.
    let probes = [335, 336];
    let skipped = ALLOWED.into_iter().chain(with_conditions).chain(probes);
    let allowed: BTreeSet<i64> = skipped.collect();
    let mut worker = None;
    for number in 0..480 {
        if !allowed.contains(&number) {
            let came = attempt(&mut worker, number, [0; 6]);
            assert!(
                matches!(came, Came::Killed | Came::Refused),
                "system call {number}: {came:?}"
            );
        }
    }
}

#[test]
fn what_matters_most_is_fatal() {
    let parent = i64::from(std::process::id());
    let path = c"/bin/sh".as_ptr() as i64;
    let fatal = [
        ("execve", libc::SYS_execve, [path, 0, 0, 0, 0, 0]),
        ("execveat", libc::SYS_execveat, [-1, path, 0, 0, 0, 0]),
        ("socket", libc::SYS_socket, [2, 1, 0, 0, 0, 0]),
        ("local socket", libc::SYS_socket, [1, 1, 0, 0, 0, 0]),
        ("netlink socket", libc::SYS_socket, [16, 3, 0, 0, 0, 0]),
        ("sendmsg", libc::SYS_sendmsg, [0, 0, 0, 0, 0, 0]),
        ("connect", libc::SYS_connect, [0, 0, 0, 0, 0, 0]),
        ("ptrace", libc::SYS_ptrace, [16, parent, 0, 0, 0, 0]),
        (
            "fork",
            libc::SYS_clone,
            [i64::from(libc::SIGCHLD), 0, 0, 0, 0, 0],
        ),
        (
            "unshare",
            libc::SYS_unshare,
            [i64::from(libc::CLONE_NEWUSER), 0, 0, 0, 0, 0],
        ),
        ("setns", libc::SYS_setns, [0, 0, 0, 0, 0, 0]),
        ("kill the parent", libc::SYS_kill, [parent, 9, 0, 0, 0, 0]),
        (
            "kill a thread of the parent",
            libc::SYS_tgkill,
            [parent, parent, 9, 0, 0, 0],
        ),
        (
            "kill by handle",
            libc::SYS_pidfd_send_signal,
            [0, 9, 0, 0, 0, 0],
        ),
        (
            "read the parent",
            libc::SYS_process_vm_readv,
            [parent, 0, 0, 0, 0, 0],
        ),
        (
            "write the parent",
            libc::SYS_process_vm_writev,
            [parent, 0, 0, 0, 0, 0],
        ),
        ("bpf", libc::SYS_bpf, [0; 6]),
        ("io_uring", libc::SYS_io_uring_setup, [1, 0, 0, 0, 0, 0]),
        ("another filter", libc::SYS_seccomp, [0; 6]),
        ("mount", libc::SYS_mount, [0; 6]),
        ("memfd", libc::SYS_memfd_create, [path, 0, 0, 0, 0, 0]),
        ("keys", libc::SYS_keyctl, [0; 6]),
        (
            "pkey_mprotect",
            libc::SYS_pkey_mprotect,
            [0, 4096, 4, 0, 0, 0],
        ),
    ];
    for (name, number, arguments) in fatal {
        assert_eq!(
            attempt(&mut None, number, arguments),
            Came::Killed,
            "{name}"
        );
    }
}

#[test]
fn allowed_calls_with_other_arguments_are_refused() {
    let executable = i64::from(libc::PROT_READ | libc::PROT_EXEC);
    let anonymous = i64::from(libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    let root = c"/".as_ptr() as i64;
    let refused = [
        (
            "executable memory",
            libc::SYS_mmap,
            [0, 4096, executable, anonymous, -1, 0],
        ),
        (
            "memory that becomes executable",
            libc::SYS_mprotect,
            [0, 0, executable, 0, 0, 0],
        ),
        ("reading a descriptor", libc::SYS_read, [3, 0, 0, 0, 0, 0]),
        ("writing to the socket", libc::SYS_write, [0, 0, 0, 0, 0, 0]),
        (
            "typing for a terminal",
            libc::SYS_ioctl,
            [2, 0x5412, root, 0, 0, 0],
        ),
        ("being traceable", libc::SYS_prctl, [4, 1, 0, 0, 0, 0]),
        ("outliving the parent", libc::SYS_prctl, [1, 0, 0, 0, 0, 0]),
        ("opening", libc::SYS_openat, [-100, root, 0, 0, 0, 0]),
        ("limits", libc::SYS_prlimit64, [0, 2, 0, 0, 0, 0]),
        ("clone3", libc::SYS_clone3, [0, 88, 0, 0, 0, 0]),
    ];
    let mut worker = Some(worker());
    for (name, number, arguments) in refused {
        assert_eq!(
            attempt(&mut worker, number, arguments),
            Came::Refused,
            "{name}"
        );
    }
}

#[test]
fn threads_with_a_namespace_of_their_own_cannot_be_made() {
    let thread = libc::CLONE_VM | libc::CLONE_THREAD | libc::CLONE_SIGHAND;
    for space in [
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWPID,
    ] {
        let arguments = [i64::from(thread | space), 0, 0, 0, 0, 0];
        assert_eq!(attempt(&mut None, libc::SYS_clone, arguments), Came::Killed);
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn the_other_numbers_of_x86_are_fatal() {
    for number in [39, 57, 59, 101] {
        assert_eq!(
            attempt(&mut None, 0x4000_0000 + number, [0; 6]),
            Came::Killed
        );
    }
}
