//! A case in the machine's bash.

use std::{
    fs,
    io::{Read, Write},
    os::unix::{
        fs::{FileTypeExt, PermissionsExt},
        process::{CommandExt, ExitStatusExt},
    },
    path::Path,
    process::{Command, Stdio},
    sync::{
        LazyLock,
        mpsc::{Receiver, channel},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    answer::{Answer, Entry},
    case::Case,
};

/// Where the programs are that cases may use.
const PATH: &str = "/usr/bin:/bin";

/// Whether the machine's bash and utilities are of the versions that the answers were recorded with: others have other
/// words for the same.
static IS_AS_RECORDED: LazyLock<bool> = LazyLock::new(|| {
    let says = |program: &str, version: &str| {
        let output = Command::new(program).arg("--version").output();
        output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(version))
    };
    says("/bin/bash", "version 5.2") && says("/usr/bin/ls", "(GNU coreutils) 9.1\n")
});

/// Whoever runs the tests may have left descriptors open that every program inherits. Scripts see their numbers, so a first bash
/// closes them and becomes the one that runs the script. `None` if there are none.
static WITHOUT_LEAKS: LazyLock<Option<[String; 3]>> = LazyLock::new(|| {
    const CLOSED_ON_EXEC: u32 = 0o2_000_000;
    let is_inherited = |fd: &String| {
        let info = fs::read_to_string(format!("/proc/self/fdinfo/{fd}")).unwrap_or_default();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
        flags.is_some_and(|flags| flags & CLOSED_ON_EXEC == 0)
    };
    let open = fs::read_dir("/proc/self/fd").ok()?.flatten();
    let names = open.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let leaked = names.filter(|fd| !matches!(&**fd, "0" | "1" | "2") && is_inherited(fd));
    let closing: String = leaked.flat_map(|fd| [fd, ">&- ".to_owned()]).collect();
    let script = format!("exec -a bash /bin/bash \"$@\" {closing}");
    (!closing.is_empty()).then(|| ["-c".to_owned(), script, "bash".to_owned()])
});

/// Whether the machine has what the case needs.
pub(crate) fn can_run(case: &Case) -> bool {
    let is_there = |name: &String| {
        PATH.split(':')
            .any(|directory| Path::new(directory).join(name).exists())
    };
    *IS_AS_RECORDED && case.needs.iter().all(is_there)
}

/// The environment of a case.
pub(crate) fn environment(case: &Case, place: &Path) -> Vec<(String, String)> {
    let place = place.to_string_lossy();
    let mut all = vec![
        ("PATH".to_owned(), PATH.to_owned()),
        ("LC_ALL".to_owned(), "C.UTF-8".to_owned()),
        ("TZ".to_owned(), "UTC".to_owned()),
        ("HOME".to_owned(), format!("{place}/home")),
        ("PWD".to_owned(), format!("{place}/work")),
    ];
    for (name, value) in &case.env {
        all.retain(|(known, _)| known != name);
        all.push((name.clone(), value.clone()));
    }
    all
}

pub(crate) fn run(case: &Case, place: &Path, time: Duration) -> Answer {
    let work = place.join("work");
    for directory in [&work, &place.join("home")] {
        fs::create_dir_all(directory).expect("there is room");
    }
    for (name, content) in &case.given {
        let file = work.join(name);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent).expect("there is room");
        }
        fs::write(file, content).expect("there is room");
    }
    let mut child = Command::new("/bin/bash");
    // The name in messages is the first of these, not the path of the program.
    let mut child = child
        .arg0("bash")
        // A group of its own, which can be ended with all that it began.
        .process_group(0)
        .args(WITHOUT_LEAKS.as_ref().into_iter().flatten())
        .arg("-c")
        .arg(&case.script)
        .arg("bash")
        .args(&case.args)
        .env_clear()
        .envs(environment(case, place))
        .current_dir(&work)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("bash starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let input = case.stdin.clone();
    let writer = thread::spawn(move || {
        // Who does not read it is not told.
        let _ = stdin.write_all(&input);
    });
    let out = read_all(child.stdout.take().expect("it is piped"));
    let err = read_all(child.stderr.take().expect("it is piped"));
    // What it left in the background may still write after it has ended.
    let until = Instant::now() + time;
    let mut was_stopped = false;
    let mut wait = |output: &Receiver<Vec<u8>>| {
        let left = until.saturating_duration_since(Instant::now());
        output.recv_timeout(left).unwrap_or_else(|_| {
            was_stopped = true;
            let group = format!("-{}", child.id());
            let _ = Command::new("/bin/kill")
                .args(["-KILL", "--", &group])
                .status();
            output.recv().expect("nobody is left to write")
        })
    };
    let (stdout, stderr) = (wait(&out), wait(&err));
    let status = child.wait().expect("it can be waited for");
    writer.join().expect("it does not panic");
    let mut answer = Answer {
        stdout,
        stderr,
        was_stopped,
        code: status
            .code()
            .unwrap_or_else(|| 128 + status.signal().unwrap_or(0)),
        ..Answer::default()
    };
    collect(&work, &work, &mut answer);
    answer.placed(place)
}

/// Reads on a thread until the end.
fn read_all(mut stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

/// Notes what is below a directory.
fn collect(work: &Path, directory: &Path, answer: &mut Answer) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            continue;
        };
        let name = path
            .strip_prefix(work)
            .unwrap_or(&path)
            .to_string_lossy()
            .into_owned();
        let mode = metadata.permissions().mode() & 0o7777;
        let found = if metadata.is_file() {
            Entry::File {
                mode,
                bytes: fs::read(&path).unwrap_or_default(),
            }
        } else if metadata.is_symlink() {
            let target = fs::read_link(&path).unwrap_or_default();
            Entry::Link(target.to_string_lossy().into_owned())
        } else if metadata.is_dir() {
            let is_empty = fs::read_dir(&path).is_ok_and(|mut names| names.next().is_none());
            if !is_empty {
                collect(work, &path, answer);
                continue;
            }
            Entry::Dir { mode }
        } else if metadata.file_type().is_fifo() {
            Entry::Other("(Fifo)".to_owned())
        } else {
            Entry::Other("(something else)".to_owned())
        };
        answer.files.insert(name, found);
    }
}
