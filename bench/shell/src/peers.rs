//! Other shells that need no operating system, each a program that answers: see `bench/shell/peers/README.md`.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

/// How long a peer may take to answer.
const PATIENCE: Duration = Duration::from_mins(1);

/// A peer that runs, or why it does not.
pub(crate) struct Peer {
    command: Vec<String>,
    running: Option<Running>,
    pub(crate) name: String,
}

struct Running {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Peer {
    /// Those that `cargo xtask bench` has installed, over a copy of `folder`.
    pub(crate) fn all(folder: &Path) -> Vec<Self> {
        // Also from `bench/sandbox`, which measures beside the same.
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shell"));
        let folder = folder.to_string_lossy();
        let script = root.join("peers/just-bash.mjs");
        let program = root.join("../../target/peers/release/bench-shell-bashkit");
        let commands = [
            // Room for 50 MB in the strings of JavaScript.
            vec![
                "node",
                "--expose-gc",
                "--max-old-space-size=8192",
                &script.to_string_lossy(),
                &folder,
            ]
            .into_iter()
            .map(str::to_owned)
            .collect(),
            vec![
                program.to_string_lossy().into_owned(),
                folder.clone().into_owned(),
            ],
        ];
        commands.into_iter().filter_map(Self::start).collect()
    }

    fn start(command: Vec<String>) -> Option<Self> {
        let mut peer = Self {
            command,
            running: None,
            name: String::new(),
        };
        match peer.restart() {
            Ok(name) => {
                peer.name = name;
                Some(peer)
            }
            Err(error) => {
                eprintln!("{} does not start: {error}", peer.command.join(" "));
                None
            }
        }
    }

    /// Starts the program anew; its name.
    fn restart(&mut self) -> Result<String, String> {
        self.running = None;
        let (program, arguments) = self.command.split_first().unwrap();
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, answers) = channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        self.running = Some(Running {
            child,
            input,
            answers,
        });
        let hello = self.answer()?;
        Ok(hello["name"].as_str().unwrap_or_default().to_owned())
    }

    fn answer(&mut self) -> Result<Value, String> {
        let running = self.running.as_ref().ok_or("died")?;
        let line = match running.answers.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(error) => {
                self.running = None;
                let is_slow = error == std::sync::mpsc::RecvTimeoutError::Timeout;
                let slow = || format!("> {} s", PATIENCE.as_secs());
                return Err(if is_slow { slow() } else { "died".into() });
            }
        };
        let answer: Value = serde_json::from_str(&line).map_err(|error| error.to_string())?;
        match answer["error"].as_str() {
            Some(error) => {
                eprintln!("{}: {}", self.name, error.trim());
                Err("failed".into())
            }
            None => Ok(answer),
        }
    }

    fn ask(&mut self, request: &Value) -> Result<Value, String> {
        if self.running.is_none() {
            self.restart()?;
        }
        let running = self.running.as_mut().ok_or("died")?;
        let sent = writeln!(running.input, "{request}").and_then(|()| running.input.flush());
        if sent.is_err() {
            self.running = None;
            return Err("died".into());
        }
        self.answer()
    }

    /// What a script prints, and how many µs it takes.
    pub(crate) fn run(&mut self, script: &str) -> Result<(String, f64), String> {
        let answer = self.ask(&json!({ "kind": "run", "script": script }))?;
        let output = answer["output"].as_str().unwrap_or_default().to_owned();
        Ok((output, answer["us"].as_f64().unwrap_or(f64::NAN)))
    }

    /// How many µs a new shell takes.
    pub(crate) fn create(&mut self) -> Result<f64, String> {
        let answer = self.ask(&json!({ "kind": "create" }))?;
        Ok(answer["us"].as_f64().unwrap_or(f64::NAN))
    }

    /// How many KiB a shell takes that has run a command.
    pub(crate) fn idle(&mut self, count: u32) -> Result<f64, String> {
        let answer = self.ask(&json!({ "kind": "idle", "count": count }))?;
        Ok(answer["kib"].as_f64().unwrap_or(f64::NAN))
    }
}
