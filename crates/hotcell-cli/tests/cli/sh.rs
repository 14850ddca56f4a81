//! `hotcell sh`.

use std::fs;

use tempfile::tempdir;

use crate::{command, hotcell, hotcell_in, ran};

#[test]
fn a_command_is_run_and_its_code_is_passed_on() {
    assert_eq!(hotcell(&["sh", "-c", "seq 3 | paste -sd+ | bc"]).ok(), "6");
    assert_eq!(hotcell(&["sh", "-c", "exit 7"]).code, 7);
    let missing = hotcell(&["sh", "-c", "nosuch"]);
    assert_eq!(missing.code, 127);
    assert_eq!(missing.stderr, "bash: line 1: nosuch: command not found\n");
}

#[test]
fn a_script_gets_its_arguments_and_standard_input() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("s.sh"), "read line\necho \"$0 $1 $line\"\n").unwrap();
    let ran = ran(
        command(&["sh", "s.sh", "two words"]).current_dir(dir.path()),
        "from outside\n",
    );
    assert_eq!(ran.ok(), "s.sh two words from outside");
}

#[test]
fn commands_come_from_standard_input_without_a_script() {
    let ran = ran(&mut command(&["sh"]), "x=4\necho $((x + 1))\n");
    assert_eq!(ran.ok(), "5");
}

#[test]
fn commands_on_standard_input_share_it_with_what_they_run() {
    let script = "read x\nhello\necho got $x\nnosuch\ntrap 'echo bye' EXIT\nhead -c 5\nabcd\ncat\nthe rest\n";
    let ran = ran(&mut command(&["sh"]), script);
    assert_eq!(ran.stdout, "got hello\nabcd\nthe rest\nbye\n", "{ran}");
    assert_eq!(ran.stderr, "bash: line 3: nosuch: command not found\n");
}

#[test]
fn errors_end_it_as_they_end_bash() {
    let dir = tempdir().unwrap();
    let script = "echo $0 $-\necho ${missing:?}\necho no\n";
    fs::write(dir.path().join("s.sh"), script).unwrap();
    let by_name = hotcell_in(dir.path(), &["sh", "s.sh"]);
    assert_eq!(
        (by_name.code, &*by_name.stdout),
        (1, "s.sh hB\n"),
        "{by_name}"
    );
    assert!(
        by_name.stderr.starts_with("s.sh: line 2: missing: "),
        "{by_name}"
    );
    let given = hotcell(&["sh", "-c", "echo $-; echo ${missing:?}; echo no"]);
    assert_eq!((given.code, &*given.stdout), (127, "hBc\n"), "{given}");
    let piped = ran(&mut command(&["sh"]), script);
    assert_eq!((piped.code, &*piped.stdout), (1, "bash hBs\n"), "{piped}");
    let syntax = "echo one\necho 'two\n";
    fs::write(dir.path().join("w.sh"), syntax).unwrap();
    let wrong = hotcell_in(dir.path(), &["sh", "w.sh"]);
    assert_eq!((wrong.code, &*wrong.stdout), (2, "one\n"), "{wrong}");
    assert!(
        wrong.stderr.starts_with("w.sh: line 2: unexpected EOF"),
        "{wrong}"
    );
}

#[test]
fn a_wrong_line_is_told_and_nothing_of_it_is_run() {
    let ran = hotcell(&["sh", "-c", "echo one\necho two; if"]);
    assert_eq!((ran.code, &*ran.stdout), (2, "one\n"), "{ran}");
    assert!(
        ran.stderr.contains("syntax error: unexpected end of file"),
        "{ran}"
    );
}

#[test]
fn nothing_of_the_caller_is_there_unless_it_is_given() {
    let inherited = ran(
        command(&["sh", "-c", "echo \"[$SECRET]\"; cat /etc/hostname; ls /"]).env("SECRET", "x"),
        "",
    );
    assert_eq!(
        inherited.stdout,
        "[]\nhotcell\nbin\ndev\netc\nhome\nproc\nroot\ntmp\nusr\nvar\nworkspace\n"
    );
    let given = hotcell(&["sh", "--env", "NAME=value", "-c", "printenv NAME"]);
    assert_eq!(given.ok(), "value");
}

#[test]
fn a_directory_is_worked_on_as_a_copy_until_it_is_committed() {
    let dir = tempdir().unwrap();
    let file = dir.path().join("list.txt");
    fs::write(&file, "tea\ncake\n").unwrap();
    let change = "sed -i s/tea/coffee/ list.txt; mkdir d; echo new > d/n";
    let shown = hotcell_in(dir.path(), &["sh", "--root", ".", "--diff", "-c", change]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "tea\ncake\n");
    assert!(shown.stdout.contains("\n-tea\n+coffee\n cake\n"), "{shown}");
    assert!(shown.stdout.contains("+++ b/d/n\t20"), "{shown}");
    assert!(!shown.stdout.contains('%'), "{shown}");
    let committed = hotcell_in(dir.path(), &["sh", "--root", ".", "--commit", "-c", change]);
    assert_eq!(committed.ok(), "");
    assert_eq!(fs::read_to_string(&file).unwrap(), "coffee\ncake\n");
    assert_eq!(fs::read_to_string(dir.path().join("d/n")).unwrap(), "new\n");
}

