//! The system calls that a worker may make.
//!
//! Three filters lie on top of each other, and the strictest answer counts:
//!
//! 1. what is not on [the list](allowed) fails with `EPERM`. Under this one alone the self-test runs;
//! 2. `clone3` fails with `ENOSYS`: what it is to make lies in memory, where a filter cannot look, and the C library
//!    then uses `clone`, where it can. In workers that compile `memfd_create` likewise: Wasmtime asks for it with each module, and
//!    then copies what it would have mapped;
//! 3. what is neither on the list nor [harmless to ask for](asked_politely) kills the process, the means to install filters
//!    included.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::{JailOptions, report::Held};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// What the filters hold.
pub(super) struct Installed {
    pub(super) held: Held,
}

impl Installed {
    pub(super) fn is_held(&self) -> bool {
        self.held.is_yes()
    }

    /// Without a call that makes a socket there is no network.
    pub(super) fn network(&self) -> Held {
        match &self.held {
            Held::Yes(_) => Held::Yes("no sockets can be made".to_owned()),
            Held::No(reason) => Held::No(reason.clone()),
        }
    }
}

/// Installs the first two filters.
pub(super) fn install(options: &JailOptions) -> Installed {
    let mut first = allowed(options);
    // For the third filter, which takes it away.
    first.insert(libc::SYS_seccomp, Vec::new());
    first.extend(only(
        libc::SYS_prctl,
        [
            is(0, libc::PR_SET_NO_NEW_PRIVS as u64),
            is(0, libc::PR_SET_NAME as u64),
            is(0, PR_SET_VMA),
        ],
    ));
    let count = first.len() - 1;
    let mut unknown = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    if options.may_compile {
        unknown.insert(libc::SYS_memfd_create, Vec::new());
    }
    let installed = apply(
        first,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EPERM.cast_unsigned()),
    )
    .and_then(|()| {
        apply(
            unknown,
            SeccompAction::Errno(libc::ENOSYS.cast_unsigned()),
            SeccompAction::Allow,
        )
    });
    let held = match installed {
        Ok(()) => Held::Yes(format!("{count} are allowed, others are fatal (seccomp)")),
        Err(reason) => Held::No(format!("no filter of system calls: {reason}")),
    };
    Installed { held }
}

/// Installs the last filter.
pub(super) fn tighten(options: &JailOptions) -> Result<(), String> {
    let mut last = allowed(options);
    for call in asked_politely() {
        last.insert(*call, Vec::new());
    }
    if options.may_compile {
        last.insert(libc::SYS_memfd_create, Vec::new());
    }
    let action = if options.explain {
        explain();
        SeccompAction::Trap
    } else {
        SeccompAction::KillProcess
    };
    apply(last, SeccompAction::Allow, action)
}

fn apply(rules: Rules, matched: SeccompAction, otherwise: SeccompAction) -> Result<(), String> {
    let architecture: TargetArch = std::env::consts::ARCH
        .try_into()
        .map_err(|_| format!("unknown on {}", std::env::consts::ARCH))?;
    let filter = SeccompFilter::new(rules, otherwise, matched, architecture);
    let program: Result<BpfProgram, _> = filter.and_then(TryInto::try_into);
    let program = program.map_err(|error| error.to_string())?;
    seccompiler::apply_filter_all_threads(&program).map_err(|error| error.to_string())
}

/// A comparison of an argument with a number.
fn is(argument: u8, value: u64) -> Vec<SeccompCondition> {
    compare(argument, SeccompCmpOp::Eq, value)
}

/// A comparison of some bits of an argument.
fn bits(argument: u8, mask: u64, value: u64) -> Vec<SeccompCondition> {
    compare(argument, SeccompCmpOp::MaskedEq(mask), value)
}

fn compare(argument: u8, operator: SeccompCmpOp, value: u64) -> Vec<SeccompCondition> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Qword, operator, value);
    condition.into_iter().collect()
}

/// A call that is allowed if any of these comparisons holds. Should one of them be malformed, it is left out, and with it what it
/// would have allowed.
fn only<const N: usize>(
    call: i64,
    conditions: [Vec<SeccompCondition>; N],
) -> Option<(i64, Vec<SeccompRule>)> {
    let rules: Vec<_> = conditions
        .into_iter()
        .filter_map(|all| SeccompRule::new(all).ok())
        .collect();
    // No rule at all would mean that everything is allowed.
    (!rules.is_empty()).then_some((call, rules))
}

/// `prctl`'s number for giving memory a name, which allocators do.
const PR_SET_VMA: u64 = 0x5356_4d41;

