//! The prompt, in a terminal.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking"
)]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use rexpect::reader::Options;
use rexpect::session::{PtySession, spawn_with_options};
use tempfile::{TempDir, tempdir};

/// Long enough for the slowest machine; nothing is measured.
const PATIENCE_MS: u64 = 120_000;

const PROMPT: &str = "hotcell> ";

/// A terminal with a prompt in it.
struct Terminal {
    session: PtySession,
    dir: TempDir,
}

impl Terminal {
    fn new(args: &[&str]) -> Self {
        Self::in_dir(tempdir().unwrap(), args)
    }

    fn in_dir(dir: TempDir, args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hotcell"));
        command
            .arg("repl")
            .args(args)
            .current_dir(dir.path())
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .env("HOME", dir.path())
            .env_remove("XDG_STATE_HOME");
        let options = Options::new()
            .timeout_ms(Some(PATIENCE_MS))
            .strip_ansi_escape_codes(true);
        let mut session = spawn_with_options(command, options).unwrap();
        session.exp_string(PROMPT).unwrap();
        Self { session, dir }
    }

    /// Types a line and waits until `expected` shows up, and the next prompt. What is expected must not be in the line: the
    /// terminal shows that, too.
    #[track_caller]
    fn type_and_see(&mut self, line: &str, expected: &str) {
        self.session.send_line(line).unwrap();
        self.see(expected);
        self.see(PROMPT);
    }

    /// Types keys, without the one that ends a line.
    fn keys(&mut self, keys: &str) {
        self.session.send(keys).unwrap();
        self.session.flush().unwrap();
    }

    #[track_caller]
    fn see(&mut self, expected: &str) {
        if let Err(error) = self.session.exp_string(expected) {
            panic!("no {expected:?}: {error}");
        }
    }

    fn end(mut self) -> TempDir {
        self.session.send_control('d').unwrap();
        self.session.exp_eof().unwrap();
        self.dir
    }
}

fn read(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join(name)).unwrap()
}

#[test]
fn what_is_declared_stays() {
    let mut terminal = Terminal::new(&[]);
    terminal.type_and_see("const base = 40;", "undefined");
    terminal.type_and_see("const f = async (n) => base + n;", "undefined");
    terminal.type_and_see("({ sum: await f(2) })", "{ sum: 42 }");
    terminal.type_and_see("'te' + 'xt'", "'text'");
    terminal.end();
}

#[test]
fn code_that_is_not_complete_goes_on_in_the_next_line() {
    let mut terminal = Terminal::new(&[]);
    terminal.session.send_line("function triple(n) {").unwrap();
    terminal.session.send_line("  return n * 3;").unwrap();
    terminal.type_and_see("}", "undefined");
    terminal.session.send_line("triple(").unwrap();
    terminal.type_and_see("37)", "111");
    terminal.session.send_line("`one").unwrap();
    terminal.type_and_see("${1 + 1}`.length + 0.5", "5.5");
    terminal.type_and_see("let wrong = );", "syntax_valid");
    terminal.type_and_see("700 + 77", "777");
    terminal.end();
}

#[test]
fn lines_that_are_pasted_run_one_after_the_other() {
    let mut terminal = Terminal::new(&[]);
    terminal.keys("const pasted = 70;\r'o' + pasted\rpasted + 7\r");
    terminal.see("'o70'");
    terminal.see("77");
    terminal.end();
}

#[test]
fn an_error_is_shown_and_survived() {
    let mut terminal = Terminal::new(&[]);
    terminal.type_and_see("let kept = 700;", "undefined");
    terminal.type_and_see("missing.thing", "missing is not defined");
    terminal.type_and_see("kept + 77", "777");
    terminal.end();
}

#[test]
fn ctrl_c_cancels_the_run_and_keeps_the_state() {
    let mut terminal = Terminal::new(&["--max-operations", "1000000000000", "--timeout", "1h"]);
    terminal.type_and_see("let kept = 700;", "undefined");
    terminal
        .session
        .send_line("console.log('be' + 'gun'); for (;;) {}")
        .unwrap();
    terminal.see("begun");
    terminal.session.send_control('c').unwrap();
    terminal.see("ERR_CANCELLED");
    terminal.see("is kept");
    terminal.see(PROMPT);
    terminal.type_and_see("kept + 77", "777");
    terminal.end();
}

#[test]
fn a_run_that_takes_too_long_leaves_the_state_as_it_was() {
    let mut terminal = Terminal::new(&[
        "--max-operations",
        "1000000000000",
        "--timeout",
        "2s",
        "--var",
        "given=5",
    ]);
    terminal.type_and_see("let kept = 700;", "undefined");
    terminal.type_and_see("for (;;) {}", "what it had come to is kept");
    terminal.type_and_see("kept + 77 + '/' + given", "'777/5'");
    terminal.end();
}

