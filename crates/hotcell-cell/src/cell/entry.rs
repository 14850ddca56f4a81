//! Entering the guest. Nothing else calls what it exports.
//!
//! # Invariant: no entry without a deadline
//!
//! The memory of a cell may hold anything: it may have been restored from a forged snapshot, or damaged from inside. So
//! any call into it may go on for ever, and none is made unless something will end it: the deadline of a run, or, for what
//! is done between runs, an allowance of computing time. Whoever exceeds it loses the cell.

use std::{
    future::poll_fn,
    pin::pin,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use hotcell_watchdog::{GRACE, thread_time};
use wasmtime::{StoreContextMut, UpdateDeadline};

use super::Cell;
use crate::{
    deadline::{Clocks, Deadline, Times},
    error::CellError,
    guest::place,
    host::{Entry, Host},
    room::{KEPT_STACK, StackLease, release_guest_stack},
};

/// What an entry between runs may compute, how much more for each byte of memory, all of which it may have to free, and for
/// each that it has to read. All are far more than it takes, and counted in the time of the thread: a busy machine costs no
/// cell.
const CHORE: Duration = Duration::from_millis(200);
const CHORE_PER_BYTE_OF_MEMORY: Duration = Duration::from_nanos(5);
const CHORE_PER_BYTE_READ: Duration = Duration::from_nanos(200);

/// What is done between runs.
#[derive(Debug, Clone, Copy)]
pub(super) enum Chore {
    /// Giving up the run under way.
    Abandon,
    /// Defining variables and tools, from a message of this length.
    Define(i32),
}

impl Chore {
    fn allowance(self, memory: usize) -> Duration {
        let read = match self {
            Self::Abandon => 0,
            Self::Define(length) => length.cast_unsigned(),
        };
        let memory = u32::try_from(memory).unwrap_or(u32::MAX);
        CHORE + CHORE_PER_BYTE_OF_MEMORY * memory + CHORE_PER_BYTE_READ * read
    }
}

/// Called when the epoch has changed, which it does every millisecond while cells compute.
pub(super) fn on_tick(mut context: StoreContextMut<'_, Host>) -> wasmtime::Result<UpdateDeadline> {
    let host = context.data_mut();
    let allowance = match host.entry {
        Entry::Run if host.interrupt.reason().is_none() => {
            // Answers are taken as they come, so that the code pays for them though it computes. Otherwise they would wait
            // in their futures, as many as there are calls and as large as they like.
            if !host.calls.futures.is_empty() {
                host.poll_answers_now();
            }
            return Ok(UpdateDeadline::Yield(1));
        }
        Entry::Run => GRACE,
        Entry::Chore(allowance) => allowance,
    };
    let now = thread_time();
    let since = *host.overtime_since.get_or_insert(now);
    if now.saturating_sub(since) >= allowance {
        wasmtime::bail!("it computed for more than {allowance:?} when it should have ended");
    }
    // JavaScript notices the interrupt by itself, the sooner if its next poll asks. Only what goes on regardless is torn out
    // of its native code.
    if let (Entry::Run, Some(memory)) = (host.entry, host.memory) {
        let at = place::POLL_COUNTDOWN;
        memory.data_mut(&mut context)[at..at + 4].fill(0);
    }
    Ok(UpdateDeadline::Continue(1))
}

impl Cell {
    /// Takes the run as far as it goes without waiting: from the program of `unstarted` bytes, or from where it was.
    pub(super) async fn enter_run(&mut self, unstarted: Option<i32>) -> Result<i32, CellError> {
        let watchdog = &self.engine.0.watchdog;
        let Some(live) = self.live.as_deref_mut().filter(|live| !live.inside) else {
            self.discard();
            return Err(CellError::Gone);
        };
        let host = live.store.data_mut();
        host.entry = Entry::Run;
        host.overtime_since = None;
        if host.clocks.is_none() {
            host.arm(Times::within(self.options.timeout));
        }
        host.ensure_watched();
        let mut clock = host.clocks.as_mut().and_then(Clocks::take_cpu);
        let task = host.calls.task.clone();
        live.inside = true;
        live.store.set_epoch_deadline(1);
        let mut cpu_time = Duration::ZERO;
        let mut stack = None;
        let result = {
            let computing = watchdog.computing();
            let (evaluate, resume) = (live.guest.evaluate.clone(), live.guest.resume.clone());
            let mut entered = pin!(async {
                match unstarted {
                    Some(length) => evaluate.call_async(&mut live.store, length).await,
                    None => resume.call_async(&mut live.store, ()).await,
                }
            });
            let result = poll_fn(|context| {
                task.set(context.waker());
                clock.iter_mut().for_each(Deadline::resume);
                let began = Instant::now();
                let (polled, made) = StackLease::made_in(|| entered.as_mut().poll(context));
                cpu_time += began.elapsed();
                clock.iter_mut().for_each(Deadline::pause);
                if made.is_some() {
                    stack = made;
                }
                polled
            })
            .await;
            drop(computing);
            result
        };
        live.inside = false;
        let host = live.store.data_mut();
        host.keep_stack(stack);
        if let Some(clocks) = &mut host.clocks {
            clocks.put_cpu(clock);
        }
        self.totals.cpu_time += cpu_time;
        match result {
            Ok(status) => {
                self.come_to_rest();
                Ok(status)
            }
            Err(trap) => Err(self.broken(&trap)),
        }
    }

    /// The guest has returned. What deep recursion has used of its stacks, which may be many times the rest of the cell,
    /// goes back to the system: it may be long until it is needed again.
    fn come_to_rest(&mut self) {
        let Some(live) = &mut self.live else { return };
        let used = std::mem::take(&mut live.store.data_mut().stack.peak);
        self.totals.peak_stack_bytes = self.totals.peak_stack_bytes.max(used as u64);
        if used <= KEPT_STACK {
            return;
        }
        if let Some(stack) = &live.store.data().stack.lease {
            // SAFETY: the guest has returned, so that no frame is left.
            unsafe { stack.release_depths() };
        }
        // SAFETY: the memory of this cell, which came from the engine's room; no frame is left.
        unsafe { release_guest_stack(live.guest.memory.data_ptr(&live.store)) };
    }

    /// Does something that does not wait and calls none of the host's functions.
    pub(super) fn enter_chore(&mut self, chore: Chore) -> Result<i32, CellError> {
        let computing = self.engine.0.watchdog.computing();
        let live = self.live()?;
        let memory = live.guest.memory.data_size(&live.store);
        let host = live.store.data_mut();
        host.entry = Entry::Chore(chore.allowance(memory));
        host.overtime_since = None;
        live.inside = true;
        live.store.set_epoch_deadline(1);
        let began = Instant::now();
        let (abandon, define) = (live.guest.abandon.clone(), live.guest.define.clone());
        let (polled, stack) = {
            let mut entered = pin!(async {
                match chore {
                    Chore::Abandon => abandon.call_async(&mut live.store, ()).await,
                    Chore::Define(length) => define.call_async(&mut live.store, length).await,
                }
            });
            let mut context = Context::from_waker(Waker::noop());
            StackLease::made_in(|| entered.as_mut().poll(&mut context))
        };
        live.store.data_mut().keep_stack(stack);
        live.inside = polled.is_pending();
        drop(computing);
        self.totals.cpu_time += began.elapsed();
        match polled {
            Poll::Ready(Ok(status)) => {
                self.come_to_rest();
                Ok(status)
            }
            Poll::Ready(Err(trap)) => Err(self.broken(&trap)),
            Poll::Pending => Err(self.broken(&wasmtime::format_err!("it waits where it cannot"))),
        }
    }
}
