//! A worker is started, works, waits, works again, and ends with its owner.

use hotcell_worker::{End, JailOptions, Part, Supervisor, Why, WorkerError, WorkerOptions};
use serde_json::json;

use crate::{
    service::{BUILD, Do},
    support::{LONG, eventually, exists, options, run, run_for, supervisor, worker, worker_with},
};

#[test]
fn a_worker_lives_on_between_commands() {
    let mut worker = worker();
    let pid = worker.pid();
    for size in [0, 1, 100_000] {
        let ran = run_for(&mut worker, &Do::Echo, vec![3; size], LONG);
        let (answer, binary) = ran.end.unwrap();
        assert_eq!((answer, binary), (json!("echo"), vec![3; size]));
        assert_eq!(worker.pid(), pid);
    }
}

#[test]
fn payloads_larger_than_the_shared_memory_arrive_whole() {
    let mut worker = worker_with(&options().region_bytes(64 << 10));
    let sent: Vec<u8> = (0..3_000_000_u32).map(|n| (n % 251) as u8).collect();
    let ran = run_for(&mut worker, &Do::Echo, sent.clone(), LONG);
    assert!(ran.end.unwrap().1 == sent);
}

#[test]
fn dropping_a_worker_ends_its_process_and_leaves_no_zombie() {
    let worker = worker();
    let pid = worker.pid();
    assert!(exists(pid));
    drop(worker);
    assert!(eventually(|| !exists(pid)));
}

#[test]
fn the_jail_is_whole_on_this_machine() {
    let worker = worker();
    let report = worker.jail().unwrap();
    assert!(report.is_complete(), "{report}");
    assert!(report.part(Part::SelfTest).is_yes());
}

#[test]
fn a_worker_of_another_build_refuses_to_start_and_says_why() {
    let options = WorkerOptions::new("test", "another").spares(0);
    let death = pollster::block_on(async {
        let mut worker = supervisor().worker(&options).await.unwrap();
        worker.ready().await.unwrap_err()
    });
    assert_eq!(death.end, End::Exit(3));
    assert!(death.words.contains("both must be the same"), "{death}");
}

#[test]
fn a_service_that_cannot_be_made_says_why() {
    let options = WorkerOptions::new("broken", BUILD).spares(0);
    let death = pollster::block_on(async {
        let mut worker = supervisor().worker(&options).await.unwrap();
        worker.ready().await.unwrap_err()
    });
    assert_eq!(death.words, "it cannot be made");
}

#[test]
fn a_program_that_is_missing_is_a_clear_error() {
    let options = options().program("/no/such/program");
    let error = pollster::block_on(supervisor().worker(&options))
        .err()
        .unwrap();
    assert!(matches!(error, WorkerError::Spawn { .. }));
    assert!(error.to_string().contains("/no/such/program"));
}

#[test]
fn a_program_that_is_no_worker_is_a_clear_error() {
    let options = options().program("/bin/true");
    let death = pollster::block_on(async {
        let mut worker = supervisor().worker(&options).await.unwrap();
        worker.ready().await.unwrap_err()
    });
    assert_eq!(death.end, End::Exit(0));
}

#[test]
fn a_spare_worker_waits_for_whoever_comes_next() {
    let own = Supervisor::new().unwrap();
    let options = options().spares(1);
    let mut first = pollster::block_on(own.worker(&options)).unwrap();
    pollster::block_on(first.ready()).unwrap();
    assert!(eventually(|| own.count() == 2));
    let mut second = pollster::block_on(own.worker(&options)).unwrap();
    pollster::block_on(second.ready()).unwrap();
    assert_ne!(first.pid(), second.pid());
    assert_eq!(run(&mut second, &Do::Echo).answer(), json!("echo"));
}

#[test]
fn a_supervisor_that_is_dropped_takes_its_spares_along() {
    let own = Supervisor::new().unwrap();
    let options = options().spares(2);
    let first = pollster::block_on(own.worker(&options)).unwrap();
    assert!(eventually(|| own.count() == 3));
    let pid = first.pid();
    drop((first, own));
    assert!(eventually(|| !exists(pid)));
}

#[test]
fn calls_are_answered_at_once_or_later_in_any_order() {
    let mut worker = worker();
    for together in [false, true] {
        let count = 9;
        // The last odd ones are held back until there are three of them.
        let count = if together { count } else { 2 };
        let answer = run(&mut worker, &Do::Call { count, together }).answer();
        let expected: Vec<_> = (0..count).map(|n| format!("{n} and {n} bytes")).collect();
        if together {
            let answers: Vec<String> = serde_json::from_value(answer).unwrap();
            assert_eq!(answers, expected);
        } else {
            assert_eq!(answer, json!(expected));
        }
    }
}

#[test]
fn everything_that_is_printed_arrives_in_order() {
    let mut worker = worker();
    // More than fits into the ring.
    let count = 100_000;
    let ran = run(&mut worker, &Do::Print(count));
    let expected: String = (0..count)
        .map(|number| format!("line {number}\n"))
        .collect();
    assert!(String::from_utf8(ran.printed).unwrap() == expected);
}

#[test]
fn a_worker_that_may_compile_can_be_jailed_too() {
    let jail = JailOptions {
        require_jail: true,
        may_compile: true,
        ..JailOptions::default()
    };
    let mut worker = worker_with(&options().jail(jail));
    assert_eq!(run(&mut worker, &Do::Echo).answer(), json!("echo"));
}

#[test]
fn who_is_disposed_of_says_so() {
    let mut worker = worker();
    worker.kill(Why::Disposed);
    let event = pollster::block_on(worker.next(&mut |_, _| {}));
    assert!(
        matches!(event, hotcell_worker::Event::Died(death) if death.end == End::Killed(Why::Disposed))
    );
}