#[test]
fn tab_completes_names_without_running_getters() {
    let mut terminal = Terminal::new(&[]);
    terminal.type_and_see(
        "const inventory = { apples: 3, get trap() { throw new Error('sprung') }, deep: { within: 1 } };",
        "undefined",
    );
    terminal.keys("inven\t");
    terminal.see("inventory");
    terminal.keys(".app\t");
    terminal.type_and_see(" + 774", "777");
    terminal.keys("inventory.deep.wi\t");
    terminal.type_and_see(" + 887", "888");
    terminal.keys("inventory.trap.x\t");
    terminal.session.send_control('c').unwrap();
    terminal.see(PROMPT);
    terminal.keys("Math.ma\t");
    terminal.type_and_see("(998, 999)", "999");
    terminal.end();
}

#[test]
fn commands_begin_with_a_dot() {
    let dir = tempdir().unwrap();
    fs::write(
        dir.path().join("given.js"),
        "const loaded = 770;\nloaded + 7",
    )
    .unwrap();
    fs::create_dir(dir.path().join("files")).unwrap();
    let mut terminal = Terminal::in_dir(dir, &["--workspace", "files"]);
    terminal.type_and_see(".help", ".snapshot FILE");
    terminal.type_and_see(".tools", "declare function grep(");
    terminal.type_and_see(".load given.js", "777");
    terminal.type_and_see(".5 + .25", "0.75");
    terminal.type_and_see(".save said.js", "wrote said.js");
    terminal.type_and_see("let n = 1;", "undefined");
    terminal.type_and_see(".fork", "set aside (1 copy)");
    terminal.type_and_see("n = 500 + 55", "555");
    terminal.type_and_see(".back", "back at the last copy (0 left)");
    terminal.type_and_see("n + 665", "666");
    terminal.type_and_see(".back", "there is no copy");
    terminal.type_and_see(".snapshot state.bin", "wrote state.bin");
    terminal.type_and_see(".nonsense", "unknown command .nonsense");
    terminal.type_and_see(".load", "the name of a file is missing");
    terminal.session.send_line(".exit").unwrap();
    terminal.session.exp_eof().unwrap();

    let said = read(terminal.dir.path(), "said.js");
    assert_eq!(said, "const loaded = 770;\nloaded + 7\n.5 + .25\n");
    let history = read(terminal.dir.path(), ".local/state/hotcell/history");
    assert!(history.contains("n = 500 + 55"), "{history}");

    // Another prompt goes on from the snapshot.
    let mut terminal = Terminal::in_dir(terminal.dir, &["--snapshot-in", "state.bin"]);
    terminal.type_and_see("n + loaded", "771");
    terminal.end();
}

#[test]
fn an_empty_line_and_ctrl_d_do_no_harm() {
    let mut terminal = Terminal::new(&["--no-history"]);
    terminal.type_and_see("", "");
    terminal.type_and_see("   ", "");
    terminal.type_and_see("770 + 7", "777");
    let dir = terminal.end();
    assert!(!dir.path().join(".local").exists());
}

#[test]
fn a_guest_cannot_steer_the_terminal() {
    let dir = tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hotcell"));
    let code = "console.log('\\x1b]52;c;QUJD\\x07'); console.error('\\x1b[2J'); '\\x1b[31mred'";
    command
        .args(["eval", code])
        .current_dir(dir.path())
        .env("TERM", "xterm");
    let options = Options::new().timeout_ms(Some(PATIENCE_MS));
    let mut session = spawn_with_options(command, options).unwrap();
    let shown = session.exp_eof().unwrap();
    assert!(
        !shown.contains('\u{1b}') && !shown.contains('\u{7}'),
        "{shown:?}"
    );
    for expected in [r"\x1b]52;c;QUJD\x07", r"\x1b[2J", r"\x1b[31mred"] {
        assert!(shown.contains(expected), "{shown:?}");
    }
}

#[test]
fn ctrl_c_on_a_typed_line_only_clears_it() {
    let mut terminal = Terminal::new(&[]);
    for _ in 0..3 {
        terminal.keys("const half = ");
        terminal.see("const half = ");
        terminal.session.send_control('c').unwrap();
        terminal.see(PROMPT);
    }
    terminal.type_and_see("40 + 2", "42");
    terminal.end();
}

#[test]
fn code_from_a_pipe_is_taken_line_by_line_and_no_line_whole_that_is_too_long() {
    let dir = tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_hotcell"))
        .args(["repl", "--no-history"])
        .current_dir(dir.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        stdin
            .write_all(b"function f() {\n  return 70 }\nf() + 7\n'")
            .unwrap();
        for _ in 0..20 {
            stdin.write_all(&vec![b'x'; 1 << 20]).unwrap();
        }
        stdin.write_all(b"'\n400 + 44\n.nonsense\n(1").unwrap();
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let (stdout, stderr) = (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    );
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert_eq!(stdout, "undefined\n77\n444\n");
    for told in [
        "a line is longer than 1048576 bytes",
        "unknown command .nonsense",
        "syntax_valid",
    ] {
        assert!(stderr.contains(told), "{stderr}");
    }
}
