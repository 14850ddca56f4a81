//! What everybody on the parent's side knows of one worker.

use std::{
    os::fd::OwnedFd,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::Waker,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, Signal, pidfd_send_signal},
};

use super::{
    death::{Death, End, Why},
    notifier::Notifier,
    spawn::Spawned,
};
use crate::{region::Region, ring::Ring};

pub(super) struct Shared {
    pub(super) pid: Pid,
    pub(super) handle: OwnedFd,
    pub(super) socket: OwnedFd,
    errors: OwnedFd,
    pub(super) commands: Arc<Region>,
    pub(super) files: Arc<Region>,
    pub(super) output: Ring,
    /// Why the parent killed it, if it did.
    killed: Mutex<Option<Why>>,
    death: OnceLock<Death>,
    /// Whoever waits for the worker.
    waker: Mutex<Option<Waker>>,
    pub(super) notifier: Notifier,
    /// Whether an operation on files may be under way.
    serves_files: AtomicBool,
}

impl Shared {
    pub(super) fn new(spawned: Spawned) -> Self {
        Self {
            pid: spawned.pid,
            handle: spawned.handle,
            socket: spawned.socket,
            errors: spawned.errors,
            commands: Arc::new(spawned.commands),
            files: Arc::new(spawned.files),
            output: spawned.output,
            killed: Mutex::default(),
            death: OnceLock::new(),
            waker: Mutex::default(),
            notifier: Notifier::default(),
            serves_files: AtomicBool::new(false),
        }
    }

    /// Kills it. Whoever is first says why.
    pub(super) fn kill(&self, why: Why) {
        lock(&self.killed).get_or_insert(why);
        // By handle: a number could be somebody else's by now.
        let _ = pidfd_send_signal(&self.handle, Signal::KILL);
    }

    /// The news of its end. From here on nobody but this process touches the shared memory.
    pub(super) fn bury(&self, end: End) {
        let end = match lock(&self.killed).clone() {
            Some(why) if end == End::Signal(libc::SIGKILL) => End::Killed(why),
            _ => end,
        };
        let mut said = vec![0; 16 << 10];
        let length = rustix::io::read(&self.errors, &mut said).unwrap_or(0);
        let _ = self.death.set(Death::new(end, &said[..length]));
        self.commands.close();
        self.files.close();
        self.notifier.end();
        self.wake();
    }

    /// How it ended, if it did and nothing is done for it any more.
    pub(super) fn death(&self) -> Option<&Death> {
        let death = self.death.get()?;
        (!self.serves_files.load(Ordering::Acquire)).then_some(death)
    }

    pub(super) fn is_dead(&self) -> bool {
        self.death.get().is_some()
    }

    /// Whether the process has ended, also if nobody has taken the news yet.
    pub(super) fn has_ended(&self) -> bool {
        let mut ends = [PollFd::new(&self.handle, PollFlags::IN)];
        let at_once = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        self.is_dead() || poll(&mut ends, Some(&at_once)).is_ok_and(|ended| ended > 0)
    }

    /// Whether it is dead, or as good as: nothing new is begun for it.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_dead() || lock(&self.killed).is_some()
    }

    /// An operation on files may be under way, or cannot be any more.
    pub(super) fn set_serves_files(&self, serves: bool) {
        self.serves_files.store(serves, Ordering::Release);
        if !serves {
            self.wake();
        }
    }

    pub(super) fn set_waker(&self, waker: &Waker) {
        let mut slot = lock(&self.waker);
        if !slot.as_ref().is_some_and(|known| known.will_wake(waker)) {
            let old = slot.replace(waker.clone());
            drop(slot);
            // It is the host's code.
            drop(old);
        }
    }

    pub(super) fn wake(&self) {
        let waker = lock(&self.waker).take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
