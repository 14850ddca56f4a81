//! The command as people use it: arguments in, output and exit code out.
//!
//! - `contract`: flags against `docs/contract.md`;
//! - `run`: `run` and `eval`, and what a cell is given;
//! - `files`: files, modules, and checks before running;
//! - `failures`: how errors look, and what the exit codes say;
//! - `others`: `check`, `prompt`, `doctor`, `completions`, `man`, help;
//! - `resume`: runs that wait, in files;
//! - `guest`: WebAssembly guests and the programs they start;
//! - `sh`: shell commands and the files they work on;
//! - `terminal`: a shell that a person types to.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod contract;
mod failures;
mod files;
mod guest;
mod others;
mod resume;
mod run;
mod sh;
mod terminal;

use std::fmt;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value as Json;

/// What a command did.
struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Ran {
    #[track_caller]
    fn json(&self) -> Json {
        assert_eq!(self.stdout.lines().count(), 1, "{self}");
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// Its output, if it ended well and had nothing to complain about.
    #[track_caller]
    fn ok(&self) -> &str {
        assert_eq!((self.code, &*self.stderr), (0, ""), "{self}");
        self.stdout.trim_end_matches('\n')
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            code,
            stdout,
            stderr,
        } = self;
        write!(
            f,
            "exit: {code}\n--- stdout ---\n{stdout}--- stderr ---\n{stderr}"
        )
    }
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hotcell"));
    command
        .args(args)
        .stdin(Stdio::null())
        .env_remove("NO_COLOR");
    command
}

fn hotcell(args: &[&str]) -> Ran {
    ran(&mut command(args), "")
}

fn hotcell_in(dir: &Path, args: &[&str]) -> Ran {
    ran(command(args).current_dir(dir), "")
}

fn ran(command: &mut Command, stdin: &str) -> Ran {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that does not read what it is given is no failure of the test.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
