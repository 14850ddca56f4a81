//! A case in the machine's bash.

use std::{
    fs,
    io::{Read, Write},
    os::unix::{fs::FileTypeExt, fs::PermissionsExt, process::ExitStatusExt},
    path::Path,
    process::{Command, Stdio},
    sync::LazyLock,
    thread,
    time::{Duration, Instant},
};

use crate::{
    answer::{Answer, Entry},
    case::Case,
};

/// What no case comes near to.
const DEADLINE: Duration = Duration::from_secs(20);

/// Where the programs are that cases may use.
const PATH: &str = "/usr/bin:/bin";

/// Whether there is a bash of the version that this shell is like.
static HAS_BASH: LazyLock<bool> = LazyLock::new(|| {
    let version = Command::new("/bin/bash").arg("--version").output();
    version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("version 5.2"))
});

/// Whether the machine has what the case needs.
pub(crate) fn can_run(case: &Case) -> bool {
    let is_there = |name: &String| {
        PATH.split(':')
            .any(|directory| Path::new(directory).join(name).exists())
    };
    *HAS_BASH && case.needs.iter().all(is_there)
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

pub(crate) fn run(case: &Case, place: &Path) -> Answer {
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
    std::os::unix::process::CommandExt::arg0(&mut child, "bash");
    let mut child = child
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
    let mut out = child.stdout.take().expect("it is piped");
    let mut err = child.stderr.take().expect("it is piped");
    let out = thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = out.read_to_end(&mut bytes);
        bytes
    });
    let err = thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = err.read_to_end(&mut bytes);
        bytes
    });
    let until = Instant::now() + DEADLINE;
    let status = loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            break status;
        }
        if Instant::now() > until {
            let _ = child.kill();
        }
        thread::sleep(Duration::from_millis(2));
    };
    writer.join().expect("it does not panic");
    let mut answer = Answer {
        stdout: out.join().expect("it does not panic"),
        stderr: err.join().expect("it does not panic"),
        code: status
            .code()
            .unwrap_or_else(|| 128 + status.signal().unwrap_or(0)),
        ..Answer::default()
    };
    collect(&work, &work, &mut answer);
    answer.placed(place)
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
