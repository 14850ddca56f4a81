//! The thread: how many there are, and what they tell. One test, because the thread belongs to the process.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use hotcell_watchdog::{Timed, Timer, Watchdog};
use wasmtime::{Config, Engine};

struct Run {
    told: AtomicU64,
    woken: mpsc::Sender<u64>,
}

impl Timed for Run {
    fn note(&self, run: u64) {
        self.told.store(run, Ordering::SeqCst);
    }

    fn wake(self: Arc<Self>) {
        let _ = self.woken.send(self.told.load(Ordering::SeqCst));
    }
}

fn threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let names =
        tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names
        .filter(|name| name.starts_with("hotcell-watchd"))
        .count()
}

/// Waits until the number of threads is right: they begin and end in their own time.
fn assert_threads(count: usize) {
    for _ in 0..500 {
        if threads() == count {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(threads(), count);
}

#[test]
#[cfg(target_os = "linux")]
fn one_thread_serves_all_engines_and_ends_with_the_last() {
    let engine = || {
        let mut config = Config::new();
        config.epoch_interruption(true);
        Engine::new(&config).unwrap()
    };
    assert_threads(0);
    let (one, other) = (engine(), engine());
    let (first, second) = (Watchdog::new(&one), Watchdog::new(&other));
    let computing = (first.computing(), second.computing());
    assert_threads(1);

    let (woken, wakes) = mpsc::channel();
    let run = Arc::new(Run {
        told: AtomicU64::new(0),
        woken,
    });
    let began = Instant::now();
    let kept = Timer::set(began + Duration::from_millis(20), &run, 7);
    let taken_back = Timer::set(began + Duration::from_millis(10), &run, 8);
    drop(taken_back);
    assert_eq!(wakes.recv(), Ok(7));
    assert!(began.elapsed() >= Duration::from_millis(20));
    assert!(kept.is_watched());

    drop((computing, first));
    assert_threads(1);
    drop(second);
    assert_threads(0);

    // And it begins anew.
    let third = Watchdog::new(&one);
    let computing = third.computing();
    assert_threads(1);
    drop((computing, third));
    assert_threads(0);
}