/// The request that tells which pages were written to, see `hotcell-cell/src/room/dirty.rs`: `_IOWR('f', 16, struct
/// pm_scan_arg)`.
const PAGEMAP_SCAN: u64 = (3 << 30) | (96 << 16) | ((b'f' as u64) << 8) | 16;

/// What threads are made of: a thread of this process, and no namespace of its own.
const THREAD_MASK: u64 = (libc::CLONE_THREAD
    | libc::CLONE_VM
    | libc::CLONE_SIGHAND
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_PTRACE) as u64;
const THREAD: u64 = (libc::CLONE_THREAD | libc::CLONE_VM | libc::CLONE_SIGHAND) as u64;

/// The list.
fn allowed(options: &JailOptions) -> Rules {
    let always = [
        // Waiting, and telling the time.
        libc::SYS_futex,
        libc::SYS_sched_yield,
        libc::SYS_nanosleep,
        libc::SYS_clock_nanosleep,
        libc::SYS_clock_gettime,
        libc::SYS_gettimeofday,
        libc::SYS_restart_syscall,
        // Memory that cannot be executed.
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_madvise,
        libc::SYS_brk,
        // Threads.
        libc::SYS_set_robust_list,
        libc::SYS_rseq,
        libc::SYS_sched_getaffinity,
        libc::SYS_gettid,
        libc::SYS_getpid,
        libc::SYS_exit,
        libc::SYS_exit_group,
        // Traps of WebAssembly come as signals.
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_getrandom,
        libc::SYS_close,
    ];
    let mut rules: Rules = always.into_iter().map(|call| (call, Vec::new())).collect();
    let pid = u64::from(std::process::id());
    rules.extend(only(libc::SYS_clone, [bits(0, THREAD_MASK, THREAD)]));
    // What the parent says beside answers, and last words.
    rules.extend(only(libc::SYS_read, [is(0, 0)]));
    rules.extend(only(libc::SYS_write, [is(0, 2)]));
    rules.extend(only(libc::SYS_writev, [is(0, 2)]));
    // `abort` signals itself.
    rules.extend(only(libc::SYS_tgkill, [is(0, pid)]));
    rules.extend(only(libc::SYS_ioctl, [is(1, PAGEMAP_SCAN)]));
    rules.extend(only(
        libc::SYS_prctl,
        [is(0, libc::PR_SET_NAME as u64), is(0, PR_SET_VMA)],
    ));
    let executable = libc::PROT_EXEC as u64;
    if options.may_compile {
        rules.insert(libc::SYS_mmap, Vec::new());
        rules.insert(libc::SYS_mprotect, Vec::new());
    } else {
        rules.extend(only(libc::SYS_mmap, [bits(2, executable, 0)]));
        rules.extend(only(libc::SYS_mprotect, [bits(2, executable, 0)]));
    }
    rules
}

/// Calls that libraries try and can do without: they get an error instead of being the end.
fn asked_politely() -> &'static [i64] {
    &[
        libc::SYS_clone3,
        libc::SYS_openat,
        libc::SYS_newfstatat,
        libc::SYS_fstat,
        libc::SYS_statx,
        libc::SYS_faccessat,
        libc::SYS_readlinkat,
        libc::SYS_getcwd,
        libc::SYS_fcntl,
        libc::SYS_uname,
        libc::SYS_sysinfo,
        libc::SYS_prlimit64,
        libc::SYS_sched_setaffinity,
        libc::SYS_membarrier,
        // With other arguments than those on the list.
        libc::SYS_prctl,
        libc::SYS_ioctl,
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_mprotect,
        libc::SYS_mmap,
    ]
}

/// Writes the number of a call that is not allowed to standard error, and ends.
fn explain() {
    extern "C" fn handler(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
        // SAFETY: the kernel passes a valid structure. For SIGSYS the number of the call is at this offset: behind the three
        // numbers every signal has, their padding, and the address of the call.
        let call = unsafe { info.cast::<u8>().add(24).cast::<i32>().read() };
        let mut text = *b"forbidden system call 0000\n";
        let mut rest = call.unsigned_abs();
        for digit in (22..26).rev() {
            text[digit] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        // SAFETY: the descriptor may be written to, and `text` has so many bytes. Both calls may be made in a handler.
        unsafe {
            libc::write(2, text.as_ptr().cast(), text.len());
            libc::abort();
        }
    }
    // SAFETY: all zero is a valid structure, and the handler only makes calls that a handler may make.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGSYS, &raw const action, std::ptr::null_mut());
    }
}
