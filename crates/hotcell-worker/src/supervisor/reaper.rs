//! The thread that notices when workers end, takes care that they do in time, and leaves no zombies.

use std::{
    collections::{BTreeMap, HashMap},
    io,
    os::fd::{AsFd, OwnedFd},
    sync::{Arc, Mutex, MutexGuard},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{EventfdFlags, Timespec, epoll, eventfd},
    process::{WaitId, WaitIdOptions, waitid},
};

use super::{
    death::{End, Why},
    shared::{Shared, lock},
};

/// Looks after workers from their start to their end. Cheap to clone.
#[derive(Clone)]
pub(super) struct Reaper(Arc<Inner>);

struct Inner {
    epoll: OwnedFd,
    /// Written to when the thread has to look at its timers anew.
    bell: OwnedFd,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    workers: HashMap<u64, Arc<Shared>>,
    last: u64,
    /// When to kill which worker, and why. Timers are numbered, because two may be due at the same time.
    timers: BTreeMap<(Instant, u64), (u64, Why)>,
    last_timer: u64,
    /// When the thread looks again by itself; `None` if it does not.
    sleeps_until: Option<Instant>,
}

/// What the bell is called among the events; workers are numbered from 1.
const BELL: u64 = 0;

/// Kills a worker at a certain time, unless it is dropped before.
pub(super) struct Timer {
    reaper: Reaper,
    key: (Instant, u64),
}

impl Reaper {
    pub(super) fn start() -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let data = epoll::EventData::new_u64(BELL);
        epoll::add(&epoll, &bell, data, epoll::EventFlags::IN)?;
        let reaper = Self(Arc::new(Inner {
            epoll,
            bell,
            state: Mutex::default(),
        }));
        let inner = Arc::clone(&reaper.0);
        thread::Builder::new()
            .name("hotcell-reaper".to_owned())
            .stack_size(128 << 10)
            .spawn(move || inner.run())?;
        Ok(reaper)
    }

    /// Looks after a worker from here on; tells its number.
    pub(super) fn watch(&self, worker: &Arc<Shared>) -> io::Result<u64> {
        let mut state = self.0.state();
        state.last += 1;
        let id = state.last;
        state.workers.insert(id, Arc::clone(worker));
        drop(state);
        let data = epoll::EventData::new_u64(id);
        let added = epoll::add(&self.0.epoll, &worker.handle, data, epoll::EventFlags::IN);
        if let Err(error) = added {
            // It cannot be looked after, so it must not be.
            worker.kill(Why::Disposed);
            self.0.bury(id);
            return Err(error.into());
        }
        Ok(id)
    }

    /// Kills a worker at `at`, unless the timer is dropped before.
    pub(super) fn kill_at(&self, worker: u64, at: Instant, why: Why) -> Timer {
        let mut state = self.0.state();
        state.last_timer += 1;
        let key = (at, state.last_timer);
        state.timers.insert(key, (worker, why));
        let is_asleep = state.sleeps_until.is_none_or(|until| until > at);
        if is_asleep {
            state.sleeps_until = Some(at);
        }
        drop(state);
        if is_asleep {
            self.0.ring();
        }
        Timer {
            reaper: self.clone(),
            key,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.0.state().workers.len()
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // The thread is not told: it wakes once for nothing, and later timers come later anyway.
        self.reaper.0.state().timers.remove(&self.key);
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn ring(&self) {
        let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
    }

    fn run(&self) {
        let mut events = Vec::with_capacity(64);
        loop {
            let timeout = self.kill_what_is_due();
            events.clear();
            let space = rustix::buffer::spare_capacity(&mut events);
            // Interrupted or not, everything is looked at again.
            let _ = epoll::wait(&self.epoll, space, timeout.as_ref());
            for event in &events {
                match event.data.u64() {
                    BELL => {
                        let mut count = [0; 8];
                        let _ = rustix::io::read(&self.bell, &mut count);
                    }
                    worker => self.bury(worker),
                }
            }
        }
    }

    /// Kills workers whose time is over, and says how long there is nothing to do.
    fn kill_what_is_due(&self) -> Option<Timespec> {
        let now = Instant::now();
        let mut state = self.state();
        let mut due = Vec::new();
        while let Some(entry) = state.timers.first_entry()
            && entry.key().0 <= now
        {
            let (worker, why) = entry.remove();
            due.extend(state.workers.get(&worker).cloned().zip(Some(why)));
        }
        let next = state.timers.first_key_value().map(|((at, _), _)| *at);
        state.sleeps_until = next;
        drop(state);
        for (worker, why) in due {
            worker.kill(why);
        }
        next.map(|next| {
            // Rounded up, so that it is due then.
            let left = next.saturating_duration_since(now) + Duration::from_micros(1);
            Timespec {
                tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
                tv_nsec: left.subsec_nanos().into(),
            }
        })
    }

    /// A worker has ended.
    fn bury(&self, id: u64) {
        let Some(worker) = self.state().workers.remove(&id) else {
            return;
        };
        let _ = epoll::delete(&self.epoll, &worker.handle);
        let handle = worker.handle.as_fd();
        let status = waitid(WaitId::PidFd(handle), WaitIdOptions::EXITED);
        let end = match status {
            Ok(Some(status)) => match (status.exit_status(), status.terminating_signal()) {
                (Some(code), _) => End::Exit(code),
                (_, Some(signal)) => End::Signal(signal),
                _ => End::Unknown,
            },
            // The host waits for all children itself, or wants none reported.
            _ => End::Unknown,
        };
        worker.bury(end);
    }
}
