//! What one command leaves for the next.

use std::time::Duration;

use hotcell_sandbox::{Command, ErrorClass, SandboxError};

use crate::{run, sandbox, text, with};

#[test]
fn the_shell_persists_between_runs() {
    let sandbox = sandbox();
    text(
        &sandbox,
        "x=1; a=(p 'q r'); declare -A m=([k]=v); f() { echo \"f $1\"; }; mkdir d; cd d; umask 077; set -f; export e=2; set -- one two",
    );
    let shown = text(
        &sandbox,
        "echo $x ${a[1]} ${m[k]} $(f y) $PWD $(umask) $e $2",
    );
    assert_eq!(shown, "1 q r v f y /workspace/d 0077 2 two\n");
    assert_eq!(sandbox.cwd().unwrap().to_string(), "/workspace/d");
}

#[test]
fn exit_ends_the_run_and_not_the_sandbox() {
    let sandbox = sandbox();
    assert_eq!(run(&sandbox, "x=5; exit 3; echo no").exit_code, 3);
    assert_eq!(text(&sandbox, "echo $x $?"), "5 3\n");
}

#[test]
fn a_killed_run_leaves_no_trace_in_the_shell() {
    let sandbox = sandbox();
    text(&sandbox, "x=before");
    let script = "x=after; f() { :; }; cd /tmp; echo written > /workspace/w; sleep 100";
    let result = run(
        &sandbox,
        Command::new(script).timeout(Duration::from_millis(50)),
    );
    assert_eq!(result.error_class, Some(ErrorClass::Timeout));
    // What it wrote was complete, and stays.
    assert_eq!(
        text(&sandbox, "echo $x; pwd; type f 2>&1; cat w; true"),
        "before\n/workspace\nbash: line 1: type: f: not found\nwritten\n"
    );
}

#[test]
fn nothing_of_the_host_is_inherited() {
    let sandbox = sandbox();
    let shown = text(&sandbox, "env | sort");
    let names: Vec<&str> = shown
        .lines()
        .filter_map(|line| line.split('=').next())
        .collect();
    assert_eq!(
        names,
        [
            "HOME", "LANG", "LOGNAME", "OLDPWD", "PATH", "PWD", "SHELL", "SHLVL", "USER", "_"
        ]
        .into_iter()
        .filter(|name| names.contains(name))
        .collect::<Vec<_>>()
    );
    assert_eq!(
        text(&sandbox, "ls -A; ls /home /root"),
        "/home:\nuser\n\n/root:\n"
    );
    assert_eq!(
        text(&sandbox, "cat /etc/hostname; whoami"),
        "hotcell\nuser\n"
    );
}

#[test]
fn options_give_environment_files_arguments_and_a_place() {
    let options = crate::options()
        .env("A", "1")
        .cwd("/srv/app")
        .file("src/main.js", "1 + 1")
        .file("/etc/motd", b"hi\xff".to_vec())
        .arguments("script", ["one", "two"]);
    let sandbox = with(options);
    assert_eq!(
        text(&sandbox, "echo $A $0 $2; pwd; cat src/main.js"),
        "1 script two\n/srv/app\n1 + 1"
    );
    assert_eq!(sandbox.read_file("/etc/motd").unwrap(), b"hi\xff");
}

#[test]
fn variables_can_be_set_and_read_between_runs() {
    let sandbox = sandbox();
    sandbox.set_env("TOKEN", "s3cret").unwrap();
    assert_eq!(
        text(
            &sandbox,
            "env | grep TOKEN; unexported=2; export TOKEN=changed; declare -r fixed=1"
        ),
        "TOKEN=s3cret\n"
    );
    assert_eq!(sandbox.get_env("TOKEN").unwrap().unwrap(), "changed");
    assert_eq!(sandbox.get_env("unexported").unwrap().unwrap(), "2");
    assert_eq!(sandbox.get_env("nothing").unwrap(), None);
    sandbox.set_env("fixed", "by the host").unwrap();
    assert_eq!(text(&sandbox, "echo $fixed"), "by the host\n");
    sandbox.unset_env("TOKEN").unwrap();
    assert_eq!(text(&sandbox, "echo ${TOKEN-gone}"), "gone\n");
    let env = sandbox.env().unwrap();
    assert!(
        env.iter()
            .any(|(name, value)| name == "fixed" && value == "by the host")
    );
    assert!(!env.iter().any(|(name, _)| name == "unexported"));
}

#[test]
fn a_variable_set_during_a_run_is_there_after_it() {
    let sandbox = sandbox();
    let other = sandbox.clone();
    let command = Command::new("echo go; sleep 0.05; export A=inner B=2").on_output(move |_, _| {
        other.set_env("A", "outer").unwrap();
    });
    run(&sandbox, command);
    assert_eq!(text(&sandbox, "echo $A $B"), "outer 2\n");
}

#[test]
fn names_and_values_that_no_environment_can_hold_are_refused() {
    let sandbox = sandbox();
    for name in ["", "1a", "a b", "a=b", "ä", "a\0"] {
        let error = sandbox.set_env(name, "x").unwrap_err();
        assert!(
            matches!(error, SandboxError::Invalid(_)),
            "{name:?}: {error}"
        );
    }
    assert!(sandbox.set_env("a", "x\0y").is_err());
    assert_eq!(sandbox.get_env("a b").unwrap(), None);
}

#[test]
fn the_history_tells_what_was_run() {
    let sandbox = sandbox();
    run(&sandbox, "echo one");
    run(&sandbox, "(exit 3)");
    run(
        &sandbox,
        Command::new("sleep 9").timeout(Duration::from_millis(10)),
    );
    let history = sandbox.history().unwrap();
    let told: Vec<_> = history
        .iter()
        .map(|entry| {
            (
                entry.command.to_string(),
                entry.exit_code,
                entry.error_class,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("echo one".to_owned(), 0, None),
            ("(exit 3)".to_owned(), 3, None),
            ("sleep 9".to_owned(), 124, Some(ErrorClass::Timeout)),
        ]
    );
    let long = format!("# {}", "é".repeat(4000));
    run(&sandbox, long.as_str());
    let last = sandbox.history().unwrap().pop().unwrap();
    assert!(last.command.len() <= 4096 && std::str::from_utf8(&last.command).is_ok());
}

#[test]
fn after_destroy_everything_says_so() {
    let sandbox = sandbox();
    sandbox.destroy();
    sandbox.destroy();
    let gone = SandboxError::Destroyed;
    assert_eq!(pollster::block_on(sandbox.run("echo")).unwrap_err(), gone);
    assert_eq!(sandbox.fork().unwrap_err(), gone);
    assert_eq!(sandbox.snapshot().unwrap_err(), gone);
    assert_eq!(sandbox.read_file("f").unwrap_err(), gone);
    assert_eq!(sandbox.write_file("f", "x").unwrap_err(), gone);
    assert_eq!(sandbox.set_env("a", "b").unwrap_err(), gone);
    assert_eq!(sandbox.get_env("a").unwrap_err(), gone);
    assert_eq!(sandbox.list("/").unwrap_err(), gone);
    assert_eq!(sandbox.history().unwrap_err(), gone);
    assert_eq!(sandbox.export("/").unwrap_err(), gone);
    assert_eq!(sandbox.import("/", &b""[..]).unwrap_err(), gone);
    assert!(!sandbox.cancel());
    assert!(sandbox.is_destroyed());
}
