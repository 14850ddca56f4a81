//! What paths mean to programs whose C library thinks that the working directory is the root.

use crate::support::{Machine, c};

fn machine() -> Machine {
    let machine = Machine::new().with_c("places");
    machine.install("goer", &c("places", &["-DGOES"]));
    machine
        .write("/work/here.txt", "of work\n")
        .write("/work/sub/deep.txt", "deep\n")
        .write("/tmp/there.txt", "of tmp\n")
        .write("/top.txt", "at the top\n");
    machine
}

#[test]
fn relative_paths_begin_in_the_working_directory() {
    let ran = machine()
        .sh("places read here.txt read ./here.txt read sub/deep.txt read missing list . list sub");
    assert_eq!(
        ran.ok(),
        "here.txt: of work\n./here.txt: of work\nsub/deep.txt: deep\nmissing: No such file or directory\n.: here.txt sub\nsub: deep.txt"
    );
    let ran = machine()
        .sh("cd sub; places read deep.txt read ../here.txt list .. read ../../tmp/there.txt");
    assert_eq!(
        ran.ok(),
        "deep.txt: deep\n../here.txt: of work\n..: here.txt sub\n../../tmp/there.txt: of tmp"
    );
}

#[test]
fn absolute_paths_begin_at_the_root() {
    let ran = machine().sh(
        "places read /tmp/there.txt read /work/here.txt list /tmp read /top.txt write /tmp/new",
    );
    assert_eq!(
        ran.ok(),
        "/tmp/there.txt: of tmp\n/work/here.txt: of work\n/tmp: there.txt\n/top.txt: at the top\n/tmp/new: written"
    );
}

#[test]
fn new_files_are_made_where_they_are_meant() {
    let machine = machine();
    machine
        .sh("places write new.txt write sub/new.txt write /tmp/new.txt write /work/absolute.txt")
        .ok();
    let ran = machine.sh("grep -rl 'by places' /work /tmp | sort");
    assert_eq!(
        ran.ok(),
        "/tmp/new.txt\n/work/absolute.txt\n/work/new.txt\n/work/sub/new.txt"
    );
}

#[test]
fn if_both_could_be_meant_what_is_there_decides() {
    let machine = machine();
    machine.write("/work/tmp/mine.txt", "mine\n");
    // Only one of them exists.
    let ran = machine.sh("places read tmp/mine.txt read tmp/there.txt");
    assert_eq!(ran.ok(), "tmp/mine.txt: mine\ntmp/there.txt: of tmp");
    // Neither does.
    machine.sh("places write /tmp/made").ok();
    assert_eq!(machine.sh("ls /tmp").ok(), "made\nthere.txt");
}

#[test]
fn a_program_that_changes_its_directory_finds_things_there() {
    let ran = machine().sh("goer read here.txt go /tmp read there.txt go /work/sub read deep.txt read ../here.txt list .");
    assert_eq!(
        ran.ok(),
        "here.txt: of work\n/tmp: /tmp\nthere.txt: of tmp\n/work/sub: /work/sub\ndeep.txt: deep\n../here.txt: of work\n.: deep.txt"
    );
}

#[test]
fn descriptors_have_names() {
    let machine = machine().with_c("cat");
    assert_eq!(machine.sh("echo in | cat.wasm /dev/stdin").ok(), "in");
    assert_eq!(
        machine.sh("cat.wasm <(echo one) <(echo two)").ok(),
        "one\ntwo"
    );
    assert_eq!(
        machine.sh("echo x | cat.wasm /dev/fd/7").failed(1),
        "/dev/fd/7: No such file or directory"
    );
    assert_eq!(
        machine
            .sh("places write /dev/stderr >/dev/null 2>said; cat said")
            .ok(),
        "by places"
    );
    assert_eq!(
        machine.sh("places write /dev/null read /dev/null").ok(),
        "/dev/null: written\n/dev/null: "
    );
}
