//! Answers for bashkit: see `../README.md`.

use std::{
    io::{BufRead, Write},
    path::Path,
    time::{Duration, Instant},
};

use bashkit::{Bash, ExecutionLimits, FsLimits, MemoryLimits, SessionLimits};
use serde_json::{Value, json};

fn main() {
    let folder = std::env::args().nth(1).expect("a folder");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let mut bash = shell();
    runtime.block_on(copy(&bash, Path::new(&folder), Path::new("/work")));
    let mut kept = Vec::new();
    say(&json!({ "name": "bashkit 0.20.2" }));
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line.expect("a line")).expect("a request");
        say(&match request["kind"].as_str() {
            Some("run") => {
                let script = request["script"].as_str().unwrap_or_default();
                let began = Instant::now();
                let result = runtime.block_on(bash.exec(script));
                let us = began.elapsed().as_secs_f64() * 1e6;
                match result {
                    Ok(result) if result.exit_code == 0 => {
                        json!({ "us": us, "output": result.stdout.to_string() })
                    }
                    Ok(result) => json!({ "error": result.stderr.to_string() }),
                    Err(error) => json!({ "error": error.to_string() }),
                }
            }
            Some("create") => {
                let began = Instant::now();
                let made = shell();
                let us = began.elapsed().as_secs_f64() * 1e6;
                drop(made);
                json!({ "us": us })
            }
            Some("idle") => {
                let count = request["count"].as_u64().unwrap_or(1);
                let before = pss();
                for _ in 0..count {
                    let mut made = shell();
                    let ran = runtime.block_on(made.exec("f() { echo $1; }; x=(1 2 3); f $x"));
                    drop(ran);
                    kept.push(made);
                }
                json!({ "kib": (pss() - before) / count as f64 })
            }
            _ => json!({ "error": "unknown request" }),
        });
    }
}

fn say(answer: &Value) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{answer}").and_then(|()| out.flush()).expect("somebody who listens");
}

fn shell() -> Bash {
    let limits = ExecutionLimits {
        max_work_units: u64::MAX,
        max_aggregate_input_bytes: u64::MAX,
        max_live_intermediate_bytes: u64::MAX,
        max_commands: usize::MAX,
        max_loop_iterations: usize::MAX,
        max_total_loop_iterations: usize::MAX,
        timeout: Duration::from_secs(3600),
        max_stdout_bytes: usize::MAX,
        ..ExecutionLimits::default()
    };
    Bash::builder()
        .cwd("/work")
        .env("LC_ALL", "C")
        .limits(limits)
        .session_limits(SessionLimits::unlimited())
        .memory_limits(MemoryLimits::unlimited())
        .filesystem_limits(FsLimits::unlimited())
        .build()
}

async fn copy(bash: &Bash, from: &Path, to: &Path) {
    let files = bash.fs();
    files.mkdir(to, true).await.expect("a folder");
    for entry in from.read_dir().expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            Box::pin(copy(bash, &entry.path(), &target)).await;
        } else {
            let content = std::fs::read(entry.path()).expect("a file");
            files.write_file(&target, &content).await.expect("a file");
        }
    }
}

/// Of this process, in KiB.
fn pss() -> f64 {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").expect("/proc");
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.expect("a number")
}
