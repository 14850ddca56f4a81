//! `exec.start.v1` and `exec.status.v1`.
//!
//! [`Execs`] is the table of programs: it checks what is asked for, starts, drives and ends them. A program is a run of a
//! [`Kernel`]: it moves only while the guest is in a call of ours that gives it time, so what a guest can see of it does not
//! depend on how the machine schedules threads.

mod check;
mod drive;

use std::{
    collections::BTreeMap,
    sync::Arc,
    task::Waker,
    time::{Duration, Instant},
};

use futures_util::task::AtomicWaker;
use hotcell_hopper::{
    selector::exec::{State, Status, WANT_STDERR, WANT_STDIN, WANT_STDOUT},
    trace::{self, Trace},
};
use hotcell_meter::{Account, StopToken};
use hotcell_process::{Kernel, KernelOptions, Limits, Null, Run, Spec, Stream};

pub(crate) use check::Request;
pub(crate) use drive::{Drove, Flag, SLICE};

use crate::{
    options::ExecPolicy,
    registry::Allowed,
    ring::{InputEnd, OutputEnd, Ring},
};

/// The code of a program whose time was over.
pub(crate) const TIMEOUT: u32 = 124;
/// The code of one that met a limit.
pub(crate) const LIMIT: u32 = 125;
/// The code of one that the host ended.
pub(crate) const KILLED: u32 = 137;

/// The programs of a guest.
pub(crate) struct Execs {
    policy: ExecPolicy,
    allowed: Arc<Allowed>,
    /// How each program is, from exec id 1 on.
    statuses: Vec<Status>,
    running: BTreeMap<u32, Running>,
    /// The one that had its turn last.
    last_turn: u32,
    /// The task that the guest is.
    task: Arc<AtomicWaker>,
    /// Buffers of streams are charged to it.
    account: Account,
}

/// A program that has not ended.
struct Running {
    run: Run,
    /// Says whether it can go on.
    flag: Arc<Flag>,
    waker: Waker,
    /// For how long it has computed.
    cpu: Duration,
    /// What it may hold.
    account: Account,
    streams: Streams,
}

/// The guest's ends of a program's streams, as far as it wants them.
#[derive(Clone, Default)]
pub(crate) struct Streams {
    pub(crate) stdin: Option<Arc<Ring>>,
    pub(crate) stdout: Option<Arc<Ring>>,
    pub(crate) stderr: Option<Arc<Ring>>,
}

impl Streams {
    fn outputs(&self) -> impl Iterator<Item = &Arc<Ring>> {
        [&self.stdout, &self.stderr].into_iter().flatten()
    }

    /// Whether more was written than may be.
    fn is_breached(&self) -> bool {
        self.outputs().any(|ring| ring.is_breached())
    }
}

impl Execs {
    pub(crate) fn new(policy: ExecPolicy, account: Account, task: Arc<AtomicWaker>) -> Self {
        let ids = policy.allow.iter();
        Self {
            allowed: Arc::new(Allowed::new(&policy.registry, ids)),
            policy,
            statuses: Vec::new(),
            running: BTreeMap::new(),
            last_turn: 0,
            task,
            account,
        }
    }

    pub(crate) fn policy(&self) -> &ExecPolicy {
        &self.policy
    }

    /// How many were started.
    pub(crate) fn started(&self) -> usize {
        self.statuses.len()
    }

    pub(crate) fn status(&self, exec_id: u32) -> Result<Status, Trace> {
        if !self.policy.tells_status {
            return Err(trace::EXEC_NOT_LISTABLE);
        }
        let index = (exec_id as usize).checked_sub(1);
        let status = index.and_then(|index| self.statuses.get(index));
        status.copied().ok_or(trace::EXEC_NOT_FOUND)
    }

    /// Whether another program could run beside those that do.
    pub(crate) fn has_slot(&self) -> bool {
        self.running.len() < self.policy.limits.max_running
    }

