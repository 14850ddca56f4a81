//! Scripts as agents write them.
//!
//! `scripts/NAME.py` says `scripts/NAME.out`. What is recorded is what CPython 3.11 says on the machine, and where there is one,
//! it is asked again.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::with;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/scripts")
}

fn names() -> Vec<String> {
    let entries = fs::read_dir(folder()).unwrap();
    let mut names: Vec<_> = entries
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            Some(name.strip_suffix(".py")?.to_owned())
        })
        .collect();
    names.sort();
    names
}

fn recorded(name: &str) -> String {
    fs::read_to_string(folder().join(format!("{name}.out"))).unwrap()
}

#[test]
fn scripts_of_agents_say_what_they_say_elsewhere() {
    let names = names();
    assert!(names.len() >= 20, "{names:?}");
    // One shell for all: what a script leaves behind does not disturb the next.
    let shell = with("python").on(&folder());
    let ran = shell.sh("for s in *.py; do echo \"### $s\"; python3 $s 2> /tmp/err || { echo \"exit $?\"; cat /tmp/err; }; done");
    let mut expected = String::new();
    for name in &names {
        expected.extend(["### ", name, ".py\n", &recorded(name)]);
    }
    assert_eq!(ran.ok(), expected.trim_end_matches('\n'));
}

#[test]
fn what_is_recorded_is_what_the_machine_says() {
    let version = Command::new("python3").arg("--version").output();
    let is_same = version.is_ok_and(|output| output.stdout.starts_with(b"Python 3.11."));
    if !is_same {
        eprintln!("the machine has no Python 3.11: what is recorded counts alone");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for name in names() {
        // Its /tmp is a directory of its own.
        let script = fs::read_to_string(folder().join(format!("{name}.py"))).unwrap();
        let script = script.replace("/tmp/", &format!("{}/", dir.path().display()));
        let output = Command::new("python3")
            .args(["-c", &script])
            .current_dir(folder())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(said, recorded(&name), "{name}");
    }
}
