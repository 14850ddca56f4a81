//! Whether the records in `data` are what the bash of this machine says. Another bash than 5.2 is not asked.

use std::process::{Command, Stdio};

use crate::cases::{ALIASES, ERRORS, FUNCTIONS, SCRIPTS, cases};

/// Its output and its errors, together.
fn bash(arguments: &[&str]) -> Option<String> {
    let output = Command::new("bash")
        .args(arguments)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = [output.stdout, output.stderr].concat();
    Some(
        String::from_utf8_lossy(&text)
            .trim_end_matches('\n')
            .to_owned(),
    )
}

fn is_bash_5_2() -> bool {
    bash(&["--version"]).is_some_and(|version| version.contains("version 5.2"))
}

#[test]
fn the_recorded_errors_are_those_of_bash() {
    if !is_bash_5_2() {
        return;
    }
    for [script, expected] in cases::<2>(ERRORS) {
        assert_eq!(
            bash(&["-n", "-c", "--", script]).as_deref(),
            Some(expected),
            "in:\n{script}"
        );
    }
}

#[test]
fn the_recorded_scripts_are_right() {
    if !is_bash_5_2() {
        return;
    }
    for [script] in cases::<1>(SCRIPTS) {
        assert_eq!(
            bash(&["-n", "-c", "--", script]).as_deref(),
            Some(""),
            "in:\n{script}"
        );
    }
}

#[test]
fn the_recorded_functions_are_printed_so() {
    if !is_bash_5_2() {
        return;
    }
    for [script, expected] in cases::<2>(FUNCTIONS) {
        let script = format!("shopt -s extglob\n{script}\ndeclare -f f");
        assert_eq!(
            bash(&["-c", &script]).as_deref(),
            Some(expected),
            "in:\n{script}"
        );
    }
}

#[test]
fn the_recorded_aliases_are_expanded_so() {
    if !is_bash_5_2() {
        return;
    }
    for [aliases, script, expected] in cases::<3>(ALIASES) {
        let quoted = |line: &str| format!("alias -- '{}'\n", line.replace('\'', r"'\''"));
        let aliases: String = aliases.lines().map(quoted).collect();
        let script = format!("shopt -s expand_aliases extglob\n{aliases}{script}\ndeclare -f f");
        assert_eq!(
            bash(&["-c", &script]).as_deref(),
            Some(expected),
            "in:\n{script}"
        );
    }
}
