//! Limits, each with its error and its mark.

use std::time::Duration;

use hotcell_sandbox::{Command, ErrorClass, LimitKind, Limits, RunResult, Sandbox};

use crate::{run, sandbox, text, with};

fn limited(limits: Limits) -> Sandbox {
    with(crate::options().limits(limits))
}

#[track_caller]
fn met(result: &RunResult, kind: LimitKind) {
    assert_eq!(
        result.error_class,
        Some(ErrorClass::LimitExceeded),
        "{result:?}"
    );
    assert!(result.limits.contains(&kind), "{:?}", result.limits);
    assert_ne!(result.exit_code, 0);
    assert!(result.error.as_ref().is_some_and(|error| !error.is_empty()));
}

#[test]
fn a_command_that_is_too_long_does_not_run() {
    let sandbox = limited(Limits {
        command_bytes: 100,
        ..Limits::default()
    });
    let result = run(
        &sandbox,
        format!("touch made #{}", "x".repeat(100)).as_str(),
    );
    met(&result, LimitKind::Command);
    assert_eq!(result.exit_code, 1);
    assert!(result.stderr_text().contains("may have 100"));
    assert!(!sandbox.exists("made").unwrap());
}

#[test]
fn output_is_cut_and_marked_and_the_command_goes_on() {
    let sandbox = limited(Limits {
        output_bytes: 1000,
        ..Limits::default()
    });
    let result = run(&sandbox, "seq 100000; seq 5 >&2; echo end > f");
    assert_eq!((result.exit_code, result.error_class), (0, None));
    assert_eq!(result.stdout.len(), 1000);
    assert_eq!(result.truncated.stdout, 588_895 - 1000);
    assert_eq!(
        (result.truncated.stderr, &*result.stderr),
        (0, &b"1\n2\n3\n4\n5\n"[..])
    );
    assert_eq!(result.limits, [LimitKind::Output]);
    assert_eq!(sandbox.read_file("f").unwrap(), b"end\n");
}

#[test]
fn files_and_their_bytes_are_counted() {
    let sandbox = limited(Limits {
        files: 40,
        file_bytes: 10_000,
        ..Limits::default()
    });
    met(&run(&sandbox, "touch {1..100}"), LimitKind::Files);
    text(&sandbox, "rm -f *");
    let result = run(&sandbox, "yes > f");
    met(&result, LimitKind::Files);
    assert!(
        result.stderr_text().contains("No space left on device"),
        "{}",
        result.stderr_text()
    );
    text(&sandbox, "rm f; echo fits > g");
    // A failure that has nothing to do with it is none of the sandbox's.
    assert_eq!(run(&sandbox, "cat nothing").error_class, None);
    // And a limit that did not make the command fail neither.
    let result = run(&sandbox, "yes > f || true");
    assert_eq!(
        (result.error_class, result.limits),
        (None, vec![LimitKind::Files])
    );
    let error = sandbox.write_file("h", vec![0; 20_000]).unwrap_err();
    assert_eq!(error.code(), "ENOSPC");
}

#[test]
fn processes_are_counted() {
    let sandbox = limited(Limits {
        processes: 5,
        ..Limits::default()
    });
    let result = run(&sandbox, "for i in {1..10}; do sleep 1 & done 2>&1; exit 1");
    met(&result, LimitKind::Processes);
}

#[test]
fn descriptors_are_counted() {
    let sandbox = limited(Limits {
        descriptors: 20,
        ..Limits::default()
    });
    met(&run(&sandbox, "exec 25> f"), LimitKind::Descriptors);
    text(&sandbox, "exec 15> f; echo x >&15");
}

#[test]
fn memory_is_counted() {
    let sandbox = limited(Limits {
        memory: 8 << 20,
        ..Limits::default()
    });
    for hungry in [
        "x=$(yes)",
        "x=x; while :; do x=$x$x; done",
        "yes | tac",
        "awk 'BEGIN { while (1) a[i++] = i }'",
    ] {
        let result = run(&sandbox, format!("{hungry}; (exit 1)").as_str());
        met(&result, LimitKind::Memory);
        assert!(result.peak_memory > 4 << 20 && result.peak_memory <= 8 << 20);
    }
    text(&sandbox, "echo small");
}

#[test]
fn recursion_is_counted() {
    let sandbox = limited(Limits {
        recursion: 50,
        ..Limits::default()
    });
    let result = run(&sandbox, "f() { f; }; f");
    met(&result, LimitKind::Recursion);
    assert!(
        result
            .stderr_text()
            .contains("maximum function nesting level exceeded (50)")
    );
    assert_eq!(
        text(
            &sandbox,
            "g() { (($1 == 0)) || g $(($1 - 1)); }; g 45; echo deep"
        ),
        "deep\n"
    );
    let usual = crate::sandbox();
    assert_eq!(
        text(
            &usual,
            "g() { (($1 == 0)) || g $(($1 - 1)); }; g 900; echo deep"
        ),
        "deep\n"
    );
}

