//! `hotcell sh` in a terminal.

use std::process::Command;

use rexpect::{
    process::WaitStatus,
    reader::Options,
    session::{PtySession, spawn_with_options},
};

/// Long enough for the slowest machine; nothing is measured.
const PATIENCE_MS: u64 = 120_000;

fn shell() -> PtySession {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hotcell"));
    command.arg("sh").env("TERM", "xterm").env("NO_COLOR", "1");
    let options = Options::new()
        .timeout_ms(Some(PATIENCE_MS))
        .strip_ansi_escape_codes(true);
    let mut session = spawn_with_options(command, options).unwrap();
    session.exp_string("/workspace$ ").unwrap();
    session
}

/// Types a line and waits until `expected` shows up. It must not be in the line: the terminal shows that, too.
#[track_caller]
fn type_and_see(session: &mut PtySession, line: &str, expected: &str) {
    session.send_line(line).unwrap();
    let found = session.exp_string(expected);
    assert!(found.is_ok(), "no {expected:?} after {line:?}: {found:?}");
}

#[test]
fn state_and_prompt_go_on_from_line_to_line() {
    let mut shell = shell();
    type_and_see(&mut shell, "x=40; mkdir sub; cd sub", "/workspace/sub$ ");
    type_and_see(&mut shell, "echo is $((x + 2))", "is 42");
    type_and_see(&mut shell, "for i in 1 2; do", "> ");
    type_and_see(&mut shell, "echo n$((i + 4)); done", "n6");
    // The prompt behind it, so that what is typed next is not typed ahead.
    shell.exp_string("$ ").unwrap();
    type_and_see(&mut shell, "(exit 3)", "$ ");
    type_and_see(&mut shell, "echo was $?", "was 3");
    type_and_see(&mut shell, "PS1='now \\W> '", "now sub> ");
    let line = "test $(history | grep -c mkdir) = 2 && echo cou''nted";
    type_and_see(&mut shell, line, "counted");
}

#[test]
fn commands_read_what_is_typed_and_leave_the_rest_to_the_prompt() {
    let mut shell = shell();
    type_and_see(
        &mut shell,
        "echo as''ks; read name; echo hello ${name^^}",
        "asks",
    );
    type_and_see(&mut shell, "world", "hello WORLD");
    type_and_see(&mut shell, "echo ta''kes; cat > f", "takes");
    shell.send_line("two").unwrap();
    shell.send_line("lines").unwrap();
    shell.send_control('d').unwrap();
    shell.exp_string("$ ").unwrap();
    type_and_see(&mut shell, "echo $(wc -w < f) wo''rds", "2 words");
}

#[test]
fn lines_that_are_pasted_run_one_after_the_other() {
    let mut shell = shell();
    let pasted = [
        "echo fi''rst",
        "echo sec''ond",
        "read x y",
        "hello world",
        "echo \"<${x^^}-${y^}>\"",
        "for i in 1 2; do",
        "echo $((i + 70))",
        "done; cat > f",
        "a line of it",
    ];
    shell.send(&(pasted.join("\r") + "\r")).unwrap();
    shell.flush().unwrap();
    for expected in ["first", "second", "<HELLO-World>", "71", "72"] {
        let found = shell.exp_string(expected);
        assert!(found.is_ok(), "no {expected:?}: {found:?}");
    }
    shell.send_line("and one that is typed").unwrap();
    shell.send_control('d').unwrap();
    type_and_see(&mut shell, "echo $(wc -l < f) li''nes", "2 lines");
    // While a command runs, too.
    type_and_see(&mut shell, "echo sl''eeps; sleep 1", "sleeps");
    shell.send("echo la''ter\recho $((6 * 7))\r").unwrap();
    shell.flush().unwrap();
    shell.exp_string("later").unwrap();
    shell.exp_string("42").unwrap();
}

#[test]
fn an_error_that_ends_a_script_does_not_end_the_shell() {
    let mut shell = shell();
    type_and_see(
        &mut shell,
        ": ${missing:?}",
        "bash: missing: parameter null or not set",
    );
    type_and_see(
        &mut shell,
        "set -u; echo $gone",
        "bash: gone: unbound variable",
    );
    type_and_see(&mut shell, "echo st''ill $?", "still 1");
    type_and_see(&mut shell, "alias hi='echo he''llo'", "$ ");
    type_and_see(&mut shell, "hi", "hello");
}

#[test]
fn ctrl_c_ends_the_command_and_not_the_shell() {
    let mut shell = shell();
    type_and_see(&mut shell, "kept=70; echo be''gun", "begun");
    type_and_see(&mut shell, "echo sle''eps; sleep 1000", "sleeps");
    shell.send_control('c').unwrap();
    shell.exp_string("$ ").unwrap();
    shell.send_line("echo wai''ts; read never").unwrap();
    shell.exp_string("waits").unwrap();
    shell.send_control('c').unwrap();
    shell.exp_string("$ ").unwrap();
    type_and_see(&mut shell, "echo still $((kept + 7))", "still 77");
}

#[test]
fn exit_leaves_with_its_status() {
    let mut shell = shell();
    type_and_see(
        &mut shell,
        "trap 'echo go''ne' EXIT; (exit 1); echo on",
        "on",
    );
    shell.send_line("false || exit 3").unwrap();
    shell.exp_string("gone").unwrap();
    shell.exp_eof().unwrap();
    let ended = shell.process().wait().unwrap();
    assert!(matches!(ended, WaitStatus::Exited(_, 3)), "{ended:?}");
}

#[test]
fn tab_completes_commands_files_and_variables() {
    let mut shell = shell();
    type_and_see(
        &mut shell,
        "mkdir 'some folder'; echo in''side > 'some folder/file.txt'",
        "$ ",
    );
    shell.send("basena\t").unwrap();
    type_and_see(&mut shell, "/a/b''cd", "bcd");
    shell.send("cat so\tf\t").unwrap();
    type_and_see(&mut shell, "", "inside");
    shell.send("echo $HOSTTY\t").unwrap();
    type_and_see(&mut shell, "", "x86_64");
}

#[test]
fn names_and_contents_of_a_patch_do_not_steer_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hotcell"));
    let script = r"printf '\033[2J\342\200\256txt\233\n' > $'na\033[31mme'";
    command
        .args(["sh", "--diff", "--workspace"])
        .arg(dir.path())
        .args(["-c", script])
        .env("TERM", "xterm");
    let options = Options::new().timeout_ms(Some(PATIENCE_MS));
    let mut session = spawn_with_options(command, options).unwrap();
    let shown = session.exp_eof().unwrap();
    assert!(
        !shown.contains('\u{1b}') && !shown.contains('\u{202e}'),
        "{shown:?}"
    );
    for expected in [r"\x1b[31mme", r"+\x1b[2J\u{202e}txt\x9b"] {
        assert!(shown.contains(expected), "{expected}: {shown:?}");
    }
}
