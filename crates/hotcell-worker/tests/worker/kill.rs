//! Whatever a worker does, it ends when it must.

use std::time::{Duration, Instant};

use hotcell_worker::{End, Why};
use serde_json::json;

use crate::{
    service::Do,
    support::{LONG, exists, run, run_for, worker, worker_with_files},
};

#[test]
fn a_deadline_ends_whatever_the_worker_does() {
    for what in [Do::Spin, Do::Sleep, Do::SpinSoftly] {
        let mut worker = worker();
        let pid = worker.pid();
        let ran = run_for(&mut worker, &what, Vec::new(), Duration::from_millis(50));
        assert!(ran.took >= Duration::from_millis(50));
        assert_eq!(ran.death().end, End::Killed(Why::Deadline));
        assert!(!exists(pid), "it is gone, and no zombie");
    }
}

#[test]
fn output_so_far_survives_a_kill() {
    let mut worker = worker();
    let what = Do::PrintThenSpin("before the end".to_owned());
    let ran = run_for(&mut worker, &what, Vec::new(), Duration::from_millis(50));
    assert_eq!(ran.printed, b"before the end");
    assert!(ran.end.is_err());
}

#[test]
fn a_limit_that_is_dropped_kills_nobody() {
    let mut worker = worker();
    let ran = run_for(&mut worker, &Do::Echo, Vec::new(), Duration::from_secs(5));
    assert!(ran.end.is_ok());
    drop(worker.limit(Instant::now() + Duration::from_millis(1)));
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(run(&mut worker, &Do::Echo).answer(), json!("echo"));
}

#[test]
fn who_is_cancelled_and_goes_along_stays() {
    let mut worker = worker();
    let pid = worker.pid();
    for _ in 0..20 {
        let canceller = std::thread::scope(|scope| {
            let (sender, receiver) = std::sync::mpsc::channel();
            scope.spawn(move || {
                let canceller: hotcell_worker::Canceller = receiver.recv().unwrap();
                std::thread::sleep(Duration::from_millis(2));
                canceller.cancel();
            });
            worker.command(&hotcell_worker::Message::new(&Do::SpinSoftly, Vec::new()));
            let canceller = worker.canceller();
            sender.send(canceller.clone()).unwrap();
            let event = pollster::block_on(worker.next(&mut |_, _| {}));
            assert!(matches!(event, hotcell_worker::Event::Done(_)));
            canceller
        });
        // One that comes too late hits nobody else.
        canceller.cancel();
    }
    assert_eq!(run(&mut worker, &Do::Echo).answer(), json!("echo"));
    assert_eq!(worker.pid(), pid);
}

#[test]
fn who_is_cancelled_and_does_not_go_along_is_killed() {
    let mut worker = worker();
    worker.command(&hotcell_worker::Message::new(&Do::Spin, Vec::new()));
    let canceller = worker.cancel();
    let _limit = canceller.limit(Instant::now() + Duration::from_millis(5));
    let event = pollster::block_on(worker.next(&mut |_, _| {}));
    let hotcell_worker::Event::Died(death) = event else {
        unreachable!()
    };
    assert_eq!(death.end, End::Killed(Why::Cancelled));
}

#[test]
fn a_worker_that_waits_for_files_can_be_killed() {
    let (mut worker, vfs) = worker_with_files();
    let what = Do::WriteFiles {
        path: "/f".to_owned(),
        size: 100_000,
    };
    let ran = run_for(&mut worker, &what, Vec::new(), Duration::from_millis(100));
    assert_eq!(ran.death().end, End::Killed(Why::Deadline));
    use hotcell_vfs::Vfs;
    let content = vfs.read_file("/f".into()).unwrap();
    assert_eq!(content.len(), 100_000);
    assert!(content.iter().all(|byte| *byte == content[0]));
    let _ = LONG;
}
