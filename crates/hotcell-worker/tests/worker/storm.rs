//! A thousand workers killed in the middle of writing: nothing torn, nothing left.

use std::{sync::Arc, time::Duration};

use hotcell_vfs::{Clock, Limits, MemVfs, Vfs, Walk};
use hotcell_worker::{Event, Message};

use crate::{
    service::Do,
    support::{eventually, supervisor, worker},
};

/// How much of this process there is: descriptors, threads, children.
fn census() -> (usize, usize, usize) {
    let count = |path: &str| std::fs::read_dir(path).unwrap().count();
    let children = std::fs::read_dir("/proc/self/task").unwrap().map(|task| {
        let file = task.unwrap().path().join("children");
        let text = std::fs::read_to_string(file).unwrap_or_default();
        text.split_whitespace().count()
    });
    let children = children.sum();
    (count("/proc/self/fd"), count("/proc/self/task"), children)
}

/// Memory of this process, in KiB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_thousand_kills_leave_no_torn_file_and_nothing_behind() {
    let limits = Limits {
        bytes: 1 << 30,
        ..Limits::default()
    };
    let vfs = Arc::new(MemVfs::with(limits, Clock::None));
    let mut state = 0x1234_5678_9abc_def1_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let sizes = [1_usize, 4096, 70_000, 300_000, 3_000_000];
    let mut before = None;
    for round in 0..1000 {
        if round == 20 {
            assert!(eventually(|| supervisor().count() == 0));
            before = Some((census(), resident()));
        }
        let mut worker = worker();
        worker.serve_files(vfs.clone(), None, 64 << 20).unwrap();
        let size = sizes[(next() % 5) as usize];
        let path = format!("/{size}");
        worker.command(&Message::new(&Do::WriteFiles { path, size }, Vec::new()));
        let pid = worker.pid();
        let wait = Duration::from_micros(next() % 3000);
        let killer = std::thread::spawn(move || {
            std::thread::sleep(wait);
            // SAFETY: our own child, which nobody has waited for.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        });
        let event = pollster::block_on(worker.next(&mut |_, _| {}));
        assert!(matches!(event, Event::Died(_)), "round {round}: {event:?}");
        killer.join().unwrap();
        // Nothing is done to the files once the death is told.
        let entries = Walk::new(&*vfs, "/".into()).map(|entry| entry.unwrap());
        for entry in entries.filter(|entry| entry.kind.is_file()) {
            let name = entry.path.to_string();
            let content = vfs.read_file(&entry.path).unwrap();
            assert_eq!(format!("/{}", content.len()), name, "round {round}");
            assert!(
                content.iter().all(|byte| *byte == content[0]),
                "round {round}: torn"
            );
        }
        assert_eq!(
            vfs.usage().files,
            Walk::new(&*vfs, "/".into()).count() as u64 - 1
        );
    }
    vfs.audit().unwrap();
    assert!(eventually(|| supervisor().count() == 0));
    let (census_before, resident_before) = before.unwrap();
    // What was counted first may have had a worker that was still being let go.
    let is_nothing_left = || {
        let (descriptors, threads, zombies) = census();
        descriptors <= census_before.0 && threads <= census_before.1 && zombies == 0
    };
    assert!(
        eventually(is_nothing_left),
        "{:?}, before {census_before:?}",
        census()
    );
    assert_eq!(census_before.2, 0, "no zombies");
    let grown = resident().saturating_sub(resident_before);
    assert!(grown < 64 << 10, "{grown} KiB more than before");
}
