//! A client of `hotcell serve --stdio`.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize as _;
use serde_json::{Value as Json, json};

/// Long enough for the slowest machine; nothing is measured.
const PATIENCE: Duration = Duration::from_mins(2);

pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Json>,
    /// Answers that came before somebody asked for them.
    answers: HashMap<String, Json>,
    /// Tool calls, likewise.
    pub(crate) calls: Vec<Json>,
    /// Answers to nobody, and batches.
    pub(crate) others: Vec<Json>,
    next: u64,
}

impl Client {
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    pub(crate) fn with(args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_hotcell"))
            .args(["serve", "--stdio"])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        // With room for values that are nested deeply.
        let read = move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(parse(&line)).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new()
            .stack_size(16 << 20)
            .spawn(read)
            .unwrap();
        Self {
            stdin: child.stdin.take(),
            child,
            lines,
            answers: HashMap::new(),
            calls: Vec::new(),
            others: Vec::new(),
            next: 0,
        }
    }

    /// Sends a line as it is.
    pub(crate) fn raw(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        writeln!(stdin, "{line}").unwrap();
        stdin.flush().unwrap();
    }

    /// Sends a request and says under which id.
    pub(crate) fn send(&mut self, method: &str, params: Json) -> String {
        self.next += 1;
        let id = format!("c{}", self.next);
        self.raw(
            &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string(),
        );
        id
    }

    /// The answer to a request.
    #[track_caller]
    pub(crate) fn wait(&mut self, id: &str) -> Json {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(answer) = self.answers.remove(id) {
                return answer;
            }
            self.receive(end);
        }
    }

    #[track_caller]
    pub(crate) fn wait_result(&mut self, id: &str) -> Json {
        let answer = self.wait(id);
        answer
            .get("result")
            .cloned()
            .unwrap_or_else(|| panic!("{answer}"))
    }

    #[track_caller]
    pub(crate) fn wait_error(&mut self, id: &str) -> Json {
        let answer = self.wait(id);
        answer
            .get("error")
            .cloned()
            .unwrap_or_else(|| panic!("{answer}"))
    }

    #[track_caller]
    pub(crate) fn call(&mut self, method: &str, params: Json) -> Json {
        let id = self.send(method, params);
        self.wait_result(&id)
    }

    #[track_caller]
    pub(crate) fn call_error(&mut self, method: &str, params: Json) -> Json {
        let id = self.send(method, params);
        self.wait_error(&id)
    }

    /// How many answers have come that nobody asked for yet.
    pub(crate) fn unasked(&self) -> usize {
        self.answers.len()
    }

    /// The most memory that the server has had, in MiB.
    #[cfg(target_os = "linux")]
    pub(crate) fn peak_memory(&self) -> usize {
        peak_memory_of(&self.child)
    }

    /// The next call of a tool.
    #[track_caller]
    pub(crate) fn next_call(&mut self) -> Json {
        let end = Instant::now() + PATIENCE;
        while self.calls.is_empty() {
            self.receive(end);
        }
        self.calls.remove(0)
    }

    /// The next message that is neither a call nor the answer to a request of [`Self::send`].
    #[track_caller]
    pub(crate) fn next_other(&mut self) -> Json {
        let end = Instant::now() + PATIENCE;
        while self.others.is_empty() {
            self.receive(end);
        }
        self.others.remove(0)
    }

    pub(crate) fn answer(&mut self, call: &Json, result: &Json) {
        self.raw(&json!({"jsonrpc": "2.0", "id": call["id"], "result": result}).to_string());
    }

    pub(crate) fn answer_error(&mut self, call: &Json, error: &Json) {
        self.raw(&json!({"jsonrpc": "2.0", "id": call["id"], "error": error}).to_string());
    }

    #[track_caller]
    fn receive(&mut self, end: Instant) {
        let left = end.saturating_duration_since(Instant::now());
        let message = self.lines.recv_timeout(left).expect("the server is silent");
        match message["id"].as_str() {
            Some(_) if message["method"] == "tool.call" => self.calls.push(message),
            Some(id) if id.starts_with('c') => {
                self.answers.insert(id.to_owned(), message);
            }
            _ => self.others.push(message),
        }
    }

    /// An executor that is ready.
    #[track_caller]
    pub(crate) fn executor(&mut self, options: Json) -> String {
        let made = self.call("executor.create", json!({"options": options}));
        assert_eq!(made["state"], "NEW");
        let executor = made["executor"].as_str().unwrap().to_owned();
        assert_eq!(
            self.call("executor.init", json!({"executor": executor})),
            json!({"state": "READY"})
        );
        executor
    }

    #[track_caller]
    pub(crate) fn run(&mut self, executor: &str, code: &str) -> Json {
        self.call("executor.run", json!({"executor": executor, "code": code}))["output"].clone()
    }

    #[track_caller]
    pub(crate) fn tools(&mut self, executor: &str, tools: Json) {
        self.call(
            "executor.sendTools",
            json!({"executor": executor, "tools": tools}),
        );
    }

    /// Closes standard input and waits for the process to end.
    #[track_caller]
    pub(crate) fn close(mut self) -> Option<i32> {
        drop(self.stdin.take());
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            thread::sleep(Duration::from_millis(5));
        }
        panic!("the server outlives its client");
    }
}

/// The most memory that a process has had, in MiB.
#[cfg(target_os = "linux")]
pub(crate) fn peak_memory_of(child: &Child) -> usize {
    let path = format!("/proc/{}/status", child.id());
    let status = std::fs::read_to_string(path).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.unwrap().trim().trim_end_matches(" kB");
    kib.parse::<usize>().unwrap() / 1024
}

/// Values may be nested deeply.
fn parse(line: &str) -> Json {
    let mut parser = serde_json::Deserializer::from_str(line);
    parser.disable_recursion_limit();
    Json::deserialize(&mut parser).unwrap_or_else(|_| panic!("not JSON: {line}"))
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