#[test]
fn time_is_counted() {
    let sandbox = with(crate::options().timeout(Duration::from_millis(50)));
    let result = run(&sandbox, "sleep 100");
    assert_eq!(
        (result.exit_code, result.error_class),
        (124, Some(ErrorClass::Timeout))
    );
    assert_eq!(result.limits, [LimitKind::Time]);
    assert!(result.error.unwrap().contains("50ms"));
    assert!(result.duration >= Duration::from_millis(50));
    // A command of its own mind.
    let result = run(
        &sandbox,
        Command::new("sleep 0.08").timeout(Duration::from_secs(60)),
    );
    assert_eq!(result.exit_code, 0);
}

#[test]
fn computing_is_counted_apart_from_waiting() {
    let sandbox = limited(Limits {
        cpu_time: Duration::from_millis(60),
        ..Limits::default()
    });
    assert_eq!(run(&sandbox, "sleep 0.2").exit_code, 0);
    let result = run(&sandbox, "echo begun; while :; do :; done");
    assert_eq!(result.exit_code, 152);
    met(&result, LimitKind::CpuTime);
    assert_eq!(result.stdout, b"begun\n");
    assert!(result.cpu >= Duration::from_millis(60));
    let result = run(&sandbox, "js -e 'for (;;) {}'");
    assert_eq!(result.exit_code, 152, "{result:?}");
}

#[test]
fn a_command_that_is_not_allowed_is_refused_and_says_so() {
    let sandbox = with(crate::options().allow_only(["cat", "ls", "bash"]));
    assert_eq!(
        text(&sandbox, "echo builtin; echo x > f; cat f"),
        "builtin\nx\n"
    );
    for denied in [
        "rm f",
        "/bin/rm f",
        "/usr/bin/rm f",
        "command rm f",
        "env rm f",
        "bash -c 'rm f'",
        "echo f | xargs rm",
        "exec rm f",
    ] {
        let result = run(&sandbox, denied);
        assert_eq!(result.exit_code, 126, "{denied}: {}", result.stderr_text());
        assert_eq!(
            result.error_class,
            Some(ErrorClass::CapabilityDenied),
            "{denied}"
        );
        assert!(
            result
                .stderr_text()
                .contains("not allowed in this sandbox; allowed are: bash cat ls"),
            "{denied}: {}",
            result.stderr_text()
        );
        assert!(
            result
                .error
                .is_some_and(|error| error.contains("not on the list"))
        );
    }
    assert!(sandbox.exists("f").unwrap());
    let result = run(&sandbox, "nonsense");
    assert_eq!((result.exit_code, result.error_class), (127, None));
    // A script names an interpreter.
    text(
        &sandbox,
        "printf '#!/bin/awk -f\\nBEGIN { print 1 }\\n' > s",
    );
    sandbox.chmod("s", 0o755).unwrap();
    assert_eq!(
        run(&sandbox, "./s").error_class,
        Some(ErrorClass::CapabilityDenied)
    );
    // A refusal that the command got over is told, and is no failure.
    let result = run(&sandbox, "rm f || echo kept");
    assert_eq!(
        (
            result.error_class,
            result.denials.len(),
            &*result.denials[0].subject
        ),
        (None, 1, "rm")
    );
}

#[test]
fn an_empty_list_leaves_the_language() {
    let sandbox = with(crate::options().allow_only::<&str>([]));
    assert_eq!(
        text(
            &sandbox,
            "for i in 1 2; do echo $((i * 2)); done; f() { printf x; }; f"
        ),
        "2\n4\nx"
    );
    assert_eq!(run(&sandbox, "ls").exit_code, 126);
}

#[test]
fn the_network_is_off_and_says_so() {
    let sandbox = sandbox();
    for program in ["curl", "wget"] {
        let result = run(&sandbox, format!("{program} http://example.com").as_str());
        assert_eq!(
            (result.exit_code, result.error_class),
            (126, Some(ErrorClass::CapabilityDenied))
        );
        assert!(
            result
                .stderr_text()
                .starts_with(&format!("{program}: the network is off in this sandbox"))
        );
    }
    let result = run(&sandbox, "exec 3<>/dev/tcp/127.0.0.1/80");
    assert_ne!(result.exit_code, 0);
}