#[test]
fn what_does_not_end_is_stopped() {
    for endless in [
        "while :; do :; done",
        "yes > /dev/null",
        "sleep 1000",
        "cat | cat",
    ] {
        let mut command = command(&["sh", "--timeout", "100ms", "-c", endless]);
        // Standard input stays open, so that reading it does not end by itself.
        let mut child = command
            .stdin(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        assert_eq!(child.wait().unwrap().code(), Some(124), "{endless}");
        drop(input);
    }
    let told = hotcell(&["sh", "--timeout", "50ms", "-c", "while :; do :; done"]);
    assert!(told.stderr.contains("time limit of 50ms"), "{told}");
}

#[test]
fn memory_that_runs_out_is_an_error_that_says_so() {
    let ran = hotcell(&[
        "sh",
        "--memory",
        "8MiB",
        "-c",
        "x=$(yes | head -c 20000000); echo ${#x}",
    ]);
    assert_ne!(ran.code, 0, "{ran}");
    assert!(ran.stderr.contains("memory"), "{ran}");
}

#[test]
fn javascript_is_a_command_among_others() {
    let ran = hotcell(&[
        "sh",
        "-c",
        "seq 3 | js -e 'console.log(fs.readFileSync(0, \"utf8\").length)'",
    ]);
    assert_eq!((ran.code, &*ran.stdout), (0, "6\n"), "{ran}");
}

#[test]
fn a_link_is_shown_as_what_it_says() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("file"), "old\n").unwrap();
    for link in ["same", "other"] {
        std::os::unix::fs::symlink("file", dir.path().join(link)).unwrap();
    }
    let change = "echo new > file; ln -sf elsewhere other; ln -s file more";
    let shown = hotcell_in(dir.path(), &["sh", "--root", ".", "--diff", "-c", change]);
    assert_eq!(shown.stdout.matches("\n+new\n").count(), 1, "{shown}");
    for said in [
        "Symbolic links a/other and b/other differ\n",
        "Only in b: more\n",
    ] {
        assert!(shown.stdout.contains(said), "{shown}");
    }
    assert!(!shown.stdout.contains("same"), "{shown}");
}

#[test]
fn what_cannot_be_committed_is_named_and_nothing_is_written() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("a"), "old\n").unwrap();
    let change = "echo new > a; echo new > b; rm -f gone; ln -s /etc/passwd out; mkfifo pipe; mkdir d; echo x > d/x";
    let ran = hotcell_in(dir.path(), &["sh", "--root", ".", "--commit", "-c", change]);
    assert_ne!(ran.code, 0, "{ran}");
    for named in ["nothing was changed", "/out: links", "/pipe: named pipes"] {
        assert!(ran.stderr.contains(named), "{ran}");
    }
    let names: Vec<_> = fs::read_dir(dir.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert_eq!(fs::read_to_string(dir.path().join("a")).unwrap(), "old\n");
    let change = format!("{change}; rm out pipe");
    let ran = hotcell_in(
        dir.path(),
        &["sh", "--root", ".", "--commit", "-c", &change],
    );
    assert_eq!(ran.code, 0, "{ran}");
    assert_eq!(fs::read_to_string(dir.path().join("a")).unwrap(), "new\n");
    assert_eq!(fs::read_to_string(dir.path().join("d/x")).unwrap(), "x\n");
}

#[test]
fn standard_input_is_not_read_further_ahead_than_a_buffer() {
    let mut command = command(&["sh", "-c", "read x; sleep 0.5; echo $x"]);
    let mut child = command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let line = [b'y'; 1023]
        .iter()
        .chain(b"\n")
        .copied()
        .collect::<Vec<u8>>();
    let mut given = 0usize;
    while std::io::Write::write_all(&mut input, &line).is_ok() {
        given += line.len();
        assert!(given < 8 << 20, "more is taken than anybody wants");
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stdout.len(), 1024);
}

#[test]
fn the_exit_trap_runs_at_the_end() {
    let trap = "trap 'echo bye $?' EXIT; ";
    for (rest, code, said) in [
        ("echo hi; (exit 3)", 3, "hi\nbye 3\n"),
        ("exit 4", 4, "bye 4\n"),
        ("set -e; false; echo no", 1, "bye 1\n"),
        ("trap 'exit 6' EXIT", 6, ""),
        ("exec sh -c 'exit 5'", 5, ""),
        ("\nif", 2, "bye 2\n"),
    ] {
        let ran = hotcell(&["sh", "-c", &format!("{trap}{rest}")]);
        assert_eq!((ran.code, &*ran.stdout), (code, said), "{rest}: {ran}");
    }
    let killed = hotcell(&["sh", "--timeout", "50ms", "-c", &format!("{trap}sleep 100")]);
    assert_eq!((killed.code, &*killed.stdout), (124, ""), "{killed}");
}
