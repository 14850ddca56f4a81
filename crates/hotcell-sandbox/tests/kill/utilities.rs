//! Every utility there is, given what never ends in every way that it takes it.

use std::time::Duration;

use hotcell_sandbox::{Command, Sandbox};

use crate::{GRACE, Way, alone, kill};

/// What a utility is given. `U` stands for its name.
const WAYS: [&str; 10] = [
    "U < /dev/zero",
    "yes | U",
    "yes 'a b c 1 2 3' | U -",
    "U /dev/zero",
    "U /dev/zero /dev/zero",
    "U -r . /dev/zero",
    "U x /dev/zero",
    "yes '{\"a\": [1, 2]}' | U .",
    "seq inf | U 1",
    "yes '(((((((((' | U",
];

fn names(sandbox: &Sandbox) -> Vec<String> {
    let all = pollster::block_on(sandbox.run("compgen -c | sort -u")).unwrap();
    let all = all.stdout_text().into_owned();
    all.lines().map(str::to_owned).collect()
}

/// Each utility is given one of so many ways, in turns. With `HOTCELL_LONG` it is given all, which takes half a minute.
const SHARES: usize = 3;

#[test]
fn every_utility_ends_when_it_is_told_to() {
    let _alone = alone();
    let origin = crate::sandbox();
    let names = names(&origin);
    assert!(names.len() > 150, "{names:?}");
    let shares = match std::env::var_os("HOTCELL_LONG") {
        Some(_) => 1,
        None => SHARES,
    };
    let mut wrong = Vec::new();
    for (index, name) in names.iter().enumerate() {
        // Words of the language are no commands of their own.
        if !name.starts_with(|first: char| first.is_ascii_alphanumeric()) {
            continue;
        }
        for way in WAYS.iter().skip(index % shares).step_by(shares) {
            let script = way.replace('U', name);
            let sandbox = origin.fork().unwrap();
            let command = Command::new(format!("{{ {script}; }} > /dev/null 2>&1"));
            let killed = kill(&sandbox, command, Way::Timeout, Duration::from_millis(15));
            if killed.after > GRACE {
                wrong.push(format!("{script}: {:?}", killed.after));
            }
        }
    }
    assert!(wrong.is_empty(), "computed on:\n{}", wrong.join("\n"));
}
