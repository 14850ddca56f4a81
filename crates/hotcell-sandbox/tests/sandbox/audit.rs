//! A record of what was decided.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use hotcell_sandbox::{
    AuditEvent, AuditKind, Command, ErrorClass, KillReason, Limits, Mount, Origin, Sandbox,
    SandboxOptions,
};

use crate::{run, with};

type Record = Arc<Mutex<Vec<AuditEvent>>>;

fn recorded(options: SandboxOptions) -> (Sandbox, Record) {
    let record = Record::default();
    let to = record.clone();
    let sandbox = with(options.on_audit(move |event| to.lock().unwrap().push(event.clone())));
    (sandbox, record)
}

fn told(record: &Record) -> Vec<String> {
    let events = std::mem::take(&mut *record.lock().unwrap());
    let one = |event: &AuditEvent| {
        let run = event.run.map_or(String::new(), |run| format!("{run} "));
        let what = match &event.what {
            AuditKind::Created { origin } => format!(": {origin:?}"),
            AuditKind::Started { command } => format!(": {command}"),
            AuditKind::Ended {
                exit_code,
                error_class,
                ..
            } => {
                format!(": {exit_code} {}", error_class.map_or("", ErrorClass::name))
            }
            AuditKind::Killed { reason } => format!(": {}", reason.name()),
            AuditKind::Denied(denial) => {
                format!(": {} {}", denial.capability.name(), denial.subject)
            }
            AuditKind::Limit(limit) => format!(": {limit}"),
            AuditKind::Mounted { path, kind } => format!(": {kind} {path}"),
            AuditKind::Unmounted { path } => format!(": {path}"),
            _ => String::new(),
        };
        format!("{run}{}{what}", event.what.name())
    };
    events.iter().map(one).collect()
}

#[test]
fn every_decision_is_told_in_its_order() {
    let limits = Limits {
        file_bytes: 5000,
        output_bytes: 10,
        ..Limits::default()
    };
    let options = crate::options()
        .limits(limits)
        .allow_only(["yes", "sleep", "seq"]);
    let (sandbox, record) = recorded(options.mount("/m", Mount::Memory));
    assert_eq!(told(&record), ["create: New", "mount: memory /m"]);

    run(&sandbox, "echo hello");
    assert_eq!(told(&record), ["1 start: echo hello", "1 end: 0 "]);

    run(&sandbox, "rm x; ls; seq 20; yes > f");
    assert_eq!(
        told(&record),
        [
            "2 start: rm x; ls; seq 20; yes > f",
            "2 deny: program rm",
            // What it says of that is longer than 10 bytes.
            "2 limit: output",
            "2 deny: program ls",
            "2 limit: files",
            "2 end: 1 CAPABILITY_DENIED",
        ]
    );

    sandbox.write_file("f", "").unwrap();
    run(&sandbox, "yes > f 2> /dev/null; rm x; seq 20");
    assert_eq!(
        told(&record),
        [
            "3 start: yes > f 2> /dev/null; rm x; seq 20",
            "3 limit: files",
            "3 deny: program rm",
            "3 limit: output",
            "3 end: 0 ",
        ]
    );

    run(
        &sandbox,
        Command::new("sleep 10").timeout(Duration::from_millis(10)),
    );
    assert_eq!(
        told(&record),
        [
            "4 start: sleep 10",
            "4 limit: time",
            "4 kill: timeout",
            "4 end: 124 TIMEOUT"
        ]
    );

    let fork = sandbox.fork().unwrap();
    assert_eq!(told(&record)[0], format!("create: Fork({})", sandbox.id()));
    assert_ne!(fork.id(), sandbox.id());
    sandbox.mount("/n", Mount::Memory).unwrap();
    sandbox.unmount("/n").unwrap();
    sandbox.destroy();
    assert_eq!(
        told(&record),
        ["mount: memory /n", "unmount: /n", "destroy"]
    );
}

#[test]
fn what_a_command_prints_makes_no_event() {
    let (sandbox, record) = recorded(crate::options());
    run(
        &sandbox,
        "echo 'rm: not allowed in this sandbox' >&2; echo 'memory limit exceeded' >&2; exit 126",
    );
    let events = told(&record);
    assert_eq!(events.len(), 3, "{events:?}");
    assert_eq!(events[2], "1 end: 126 ");
}

#[test]
fn kills_tell_their_reason() {
    let (sandbox, record) = recorded(crate::options());
    let kills = |record: &Record| -> Vec<KillReason> {
        let events = std::mem::take(&mut *record.lock().unwrap());
        let reason = |event: &AuditEvent| match event.what {
            AuditKind::Killed { reason } => Some(reason),
            _ => None,
        };
        events.iter().filter_map(reason).collect()
    };
    let other = sandbox.clone();
    run(
        &sandbox,
        Command::new("echo; sleep 9").on_output(move |_, _| assert!(other.cancel())),
    );
    assert_eq!(kills(&record), [KillReason::Cancelled]);
    let mut dropped = sandbox.run("sleep 9");
    assert!(futures_util::FutureExt::now_or_never(&mut dropped).is_none());
    drop(dropped);
    assert_eq!(kills(&record), [KillReason::Dropped]);
    let other = sandbox.clone();
    run(
        &sandbox,
        Command::new("echo; sleep 9").on_output(move |_, _| other.destroy()),
    );
    assert_eq!(kills(&record), [KillReason::Destroyed]);
}

#[test]
fn a_sink_may_use_the_sandbox() {
    let known: Arc<Mutex<Option<Sandbox>>> = Arc::default();
    let to = known.clone();
    let options = crate::options().on_audit(move |event| {
        let sandbox = to.lock().unwrap().clone();
        if let (Some(sandbox), AuditKind::Denied(_)) = (sandbox, &event.what) {
            sandbox.write_file("denied", "x").unwrap();
            sandbox.cancel();
        }
    });
    let sandbox = with(options);
    *known.lock().unwrap() = Some(sandbox.clone());
    let result = run(&sandbox, "curl x; sleep 10");
    assert_eq!(result.error_class, Some(ErrorClass::Cancelled));
    assert!(sandbox.exists("denied").unwrap());
    known.lock().unwrap().take();
}

#[test]
fn a_sandbox_from_a_snapshot_is_told_as_such() {
    let (sandbox, _) = recorded(crate::options());
    let record = Record::default();
    let to = record.clone();
    let options = crate::options().on_audit(move |event| to.lock().unwrap().push(event.clone()));
    let _restored = Sandbox::restore(&sandbox.snapshot().unwrap(), options).unwrap();
    assert_eq!(
        record.lock().unwrap()[0].what,
        AuditKind::Created {
            origin: Origin::Snapshot
        }
    );
}
