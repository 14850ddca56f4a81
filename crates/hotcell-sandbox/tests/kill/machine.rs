//! What the machine says of this process.

use std::{fs, thread, time::Duration};

/// The number of this thread.
pub(crate) fn current_thread() -> u32 {
    let link = fs::read_link("/proc/thread-self").unwrap();
    let name = link.file_name().unwrap().to_str().unwrap();
    name.parse().unwrap()
}

/// How long a thread has computed.
pub(crate) fn thread_time(thread: u32) -> Duration {
    let path = format!("/proc/self/task/{thread}/schedstat");
    let text = fs::read_to_string(path).unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

/// What the process is at.
pub(crate) struct Load {
    threads: usize,
}

impl Load {
    pub(crate) fn now() -> Self {
        Self {
            threads: threads().len(),
        }
    }

    /// What goes on that should not: more threads than before, or somebody who computes.
    pub(crate) fn what_is_left(&self) -> Option<String> {
        let patience = Duration::from_millis(20);
        let is_left = || threads().len() > self.threads;
        for _ in 0..50 {
            if !is_left() {
                break;
            }
            thread::sleep(patience);
        }
        if is_left() {
            return Some(format!("threads are left: {:?}", threads()));
        }
        let total = || -> Duration { threads().into_iter().map(thread_time).sum() };
        // One that is about to sleep may have a little to do. One that goes on never stops.
        let mut spent = Duration::ZERO;
        for _ in 0..10 {
            let before = total();
            thread::sleep(patience);
            spent = total().saturating_sub(before);
            if spent < Duration::from_millis(5) {
                return None;
            }
        }
        Some(format!("somebody computes on: {spent:?} of {patience:?}"))
    }
}

fn threads() -> Vec<u32> {
    let folder = fs::read_dir("/proc/self/task").unwrap();
    let names = folder.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    names.collect()
}
