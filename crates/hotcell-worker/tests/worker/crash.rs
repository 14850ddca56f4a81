//! A worker that crashes is an error with a name, and the next one works.

use hotcell_worker::{End, JailOptions};
use serde_json::json;

use crate::{
    service::Do,
    support::{exists, options, run, worker, worker_with},
};

#[test]
fn a_crash_is_told_with_its_signal() {
    for (what, signal, name) in [
        (Do::Segv, libc::SIGSEGV, "SIGSEGV"),
        (Do::Abort, libc::SIGABRT, "SIGABRT"),
    ] {
        let mut worker = worker();
        let pid = worker.pid();
        let death = run(&mut worker, &what).death();
        assert_eq!(death.end, End::Signal(signal));
        assert_eq!(death.signal_name(), Some(name));
        assert!(!death.is_out_of_memory());
        assert!(!exists(pid), "no zombie");
    }
}

#[test]
fn a_panic_is_told_with_its_words() {
    let death = run(&mut worker(), &Do::Panic).death();
    assert_eq!(death.end, End::Exit(101));
    assert!(death.words.contains("on purpose"), "{death}");
}

#[test]
fn running_out_of_memory_is_told_as_that() {
    let jail = JailOptions {
        memory: 256 << 20,
        ..JailOptions::default()
    };
    let mut worker = worker_with(&options().jail(jail));
    let death = run(&mut worker, &Do::Fill).death();
    assert!(death.is_out_of_memory(), "{death:?}");
}

#[test]
fn an_end_that_nobody_asked_for_is_told_with_its_code() {
    let death = run(&mut worker(), &Do::Exit(7)).death();
    assert_eq!(death.end, End::Exit(7));
}

#[test]
fn after_a_crash_another_worker_works() {
    assert!(run(&mut worker(), &Do::Segv).end.is_err());
    assert_eq!(run(&mut worker(), &Do::Echo).answer(), json!("echo"));
}
