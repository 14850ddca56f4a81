//! Programs that nobody here wrote, as `hotcell program add` gets them: they run in `hotcell sh` like everything else there.
//!
//! - `store`: adding, listing, removing, and what is said of programs that are not there;
//! - `python`, `sqlite`, `ruby`, `php`: each as people use it, and killed;
//! - `library`: CPython's own tests of its library;
//! - `scripts`: scripts as agents write them, on CPython here and, where it is the same version, on the machine's.
//!
//! Programs come from the registry once and stay below `target/`, compiled. They are fetched anew when their recipes change.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod library;
mod php;
mod python;
mod ruby;
mod scripts;
mod sqlite;
mod store;

use std::{
    fmt, fs,
    hash::{DefaultHasher, Hash, Hasher},
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// What a command did.
struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
    took: Duration,
}

impl Ran {
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
            ..
        } = self;
        write!(
            f,
            "exit: {code}\n--- stdout ---\n{stdout}--- stderr ---\n{stderr}"
        )
    }
}

/// The command, with a directory of programs.
fn hotcell(data: &Path, arguments: &[&str], stdin: &str) -> Ran {
    let began = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_hotcell"))
        .args(arguments)
        .env("HOTCELL_DATA", data)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may end without having read it.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        took: began.elapsed(),
    }
}

/// A shell in which these programs are installed.
struct Shell {
    arguments: Vec<String>,
    stdin: String,
}

/// A shell in which a program is installed.
fn with(program: &str) -> Shell {
    install(program);
    Shell {
        arguments: Vec::new(),
        stdin: String::new(),
    }
}

impl Shell {
    /// With another program.
    fn and(self, program: &str) -> Self {
        install(program);
        self
    }

    /// With options of `hotcell sh`.
    fn options(mut self, options: &[&str]) -> Self {
        self.arguments
            .extend(options.iter().map(|option| (*option).to_owned()));
        self
    }

    /// In a view of a directory of the machine, which stays as it is.
    fn on(self, directory: &Path) -> Self {
        self.options(&["--workspace", directory.to_str().unwrap()])
    }

    fn stdin(mut self, text: &str) -> Self {
        text.clone_into(&mut self.stdin);
        self
    }

    fn sh(&self, command: &str) -> Ran {
        let mut arguments = vec!["sh"];
        arguments.extend(self.arguments.iter().map(String::as_str));
        arguments.extend(["-c", command]);
        hotcell(&data(), &arguments, &self.stdin)
    }
}

/// Where the programs of the tests are.
fn data() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs")
}

/// Adds a program, unless it is there. Tests run at the same time in processes of their own: one adds, the others wait.
fn install(program: &str) {
    let data = data();
    fs::create_dir_all(&data).unwrap();
    let lock = fs::File::create(data.join(format!("{program}.lock"))).unwrap();
    lock.lock().unwrap();
    let stamp = data.join(format!("{program}.stamp"));
    let wanted = recipes();
    if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return;
    }
    let ran = hotcell(&data, &["program", "add", program], "");
    assert_eq!(ran.code, 0, "{ran}");
    eprintln!("{program} was added in {:?}", ran.took);
    fs::write(stamp, wanted).unwrap();
}

/// What programs are made by, as a number.
fn recipes() -> String {
    let store = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hotcell-wasi/src/store");
    let mut files = vec![store.join("recipes.rs")];
    let glue = fs::read_dir(store.join("glue")).unwrap();
    files.extend(glue.map(|entry| entry.unwrap().path()));
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        fs::read(file).unwrap().hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

/// Commands that never end by themselves are ended by `timeout`, by the deadline and by a signal, and the next one runs.
fn is_killed(shell: impl Fn() -> Shell, endless: &[&str], next: &str, says: &str) {
    // So that it is loaded in no time that counts.
    assert_eq!(shell().sh(next).ok(), says);
    for command in endless {
        let ran = shell().sh(&format!(
            "timeout 0.3 {command} > /dev/null 2>&1; echo $?; {command} > /dev/null 2>&1 & sleep 0.3; kill $!; wait $! 2>/dev/null; echo $?; {next}"
        ));
        assert_eq!(
            ran.stdout,
            format!("124\n143\n{says}\n"),
            "{command}: {ran}"
        );
        let ran = shell()
            .options(&["--timeout", "600ms"])
            .sh(&format!("echo before; {command}; echo after"));
        assert_eq!(ran.code, 124, "{command}: {ran}");
        assert!(ran.stdout.starts_with("before\n"), "{command}: {ran}");
        assert!(!ran.stdout.contains("after"), "{command}: {ran}");
        assert!(ran.stderr.contains("stopped at the time limit"), "{ran}");
        // Far more than it takes, as the machine may be busy: what counts is that it ends.
        assert!(ran.took < Duration::from_secs(20), "{:?}", ran.took);
    }
}
