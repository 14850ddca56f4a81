//! Every function of WASI preview 1 and its errors. Each program in `tests/c` says `ok`, or what is not so.

use crate::support::Machine;

#[test]
fn arguments_and_environment_are_those_of_the_process() {
    let machine = Machine::new().with_c("arguments");
    let ran = machine.sh("NAME='a value' arguments one 'two words' '' ü");
    assert_eq!(
        ran.ok(),
        "[arguments][one][two words][][ü]\nNAME=a value PWD=/work NONE=no\nok"
    );
}

#[test]
fn files_are_read_written_sought_sized_and_renumbered() {
    let machine = Machine::new().with_c("files");
    assert_eq!(machine.sh("cat /dev/null | files | cat").ok(), "ok");
    assert_eq!(machine.read("/work/new.txt"), "hello, WORLD!");
    assert_eq!(machine.read("/work/log"), "ONE\ntwo\nthree\n");
    assert_eq!(machine.read("/work/one"), "to one");
    assert_eq!(machine.read("/work/two"), "");
}

#[test]
fn paths_are_opened_made_linked_renamed_removed_and_dated() {
    let machine = Machine::new().with_c("paths");
    machine.write("/work/given.txt", "given text");
    machine.write("/work/dir/inner.txt", "inner");
    assert_eq!(machine.sh("paths").ok(), "ok");
    assert_eq!(machine.sh("ls").ok(), "dir\ngiven.txt");
    assert_eq!(machine.read("/work/given.txt"), "given");
}

#[test]
fn new_files_and_directories_have_the_modes_of_the_umask() {
    let machine = Machine::new().with_c("places");
    let ran = machine.sh("umask 077; places write secret >/dev/null; stat -c %a secret");
    assert_eq!(ran.ok(), "600");
    let ran = machine.sh("umask 002; places write shared >/dev/null; stat -c %a shared");
    assert_eq!(ran.ok(), "664");
}

#[test]
fn directories_are_listed_through_buffers_of_any_size() {
    let machine = Machine::new().with_c("directory");
    assert_eq!(machine.sh("directory | cat").ok(), "ok");
}

#[test]
fn rights_are_handed_on_given_up_and_never_got_back() {
    let machine = Machine::new().with_c("rights");
    assert_eq!(machine.sh("rights | cat").ok(), "ok");
}

#[test]
fn clocks_are_read_and_waited_for_together_with_streams() {
    let machine = Machine::new().with_c("waiting");
    let ran = machine.sh("{ sleep 2; echo late; sleep 0.5; } | waiting");
    assert_eq!(ran.ok(), "ok");
}

#[test]
fn there_are_no_sockets() {
    let machine = Machine::new().with_c("sockets");
    assert_eq!(machine.sh("sockets").ok(), "ok");
}
