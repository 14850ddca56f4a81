//! Several commands at once, and futures that are dropped.

use std::{
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use futures_util::{FutureExt as _, future::join_all};
use hotcell_sandbox::{Command, Concurrency, ErrorClass, Isolation, Limits, Pool, SandboxError};

use crate::{run, sandbox, text, with};

#[test]
fn commands_wait_for_their_turn_in_order() {
    let sandbox = sandbox();
    let runs = (0..20).map(|n| sandbox.run(format!("echo {n} >> order; sleep 0.001").as_str()));
    let results = pollster::block_on(join_all(runs));
    assert!(
        results
            .iter()
            .all(|result| result.as_ref().unwrap().exit_code == 0)
    );
    let order: String = (0..20).map(|n| format!("{n}\n")).collect();
    assert_eq!(sandbox.read_file("order").unwrap(), order.as_bytes());
}

#[test]
fn commands_from_many_threads_come_one_after_the_other() {
    let sandbox = sandbox();
    text(&sandbox, "n=0");
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let sandbox = sandbox.clone();
            thread::spawn(move || {
                for _ in 0..25 {
                    assert_eq!(
                        run(
                            &sandbox,
                            "n=$((n + 1)); [[ ! -e busy ]] && echo > busy && true | cat && rm busy"
                        )
                        .exit_code,
                        0
                    );
                }
            })
        })
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    assert_eq!(text(&sandbox, "echo $n"), "200\n");
}

#[test]
fn a_second_command_is_refused_where_that_was_asked_for() {
    let sandbox = with(crate::options().concurrency(Concurrency::Refuse));
    let mut first = sandbox.run("sleep 0.05; echo first");
    assert!((&mut first).now_or_never().is_none());
    assert_eq!(
        pollster::block_on(sandbox.run("echo second")).unwrap_err(),
        SandboxError::Busy
    );
    assert_eq!(pollster::block_on(first).unwrap().stdout, b"first\n");
    assert_eq!(text(&sandbox, "echo third"), "third\n");
}

#[test]
fn the_line_has_an_end() {
    let sandbox = with(crate::options().limits(Limits {
        queued_runs: 2,
        ..Limits::default()
    }));
    let mut runs: Vec<_> = (0..3).map(|_| sandbox.run("sleep 0.01")).collect();
    assert!(runs.iter_mut().all(|run| run.now_or_never().is_none()));
    assert_eq!(
        pollster::block_on(sandbox.run("echo")).unwrap_err(),
        SandboxError::QueueFull(2)
    );
    for run in runs {
        pollster::block_on(run).unwrap();
    }
}

#[test]
fn a_future_that_is_dropped_kills_its_command_and_lets_the_next_one_go_on() {
    let sandbox = sandbox();
    let mut first = sandbox.run("x=1; echo > begun; while :; do :; done");
    let mut second = sandbox.run("echo second");
    let mut third = sandbox.run("echo third");
    assert!((&mut first).now_or_never().is_none());
    assert!((&mut second).now_or_never().is_none());
    assert!((&mut third).now_or_never().is_none());
    assert!(sandbox.is_running());
    drop(second);
    drop(first);
    assert!(!sandbox.is_running());
    assert_eq!(pollster::block_on(third).unwrap().stdout, b"third\n");
    // A thread computes where it is polled; a process would have had to be started first.
    let is_thread = crate::ISOLATION == Isolation::Thread;
    assert_eq!(sandbox.exists("begun").unwrap(), is_thread);
    assert_eq!(sandbox.get_env("x").unwrap(), None);
}

#[test]
fn one_that_waits_can_be_cancelled_without_the_others() {
    let sandbox = sandbox();
    let mut first = sandbox.run("sleep 0.05; echo first");
    assert!((&mut first).now_or_never().is_none());
    let mut second = sandbox.run("echo second");
    assert!((&mut second).now_or_never().is_none());
    second.canceller().cancel();
    let result = pollster::block_on(second).unwrap();
    assert_eq!(
        (result.exit_code, result.error_class),
        (125, Some(ErrorClass::Cancelled))
    );
    assert_eq!(pollster::block_on(first).unwrap().stdout, b"first\n");
    let late = sandbox.run("echo late");
    late.canceller().cancel();
    assert_eq!(
        pollster::block_on(late).unwrap().error_class,
        Some(ErrorClass::Cancelled)
    );
}

#[test]
fn destroy_ends_the_one_under_way_and_those_that_wait() {
    let sandbox = sandbox();
    let mut first = sandbox.run("echo begun; sleep 100");
    let mut second = sandbox.run("echo second");
    assert!((&mut first).now_or_never().is_none());
    assert!((&mut second).now_or_never().is_none());
    sandbox.destroy();
    let result = pollster::block_on(first).unwrap();
    assert_eq!(
        (result.error_class, &*result.stdout),
        (Some(ErrorClass::Cancelled), &b"begun\n"[..])
    );
    assert_eq!(
        pollster::block_on(second).unwrap_err(),
        SandboxError::Destroyed
    );
}

#[test]
fn a_cancel_that_comes_too_late_or_too_early_does_nothing() {
    let sandbox = sandbox();
    assert!(!sandbox.cancel());
    let running = sandbox.run("echo done");
    let canceller = running.canceller();
    assert_eq!(pollster::block_on(running).unwrap().exit_code, 0);
    canceller.cancel();
    assert!(!sandbox.cancel());
    assert_eq!(text(&sandbox, "echo next"), "next\n");
}

#[test]
fn a_pool_runs_commands_beside_whoever_waits() {
    let pool = Arc::new(Pool::new());
    let options = crate::options().pool(pool);
    let sandboxes: Vec<_> = (0..4).map(|_| with(options.clone())).collect();
    let computing: Vec<_> = sandboxes
        .iter()
        .map(|sandbox| {
            sandbox.run(Command::new("while :; do :; done").timeout(Duration::from_millis(200)))
        })
        .collect();
    // Nothing is polled here, and they run.
    while !sandboxes.iter().all(hotcell_sandbox::Sandbox::is_running) {
        thread::sleep(Duration::from_millis(1));
    }
    for running in computing {
        assert_eq!(
            pollster::block_on(running).unwrap().error_class,
            Some(ErrorClass::Timeout)
        );
    }
    let fork = sandboxes[0].fork().unwrap();
    assert_eq!(text(&fork, "echo on the pool"), "on the pool\n");
    let dropped = fork.run("sleep 100");
    drop(dropped);
    assert_eq!(text(&fork, "echo next"), "next\n");
}

#[test]
fn many_sandboxes_share_one_thread_fairly() {
    let ended = Arc::new(Mutex::new(Vec::new()));
    let runs = (0..3).map(|n| {
        let ended = ended.clone();
        async move {
            let sandbox = sandbox();
            let script = if n == 0 {
                "while :; do :; done"
            } else {
                "for i in {1..50}; do true | cat; done"
            };
            let command = Command::new(script).timeout(Duration::from_secs(3));
            sandbox.run(command).await.unwrap();
            ended.lock().unwrap().push(n);
        }
    });
    pollster::block_on(join_all(runs));
    assert_eq!(ended.lock().unwrap().last(), Some(&0));
}
