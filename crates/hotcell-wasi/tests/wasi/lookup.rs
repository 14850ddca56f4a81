//! How programs are found.

use crate::support::{Machine, c};

#[test]
fn programs_are_found_by_path_and_on_path_with_and_without_their_suffix() {
    let machine = Machine::new().with_c("ends");
    machine.write("/work/own.wasm", c("ends", &[]));
    for (command, code) in [
        ("ends exit 5", 5),
        ("ends.wasm exit 5", 5),
        ("/usr/local/bin/ends.wasm exit 5", 5),
        ("chmod +x own.wasm; ./own.wasm exit 5", 5),
        ("PATH=/work; own exit 5", 5),
        ("cp own.wasm /tmp/bare; /tmp/bare exit 5", 5),
        ("mkdir /bin; cp own.wasm /bin/x.wasm; x exit 5", 5),
        ("xargs -n 2 ends <<< 'exit 5'", 123),
        ("env ends exit 5", 5),
        ("exec ends exit 5", 5),
        ("bash -c 'ends exit 5'", 5),
    ] {
        let ran = machine.sh(command);
        assert_eq!(ran.code, code, "{command}: {ran}");
    }
    assert_eq!(
        machine.sh("command -v ends").ok(),
        "/usr/local/bin/ends.wasm"
    );
    assert_eq!(machine.sh("which ends").ok(), "/usr/local/bin/ends.wasm");
}

#[test]
fn a_file_without_permission_is_not_run() {
    let machine = Machine::new();
    machine.write("/work/own.wasm", c("ends", &[]));
    assert_eq!(
        machine.sh("./own.wasm").failed(126),
        "bash: line 1: ./own.wasm: Permission denied"
    );
}

#[test]
fn a_script_can_name_a_program_as_its_interpreter() {
    let machine = Machine::new().with_c("cat");
    machine.write(
        "/work/script",
        "#!/usr/local/bin/cat.wasm\nshown by its interpreter\n",
    );
    let ran = machine.sh("chmod +x script; ./script");
    assert_eq!(
        ran.ok(),
        "#!/usr/local/bin/cat.wasm\nshown by its interpreter"
    );
}

#[test]
fn programs_that_could_be_installed_are_told_how() {
    let machine = Machine::new();
    for (name, program) in [
        ("python3", "python"),
        ("python", "python"),
        ("ruby", "ruby"),
        ("sqlite3", "sqlite3"),
        ("php", "php"),
    ] {
        let text = format!(
            "command not found (not installed here; the host can add it with: hotcell program add {program})"
        );
        let ran = machine.sh(&format!("{name} -c x"));
        assert_eq!(ran.failed(127), format!("bash: line 1: {name}: {text}"));
        let ran = machine.sh(&format!("env {name} x"));
        assert_eq!(ran.failed(127), format!("env: '{name}': {text}"));
    }
    // Scripts that ask whether it is there get an answer.
    assert_eq!(
        machine.sh("command -v python3 || echo none").stdout,
        "none\n"
    );
    assert_eq!(
        machine.sh("nosuch").failed(127),
        "bash: line 1: nosuch: command not found"
    );
}