    /// Starts a program that was checked. `has_handles` says whether there are handles for so many streams.
    pub(crate) fn start(
        &mut self,
        request: Request,
        has_handles: impl FnOnce(usize) -> bool,
    ) -> Result<(u32, Streams), Trace> {
        let limits = self.policy.limits;
        let exec_id = u32::try_from(self.statuses.len() + 1).unwrap_or(u32::MAX);
        if exec_id > limits.max_starts {
            return Err(trace::EXEC_LIMITS);
        }
        let ring = |bit: u32, limit: u64| -> Result<Option<Arc<Ring>>, Trace> {
            if request.flags & bit == 0 {
                return Ok(None);
            }
            let capacity = limits.stream_buffer_bytes.max(1);
            let charge = self.account.charge(capacity);
            let charge = charge.map_err(|_| trace::EXEC_LIMITS)?;
            Ok(Some(Ring::new(capacity, limit, charge)))
        };
        let stdin_limit = match limits.max_stdin_bytes {
            0 => u64::MAX,
            limit => limit,
        };
        let streams = Streams {
            stdin: ring(WANT_STDIN, stdin_limit)?,
            stdout: ring(WANT_STDOUT, limits.max_stdout_bytes)?,
            stderr: ring(WANT_STDERR, limits.max_stdout_bytes)?,
        };
        if !has_handles(request.flags.count_ones() as usize) {
            return Err(trace::EXEC_TOO_MANY_HANDLES);
        }
        if !self.has_slot() {
            return Err(trace::EXEC_BUSY);
        }
        let account = Account::new("mem_limit_bytes", limits.mem_limit_bytes);
        let run = self.begin(request, &streams, &account);
        if !run.has_begun() {
            // The machine has no stack for it.
            return Err(trace::EXEC_BUSY);
        }
        let flag = Flag::new(&self.task);
        self.statuses.push(Status {
            state: State::Running,
            code: 0,
        });
        self.running.insert(
            exec_id,
            Running {
                run,
                waker: Waker::from(Arc::clone(&flag)),
                flag,
                cpu: Duration::ZERO,
                account,
                streams: streams.clone(),
            },
        );
        Ok((exec_id, streams))
    }

    fn begin(&self, request: Request, streams: &Streams, account: &Account) -> Run {
        let policy = &self.policy;
        let deadline = match policy.limits.time_limit {
            Duration::ZERO => None,
            limit => Instant::now().checked_add(limit),
        };
        let kernel = Kernel::new(KernelOptions {
            vfs: Arc::clone(&policy.vfs),
            programs: Arc::clone(&self.allowed) as _,
            stop: deadline.map_or_else(StopToken::new, StopToken::until),
            account: account.clone(),
            limits: Limits::default(),
            clock: policy.clock.clone(),
            ..KernelOptions::default()
        });
        let output = |ring: &Option<Arc<Ring>>| -> Arc<dyn Stream> {
            match ring {
                Some(ring) => Arc::new(OutputEnd(Arc::clone(ring))),
                None => Arc::new(Null),
            }
        };
        let mut spec = Spec::new(request.args)
            .environ(request.env)
            .cwd(policy.cwd.clone())
            .stdout(output(&streams.stdout))
            .stderr(output(&streams.stderr));
        if let Some(ring) = &streams.stdin {
            spec = spec.stdin(Arc::new(InputEnd(Arc::clone(ring))));
        }
        let program = request.program;
        kernel.run(spec, move |process| program.run(process))
    }

    /// The program has ended: nothing more comes from it, and it takes nothing.
    fn end(&mut self, exec_id: u32, status: Status) {
        let index = (exec_id as usize).wrapping_sub(1);
        if let Some(kept) = self.statuses.get_mut(index)
            && kept.state == State::Running
        {
            *kept = status;
        }
        if let Some(Running { run, streams, .. }) = self.running.remove(&exec_id) {
            // Unwinds its processes, if there are any left.
            drop(run);
            if let Some(stdin) = &streams.stdin {
                stdin.abandon();
            }
            streams.outputs().for_each(|ring| ring.end());
        }
    }

    /// Whether a program waits for something that only the guest can do: write its input, or read one of its outputs.
    pub(crate) fn waits_for_guest(&self, exec_id: u32) -> bool {
        let Some(running) = self.running.get(&exec_id) else {
            return false;
        };
        let streams = &running.streams;
        let is_starved = streams.stdin.as_ref().is_some_and(|ring| ring.is_starved());
        (is_starved || streams.outputs().any(|ring| ring.is_stuffed()))
            && !running.flag.is_raised()
            && !running.run.is_waiting_for_time()
    }
}
